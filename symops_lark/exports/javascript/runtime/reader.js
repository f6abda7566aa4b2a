// Sections of a text that arrives in pieces, each as soon as no further text can change it.
// A mistake throws a `ParseError`, as soon as its line is there.
import { Parser, Unexpected } from "./driver.js";
import { explain, ParseError } from "./explain.js";
import { BOM } from "./parse.js";
import { readMarks } from "./unfinished.js";

// The text of finished sections is dropped in parts of at least this many UTF-16 units: for less,
// the copy of what stays would cost more than it saves.
const LEAST_FORGOTTEN = 4096;
const LINE_ENDS = /^[\r\n]*$/;

export class StreamReader {
  #tables;
  #parser = null;
  #waiting = []; // pieces of a line that has not ended
  #given = 0; // the number of values of the document that were returned
  #mistake = null; // an error after which only line ends have come
  #error = null;
  #document = null;

  /** `tables` is made by `load`. */
  constructor(tables) {
    this.#tables = tables;
  }

  /** Take in a piece; returns the sections that it completes. */
  push(piece) {
    if (typeof piece !== "string") throw new TypeError("a piece of a reply is a text");
    if (this.#error !== null) throw this.#error;
    if (this.#document !== null) throw new Error("the text has ended: make a new StreamReader");
    const end = piece.lastIndexOf("\n") + 1;
    if (end === 0) {
      // Nothing is decided before the line ends.
      this.#waiting.push(piece);
      return [];
    }
    const lines = this.#waiting.join("") + piece.slice(0, end);
    this.#waiting = [piece.slice(end)];
    this.#read(lines, false, false);
    return this.#takeSections();
  }

  /** End the text; returns the document. */
  end() {
    if (this.#error !== null) throw this.#error;
    if (this.#document === null) {
      const last = this.#waiting.join("");
      const isOpen = last !== "" || this.#parser === null;
      this.#read(isOpen ? `${last}\n` : "", true, isOpen);
      const sections = readMarks(this.#parser.values[0]);
      this.#document = { dialect: this.#tables.dialect, sections };
    }
    return this.#document;
  }

  /** Read whole lines. `isAdded`: the last line end is not part of the text. */
  #read(lines, isWhole, isAdded) {
    const begin = lines.charCodeAt(0) === BOM ? 1 : 0;
    const parser = (this.#parser ??= new Parser(this.#tables, "", begin));
    let following = lines;
    if (this.#mistake !== null) parser.text += lines;
    else {
      try {
        parser.feed(lines, isWhole);
        return;
      } catch (error) {
        if (!(error instanceof Unexpected)) throw error;
        this.#mistake = error;
        following = parser.text.slice(error.offset);
      }
    }
    // An error at the end of a text is one of its last line: more lines may show that it is not.
    if (!isWhole && LINE_ENDS.test(following)) return;
    const text = isAdded ? parser.text.slice(0, -1) : parser.text;
    const diagnostics = [explain(this.#mistake, text, this.#tables)];
    this.#error = new ParseError(diagnostics, text, parser.origin);
    throw this.#error;
  }

  #takeSections() {
    const parser = this.#parser;
    if (this.#mistake !== null || parser.top === 0) return [];
    const kind = parser.kinds[0];
    // The document's repetition: the sections in it are complete.
    if (kind >= 0 || !this.#tables.rules[-1 - kind].name.startsWith("__document")) return [];
    const values = parser.values[0];
    const sections = values.slice(this.#given).flat();
    this.#given = values.length;
    parser.forget(LEAST_FORGOTTEN);
    return sections;
  }
}
