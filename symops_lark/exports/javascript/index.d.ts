/** A text does not parse. */
export class ParseError extends Error { diagnostics: Diagnostic[] }
/** The document of a valid text; any other throws a `ParseError`. */
export function parse(text: string): SymopsDocument;
