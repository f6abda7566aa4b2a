import type { Section, SymopsDocument } from "./index.js";
export { ParseError } from "./index.js";
/** Tables of a dialect, ready to run. */
export interface Tables {
  readonly dialect: string;
  readonly fingerprint: string;
}
/** Make tables ready to run: the JSON value that `symops export tables` writes. Throws for another version. */
export function load(tables: object): Tables;
/** The document of a valid text; any other throws a `ParseError`. */
export function parse(tables: Tables, text: string): SymopsDocument;
/** Reads a valid text as it arrives. */
export class StreamReader {
  constructor(tables: Tables);
  /** Take in a piece; returns the sections that it completes. Throws a `ParseError` for a mistake. */
  push(piece: string): Section[];
  /** End the text; returns the document. */
  end(): SymopsDocument;
}
