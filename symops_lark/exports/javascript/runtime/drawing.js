// Draw a diagnostic: the line of the text, carets below the span, what was expected, the hint.
import { NARROW, WIDE } from "./widths.js";

const MAX_CELLS = 120; // of a line that is drawn
const MAX_BEFORE = 60; // of them, before the caret

/** The code points at which a property of characters begins and ends, in turn. */
const edgesOf = (distances) => {
  let point = 0;
  return distances.split(" ").map((distance) => (point += parseInt(distance, 36)));
};
let narrow = null;
let wide = null;

const isWithin = (edges, point) => {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] <= point) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
};

/** The columns of a terminal that a character needs. */
const width = (character) => {
  const point = character.codePointAt(0);
  if (point < 0x300) return 1;
  narrow ??= edgesOf(NARROW);
  if (isWithin(narrow, point)) return 0;
  wide ??= edgesOf(WIDE);
  return isWithin(wide, point) ? 2 : 1;
};

/**
 * Whether there is nothing but white space, as Python has it: separators of files are, a byte order
 * mark is not.
 */
export const isBlank = (text) =>
  /^[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/.test(text);

/** The line of a text with carets below a span. */
const drawLine = (text, span, shown) => {
  const start = span.start - span.column + 1;
  const stop = text.indexOf("\n", start);
  const line = text.slice(start, stop < 0 ? text.length : stop).replace(/\r$/, "");
  const cells = Array.from(line);
  const begin = Array.from(line.slice(0, span.column - 1)).length;
  const length = Math.max(1, Array.from(text.slice(span.start, span.end)).length);
  const left = Math.max(0, begin - MAX_BEFORE);
  const window = cells.slice(left, left + MAX_CELLS);
  if (isBlank(window.join(""))) return [];
  const before = window.slice(0, begin - left);
  const margin = before.map((cell) => (cell === "\t" ? "\t" : " ".repeat(width(cell)))).join("");
  const marked = window.slice(begin - left, begin - left + length);
  const carets = marked.reduce((sum, cell) => sum + width(cell), 0);
  const end = cells.length > left + MAX_CELLS ? "…" : "";
  return [
    `${String(shown).padStart(5)} | ${left ? "…" : ""}${window.join("")}${end}`,
    `      | ${left ? " " : ""}${margin}${"^".repeat(Math.max(1, carets))}`,
  ];
};

/** A diagnostic as a message for people; `above` counts the lines before the text. */
export const draw = ({ severity, message, code, span, expected, hint }, text, above = 0) => {
  const shown = span.line + above;
  const lines = [`<reply>:${shown}:${span.column}: ${severity}: ${message} [${code}]`];
  lines.push(...drawLine(text, span, shown));
  if (expected.length) lines.push(`        expected: ${expected.join(", ")}`);
  if (hint) lines.push(`        hint: ${hint}`);
  return lines.join("\n");
};
