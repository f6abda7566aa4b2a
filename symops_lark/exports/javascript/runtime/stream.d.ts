import type { Section, SymopsDocument } from "./index.js";
/** Reads a valid text as it arrives. */
export class StreamReader {
  /** Take in a piece; returns the sections that it completes. Throws a `ParseError` for a mistake. */
  push(piece: string): Section[];
  /** End the text; returns the document. */
  end(): SymopsDocument;
}
