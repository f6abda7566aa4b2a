// The parser of valid texts; "./strict" has the reader of streams as well.
export { fingerprint, parse, ParseError } from "./parser.js";
