// Tables of a dialect, as `symops export tables` writes them, made ready to run.
// The format is documented in docs/embedding.md of symops-lark.
import { makersOf } from "./nodes.js";

const unpack = (rows, Type, width) => {
  const out = new Type(rows.length * width);
  rows.forEach((row, at) => {
    let to = at * width;
    for (const run of row.split(" ")) {
      const [value, count = 1] = run.split("*");
      for (let n = +count; n > 0; n--) out[to++] = +value;
    }
  });
  return out;
};

/** The class of the first half of a pair: which letter the pair is, only its code point tells. */
export const PAIR = 255;
/** An automaton over UTF-16 units. A surrogate pair is one letter. */
export const automaton = ({ classes, rows, match, skips = [] }) => {
  const width = 1 + Math.max(...classes.map(([, kind]) => kind));
  const kinds = new Uint8Array(0x10000);
  const astral = []; // classes of what lies above the first plane: [from, class]
  classes.forEach(([from, kind], at) => {
    const end = classes[at + 1]?.[0] ?? 0x110000;
    if (from < 0x10000) kinds.fill(kind, from, Math.min(end, 0x10000));
    if (end > 0x10000) astral.push([Math.max(from, 0x10000), kind]);
  });
  kinds.fill(PAIR, 0xd800, 0xdc00);
  const lone = kinds[0xdc00]; // a surrogate without its partner is a letter like other surrogates
  const stops = match.map(() => null); // by state: whole lines may be passed over that do not begin so
  for (const [state, texts] of skips) stops[state] = texts;
  return {
    width,
    kinds,
    astral,
    lone,
    rows: unpack(rows, Int16Array, width),
    match: Int16Array.from(match),
    stops,
    passes: Uint8Array.from(stops, (each) => +(each !== null)),
  };
};

/** The class of what begins at a place with the first half of a pair. */
export const kindOfPair = (dfa, text, place) => {
  const point = text.codePointAt(place);
  if (point < 0x10000) return dfa.lone;
  let kind = dfa.astral[0][1];
  for (const [from, other] of dfa.astral) if (from <= point) kind = other;
  return kind;
};

const VERSION = 1;
export const load = (data) => {
  if (data.symops_tables !== VERSION)
    throw new Error(
      `these tables have version ${data.symops_tables}, and this runtime reads version ${VERSION}: ` +
        "export both with the same symops-lark",
    );
  return {
    ...data,
    dfa: automaton({ ...data.dfa, classes: data.classes }),
    near: automaton(data.errors),
    lines: data.lines && { ...automaton(data.lines), rules: data.lines.rules },
    actions: unpack(data.actions, Int16Array, data.symbols),
    lexers: data.lexers.map((lexer) => {
      const words = data.terminals.map(() => undefined); // by terminal: texts that are another one
      for (const [of, text, to] of lexer.words) (words[of] ??= new Map()).set(text, to);
      return { ...lexer, words };
    }),
    rules: data.rules.map(([origin, name, parts, expands, holes]) => ({
      origin,
      name,
      parts,
      expands: expands === 1,
      holes: holes === 0 ? null : holes,
    })),
    makers: makersOf(data),
    ignored: data.ignored.length ? new Set(data.ignored) : null,
  };
};
