// The reply: a text field above a copy of its text that is painted. What has not arrived yet is pale.
import { make } from "./elements.js";

const MOST_PAINTED = 200_000; // characters; longer texts stay without colours
const RETURN = "␍"; // a text field turns carriage returns into line feeds, so they are shown by their picture

export class Editor {
  constructor(field, backdrop, scroller, changed) {
    Object.assign(this, { field, backdrop, scroller, painted: { text: "", marks: [] } });
    field.addEventListener("input", () => {
      this.paint(this.#moved(), Infinity);
      changed();
    });
  }

  get text() { return this.field.value.replaceAll(RETURN, "\r"); }
  set text(text) {
    this.field.value = text.replaceAll("\r", RETURN);
    this.paint([], Infinity);
  }

  // The marks that are painted, moved by what was typed: until the text has been read again.
  #moved() {
    const { text, marks } = this.painted, now = this.field.value, more = now.length - text.length;
    let same = 0;
    while (same < text.length && text[same] === now[same]) same++;
    const move = (offset) => (offset <= same ? offset : Math.max(same, offset + more));
    return marks.map(({ start, end, kind }) => ({ start: move(start), end: move(end), kind }));
  }

  // `marks` are {start, end, kind}; kinds are classes. `arrived` is how many units of the text are there.
  paint(marks, arrived) {
    const text = this.field.value;
    this.painted = { text, marks };
    const used = text.length > MOST_PAINTED ? [] : marks;
    const edges = new Set([0, Math.min(arrived, text.length), text.length]);
    for (const { start, end } of used) edges.add(Math.min(start, text.length)).add(Math.min(end, text.length));
    const places = [...edges].sort((a, b) => a - b);
    const pieces = [];
    for (let at = 0; at + 1 < places.length; at++) {
      const [start, end] = [places[at], places[at + 1]];
      const kinds = used.filter((mark) => mark.start <= start && end <= mark.end).map((mark) => mark.kind);
      if (start >= arrived) kinds.push("unarrived");
      pieces.push(make("span", { class: kinds.join(" ") || null }, text.slice(start, end)));
    }
    this.backdrop.replaceChildren(...pieces, "\n");
  }

  select(start, end) {
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(start, Math.max(end, start));
    const top = this.#top(start);
    this.scroller.scrollTo({ top: Math.max(0, top - this.scroller.clientHeight / 3) });
    this.scroller.scrollIntoView({ block: "nearest" });
  }

  #top(offset) {
    const walker = document.createTreeWalker(this.backdrop, NodeFilter.SHOW_TEXT);
    for (let left = offset; walker.nextNode(); left -= walker.currentNode.length) {
      if (left > walker.currentNode.length) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, left);
      return range.getBoundingClientRect().top - this.backdrop.getBoundingClientRect().top;
    }
    return 0;
  }
}

// What a reading paints: sections, contents, what was skipped, and findings.
export function marksOf({ process }) {
  const marks = [];
  for (const section of process.document.sections) {
    const { start, end } = section.span, content = section.content_span;
    if (section.kind === "action" && content) {
      marks.push({ start, end: content.start, kind: "action" }, { ...content, kind: "content" }, { start: content.end, end, kind: "action" });
    } else {
      marks.push({ start, end, kind: section.kind });
    }
  }
  for (const { span, severity } of process.diagnostics ?? []) {
    marks.push({ start: span.start, end: Math.max(span.end, span.start + 1), kind: `found ${severity}` });
  }
  return marks;
}
