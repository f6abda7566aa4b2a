// Places in a text, counted forth from the place that was asked for before.
export class Places {
  constructor(text) {
    this.text = text;
    this.line = 1;
    this.mark = 0; // where that line begins
    this.origin = { offset: 0, line: 0 }; // where the text begins, in a stream that forgets
  }

  /** The text no longer has what is forgotten, at its beginning. */
  movePlaces(forgotten) {
    const { origin } = this;
    for (let at = forgotten.indexOf("\n"); at >= 0; at = forgotten.indexOf("\n", at + 1))
      origin.line++;
    origin.offset += forgotten.length;
    this.line = 1;
    this.mark = 0;
  }

  place(start, end) {
    const { text, origin } = this;
    let { line, mark } = this;
    while (mark > start) {
      line--;
      mark = mark > 1 ? text.lastIndexOf("\n", mark - 2) + 1 : 0;
    }
    let next = text.indexOf("\n", mark);
    while (next >= 0 && next < start) {
      line++;
      mark = next + 1;
      next = text.indexOf("\n", mark);
    }
    this.line = line;
    this.mark = mark;
    return {
      start: start + origin.offset,
      end: end + origin.offset,
      line: line + origin.line,
      column: start - mark + 1,
    };
  }

  /** The place of a section, without the line ends after it. */
  span(start, end) {
    const { text } = this;
    let last = end;
    while (last > start && (text.charCodeAt(last - 1) === 10 || text.charCodeAt(last - 1) === 13))
      last--;
    return this.place(start, last);
  }

  /** The place of a block's content, between its first and its last line. */
  inside({ start, end }) {
    const { text } = this;
    const from = text.indexOf("\n", start) + 1;
    let to = text.lastIndexOf("\n", end - 2) + 1;
    if (from < to) to--;
    if (from < to && text.charCodeAt(to - 1) === 13) to--;
    return [from, to];
  }
}
