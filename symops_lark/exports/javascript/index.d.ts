/** A stretch of the text: offsets in UTF-16 units, and the 1-based line and column of the start. */
export interface Span { start: number; end: number; line: number; column: number }
export interface Thought { kind: "thought"; text: string; span: Span }
export interface Vitals { kind: "vitals"; values: Record<string, number>; span: Span }
export interface Action {
  kind: "action";
  type: string;
  /** A path, or a command for verbs that run one. */
  path: string;
  /** null: there is no block. */
  content: string | null;
  dependencies: string[];
  confidence: number;
  completeness: "complete" | "unterminated" | "truncated" | "suspect";
  span: Span;
  content_span: Span | null;
  number: number | null;
  attributes: Record<string, string>;
  repeated_attributes?: string[];
}
export interface Question { kind: "question"; text: string; choices: string[]; span: Span }
export interface ErrorNote { kind: "error"; type: string; target: string | null; message: string | null; span: Span }
export interface Skipped { kind: "skipped"; text: string; code: string; span: Span }
/** What a terminal (its text) or a rule (its parts) says. */
export interface Part { name: string; text: string; parts: Part[] }
/** A section that only this dialect has, named as the rule of its grammar. */
export interface CustomSection { kind: "custom"; name: string; parts: Part[]; text: string; confidence: number; completeness: Action["completeness"]; span: Span }
export type Section = Thought | Vitals | Action | Question | ErrorNote | Skipped | CustomSection;
export interface SymopsDocument { dialect: string; sections: Section[] }
export interface Diagnostic {
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  span: Span;
  expected: string[];
  hint: string;
}
/** A text does not parse. */
export class ParseError extends Error { diagnostics: Diagnostic[] }
/** The document of a valid text; any other throws a `ParseError`. */
export function parse(text: string): SymopsDocument;
/** The fingerprint of the grammar that the parser comes from. */
export const fingerprint: string;
// Only in the tolerant form.
export interface Repair {
  rule: string;
  summary: string;
  cost: number;
  before: Span;
  after: Span;
  text_before: string;
  text_after: string;
}
export interface TraceStep { phase: string; succeeded: boolean; outcome: string; text: string }
export interface Result {
  phase: "strict" | "repaired" | "recovered";
  confidence: number;
  document: SymopsDocument;
  diagnostics: Diagnostic[];
  repairs: Repair[];
  trace: TraceStep[];
  text: string;
}
export interface Options {
  /** Whether the reply is known to end too early; undefined: judge by its end. */
  cutOff?: boolean | null;
}
/** No phase found a section in a reply; `document` is the best partial one. */
export class ProtocolError extends Error { document: SymopsDocument; diagnostics: Diagnostic[]; trace: TraceStep[]; reason: string }
/** The validated document of a reply: strict, else repaired, else recovered. Throws a `ProtocolError`. */
export function process(text: string, options?: Options): Result;
/** A document of any text, read at the lowest price. */
export function recover(text: string, options?: Options): SymopsDocument;
/** A text repaired by the rules; one that parses comes back as it is. */
export function repair(text: string): { text: string; changed: boolean; repairs: Repair[] };
export type Event =
  | ({ event: "thought" | "vitals" | "question" | "error" } & Record<string, unknown>)
  | {
      event: "action-started";
      index: number;
      type: string;
      path: string;
      dependencies: string[];
      span: Span;
      number: number | null;
      attributes: Record<string, string>;
    }
  | { event: "content"; index: number; text: string; span: Span }
  | {
      event: "action-finished";
      index: number;
      completeness: Action["completeness"];
      span: Span;
      content_span: Span | null;
    }
  | { event: "section-started"; name: string; parts: Part[]; span: Span }
  | { event: "section-content"; text: string; span: Span }
  | { event: "section-finished"; completeness: Action["completeness"]; span: Span; content_span: Span }
  | ({ event: "diagnostic" } & Diagnostic);
export interface StreamResult {
  result: Result | null;
  /** What the stream had announced otherwise; nothing, for a valid text. */
  differences: { kind: string; announced: unknown; final: unknown }[];
  error: string | null;
}
/** Reads one reply as it arrives: text in, events out. */
export class StreamParser {
  /** Take in the next piece of the text. */
  receive(text: string): void;
  /** The next event; null: more text is needed. */
  nextEvent(): Event | null;
  /** The events that there are. */
  events(): Event[];
  /** End the text; the last events can be taken behind it. */
  close(options?: Options): StreamResult;
}
