// The document of a valid text; any other throws a `ParseError`.
import { Parser, Unexpected } from "./driver.js";
import { explain, ParseError } from "./explain.js";
import { readMarks } from "./unfinished.js";

export const BOM = 0xfeff;

/** `tables` is made by `load`. */
export const parse = (tables, text) => {
  if (typeof text !== "string") throw new TypeError("a reply is a text");
  const begin = text.charCodeAt(0) === BOM ? 1 : 0;
  try {
    const parser = new Parser(tables, text.endsWith("\n") ? text : `${text}\n`, begin);
    return { dialect: tables.dialect, sections: readMarks(parser.run()) };
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    throw new ParseError([explain(error, text, tables)], text);
  }
};
