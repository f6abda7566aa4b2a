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

/**
 * The maker of each rule of a dialect's tables: null for those whose children are taken in elsewhere.
 * A maker takes the parts, their place, and the parser, which has the text.
 */
export const makersOf = (tables) => {
  const { own } = tables,
    names = tables.terminals.map(({ name }) => name);
  const block = names.indexOf("BLOCK");
  const say = (token, parser) => token.text ?? parser.cut(token.start, token.end);
  const nameOf = (token) => token.name ?? names[token.terminal];
  const contentOf = (token, parser) => parser.text.slice(...parser.inside(token));

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
  const partsOf = (kept, parser) =>
    kept.map((child) =>
      !isToken(child)
        ? child
        : child.terminal === block
          ? { name: "block", text: contentOf(child, parser), parts: [] }
          : { name: nameOf(child).toLowerCase(), text: say(child, parser), parts: [] },
    );
  const argumentsOf = (child, parser) => {
    if (isToken(child)) return [[nameOf(child).toLowerCase(), say(child, parser)]];
    if (child.parts.length === 0) return [[child.name, child.text]];
    return child.parts.flatMap((part) =>
      argumentsOf(part, parser).map(([name, value]) => [`${child.name}.${name}`, value]),
    );
  };

  const head = (kept, start, end, parser) => {
    let number = null,
      at = 0;
    if (nameOf(kept[0]) === "NUMBER") {
      const digits = say(kept[at++], parser);
      number = digits.replace(/^0+/, "").length <= DIGITS ? Number(digits) : 10 ** DIGITS;
    }
    const further = [],
      texts = [];
    for (const first = at; at < kept.length; at++) {
      const child = kept[at];
      const isFurther = own && (!isToken(child) || (at > first + 1 && !NEEDS.has(nameOf(child))));
      if (isFurther) further.push(child);
      else texts.push(say(child, parser));
    }
    return { verb: texts[0], path: texts[1] ?? "", dependencies: texts.slice(2), number, further };
  };
  const pathLine = (kept, start, end, parser) => ({ key: PATH, values: [say(kept[0], parser)] });
  const makers = {
    thought: (kept, start, end, parser) => ({
      kind: "thought",
      text: kept.length ? trimEnd(say(flat(kept)[0], parser), " \t\r\n") : "",
      span: parser.span(start, end),
    }),
    reasoning: (kept, start, end, parser) => {
      // the line of the mark belongs to the first thought
      const whole = parser.span(start, end);
      kept[0].span = { ...whole, end: kept[0].span.end };
      return kept;
    },
    vitals: (kept, start, end, parser) => {
      const values = [];
      for (const token of flat(kept)) {
        const said = say(token, parser);
        for (const shown of nameOf(token) === "VITALS" ? said.split("\n") : [said]) {
          if (!shown) continue;
          const [name, number] = vital(shown);
          values.push([
            own && !VITALS.has(nameOf(token)) ? nameOf(token).toLowerCase() : name,
            number,
          ]);
        }
      }
      return { kind: "vitals", values: Object.fromEntries(values), span: parser.span(start, end) };
    },
    head,
    verb_line: head,
    run_line: head,
    path_line: pathLine,
    command_line: pathLine,
    depends_line: (kept, start, end, parser) => ({
      key: DEPENDENCIES,
      values: kept.map((token) => say(token, parser)),
    }),
    attribute: (kept, start, end, parser) => ({
      key: say(kept[0], parser).slice(0, -1),
      values: kept.length > 1 ? kept.slice(1).map((token) => say(token, parser)) : [""],
    }),
    action: (kept, start, end, parser) => {
      const { verb, number, further, dependencies } = kept[0],
        where = parser.span(start, end);
      let { path } = kept[0],
        content = null,
        content_span = null,
        attributes = null,
        repeated = null; // most actions have none
      for (const child of further.length > 0 ? [...further, ...kept.slice(1)] : kept.slice(1)) {
        if (isToken(child) && child.terminal === block) {
          const [from, to] = parser.inside(child);
          content = parser.text.slice(from, to);
          content_span = parser.place(from, to);
        } else if (child.key === PATH) path = child.values[0];
        else if (child.key === DEPENDENCIES)
          for (const value of child.values) dependencies.push(value);
        else {
          for (const [key, value] of child.key === undefined
            ? argumentsOf(child, parser)
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
    ask: (kept, start, end, parser) => {
      const shown = kept.length ? say(flat(kept)[0], parser) : "";
      return shown.length > 1 && shown.startsWith('"') && shown.endsWith('"')
        ? shown.slice(1, -1)
        : shown;
    },
    choice: (kept, start, end, parser) => (kept.length > 1 ? say(flat(kept)[1], parser) : ""),
    question: ([ask, ...choices], start, end, parser) => ({
      kind: "question",
      text: ask,
      choices,
      span: parser.span(start, end),
    }),
    error: (kept, start, end, parser) => {
      const tokens = flat(kept),
        said = (name, from) => tokens.slice(from).find((token) => nameOf(token) === name);
      const target = said("WORD", 1),
        message = said("MESSAGE", 0);
      return {
        kind: "error",
        type: say(tokens[0], parser),
        target: target ? say(target, parser) : null,
        message: message ? say(message, parser) : null,
        span: parser.span(start, end),
      };
    },
    document: (kept) => (kept.some(Array.isArray) ? kept.flat() : kept),
  };
  const section = (name) => (kept, start, end, parser) => {
    const where = parser.span(start, end),
      { offset } = parser.origin;
    return {
      kind: "custom",
      name,
      parts: partsOf(kept, parser),
      text: parser.text.slice(where.start - offset, where.end - offset),
      confidence: 1,
      completeness: "complete",
      span: where,
    };
  };
  const part = (name) => (kept, start, end, parser) =>
    kept.length === 1 && isToken(kept[0]) && kept[0].terminal !== block
      ? { name, text: say(kept[0], parser), parts: [] }
      : { name, text: "", parts: partsOf(kept, parser) };
  return tables.rules.map(([, name]) => {
    if (own?.sections.includes(name)) return section(name);
    if (own?.parts.includes(name)) return part(name);
    return Object.hasOwn(makers, name) ? makers[name] : null;
  });
};
