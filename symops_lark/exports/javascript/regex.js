// Patterns of Python's `re` in JavaScript: possessive repetition and atomic groups are written with look-ahead, whose
// groups stand between those of the pattern, so each group has a name until all is read; classes mean what Python means.

const $WORD = "\\p{L}\\p{N}_", $DIGIT = "\\p{Nd}";
const $SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const $PLAIN = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07", 0: "\0" };
const $show = (sign) => (/^[A-Za-z0-9_]$/.test(sign) ? sign : `\\u{${sign.codePointAt(0).toString(16)}}`);
const $escape = (text) => text.replace(/[\t\n\v\f\r #$&()*+\-.?[\\\]^{|}~]/g, "\\$&");

class $Reader {
  constructor(source) { this.source = source; this.at = 0; this.groups = 0; this.atoms = 0; this.depth = 0; this.names = {}; this.top = []; }
  sees(text) { return this.source.startsWith(text, this.at); }
  take() { const sign = String.fromCodePoint(this.source.codePointAt(this.at)); this.at += sign.length; return sign; }
  fail(why) { throw new SyntaxError(`${why} at ${this.at} in ${this.source}`); }

  alternatives(flags) {
    flags = { ...flags };
    let made = this.sequence(flags);
    while (this.sees("|")) { this.at++; made += "|" + this.sequence(flags); }
    return made;
  }
  sequence(flags) {
    let made = "";
    while (this.at < this.source.length && !this.sees("|") && !this.sees(")")) made += this.repeated(this.atom(flags));
    return made;
  }
  once(inner) { const name = `z${++this.atoms}`; return `(?:(?=(?<${name}>${inner}))\\k<${name}>)`; }
  repeated(atom) {
    if (atom === "") return atom;
    for (;;) {
      const count = /^(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\})/.exec(this.source.slice(this.at, this.at + 24));
      if (!count) return atom;
      this.at += count[0].length;
      const shown = count[0].startsWith("{,") ? `{0${count[0].slice(1)}` : count[0];
      if (this.sees("+")) { // by the thousand: V8 keeps a way back for each turn until a look-ahead ends
        this.at++;
        atom = this.once(/^\(.*[*+]$/.test(atom + shown) ? this.once(`${atom}{1,999}`) + shown : atom + shown);
      } else if (this.sees("?")) { this.at++; atom += shown + "?"; } else atom += shown;
      atom = `(?:${atom})`;
    }
  }
  literal(sign, flags) { return flags.i && $has_cases(sign) ? `[${$show(sign)}${$other_cases(sign, sign)}]` : $show(sign); }
  escaped(inside) { // behind a backslash: a sign, a class, or (outside of classes) a place
    const sign = this.take();
    const code = (length) => { const digits = this.source.substr(this.at, length); this.at += length; return { sign: String.fromCodePoint(parseInt(digits, 16)) }; };
    if (sign === "x" && this.sees("{")) { const end = this.source.indexOf("}", this.at); const digits = this.source.slice(this.at + 1, end); this.at = end + 1; return { sign: String.fromCodePoint(parseInt(digits, 16)) }; }
    if (sign in { x: 0, u: 0, U: 0 }) return code({ x: 2, u: 4, U: 8 }[sign]);
    const set = { w: $WORD, s: $SPACE, d: $DIGIT }[sign.toLowerCase()];
    if (set) return { set, negated: sign < "a" };
    if (!inside && sign === "A") return { place: "^" };
    if (!inside && sign === "Z") return { place: "$" };
    if (!inside && sign === "b") return { place: `(?:(?<=[${$WORD}])(?![${$WORD}])|(?<![${$WORD}])(?=[${$WORD}]))` };
    if (!inside && /[1-9]/.test(sign)) return { place: `\\k<g${sign}>` };
    return { sign: $PLAIN[sign] ?? sign };
  }
  set(flags) { // behind `[`
    let made = "", negated = false, first = true;
    const others = []; // classes of which all but their own signs are meant
    if (this.sees("^")) { negated = true; this.at++; }
    for (; ; first = false) {
      if (this.at >= this.source.length) this.fail("a class has no end");
      if (this.sees("]") && !first) { this.at++; break; }
      const from = this.sees("\\") ? (this.at++, this.escaped(true)) : { sign: this.take() };
      if (from.set) { if (from.negated) others.push(from.set); else made += from.set; continue; }
      if (!this.sees("-") || this.source[this.at + 1] === "]") { made += $show(from.sign); if (flags.i && $has_cases(from.sign)) made += $other_cases(from.sign, from.sign); continue; }
      this.at++;
      const to = this.sees("\\") ? (this.at++, this.escaped(true)) : { sign: this.take() };
      made += `${$show(from.sign)}-${$show(to.sign)}`;
      if (flags.i) made += $other_cases(from.sign, to.sign);
    }
    if (!others.length) return `[${negated ? "^" : ""}${made}]`;
    if (negated) return `(?:${others.map((set) => `(?=[${set}])`).join("")}[^${made}])`;
    return `(?:${others.map((set) => `[^${set}]|`).join("")}[${made}])`;
  }
  group(begin, flags) {
    this.depth++;
    const inner = this.alternatives(flags);
    this.depth--;
    if (!this.sees(")")) this.fail("a group has no end");
    this.at++;
    return `${begin}${inner})`;
  }
  captured(flags, name) {
    const number = ++this.groups;
    if (name) this.names[name] = number;
    if (this.depth === 0) this.top.push(number);
    return this.group(`(?<g${number}>`, flags);
  }
  atom(flags) {
    const sign = this.take();
    if (sign === "\\") {
      const found = this.escaped(false);
      return found.place ?? (found.set ? `[${found.negated ? "^" : ""}${found.set}]` : this.literal(found.sign, flags));
    }
    if (sign === "[") return this.set(flags);
    if (sign === ".") return flags.s ? "[^]" : "[^\\n]";
    if (sign === "^") return flags.m ? "(?<![^\\n])" : "^";
    if (sign === "$") return flags.m ? "(?![^\\n])" : "(?=\\n?$)";
    if (sign !== "(") return this.literal(sign, flags);
    if (!this.sees("?")) return this.captured(flags, "");
    const named = /^\?P<(\w+)>/.exec(this.source.slice(this.at, this.at + 80));
    if (named) { this.at += named[0].length; return this.captured(flags, named[1]); }
    const back = /^\?P=(\w+)\)/.exec(this.source.slice(this.at, this.at + 80));
    if (back) { this.at += back[0].length; return `\\k<g${this.names[back[1]]}>`; }
    if (this.sees("?>")) { this.at += 2; return this.once(this.group("(?:", flags)); }
    if (this.sees("?:")) { // a group at the top that captures nothing leaves those in it at the top
      this.at += 2;
      this.depth -= 1; const made = this.group("(?:", flags); this.depth += 1;
      return made;
    }
    for (const begin of ["?=", "?!", "?<=", "?<!"]) if (this.sees(begin)) { this.at += begin.length; return this.group(`(${begin}`, flags); }
    const set = /^\?([aims]*)(?:-([aims]+))?([:)])/.exec(this.source.slice(this.at, this.at + 16));
    if (!set) this.fail("an unknown group");
    this.at += set[0].length;
    const inner = set[3] === ")" ? flags : { ...flags };
    for (const flag of set[1]) inner[flag] = true;
    for (const flag of set[2] ?? "") inner[flag] = false;
    return set[3] === ")" ? "" : this.group("(?:", inner);
  }
}
const $LIKE_I = "iI\u0130\u0131"; // one letter in Python, of which the engine knows the first two
const $LIKE_ASCII = [...$LIKE_I, ..."abcdefghjklmnopqrstuvwxyzABCDEFGHJKLMNOPQRSTUVWXYZ\u017f\u212a"];
const $has_cases = (sign) => sign.toLowerCase() !== sign || sign.toUpperCase() !== sign;
let $cased; // all characters that have another case; made when a pattern needs them
function $other_cases(from, to) { // the inside of a class; the engine is asked, as no method of strings leads from σ to ς
  if (to > "\x7f") $cased ??= Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter($has_cases);
  const range = `${$show(from)}-${$show(to)}`;
  const either = new RegExp(`[${range}]`, "iu"), itself = new RegExp(`[${range}]`, "u");
  const signs = (to > "\x7f" ? $cased : $LIKE_ASCII).filter((sign) => either.test(sign));
  if (signs.some((sign) => $LIKE_I.includes(sign))) signs.push(...$LIKE_I);
  return signs.filter((sign) => !itself.test(sign)).map($show).join("");
}

class $Match {
  constructor(pattern, text, found, whole) { this.pattern = pattern; this.string = text; this.found = found; this.whole = whole; }
  number(group) { return typeof group === "string" ? this.pattern.names[group] : group; }
  group(group = 0) { return this.__getitem__(group); }
  __getitem__(group) { const number = this.number(group); return this.found[this.pattern.slots[number]] ?? null; }
  span(group = 0) {
    const number = this.number(group);
    if (number === 0) return [this.found.index, this.found.index + this.found[0].length];
    return (this.places ??= this.pattern.places(this))[this.pattern.slots[number]] ?? [-1, -1];
  }
  start(group = 0) { return this.span(group)[0]; }
  end(group = 0) { return this.span(group)[1]; }
  get regs() { return (this.all ??= Array.from({ length: this.pattern.count + 1 }, (_, number) => this.span(number))); }
  get lastgroup() {
    for (const number of this.pattern.last_first) if (this.found[this.pattern.slots[number]] !== undefined) return this.pattern.by_number[number] ?? null;
    return null;
  }
  groups() { return Array.from({ length: this.pattern.count }, (_, at) => this.__getitem__(at + 1)); }
  expand(template) { return template.replace(/\\(?:g<(\w+)>|([1-9][0-9]?)|([nt\\])|u([0-9a-f]{4})|x([0-9a-f]{2}))/g, (_, name, number, plain, code, byte) => (plain ? $PLAIN[plain] ?? plain : code || byte ? String.fromCharCode(parseInt(code ?? byte, 16)) : this.__getitem__(name === undefined ? Number(number) : /^\d/.test(name) ? Number(name) : name) ?? "")); }
}
class $Pattern { // compiled when it is used for the first time
  constructor(source) { this.source = source; this.known = {}; }
  get pattern() { return this.source; }
  get groupindex() { this.compiled("match"); return $dict(Object.entries(this.names)); }
  compiled(kind) {
    if (this.regex === undefined) {
      const reader = new $Reader(this.source);
      const named = reader.alternatives({}), order = [""];
      if (reader.at < this.source.length) reader.fail("a bracket closes nothing");
      // V8 makes an object of all names at each match: groups are numbered instead.
      const numbered = named.replace(/\(\?<([gz]\d+)>/g, (_, name) => (order.push(name), "("));
      this.regex = numbered.replace(/\\k<(\w+)>/g, (_, name) => `(?:\\${order.indexOf(name)})`);
      this.slots = Array.from({ length: reader.groups + 1 }, (_, number) => (number ? order.indexOf(`g${number}`) : 0));
      this.names = reader.names;
      this.count = reader.groups;
      this.last_first = reader.top.reverse();
      this.by_number = Object.fromEntries(Object.entries(reader.names).map(([name, number]) => [number, name]));
    }
    return (this.known[kind] ??= { match: () => new RegExp(this.regex, "uy"), search: () => new RegExp(this.regex, "ug"), fullmatch: () => new RegExp(`(?:${this.regex})$`, "uy"), places: () => new RegExp(this.regex, "udy"), all: () => new RegExp(`(?:${this.regex})$`, "udy") }[kind]());
  }
  run(kind, text, start = 0, end = null) {
    text = $plain(text);
    if (end !== null && end < text.length) text = text.slice(0, end);
    if (start > text.length) return null;
    const regex = this.compiled(kind);
    regex.lastIndex = start;
    const found = regex.exec(text);
    return found && new $Match(this, text, found, kind === "fullmatch");
  }
  places(match) { const regex = this.compiled(match.whole ? "all" : "places"); regex.lastIndex = match.found.index; return regex.exec(match.string).indices; }
  match(text, start, end) { return this.run("match", text, start, end); }
  search(text, start, end) { return this.run("search", text, start, end); }
  fullmatch(text, start, end) { return this.run("fullmatch", text, start, end); }
  *finditer(text, start = 0, end = null) {
    for (let match, at = start; (match = this.run("search", text, at, end)); ) {
      yield match;
      at = match.end() > match.start() ? match.end() : match.end() + ($pair(match.string, match.end()) ? 2 : 1);
    }
  }
  findall(text) { return [...this.finditer(text)].map((match) => (this.count === 0 ? match.group() : this.count === 1 ? match.group(1) ?? "" : match.groups().map((part) => part ?? ""))); }
  sub(replacement, text, ...args) {
    const most = args.length && args[0] instanceof $Named ? args[0].values.count : args[0] ?? 0;
    text = $plain(text);
    let made = "", at = 0, done = 0;
    for (const match of this.finditer(text)) {
      if (most && done++ >= most) break;
      made += text.slice(at, match.start()) + (typeof replacement === "function" ? replacement(match) : match.expand(replacement));
      at = match.end();
    }
    return made + text.slice(at);
  }
  split(text) {
    const made = [];
    let at = 0;
    for (const match of this.finditer(text)) { made.push(text.slice(at, match.start()), ...match.groups()); at = match.end(); }
    return [...made, text.slice(at)];
  }
}
const $compile_pattern = (source) => new $Pattern(source), $compile_linear = $compile_pattern;
// `search` would try a pattern at each place of a line, also one that only its beginning can match.
const $is_anchored = (source) => {
  let depth = 0;
  for (const sign of source.replace(/\\.|\[\]?(?:\\.|[^\]\\])*\]/gs, "")) {
    if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (sign === "|" && depth === 0) return false;
  }
  return source.startsWith("^");
};
const $LinearSet = (sources) => {
  const all = sources.map((source) => [$compile_pattern(source), $is_anchored(source) ? "match" : "search"]);
  const find = (text) => {
    const hits = [];
    text = $plain(text);
    for (let at = 0; at < all.length; at++) {
      const regex = all[at][0].compiled(all[at][1]);
      regex.lastIndex = 0;
      if (regex.test(text)) hits.push(at);
    }
    return hits;
  };
  return { find };
};
