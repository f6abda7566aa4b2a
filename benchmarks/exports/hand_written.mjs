// A parser of valid replies in v2, as a programmer writes it by hand: one pass over the lines, without tables,
// messages, or streams. `python -m benchmarks.exports times` has it beside the exported parser, as a measure.
const NAMES = { c: "confidence", m: "mood", f: "focus", s: "stamina" };
const RUNNING = new Set(["run", "test", "execute", "check", "verify"]);
const ACTION = /^::[ \t]*([a-z][a-z0-9_-]*)[ \t]*@[ \t]*(.*)$/;
const ERROR = /^![ \t]+([^ \t@]+)(?:[ \t]*@[ \t]*([^ \t@]+))?(?:[ \t]+([^@].*))?$/;

export const parse = (text) => {
  const sections = [];
  let at = 0;
  let line = 1;
  let last = null; // the action or question that the next line may belong to
  while (at < text.length) {
    const end = endOf(text, at);
    const shown = text.slice(at, end).trimEnd();
    const span = { start: at, end: at + shown.length, line, column: 1 };
    let next = end + 1;
    let lines = 1;
    if (shown.startsWith("<<<")) {
      const close = closerAt(text, end);
      const stop = text[close - 1] === "\r" ? close - 1 : close;
      last.content = text.slice(next, Math.max(next, stop));
      last.content_span = { start: next, end: next + last.content.length, line: line + 1, column: 1 };
      next = endOf(text, close + 1) + 1;
      last.span.end = close + 1 + text.slice(close + 1, next).trimEnd().length;
      lines = 2;
      for (let feed = end; feed < close; feed = text.indexOf("\n", feed + 1)) lines++;
    } else if (shown.startsWith(">>")) {
      sections.push({ kind: "thought", text: shown.slice(2).trimStart(), span });
    } else if (shown.startsWith("?")) {
      const ask = shown.slice(1).trimStart();
      const isQuoted = ask.length > 1 && ask.startsWith('"') && ask.endsWith('"');
      last = { kind: "question", text: isQuoted ? ask.slice(1, -1) : ask, choices: [], span };
      sections.push(last);
    } else if (shown.startsWith("!")) {
      const [, type, target = null, message = null] = ERROR.exec(shown);
      sections.push({ kind: "error", type, target, message, span });
    } else if (shown.startsWith("::")) {
      last = actionOf(shown, span);
      sections.push(last ?? { kind: "vitals", values: vitalsOf(shown), span });
    } else if (shown !== "") {
      last.choices.push(shown.slice(shown.indexOf(".") + 1).trimStart());
      last.span.end = span.end;
    }
    at = next;
    line += lines;
  }
  return { dialect: "v2", sections };
};

const endOf = (text, at) => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/** The line feed before the line that closes a block. */
const closerAt = (text, from) => {
  let close = text.indexOf("\n>>>", from);
  while (close >= 0 && text.slice(close + 4, endOf(text, close + 4)).trim() !== "") close = text.indexOf("\n>>>", close + 4);
  if (close < 0) throw new Error("a block is not closed");
  return close;
};

const vitalsOf = (shown) => {
  const pairs = shown.split(/[ \t]+/).map((vital) => [NAMES[vital[2]], Math.min(Number(vital.slice(3)), 1e9)]);
  return Object.fromEntries(pairs);
};

const actionOf = (shown, span) => {
  const match = ACTION.exec(shown);
  if (match === null) return null;
  const [, type, target] = match;
  const mark = RUNNING.has(type) ? -1 : target.indexOf(">");
  const path = mark < 0 ? target : target.slice(0, mark).trimEnd();
  const dependencies = mark < 0 ? [] : target.slice(mark + 1).split(/[>,]/).map((name) => name.trim());
  const whole = { confidence: 1, completeness: "complete", span, content_span: null, number: null, attributes: {} };
  return { kind: "action", type, path, content: null, dependencies, ...whole };
};
