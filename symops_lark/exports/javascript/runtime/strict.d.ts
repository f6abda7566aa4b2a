export { fingerprint, parse, ParseError } from "./index.js";
export type * from "./index.js";
export { StreamReader } from "./stream.js";
