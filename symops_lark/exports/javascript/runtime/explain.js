// Why a text does not parse, for people: what was seen, what was expected, which repair would help.
import { kindOfPair, PAIR } from "./tables.js";
import { draw, isBlank } from "./drawing.js";
import { trimEnd } from "./texts.js";
const SHOWN = 20; // characters of what is not expected
const STRAY = "stray-text";

export class ParseError extends Error {
  /** `origin` is the place of the text in a longer one, whose beginning is not kept. */
  constructor(diagnostics, text, origin = { offset: 0, line: 0 }) {
    super(diagnostics.map((each) => draw(each, text, origin.line)).join("\n"));
    this.name = "ParseError";
    this.diagnostics = diagnostics.map((each) => {
      const { start, end, line, column } = each.span,
        { offset } = origin;
      return {
        ...each,
        span: {
          start: start + offset,
          end: end + offset,
          line: line + origin.line,
          column,
        },
      };
    });
  }
}

/** A text whose lines end with a line feed alone, and the way from and to it. */
const plainLines = (text) => {
  const starts = [],
    places = [],
    left = [0];
  let plain = text;
  if (text.includes("\r") && text.includes("\n")) {
    for (const found of text.matchAll(/(?<!\r)\r+(?=\n|$)/g)) {
      starts.push(found.index);
      places.push(found.index - left.at(-1));
      left.push(left.at(-1) + found[0].length);
    }
    plain = text.replace(/(?<!\r)\r+(?=\n|$)/g, "");
  }
  const below = (list, offset) => {
    let n = 0;
    while (n < list.length && list[n] < offset) n++;
    return n;
  };
  return {
    plain,
    toText: (offset) => offset + left[below(places, offset)],
    toPlain: (offset) => {
      const n = below(starts, offset);
      return n ? Math.max(offset - left[n], places[n - 1]) : offset;
    },
  };
};
const placeOf = (text, offset) => {
  let line = 1,
    mark = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < offset; next = text.indexOf("\n", mark)) {
    line++;
    mark = next + 1;
  }
  return [line, offset - mark + 1];
};
const lineAt = (text, offset) => {
  // its offset, and its text; for JavaScript, a search back from -1 begins at 0
  const start = offset > 0 ? text.lastIndexOf("\n", offset - 1) + 1 : 0,
    end = text.indexOf("\n", start);
  return [start, text.slice(start, end < 0 ? text.length : end).replace(/\r$/, "")];
};

export const explain = (error, text, tables) => {
  const { plain, toText, toPlain } = plainLines(text);
  const found = judge(error, plain, toPlain(Math.min(error.offset, text.length)), tables);
  const start = toText(found.start),
    [line, column] = placeOf(text, start);
  const { code, message, expected, hint } = found;
  return {
    code,
    severity: "error",
    message,
    span: { start, end: toText(found.end), line, column },
    expected,
    hint,
  };
};

const judge = (error, text, offset, tables) => {
  const expected = [...new Set(error.expected)].sort(byPoint);
  const missing = pathless(error, text, offset, tables) ?? unclosed(error, text, offset, tables);
  if (missing) return missing;
  let size = text.length;
  while (size > 0 && text[size - 1] === "\n") size--;
  const [start, shown] = lineAt(text, Math.min(offset, size)),
    end = start + shown.length;
  const { near, mistakes } = tables.errors;
  const check = takes(tables.near, `${shown}\n`, tables.errors.start),
    at = Math.max(offset, start);
  if (check >= 0 || isBlank(shown.slice(0, at - start))) {
    const [code, message, hint] = check >= 0 ? near[check] : [STRAY, ...mistakes[STRAY]];
    return { code, message, start, end, expected, hint };
  }
  const rest = Array.from(text.slice(at, at + 2 * SHOWN))
    .slice(0, SHOWN)
    .join("")
    .split("\n")[0];
  const message = `${!isBlank(rest) ? quoted(rest) : "the end of the line"} is not expected here`;
  return {
    code: "unexpected-text",
    message,
    start: at,
    end: Math.max(at, end),
    expected,
    hint: "`symops repair --explain` shows what the repair rules make of this text",
  };
};

/** If an action's path should be an attribute and is not there: the action. */
const pathless = (error, text, offset, { lines, errors }) => {
  if (lines === null) return null;
  let [start, shown] = lineAt(text, Math.min(offset, Math.max(0, text.length - 1)));
  const column = Math.min(offset, Math.max(0, text.length - 1)) - start + 1;
  // A byte order mark at the beginning of the text is part of no line.
  const rule = (line) =>
    lines.rules[takes(lines, `${start === 0 ? line.replace(/^\ufeff/, "") : line}\n`, 0)];
  const below = (name) => name === "attribute" || name === "depends_line";
  if (column > 1 && !below(rule(shown))) return null;
  if (column === 1) {
    if (start === 0) return null;
    [start, shown] = lineAt(text, start - 1);
  }
  while (start > 0 && below(rule(shown))) [start, shown] = lineAt(text, start - 1);
  if (rule(shown) !== "verb_line") return null;
  const wanted = errors.target + errors.path_key;
  return {
    code: "missing-path",
    message: `this action names no path: an indented line \`${wanted}\` is missing right below it`,
    start,
    end: start + shown.length,
    expected: [wanted],
    hint: `write \`  ${wanted} a.py\` below it, or \`${errors.target}a.py\` after the verb`,
  };
};

/** If the error is an opener whose block never ends properly: the opener. */
const unclosed = ({ parser }, text, offset, { fences, terminals, errors }) => {
  const [start, shown] = lineAt(text, Math.min(offset, Math.max(0, text.length - 1)));
  const opener = trimEnd(shown, " \t");
  if (!Object.hasOwn(fences, opener) || start !== offset) return null;
  try {
    // would a block here be an action's?
    parser.advance(terminals.find((each) => each.name === "BLOCK").symbol, 0, offset, offset);
  } catch {
    return null;
  }
  if (!errors.behind_block.includes(parser.state)) return null;
  const closer = fences[opener][0];
  return {
    code: "missing-closer",
    message: `this block is never closed: \`${closer}\` alone on a line is missing`,
    start,
    end: start + opener.length,
    expected: [closer],
    hint: `write \`${closer}\` after the content; the repair \`missing-closer\` does it`,
  };
};

/** Which of an automaton's patterns takes a whole line, or -1. */
const takes = (dfa, line, start) => {
  let state = start;
  for (let place = 0; place < line.length; place++) {
    let kind = dfa.kinds[line.charCodeAt(place)];
    if (kind === PAIR) {
      kind = kindOfPair(dfa, line, place);
      if (line.codePointAt(place) > 0xffff) place++;
    }
    state = dfa.rows[state * dfa.width + kind];
    if (state < 0) return -1;
  }
  return dfa.match[state];
};

const byPoint = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
// New characters of Unicode are not among them: engines know different versions.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Noncharacter_Code_Point}]/u;
const ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
/** A text in quotes, with its control characters visible, as Python writes it. */
export const quoted = (text) => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = Array.from(text, (sign) => {
    if (sign === quote) return `\\${sign}`;
    if (ESCAPES[sign]) return ESCAPES[sign];
    if (sign === " " || !UNPRINTABLE.test(sign)) return sign;
    const code = sign.codePointAt(0),
      hex = code.toString(16);
    return code < 256
      ? `\\x${hex.padStart(2, "0")}`
      : code < 65536
        ? `\\u${hex.padStart(4, "0")}`
        : `\\U${hex.padStart(8, "0")}`;
  });
  return quote + inner.join("") + quote;
};
