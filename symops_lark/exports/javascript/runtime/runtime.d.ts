import type { SymopsDocument } from "./documents.js";
export { ParseError } from "./index.js";
export type * from "./documents.js";
/** Tables of a dialect, ready to run. */
export interface Tables {
  readonly dialect: string;
  readonly fingerprint: string;
}
/** Make tables ready to run: the JSON value that `symops export tables` writes. Throws for another version. */
export function load(tables: object): Tables;
/** The document of a valid text; any other throws a `ParseError`. Name the type of its dialect, if it is known. */
export function parse<Document extends SymopsDocument = SymopsDocument>(tables: Tables, text: string): Document;
/** Reads a valid text as it arrives. */
export class StreamReader<Document extends SymopsDocument = SymopsDocument> {
  constructor(tables: Tables);
  /** Take in a piece; returns the sections that it completes. Throws a `ParseError` for a mistake. */
  push(piece: string): Document["sections"];
  /** End the text; returns the document. */
  end(): Document;
}
