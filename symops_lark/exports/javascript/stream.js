export class StreamParser {
  #stream = new $StreamParser();
  #result = null;
  receive(text) { this.#stream.receive($text_of(text)); }
  nextEvent() { const event = this.#stream.next_event(); return event.to_dict ? $melt(event.to_dict()) : null; }
  events() { const made = []; for (let event; (event = this.nextEvent()); ) made.push(event); return made; }
  close({ cutOff = null } = {}) {
    if (this.#result) return this.#result;
    const { result, differences, error } = this.#stream.close(cutOff);
    this.#result = { result: result ? $melt(result.to_dict()) : null, differences: differences.map((each) => $melt(each.to_dict())), error: error ? error.message : null };
    if (error) this.#result.partial = { document: $melt(error.document.to_dict()), diagnostics: error.diagnostics.map((each) => $melt(each.to_dict())), trace: error.trace.map((each) => $melt(each.to_dict())), reason: error.reason?.value ?? "no-section" };
    return this.#result;
  }
}
