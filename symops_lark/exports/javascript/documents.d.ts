// The documents of all dialects. `index.d.ts` has the types of one dialect, which are narrower.
/** A stretch of the text: offsets in UTF-16 units, and the 1-based line and column of the start. */
export interface Span { start: number; end: number; line: number; column: number }
export interface Thought { kind: "thought"; text: string; span: Span }
export interface Vitals { kind: "vitals"; values: Partial<Record<string, number>>; span: Span }
/** Whether the content of an action is complete. */
export type Completeness = "complete" | "unterminated" | "truncated" | "suspect";
/** An old text of a file and its replacement; `lines`: both are complete lines; `every`: all places change. */
export interface Replacement { old: string; new: string; lines: boolean; every: boolean }
export interface Action {
  kind: "action";
  type: string;
  /** A path, or a command for verbs that run one. */
  path: string;
  /** null: there is no block. */
  content: string | null;
  dependencies: string[];
  confidence: number;
  completeness: Completeness;
  span: Span;
  content_span: Span | null;
  number: number | null;
  attributes: Partial<Record<string, string>>;
  /** Names of attributes that were repeated; only present if there are any. */
  repeated_attributes?: string[];
  /** Changes of the file, for formats of other agents; only present if there are any. */
  edits?: Replacement[];
}
export interface Question { kind: "question"; text: string; choices: string[]; span: Span }
export interface ErrorNote { kind: "error"; type: string; target: string | null; message: string | null; span: Span }
export interface Skipped { kind: "skipped"; text: string; code: string; span: Span }
/** What a terminal (its text) or a rule (its parts) says. */
export interface Part { name: string; text: string; parts: Part[] }
/** A section that only this dialect has, named as the rule of its grammar. */
export interface CustomSection { kind: "custom"; name: string; parts: Part[]; text: string; confidence: number; completeness: Completeness; span: Span }
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
