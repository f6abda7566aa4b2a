// The parser of valid texts of one dialect.
import data from "./data.js";
import { parse as parseWith } from "./parse.js";
import { load } from "./tables.js";

export { ParseError } from "./explain.js";
export const tables = /* @__PURE__ */ load(data);
/** The fingerprint of the grammar that the tables come from. */
export const fingerprint = data.fingerprint;
/** The document of a valid text; any other throws a `ParseError`. */
export const parse = (text) => parseWith(tables, text);
