// For tables of any dialect, as `symops export tables` writes them.
export { ParseError } from "./explain.js";
export { parse } from "./parse.js";
export { StreamReader } from "./reader.js";
export { load } from "./tables.js";
