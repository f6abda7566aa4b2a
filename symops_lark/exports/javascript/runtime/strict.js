// The strict parser of one dialect: whole texts, and texts that arrive in pieces.
export { fingerprint, parse, ParseError } from "./parser.js";
export { StreamReader } from "./stream.js";
