// A reader of one dialect for texts that arrive in pieces.
import { tables } from "./parser.js";
import { StreamReader as Reader } from "./reader.js";

/** Reads a valid text as it arrives. */
export class StreamReader extends Reader {
  constructor() {
    super(tables);
  }
}
