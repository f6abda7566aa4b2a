// From rules to nodes: one maker for each kind of section that all dialects share, one for custom
// sections of a dialect.
import { trimEnd } from "./texts.js";

const LARGEST = 1e9,
  DIGITS = 18,
  NEEDS = new Set(["DEPENDENCY", "PATH"]),
  VITALS = new Set(["VITAL", "VITALS"]);
const PATH = "<path>",
  DEPENDENCIES = "<dependencies>"; // no attribute's key looks like these
const isToken = (child) => child !== null && child.terminal !== undefined;

/** The maker of each rule of a parser's tables: null for those whose children are taken in elsewhere. */
export const makersOf = (parser) => {
  const { tables } = parser;
  let { text } = parser;
  parser.takeText = (longer) => {
    text = longer;
  }; // a stream has more of it each time
  const { own } = tables,
    names = tables.terminals.map((terminal) => terminal.name);
  const block = names.indexOf("BLOCK");
  const say = (token) => token.text ?? parser.cut(token.start, token.end);
  const nameOf = (token) => token.name ?? names[token.terminal];

  // ---- places: counted forth from the place that was asked for before
  let line = 1,
    mark = 0;
  parser.origin = { offset: 0, line: 0 }; // where the text begins, in a stream that forgets
  parser.movePlaces = (forgotten) => {
    const { origin } = parser;
    for (let at = forgotten.indexOf("\n"); at >= 0; at = forgotten.indexOf("\n", at + 1))
      origin.line++;
    origin.offset += forgotten.length;
    line = 1;
    mark = 0;
  };
  const place = (start, end) => {
    while (mark > start) {
      line--;
      mark = mark > 1 ? text.lastIndexOf("\n", mark - 2) + 1 : 0;
    }
    for (
      let next = text.indexOf("\n", mark);
      next >= 0 && next < start;
      next = text.indexOf("\n", mark)
    ) {
      line++;
      mark = next + 1;
    }
    const { offset, line: above } = parser.origin;
    return {
      start: start + offset,
      end: end + offset,
      line: line + above,
      column: start - mark + 1,
    };
  };
  const span = (start, end) => {
    while (end > start && (text.charCodeAt(end - 1) === 10 || text.charCodeAt(end - 1) === 13))
      end--;
    return place(start, end);
  };
  const inside = ({ start, end }) => {
    // a block's content, between its first and its last line
    const from = text.indexOf("\n", start) + 1;
    let to = text.lastIndexOf("\n", end - 2) + 1;
    if (from < to) to--;
    if (from < to && text.charCodeAt(to - 1) === 13) to--;
    return [from, to];
  };

  const vital = (shown) => {
    const bare = trimEnd(shown, " \t\r"),
      name = trimEnd(bare, "0123456789."),
      digits = bare.slice(name.length);
    const key = trimEnd(name, " \t");
    const number = Math.min(Number(digits.split(".").slice(-2).join(".")), LARGEST);
    const short = key.startsWith(tables.vital_mark) ? key.slice(tables.vital_mark.length) : key;
    const spelling = [key, short].find((name) => Object.hasOwn(tables.vitals, name));
    return [spelling === undefined ? short : tables.vitals[spelling], number];
  };
  const sayPart = (part) => part.text || part.parts.map(sayPart).join(" ");
  const flat = (kept) =>
    own
      ? kept.map((child) =>
          isToken(child)
            ? child
            : { terminal: -1, name: child.name.toUpperCase(), text: sayPart(child) },
        )
      : kept;
  const partsOf = (kept) =>
    kept.map((child) =>
      !isToken(child)
        ? child
        : child.terminal === block
          ? { name: "block", text: text.slice(...inside(child)), parts: [] }
          : { name: nameOf(child).toLowerCase(), text: say(child), parts: [] },
    );
  const argumentsOf = (child) => {
    if (isToken(child)) return [[nameOf(child).toLowerCase(), say(child)]];
    if (child.parts.length === 0) return [[child.name, child.text]];
    return child.parts.flatMap((part) =>
      argumentsOf(part).map(([name, value]) => [`${child.name}.${name}`, value]),
    );
  };

  const head = (kept) => {
    let number = null;
    if (nameOf(kept[0]) === "NUMBER") {
      const digits = say(kept.shift());
      number = digits.replace(/^0+/, "").length <= DIGITS ? Number(digits) : 10 ** DIGITS;
    }
    const further = [],
      texts = [];
    for (let at = 0; at < kept.length; at++) {
      const child = kept[at];
      const isFurther = own && (!isToken(child) || (at > 1 && !NEEDS.has(nameOf(child))));
      if (isFurther) further.push(child);
      else texts.push(say(child));
    }
    const [verb, path = "", ...dependencies] = texts;
    return { verb, path, dependencies, number, further };
  };
  const makers = {
    thought: (kept, start, end) => ({
      kind: "thought",
      text: kept.length ? trimEnd(say(flat(kept)[0]), " \t\r\n") : "",
      span: span(start, end),
    }),
    reasoning: (kept, start, end) => {
      // the line of the mark belongs to the first thought
      const whole = span(start, end);
      kept[0].span = { ...whole, end: kept[0].span.end };
      return kept;
    },
    vitals: (kept, start, end) => {
      const values = [];
      for (const token of flat(kept)) {
        for (const shown of nameOf(token) === "VITALS" ? say(token).split("\n") : [say(token)]) {
          if (!shown) continue;
          const [name, number] = vital(shown);
          values.push([
            own && !VITALS.has(nameOf(token)) ? nameOf(token).toLowerCase() : name,
            number,
          ]);
        }
      }
      return { kind: "vitals", values: Object.fromEntries(values), span: span(start, end) };
    },
    head,
    verb_line: head,
    run_line: head,
    path_line: (kept) => ({ key: PATH, values: [say(kept[0])] }),
    command_line: (kept) => ({ key: PATH, values: [say(kept[0])] }),
    depends_line: (kept) => ({ key: DEPENDENCIES, values: kept.map(say) }),
    attribute: (kept) => ({
      key: say(kept[0]).slice(0, -1),
      values: kept.length > 1 ? kept.slice(1).map(say) : [""],
    }),
    action: ([first, ...more], start, end) => {
      const { verb, number, further } = first,
        { dependencies } = first,
        where = span(start, end);
      let { path } = first,
        content = null,
        content_span = null,
        attributes = null,
        repeated = null; // most actions have none
      for (const child of own ? [...further, ...more] : more) {
        if (isToken(child) && child.terminal === block) {
          const [from, to] = inside(child);
          content = text.slice(from, to);
          content_span = place(from, to);
        } else if (child.key === PATH) path = child.values[0];
        else if (child.key === DEPENDENCIES)
          for (const value of child.values) dependencies.push(value);
        else {
          for (const [key, value] of child.key === undefined
            ? argumentsOf(child)
            : [[child.key, child.values[0]]]) {
            attributes ??= new Map();
            if (attributes.has(key)) (repeated ??= new Set()).add(key);
            attributes.set(key, value);
          }
        }
      }
      const made = {
        kind: "action",
        type: verb,
        path,
        content,
        dependencies,
        confidence: 1,
        completeness: "complete",
        span: where,
        content_span,
        number,
        attributes: attributes === null ? {} : Object.fromEntries(attributes),
      };
      if (repeated !== null) made.repeated_attributes = [...repeated];
      return made;
    },
    ask: (kept) => {
      const shown = kept.length ? say(flat(kept)[0]) : "";
      return shown.length > 1 && shown.startsWith('"') && shown.endsWith('"')
        ? shown.slice(1, -1)
        : shown;
    },
    choice: (kept) => (kept.length > 1 ? say(flat(kept)[1]) : ""),
    question: ([ask, ...choices], start, end) => ({
      kind: "question",
      text: ask,
      choices,
      span: span(start, end),
    }),
    error: (kept, start, end) => {
      const tokens = flat(kept),
        said = (name, from) => tokens.slice(from).find((token) => nameOf(token) === name);
      const target = said("WORD", 1),
        message = said("MESSAGE", 0);
      return {
        kind: "error",
        type: say(tokens[0]),
        target: target ? say(target) : null,
        message: message ? say(message) : null,
        span: span(start, end),
      };
    },
    document: (kept) => (kept.some(Array.isArray) ? kept.flat() : kept),
  };
  const section = (name) => (kept, start, end) => {
    const where = span(start, end);
    return {
      kind: "custom",
      name,
      parts: partsOf(kept),
      text: text.slice(where.start - parser.origin.offset, where.end - parser.origin.offset),
      confidence: 1,
      completeness: "complete",
      span: where,
    };
  };
  const part = (name) => (kept) =>
    kept.length === 1 && isToken(kept[0]) && kept[0].terminal !== block
      ? { name, text: say(kept[0]), parts: [] }
      : { name, text: "", parts: partsOf(kept) };
  return tables.rules.map(({ name }) => {
    if (own?.sections.includes(name)) return section(name);
    if (own?.parts.includes(name)) return part(name);
    return Object.hasOwn(makers, name) ? makers[name] : null;
  });
};
