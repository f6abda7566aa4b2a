// What only the tolerant form has.
export interface Repair {
  rule: string;
  summary: string;
  cost: number;
  before: Span;
  after: Span;
  text_before: string;
  text_after: string;
}
export type Phase = "strict" | "repaired" | "recovered";
export interface TraceStep { phase: string; succeeded: boolean; outcome: string; text: string }
export interface Result<Dialect extends string = DialectName> {
  phase: Phase;
  confidence: number;
  document: SymopsDocument<Dialect>;
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
/** A section as an event: its kind is the name of the event. */
type EventOf<Kind> = Kind extends { kind: infer Name } ? { event: Name } & Omit<Kind, "kind"> : never;
/** A section before its block has arrived. */
type StartOf<Kind> = Kind extends CustomSection ? { event: "section-started" } & Pick<Kind, "name" | "parts" | "span"> : never;
export type Event =
  | EventOf<Exclude<Section, Action | Skipped>>
  | ({ event: "action-started"; index: number } & Omit<Action, "kind" | "content" | "content_span" | "completeness" | "confidence">)
  | { event: "content"; index: number; text: string; span: Span }
  | { event: "action-finished"; index: number; completeness: Completeness; span: Span; content_span: Span | null }
  | StartOf<SectionWithBlock>
  | { event: "section-content"; text: string; span: Span }
  | { event: "section-finished"; completeness: Completeness; span: Span; content_span: Span }
  | ({ event: "diagnostic" } & Diagnostic);
export interface StreamResult {
  result: Result | null;
  /** What the stream had announced otherwise; nothing, for a valid text. */
  differences: { kind: string; announced: unknown; final: unknown }[];
  error: string | null;
  /** What was read, if there is an error. */
  partial?: { document: SymopsDocument; diagnostics: Diagnostic[]; trace: TraceStep[]; reason: string };
}
/** Reads one reply as it arrives: text in, events out. */
export class StreamParser {
  /** Take in the next piece of the text. */
  receive(text: string): void;
  /** The next event; null: more text is needed. */
  nextEvent(): Event | null;
  /** The events that there are. */
  events(): Event[];
  /** End the text; the last events can be taken after it. */
  close(options?: Options): StreamResult;
}
