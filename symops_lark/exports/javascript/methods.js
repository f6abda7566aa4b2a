// The methods of texts, lists, dicts and sets, and what else the language has of its own.

// ---- methods of texts, lists, dicts and sets

const $BLANKS = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
const $skip = (text, signs) => { let at = 0; while (at < text.length && signs.includes(text[at])) at++; return at; };
const $window = (text, first, last) => { const end = last == null ? text.length : last < 0 ? text.length + last : Math.min(last, text.length); return [first == null ? 0 : first < 0 ? Math.max(0, text.length + first) : first, end]; };
const $strings = {
  lstrip: (text, signs) => text.slice($skip(text, $plain(signs) ?? $BLANKS)),
  rstrip(text, signs) { signs = $plain(signs) ?? $BLANKS; let at = text.length; while (at > 0 && signs.includes(text[at - 1])) at--; return text.slice(0, at); },
  strip(text, signs) { return $strings.rstrip($strings.lstrip(text, signs), signs); },
  split(text, separator = null, most = -1) {
    if (separator === null) { const found = $strings.strip(text); return found === "" ? [] : found.split(/[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/); }
    if (most < 0) return text.split(separator);
    const made = [];
    let at = 0;
    for (let next; made.length < most && (next = text.indexOf(separator, at)) >= 0; at = next + separator.length) made.push(text.slice(at, next));
    made.push(text.slice(at));
    return made;
  },
  join(text, values) { return [...values].map($plain).join(text); },
  startswith(text, starts, at = 0, end = null) { if (end !== null) text = text.slice(0, end); return $one_of(starts, (start) => text.startsWith(start, at)); },
  endswith(text, ends, first = null, last = null) { if (first !== null || last !== null) text = text.slice(...$window(text, first, last)); return $one_of(ends, (end) => text.endsWith(end)); },
  find(text, wanted, first, last) { const [from, to] = $window(text, first, last); return text.slice(0, to).indexOf(wanted, from); },
  rfind(text, wanted, first, last) { const [from, to] = $window(text, first, last); const at = text.slice(0, to).lastIndexOf(wanted); return at >= from ? at : -1; },
  index(text, wanted, first, last) { const at = $strings.find(text, wanted, first, last); return at < 0 ? $stop() : at; },
  rindex(text, wanted, first, last) { const at = $strings.rfind(text, wanted, first, last); return at < 0 ? $stop() : at; },
  count(text, wanted, first, last) { const [from, to] = $window(text, first, last); text = text.slice(0, to); let found = 0; for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found++; return found; },
  replace(text, old, new_, most = -1) { return most < 0 ? text.split(old).join(new_) : $strings.split(text, old, most).join(new_); },
  partition(text, sign) { const at = text.indexOf(sign); return at < 0 ? [text, "", ""] : [text.slice(0, at), sign, text.slice(at + sign.length)]; },
  rpartition(text, sign) { const at = text.lastIndexOf(sign); return at < 0 ? ["", "", text] : [text.slice(0, at), sign, text.slice(at + sign.length)]; },
  removesuffix(text, end) { return end && text.endsWith(end) ? text.slice(0, text.length - end.length) : text; },
  removeprefix(text, start) { return text.startsWith(start) ? text.slice(start.length) : text; },
  casefold: (text) => text.toLowerCase().replaceAll("\u00df", "ss"), lower: (text) => text.toLowerCase(), upper: (text) => text.toUpperCase(),
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text), isalpha: (text) => /^\p{L}+$/u.test(text), isdigit: (text) => /^\p{Nd}+$/u.test(text),
  isspace: (text) => text !== "" && $skip(text, $BLANKS) === text.length, isascii: (text) => /^[\x00-\x7f]*$/.test(text),
  islower: (text) => text === text.toLowerCase() && text !== text.toUpperCase(), isupper: (text) => text === text.toUpperCase() && text !== text.toLowerCase(),
  translate(text, table) { let made = ""; for (const sign of text) made += table.at(sign, sign); return made; },
  encode(text) { if (!$is_encodable(text)) throw $UnicodeEncodeError("a lone surrogate"); return text; },
};
const $one_of = (values, test) => (Array.isArray(values) || values instanceof $Set ? [...values].some((value) => test($plain(value))) : test($plain(values)));
const $lists = {
  append(list, value) { list.push(value); }, extend(list, values) { for (const value of values) list.push(value); },
  pop(list, at = -1) { return at === -1 ? list.pop() : list.splice(at < 0 ? list.length + at : at, 1)[0]; },
  index(list, value) { const at = list.findIndex((item) => $eq(item, value)); return at < 0 ? $stop() : at; },
  count: (list, value) => list.filter((item) => $eq(item, value)).length, clear(list) { list.length = 0; },
  popleft: (list) => list.shift(), insert(list, at, value) { list.splice(at, 0, value); }, remove(list, value) { list.splice($lists.index(list, value), 1); },
  sort(list, ...args) { const sorted = $sorted(list, ...args); for (let at = 0; at < sorted.length; at++) list[at] = sorted[at]; },
};
const $dicts = {
  get: (dict, name, missing = null) => dict.at(name, missing), keys: (dict) => $set(dict), values: (dict) => [...dict.values_.values()], items: (dict) => $items(dict),
  update(dict, other) {
    if (dict.missing === 0) { for (const item of other) dict.put(item, dict.at(item, 0) + 1); return; }
    for (const [name, value] of $items(other)) dict.put(name, value);
  },
  setdefault(dict, name, value = null) { if (!dict.has(name)) dict.put(name, value); return dict.at(name); },
  pop(dict, name, missing = null) { const value = dict.at(name, missing); dict.drop(name); return value; }, clear(dict) { dict.values_.clear(); dict.keys_ = null; },
};
const $sets = {
  add(set, item) { set.put(item); }, discard(set, item) { set.items.delete($key(item)); }, clear(set) { set.items.clear(); },
  update(set, ...all) { for (const items of all) for (const item of items) set.put(item); },
  union: (set, ...all) => { const made = $set(set); $sets.update(made, ...all); return made; },
  intersection: (set, items) => $set([...items].filter((item) => set.has(item))),
  isdisjoint: (set, items) => { for (const item of items) if (set.has(item)) return false; return true; },
  issuperset: (set, items) => { for (const item of items) if (!set.has(item)) return false; return true; },
};
function $call(owner, name, ...args) {
  if (typeof owner === "string") return $strings[name](owner, ...args);
  if (Array.isArray(owner)) return $lists[name](owner, ...args);
  if (owner instanceof $Dict) return $dicts[name](owner, ...args);
  if (owner instanceof $Set) return $sets[name](owner, ...args);
  if (typeof owner.$value === "string" && $strings[name]) return $strings[name](owner.$value, ...args);
  if (name === "items" && !owner.items) return $items(owner);
  return owner[name](...args);
}
const $format = (text, values) => text.replace(/\{\{|\}\}|\{(\w+)\}/g, (shown, name) => (shown === "{{" ? "{" : shown === "}}" ? "}" : $str(values.at(name))));
const $maketrans = (table) => table;

// ---- numbers and texts as messages show them, and what else the language has of its own

const $rounded = (value) => { // four decimals, halves to even as the binary value has them
  const scaled = value * 10_000, low = Math.floor(scaled);
  const exact = Number(value.toFixed(4));
  return scaled - low === 0.5 ? (low % 2 === 0 ? low : low + 1) / 10_000 : exact;
};
const $whole = (value) => { const low = Math.floor(value); return value - low === 0.5 ? (low % 2 === 0 ? low : low + 1) : Math.round(value); };
const $grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const $short = (value) => String(Number(value.toPrecision(6)));
const $repr = (value) => (typeof value === "string" ? $quoted(value) : $str(value));
const $UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Noncharacter_Code_Point}]/u;
function $quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let made = "";
  for (const sign of $str(text)) {
    const code = sign.codePointAt(0);
    if (sign === "\\" || sign === quote) made += "\\" + sign;
    else if (sign === "\n") made += "\\n";
    else if (sign === "\r") made += "\\r";
    else if (sign === "\t") made += "\\t";
    else if (sign !== " " && $UNPRINTABLE.test(sign)) made += code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : code < 65536 ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
    else made += sign;
  }
  return quote + made + quote;
}
const $draw_finding = (said, span, source, expected, hint) => {
  const lines = [`${source.name}:${span.line}:${span.column}: ${said}`, `    ${source.line_text(span.line)}`];
  if (expected.length) lines.push(`    expected: ${expected.join(", ")}`);
  if (hint) lines.push(`    hint: ${hint}`);
  return lines.join("\n");
};
function $json_loads(text) {
  try {
    return $thaw(JSON.parse(text));
  } catch {
    const numbers = text.replace(/"(?:[^"\\]|\\[^])*"|-?\b(?:NaN|Infinity)\b/g, (shown) => (shown[0] === '"' ? shown : "0")); // Python takes these
    if (numbers !== text) try { return $thaw(JSON.parse(numbers)); } catch { /* it is none, either */ }
    throw $ValueError("no JSON");
  }
}
const $normalize = (form, text) => text.normalize(form);
const $is_encodable = (text) => !/\p{Cs}/u.test(text);
