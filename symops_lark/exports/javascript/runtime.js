// What translated code stands on: Python's values as JavaScript has them. Texts, numbers, booleans and functions are
// JavaScript's own; lists and tuples are arrays. Offsets are those of JavaScript's texts: UTF-16 units.

class $Exception extends Error {
  constructor(...args) { super(); this.__init__(...args); }
  __init__(...args) { this.args = args; this.message = args.map($str).join(", "); this.name = this.constructor.name; }
}
const $makers = new Map();
const $maker = (kind) => { if (!$makers.has(kind)) $makers.set(kind, Object.assign((...args) => new kind(...args), { kind })); return $makers.get(kind); };
const $error_kind = (name) => $maker({ [name]: class extends $Exception {} }[name]);
const $ValueError = $error_kind("ValueError"), $KeyError = $error_kind("KeyError");
const $AssertionError = $error_kind("AssertionError");
const $RecursionError = $error_kind("RecursionError"), $UnicodeEncodeError = $error_kind("UnicodeEncodeError");
const $stop = () => { throw $ValueError("nothing is left"); };

class $Named { constructor(values) { this.values = values; } }
const $named = (args) => (args.length && args[args.length - 1] instanceof $Named ? args.pop().values : {});

// ---- keys and comparisons

const $ids = new WeakMap();
let $count = 0;
function $key(value) {
  if (typeof value !== "object" || value === null) return value === undefined ? null : value;
  if (Array.isArray(value)) return "\0[" + value.map($part).join() + "]";
  if (value.$value !== undefined) return typeof value.$value === "string" ? value.$value : value;
  if (value.COMPARED) return "\0{" + value.constructor.name + (value.COMPARED.length ? value.COMPARED : value.FIELDS).map((name) => $part(value[name])).join() + "}";
  if (value.FIELDS) return "\0[" + value.FIELDS.map((name) => $part(value[name])).join() + "]";
  return value;
}
function $part(value) {
  const key = $key(value);
  if (typeof key === "string") return key.length + '"' + key; // the length ends it: nothing has to be escaped
  if ((typeof key !== "object" && typeof key !== "function") || key === null) return String(key);
  if (!$ids.has(key)) $ids.set(key, ++$count);
  return "#" + $ids.get(key);
}
const $id = (value) => value; // objects are keys by their identity
const $plain = (value) => (value !== null && typeof value === "object" && typeof value.$value === "string" ? value.$value : value);
const $eq = (left, right) => left === right || ((typeof left === "object" || typeof right === "object") && $same(left, right));
function $same(left, right) {
  left = $plain(left); right = $plain(right);
  if (left === right) return true;
  if (left == null || right == null) return left == right;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (Array.isArray(left) && Array.isArray(right)) return left.length === right.length && left.every((item, at) => $eq(item, right[at]));
  if (left instanceof $Set && right instanceof $Set) return left.size === right.size && $sets.issuperset(left, right);
  if (left instanceof $Dict && right instanceof $Dict) {
    return left.size === right.size && [...left].every((name) => right.has(name) && $eq(left.at(name), right.at(name)));
  }
  if (left.COMPARED || left.FIELDS) return left.constructor === right.constructor && $key(left) === $key(right);
  return false;
}
function $order(left, right) {
  if (typeof left === "number" && typeof right === "number") return left - right;
  left = $plain(left); right = $plain(right);
  if (typeof left === "string") return $order_texts(left, right);
  if (left instanceof $Set) return $order_sets(left, right);
  if (left !== null && typeof left === "object") {
    const ours = $array(left.COMPARED && !left[Symbol.iterator] ? left.key() : left);
    const theirs = $array(right.COMPARED && !right[Symbol.iterator] ? right.key() : right);
    for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
      if (!$eq(ours[at], theirs[at])) return $order(ours[at], theirs[at]);
    }
    return ours.length - theirs.length;
  }
  return Number(left) - Number(right);
}
function $order_sets(left, right) { // a part of another set is less than it; of two that are no parts of each other neither is
  const within = $sets.issuperset(right, left), around = $sets.issuperset(left, right);
  return within && around ? 0 : within ? -1 : around ? 1 : NaN;
}
function $order_texts(left, right) {
  if (left === right) return 0;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  const ours = left.charCodeAt(at), theirs = right.charCodeAt(at);
  if (Number.isNaN(ours) || Number.isNaN(theirs)) return left.length - right.length;
  const shift = (unit) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit); // beyond the basic plane comes last
  return shift(ours) - shift(theirs);
}

// ---- dicts and sets

class $Dict {
  constructor() { this.values_ = new Map(); this.keys_ = null; }
  get size() { return this.values_.size; }
  has(name) { return this.values_.has($key(name)); }
  at(name, missing = null) { const key = $key(name); const value = this.values_.get(key); return value === undefined && !this.values_.has(key) ? missing : value; }
  put(name, value) {
    const key = $key(name);
    if (key !== name) (this.keys_ ??= new Map()).has(key) || this.keys_.set(key, name);
    this.values_.set(key, value);
  }
  drop(name) { const key = $key(name); this.keys_?.delete(key); return this.values_.delete(key); }
  *[Symbol.iterator]() { for (const key of this.values_.keys()) yield this.keys_?.get(key) ?? key; }
  *rows() { for (const [key, value] of this.values_) yield [this.keys_?.get(key) ?? key, value]; }
}
class $Set {
  constructor() { this.items = new Map(); }
  get size() { return this.items.size; }
  has(item) { return this.items.has($key(item)); }
  put(item) { const key = $key(item); this.items.has(key) || this.items.set(key, item); }
  [Symbol.iterator]() { return this.items.values(); }
}
const $dict = (rows = []) => {
  const made = new $Dict();
  for (const [name, value] of rows instanceof $Dict ? rows.rows() : rows.__getitem__ ? $items(rows) : rows) made.put(name, value);
  return made;
};
const $set = (items = []) => { const made = new $Set(); for (const item of items) made.put(item); return made; };
const $frozenset = $set;
const $items = (value) => (Array.isArray(value) ? value : value instanceof $Dict ? [...value.rows()] : [...value].map((name) => [name, value.__getitem__(name)]));
const $fromkeys = (names, value = null) => $dict([...names].map((name) => [name, value]));
const $Counter = (items = []) => { const made = new $Dict(); made.missing = 0; for (const item of items) made.put(item, made.at(item, 0) + 1); return made; };
function $thaw(value) {
  if (Array.isArray(value)) return value.map($thaw);
  if (value === null || typeof value !== "object") return value;
  return $dict(Object.entries(value).map(([name, inner]) => [name, $thaw(inner)]));
}
function $melt(value) { // what `to_dict` gave, as plain objects
  if (Array.isArray(value)) return value.map($melt);
  if (value instanceof $Dict) return Object.fromEntries($items(value).map(([name, inner]) => [$str(name), $melt(inner)]));
  return $plain(value);
}

// ---- records, named tuples, members of enums, texts with more to them

class $Tuple {
  *[Symbol.iterator]() { for (const name of this.FIELDS) yield this[name]; }
  get length() { return this.FIELDS.length; }
}
class $Text { constructor(text) { this.$value = text; } toString() { return this.$value; } }
class $Member { toString() { return String(this.$value); } get value() { return this.$value; } }
function $enum(kind, rows, make) {
  const members = [];
  kind.__members__ = new $Dict();
  for (const [name, value_of] of rows) {
    const value = value_of();
    const member = make ? make(kind, ...value) : Object.assign(Object.create(kind.prototype), { $value: value ?? members.length + 1 });
    member.name = name;
    kind[name] = member;
    kind.__members__.put(name, member);
    members.push(member);
  }
  kind[Symbol.iterator] = () => members.values();
}
const $new_text = (kind, text) => Object.assign(Object.create(kind.prototype), { $value: text });
function $member(kind, value) {
  if (value instanceof kind) return value;
  for (const member of kind) if (member.$value === value) return member;
  throw $ValueError(`${value} is no ${kind.name}`);
}
const $share = (kind, values) => { Object.assign(kind.prototype, values); for (const name in values) Object.defineProperty(kind, name, { value: values[name] }); };
const $type = (value) => $maker(value.constructor);
const $make = (kind, values) => new kind(...kind.prototype.FIELDS.map((name) => (values.has(name) ? values.at(name) : undefined)));
const $replace = (record, changes) => new record.constructor(...record.FIELDS.map((name) => (name in changes ? changes[name] : record[name])));
function $keep(owner, name, make) { const value = make.call(owner); Object.defineProperty(owner, name, { value }); return value; }
function $memo(make) {
  const known = new Map();
  return (...args) => {
    const key = args.length === 1 ? $key(args[0]) : $key(args);
    if (!known.has(key)) known.set(key, make(...args));
    return known.get(key);
  };
}
const $getattr = (owner, name) => owner[name];
const $hasattr = (owner, name) => owner !== null && typeof owner === "object" && name in owner;
function $isinstance(value, kinds) {
  if (Array.isArray(kinds)) return kinds.some((kind) => $isinstance(value, kind));
  if (kinds === $str) return typeof value === "string" || (value !== null && typeof value === "object" && typeof value.$value === "string");
  if (kinds === $int) return Number.isInteger(value) || typeof value === "boolean";
  if (kinds === $float) return typeof value === "number";
  if (kinds === $bool) return typeof value === "boolean";
  if (kinds === $list) return Array.isArray(value);
  if (kinds === $tuple) return Array.isArray(value) || value instanceof $Tuple;
  if (kinds === $dict) return value instanceof $Dict;
  if (kinds === $RecursionError && value instanceof RangeError) return true;
  return value instanceof (kinds.kind ?? kinds);
}
function $bound(owner, name) {
  if (typeof owner === "string" || owner instanceof $Dict || owner instanceof $Set || Array.isArray(owner)) return (...args) => $call(owner, name, ...args);
  const value = owner[name];
  return typeof value === "function" && !Object.hasOwn(owner, name) ? value.bind(owner) : value;
}

// ---- built-in functions

const $true = (value) => {
  if (typeof value === "object") {
    if (value === null) return false;
    if (Array.isArray(value)) return value.length > 0;
    if (value instanceof $Dict || value instanceof $Set) return value.size > 0;
    if (typeof value.$value === "string") return value.$value !== "";
    if (value.__bool__) return value.__bool__();
    return value.__len__ ? value.__len__() > 0 : true;
  }
  return Boolean(value);
};
const $bool = $true;
const $str = (value = "") => (value === null ? "None" : value === true ? "True" : value === false ? "False" : String(value));
const $int = (value) => (typeof value === "string" ? parseInt(value, 10) : Math.trunc(Number(value)));
const $float = (value) => Number(value);
const $abs = Math.abs, $chr = (code) => String.fromCodePoint(code), $ord = (text) => text.codePointAt(0);
const $len = (value) => (typeof value === "string" ? value.length : value instanceof $Dict || value instanceof $Set ? value.size : value.__len__ ? value.__len__() : $plain(value).length);
const $array = (value) => (Array.isArray(value) ? value : [...value]);
const $list = (value = []) => [...value], $tuple = $list;
const $deque = $list;
const $iter = (value) => value[Symbol.iterator](), $reversed = (value) => { value = $array(value); return $lazily($range(value.length - 1, -1, -1), (at) => value[at]); };
const $next = (iterator, ...missing) => { const found = iterator.next(); if (!found.done) return found.value; return missing.length ? missing[0] : $stop(); };
class $Range { // made as it is read: what is looked for often stands near its beginning
  constructor(first, last, step) { this.first = first; this.last = last; this.step = step; }
  *[Symbol.iterator]() { for (let at = this.first; this.step > 0 ? at < this.last : at > this.last; at += this.step) yield at; }
}
const $range = (first, last, step = 1) => (last === undefined ? new $Range(0, first, 1) : new $Range(first, last, step));
function* $enumerate(values, start = 0) { let at = start instanceof $Named ? start.values.start : start; for (const value of values) yield [at++, value]; }
function* $zip(...all) {
  $named(all);
  const iterators = all.map($iter);
  for (;;) {
    const row = [];
    for (const iterator of iterators) { const next = iterator.next(); if (next.done) return; row.push(next.value); }
    if (!row.length) return;
    yield row;
  }
}
function* $map(make, ...all) { for (const row of $zip(...all)) yield make(...row); }
function* $filter(test, values) { for (const value of values) if ($true(test === null ? value : test(value))) yield value; }
function* $takewhile(test, values) { for (const value of values) { if (!$true(test(value))) return; yield value; } }
function* $pairwise(values) { let last, begun = false; for (const value of values) { if (begun) yield [last, value]; last = value; begun = true; } }
const $each = (values, make, test) => { const made = []; for (const value of values) if (test === undefined || test(value)) made.push(make(value)); return made; };
function* $lazily(values, make, test) { for (const value of values) if (test === undefined || test(value)) yield make(value); }
const $some = (values, test) => { for (const value of values) if (test(value)) return true; return false; };
const $every = (values, test) => { for (const value of values) if (!test(value)) return false; return true; };
const $first_of = (values, make, test, missing) => { for (const value of values) if (test === null || test(value)) return make(value); return missing(); };
const $any = (values) => { for (const value of values) if ($true(value)) return true; return false; };
const $all = (values) => { for (const value of values) if (!$true(value)) return false; return true; };
const $sum = (values, start = 0) => { let total = start; for (const value of values) total = typeof value === "object" ? $add(total, value) : total + Number(value); return total; };
const $best = (sign) => (...args) => {
  const named = $named(args), key = named.key ?? ((value) => value);
  let best, rank, found = false;
  for (const value of args.length === 1 ? args[0] : args) {
    const now = key(value);
    if (!found || sign * $order(now, rank) < 0) [best, rank, found] = [value, now, true];
  }
  if (found) return best;
  return "default" in named ? named.default : $stop();
};
const $min = $best(1), $max = $best(-1);
const $sorted = (values, ...args) => {
  const named = $named(args), key = named.key ?? ((value) => value), sign = $true(named.reverse ?? false) ? -1 : 1;
  return [...values].map((value) => [key(value), value]).sort((left, right) => sign * $order(left[0], right[0])).map((row) => row[1]);
};
const $bisect = (after) => (values, wanted, ...args) => {
  const key = $named(args).key ?? ((value) => value);
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1, order = $order(key(values[middle]), wanted);
    if (after ? order <= 0 : order < 0) low = middle + 1; else high = middle;
  }
  return low;
};
const $bisect_right = $bisect(true), $bisect_left = $bisect(false);

// ---- operators

const $add = (left, right) => {
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (Array.isArray(left) || left instanceof $Tuple) return [...left, ...right];
  return typeof left === "boolean" || typeof right === "boolean" ? Number(left) + Number(right) : $plain(left) + $plain(right);
};
const $extend = (left, right) => {
  if (!Array.isArray(left)) return $add(left, right);
  for (const value of right) left.push(value);
  return left;
};
const $sub = (left, right) => (left instanceof $Set ? $set([...left].filter((item) => !right.has(item))) : left - right);
const $mul = (left, right) => {
  if (typeof left === "string") return left.repeat(Math.max(0, right));
  if (typeof right === "string") return right.repeat(Math.max(0, left));
  if (Array.isArray(left)) return Array.from({ length: Math.max(0, right) }, () => left).flat();
  return left * right;
};
const $mod = (left, right) => ((left % right) + right) % right;
const $or = (left, right) => {
  if (left instanceof $Set) return $set([...left, ...right]);
  if (left instanceof $Dict) return $dict([...left.rows(), ...$items(right)]);
  return typeof left === "function" || Array.isArray(left) ? [left, right].flat() : left | right;
};
const $merge = $or;
const $and = (left, right) => (left instanceof $Set ? $set([...left].filter((item) => right.has(item))) : left & right);
const $in = (value, container) => {
  container = $plain(container);
  if (typeof container === "string") return container.includes($plain(value));
  if (container instanceof $Set || container instanceof $Dict) return container.has(value);
  for (const item of container) if ($eq(item, value)) return true;
  return false;
};
const $get = (owner, at) => {
  if (typeof at === "boolean") at = Number(at);
  if (typeof owner === "string") return $sign(owner, at < 0 ? owner.length + at : at);
  if (Array.isArray(owner)) { const value = owner[at < 0 ? owner.length + at : at]; return value === undefined ? $stop() : value; }
  if (owner instanceof $Dict) { if (owner.has(at)) return owner.at(at); if (owner.missing !== undefined) return owner.missing; throw $KeyError(at); }
  if (owner instanceof $Tuple) return owner[owner.FIELDS[at < 0 ? owner.FIELDS.length + at : at]];
  if (owner.__getitem__) return owner.__getitem__(at);
  return $plain(owner)[at];
};
const $pair = (text, at) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at, at + 2));
const $sign = (text, at) => { // a whole character, of whichever of its units
  const unit = text[at];
  if (unit === undefined) return $stop();
  if (unit < "\ud800" || unit > "\udfff") return unit;
  return $pair(text, at) ? text.slice(at, at + 2) : $pair(text, at - 1) ? text.slice(at - 1, at + 1) : unit;
};
const $cut = (text, start, length) => Array.from(text.slice(start, start + 2 * length)).slice(0, length).join("");
const $size = (text) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
const $slice = (owner, first, last) => {
  const text = $plain(owner);
  return (typeof text === "string" || Array.isArray(text) ? text : [...text]).slice(first, last ?? undefined); // null is 0
};
const $put = (owner, at, value) => { if (owner instanceof $Dict) owner.put(at, value); else owner[at < 0 ? owner.length + at : at] = value; };
const $drop = (owner, at) => { if (owner instanceof $Dict) owner.drop(at); else owner.splice(at < 0 ? owner.length + at : at, 1); };
