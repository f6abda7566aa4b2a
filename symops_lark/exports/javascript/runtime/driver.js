// The strict parser: an LALR driver over tables. Rules become nodes as they are reduced; see nodes.js.
import { kindOfPair, PAIR } from "./tables.js";
import { Places } from "./places.js";

const NEAR = 4096; // UTF-16 units of a line's terminals, which stay in the buffer

/** Where a text leaves the language. `expected` holds what could stand there. */
export class Unexpected extends Error {
  constructor(offset, expected, parser) {
    super(`unexpected input at offset ${offset}`);
    Object.assign(this, { offset, expected, parser });
  }
}

export class Parser extends Places {
  /** `text` ends with a newline; reading begins at `at`. */
  constructor(tables, text, at) {
    super(text);
    this.tables = tables;
    // What is scanned: the text, or in a stream what is new of it; `from` is its offset. Engines
    // copy a text that has grown when it is read, so the whole text is only read where it must be.
    this.buffer = text;
    this.from = 0;
    this.at = at;
    this.top = 0; // how high the stacks are: cutting arrays costs more than writing over what is above
    this.states = [tables.start]; // one more than there are values
    // Of each value on the stack: itself (nothing for a terminal), what it is, and its place.
    this.values = [];
    this.kinds = []; // the terminal, or -1 - rule
    this.starts = [];
    this.ends = [];
    this.stops = new Map(); // where the next line is that begins so
    this.found = -1; // the terminal read last
    this.open = false; // whether the text ended within a terminal, in a stream: `held` is how far it was read
    this.held = null;
    this.whole = true; // whether all of the text is there
    this.last = at;
  }

  /** Read the terminal at `at`; returns where it ends, or -1. Sets `found`. */
  scan(lexer) {
    const { dfa } = this.tables,
      { rows, kinds, match, width, passes } = dfa;
    const { buffer, from, at } = this,
      size = from + buffer.length;
    let state = lexer.start,
      end = -1,
      place = at,
      found = -1;
    if (this.open) ({ state, end, place, found } = this.held); // a stream goes on where its text ended
    while (state >= 0) {
      if (match[state] >= 0) {
        found = match[state];
        end = place;
      }
      if (passes[state] === 1) place = this.pass(dfa.stops[state], place);
      if (place >= size) break;
      let kind = kinds[buffer.charCodeAt(place - from)];
      if (kind === PAIR) {
        kind = kindOfPair(dfa, buffer, place - from);
        if (buffer.codePointAt(place - from) > 0xffff) place++;
      }
      place++;
      state = rows[state * width + kind];
    }
    const words = found >= 0 ? lexer.words[found] : undefined;
    this.open = !this.whole && state >= 0 && place >= size; // more text might be part of it
    if (this.open) {
      this.held = { state, end, place, found };
      return -1;
    }
    // A terminal may have gone on over many pieces, and have matched only the first ones.
    if (end >= 0 && end < from) this.readFrom(end);
    this.found = words === undefined ? found : (words.get(this.cut(at, end)) ?? found);
    return end;
  }

  /** A part of the text. */
  cut(start, end) {
    const { buffer, from } = this;
    return start < from ? this.text.slice(start, end) : buffer.slice(start - from, end - from);
  }

  readFrom(place) {
    this.buffer = this.text.slice(place);
    this.from = place;
    this.stops.clear();
  }

  /** The next place, from a line's beginning on, at which a line begins with one of some texts. */
  pass(stops, place) {
    const { buffer, from } = this;
    let nearest = from + buffer.length; // a stream is read up to the end of a line
    for (const stop of stops) {
      let next = this.stops.get(stop) ?? -1;
      if (next < place) {
        if (buffer.startsWith(stop, place - from)) next = place;
        else {
          const found = buffer.indexOf(`\n${stop}`, place - from);
          next = found < 0 ? Infinity : from + found + 1;
        }
        this.stops.set(stop, next);
      }
      if (next < nearest) nearest = next;
    }
    return nearest;
  }

  /** Read on in a text of which whole lines have come; stops before a terminal that further text might change. */
  feed(lines, whole) {
    this.whole = whole;
    this.stops.clear();
    let place = this.open ? this.held.place : Math.min(this.at, this.text.length);
    // Terminals that no rule has taken yet will be cut out.
    let first = this.top;
    while (first > 0 && this.kinds[first - 1] >= 0) first--;
    if (first < this.top && place - this.starts[first] < NEAR)
      place = Math.max(this.from, this.starts[first]);
    this.buffer = this.buffer.slice(place - this.from) + lines;
    this.from = place;
    this.text += lines;
    this.run();
  }

  /** Forget the text before the first section that is not finished; returns how much is forgotten. */
  forget(least) {
    if (this.top === 0) return 0;
    let begin = this.at;
    for (let at = this.top - 1; at > 0; at--) if (this.starts[at] >= 0) begin = this.starts[at];
    const cut = begin - 1; // the end of the line above stays: places in a line are the same then
    if (cut < least || this.text[cut] !== "\n") return 0;
    const move = (value) => {
      if (Array.isArray(value)) value.forEach(move);
      else if (value?.terminal !== undefined) {
        value.start -= cut;
        value.end -= cut;
      }
    };
    for (let at = 1; at < this.top; at++) {
      move(this.values[at]);
      if (this.starts[at] >= 0) {
        this.starts[at] -= cut;
        this.ends[at] -= cut;
      }
    }
    this.starts[0] = this.ends[0] = 0; // no maker asks where the document begins
    this.at -= cut;
    this.last = Math.max(0, this.last - cut);
    if (this.open) {
      this.held.place -= cut;
      if (this.held.end >= 0) this.held.end -= cut;
    }
    this.stops.clear();
    const forgotten = this.text.slice(0, cut);
    this.text = this.text.slice(cut);
    this.from -= cut;
    this.movePlaces(forgotten);
    return cut;
  }

  get state() {
    return this.states[this.top];
  }

  run() {
    const { lexers, lexer_of, terminals, end_symbol, ignored } = this.tables,
      { states } = this;
    for (;;) {
      if (this.at >= this.from + this.buffer.length) {
        if (!this.whole) return undefined;
        this.advance(end_symbol, -1, this.last, this.last);
        return this.values[0];
      }
      const lexer = lexers[lexer_of[states[this.top]]],
        end = this.scan(lexer);
      if (this.open) return undefined;
      if (end < 0)
        throw new Unexpected(
          this.at,
          lexer.tries.flatMap((t) => terminals[t].said),
          this,
        );
      const start = this.at,
        terminal = this.found;
      this.at = end;
      if (ignored !== null && ignored.has(terminal)) continue;
      this.last = start;
      this.advance(terminals[terminal].symbol, terminal, start, end);
    }
  }

  /** Shift one terminal (at the end of the text: none), after the reductions that it asks for. */
  advance(symbol, terminal, start, end) {
    const { actions, symbols, end: goal, rules } = this.tables,
      { states } = this;
    for (;;) {
      const action = actions[states[this.top] * symbols + symbol];
      if (action > 0) {
        this.push(undefined, terminal, start, end, action - 1);
        return;
      }
      if (action === 0) throw new Unexpected(start, this.expected(states[this.top]), this);
      this.reduce(rules[-1 - action], -1 - action);
      if (terminal < 0 && states[this.top] === goal) return;
    }
  }

  push(value, kind, start, end, state) {
    const at = this.top++;
    this.values[at] = value;
    this.kinds[at] = kind;
    this.starts[at] = start;
    this.ends[at] = end;
    this.states[at + 1] = state;
  }

  reduce({ origin, parts, expands, holes }, rule) {
    const { values, kinds, starts, ends } = this,
      base = this.top - parts.length;
    let kept = null,
      start = -1,
      end = -1;
    for (let i = 0; i < parts.length; i++) {
      const at = base + i,
        part = parts[i];
      if (starts[at] >= 0) {
        if (start < 0) start = starts[at];
        end = ends[at];
      }
      if (holes !== null) for (let n = holes[i]; n > 0; n--) (kept ??= []).push(null);
      if (part === 2) {
        // its children are taken in
        const more = values[at];
        if (kept === null) kept = more;
        else for (const one of more) kept.push(one);
      } else if (part === 0) {
        const one =
          kinds[at] >= 0 ? { terminal: kinds[at], start: starts[at], end: ends[at] } : values[at];
        if (kept === null) kept = [one];
        else kept.push(one);
      }
    }
    if (holes !== null) for (let n = holes[parts.length]; n > 0; n--) (kept ??= []).push(null);
    kept ??= [];
    const { actions, symbols, makers } = this.tables,
      make = makers[rule];
    const value =
      expands && kept.length === 1 ? kept[0] : make === null ? kept : make(kept, start, end, this);
    this.top = base;
    this.push(value, -1 - rule, start, end, actions[this.states[base] * symbols + origin] - 1);
  }

  /** What a state accepts, as it is told to people. */
  expected(state) {
    const { actions, symbols, terminals } = this.tables;
    return terminals
      .filter((t) => t.symbol >= 0 && actions[state * symbols + t.symbol] !== 0)
      .flatMap((t) => t.said);
  }
}
