"""The rules of a JSON Schema: what may stand where, as a grammar whose letters are regular expressions.

Known are objects whose members are all named, lists of one kind, texts, numbers, fixed values, null, alternatives of
different kinds, and references inside the schema. Members stand in the schema's order. Anything else is refused with
the JSON pointer to it: a grammar that allowed more than the schema would be no promise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .scalars import BLANKS, Unwritable, spell_fixed, spell_integer, spell_number, spell_string, ways_to_write
from .schema.budget import Budget
from .schema.problems import NOTES, Path, SchemaError, follow_reference, pointer_to, refuse_unusable, same, show
from .schema.shapes import KINDS

Way = tuple[str, ...]  # the names of what stands one behind the other
_MARKINGS = {"deprecated", "readOnly", "writeOnly"}
_KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"minLength"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "boolean": set[str](),
    "null": set[str](),
}
_MOST_ITEMS = 100
_COMPARED = 50  # pairs of values, for a step
_SCALARS = {"string": spell_string, "integer": spell_integer, "number": spell_number}
OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA = "_OPEN", "_CLOSE", "_OPEN_LIST", "_CLOSE_LIST", "_COMMA"
MARKS = {
    OPEN: rf"\{{{BLANKS}*",
    CLOSE: rf"{BLANKS}*\}}",
    OPEN_LIST: rf"\[{BLANKS}*",
    CLOSE_LIST: rf"{BLANKS}*\]",
    COMMA: rf"{BLANKS}*,{BLANKS}*",
}


@dataclass(slots=True)
class Rules:
    """Rules by name, each with its ways; `terminals` are the regular expressions of what is in capitals."""

    rules: dict[str, list[Way]] = field(default_factory=dict)
    terminals: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)  # where in the schema a rule comes from, as a JSON pointer


@dataclass(slots=True)
class _Kinds:
    """What may stand at one place: fixed values, kinds of scalars, at most one object and one list."""

    fixed: list[Any] = field(default_factory=list)
    scalars: dict[str, str] = field(default_factory=dict)
    objects: dict[str, None] = field(default_factory=dict)  # the names of their rules
    lists: dict[str, None] = field(default_factory=dict)


def make_rules(schema: Mapping[str, Any]) -> Rules:
    """Return the rules of a schema, `start` first; raise `SchemaError` with the pointer to what is not known."""
    with refuse_unusable():
        return _Maker(schema).make()


class _Maker:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.root = schema
        self.budget = Budget()
        self.budget.allow(schema)
        self.made = Rules()
        self.names: dict[tuple[int, str], str] = {}  # rules by the schema that they come from
        self.terminal_names: dict[str, str] = {}

    def make(self) -> Rules:
        self.made.rules["start"] = []
        self.made.rules["start"] = self._ways(self.root, ())
        self._drop_what_never_ends()
        used = {name for ways in self.made.rules.values() for way in ways for name in way}
        self.made.terminals |= {name: pattern for name, pattern in MARKS.items() if name in used}
        return self.made

    def _ways(self, schema: Any, path: Path) -> list[Way]:
        """Return the ways to write a value of a schema."""
        kinds = _Kinds()
        self._collect(schema, path, kinds, ())
        for names, what in ((kinds.objects, "objects"), (kinds.lists, "lists")):
            if len(names) > 1:
                raise SchemaError(f"{show(path)}: two kinds of {what} at one place cannot be told apart")
        ways: list[Way] = [(name,) for name in (*kinds.objects, *kinds.lists)]
        if scalar := _spell_scalars(kinds, self.budget):
            ways.append((self._terminal("VALUE", scalar),))
        return ways

    def _collect(self, schema: Any, path: Path, kinds: _Kinds, seen: tuple[int, ...]) -> None:
        if not isinstance(schema, Mapping):
            raise SchemaError(f"{show(path)}: a schema that allows everything, or nothing, has no grammar")
        if id(schema) in seen:
            raise SchemaError(f"{show(path)}: the schema refers to itself")
        self.budget.look_at(schema)
        seen = (*seen, id(schema))
        if "$ref" in schema:
            self._expect(schema, path, {"$ref"})
            try:
                target = follow_reference(schema["$ref"], self.root)
            except SchemaError as error:
                raise SchemaError(f"{show((*path, '$ref'))}: {error}") from None
            self._collect(target, path, kinds, seen)
        elif "anyOf" in schema or "oneOf" in schema:
            name = "anyOf" if "anyOf" in schema else "oneOf"
            self._expect(schema, path, {name})
            self._collect_alternatives(schema[name], (*path, name), kinds, seen, exclusive=name == "oneOf")
        elif "enum" in schema or "const" in schema:
            self._collect_fixed(schema, path, kinds)
        else:
            self._collect_types(schema, path, kinds)

    def _collect_alternatives(
        self, parts: Any, path: Path, kinds: _Kinds, seen: tuple[int, ...], *, exclusive: bool
    ) -> None:
        if not isinstance(parts, list) or not parts:
            raise SchemaError(f"{show(path)}: a list of schemas is expected")
        before: list[_Kinds] = []
        for number, part in enumerate(parts):
            one = _Kinds()
            self._collect(part, (*path, number), one, seen)
            if exclusive and any(_overlap(one, other, self.budget) for other in before):
                raise SchemaError(f"{show((*path, number))}: a value may fit this and another one, which oneOf forbids")
            before.append(one)
            self.budget.look_at(one.fixed)
            kinds.fixed += one.fixed
            for kind, pattern in one.scalars.items():
                known = kinds.scalars.setdefault(kind, pattern)
                if pattern != known:
                    kinds.scalars[kind] = f"{known}|{pattern}"
                    self.budget.read(kinds.scalars[kind])
            kinds.objects |= one.objects
            kinds.lists |= one.lists

    def _collect_fixed(self, schema: Mapping[str, Any], path: Path, kinds: _Kinds) -> None:
        self._expect(schema, path, {"enum", "const", "type"})
        if "enum" in schema and not isinstance(schema["enum"], list):
            raise SchemaError(f"{show((*path, 'enum'))}: a list of values is expected")
        values = list(schema["enum"]) if "enum" in schema else [schema["const"]]
        if "const" in schema:
            values = [value for value in values if same(value, schema["const"])]
        for value in values:
            if isinstance(value, dict | list):
                raise SchemaError(f"{show(path)}: a fixed value can only be a text, a number, true, false or null")
        allowed = _types(schema, path)
        kinds.fixed += [value for value in values if not allowed or any(KINDS[kind](value) for kind in allowed)]
        if not kinds.fixed:
            raise SchemaError(f"{show(path)}: none of the fixed values is of the type")

    def _collect_types(self, schema: Mapping[str, Any], path: Path, kinds: _Kinds) -> None:
        types = _types(schema, path)
        if not types:
            raise SchemaError(f"{show(path)}: the type is missing: a schema that allows every kind has no grammar")
        self._expect(schema, path, {"type"}.union(*(_KEYWORDS[kind] for kind in types)))
        for kind in types:
            if kind == "object":
                kinds.objects[self._name("object", schema, path)] = None
            elif kind == "array":
                kinds.lists[self._name("list", schema, path)] = None
            elif kind == "boolean":
                kinds.fixed += [True, False]
            elif kind == "null":
                kinds.fixed.append(None)
            else:
                try:
                    kinds.scalars[kind] = _SCALARS[kind](schema)
                except Unwritable as error:
                    raise SchemaError(f"{show((*path, error.keyword))}: {error}") from None

    def _name(self, kind: str, schema: Mapping[str, Any], path: Path) -> str:
        """Return the name of the rule of an object or list; a schema that is referred to twice has one rule."""
        key = (id(schema), kind)
        if key not in self.names:
            name = self.names[key] = f"{kind}_{len(self.names) + 1}"
            self.made.rules[name] = []
            self.made.places[name] = pointer_to(path)
            (self._make_object if kind == "object" else self._make_list)(name, schema, path)
        return self.names[key]

    def _make_object(self, name: str, schema: Mapping[str, Any], path: Path) -> None:
        others = schema.get("additionalProperties", False)
        if others is not False:
            where = show((*path, "additionalProperties"))
            raise SchemaError(f"{where}: members without a name have no grammar: use false")
        named, required = schema.get("properties") or {}, set(schema.get("required") or ())
        if unknown := sorted(required - set(named)):
            raise SchemaError(f"{show((*path, 'required'))}: {unknown[0]!r} is required, but is none of the properties")
        rules, members = self.made.rules, list(named)
        first: list[Way] = []  # the ways of the first member
        for number, key in enumerate(members):
            behind = f"{name}_behind_{number + 1}"
            first.append((*self._member(f"{name}_{number + 1}", key, named[key], (*path, "properties", key)), behind))
            if key in required:
                break
        else:
            first.append(())
        for number in range(1, len(members) + 1):
            rules[f"{name}_behind_{number}"] = self._behind(name, number, members, named, required, path)
        rules[name] = [(OPEN, *way, CLOSE) for way in first]

    def _behind(
        self, name: str, number: int, members: list[str], named: Mapping[str, Any], required: set[str], path: Path
    ) -> list[Way]:
        """Return what may stand behind a member: the next one, another if that need not be there, or nothing."""
        if number == len(members):
            return [()]
        key = members[number]
        member = self._member(f"{name}_{number + 1}", key, named[key], (*path, "properties", key))
        ways: list[Way] = [(COMMA, *member, f"{name}_behind_{number + 1}")]
        if key not in required:
            ways.append((f"{name}_behind_{number + 1}",))
        return ways

    def _member(self, name: str, key: str, schema: Any, path: Path) -> Way:
        if name not in self.made.rules:
            terminal = self._terminal("NAME", f"({spell_fixed([key])}){BLANKS}*:{BLANKS}*")
            self.made.rules[name] = []
            self.made.places[name] = pointer_to(path)
            self.made.rules[name] = [(terminal, *way) for way in self._ways(schema, path)]
        return (name,)

    def _make_list(self, name: str, schema: Mapping[str, Any], path: Path) -> None:
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        for keyword, bound in (("minItems", least), ("maxItems", most)):
            if bound is not None and bound > _MOST_ITEMS:
                raise SchemaError(f"{show((*path, keyword))}: more than {_MOST_ITEMS} items are not counted")
        if most is not None and most < least:
            raise SchemaError(f"{show((*path, 'maxItems'))}: no list has so many items, and so few")
        rules, item = self.made.rules, f"{name}_item"
        rules[name] = [] if least else [(OPEN_LIST, CLOSE_LIST)]
        if most == 0:
            return
        if "items" not in schema:
            raise SchemaError(f"{show(path)}: `items` is missing: a list of everything has no grammar")
        rules[item], self.made.places[item] = [], pointer_to((*path, "items"))
        rules[item] = self._ways(schema["items"], (*path, "items"))
        count = max(least, 1)
        rules[name].append((OPEN_LIST, item, *((COMMA, item) * (count - 1)), f"{name}_more", CLOSE_LIST))
        if most is None:
            rules[f"{name}_more"] = [(), (COMMA, item, f"{name}_more")]
            return
        rest = f"{name}_more"
        for left in range(most - count, 0, -1):
            rules[rest], rest = [(), (COMMA, item, f"{name}_more_{left}")], f"{name}_more_{left}"
        rules[rest] = [()]

    def _terminal(self, kind: str, pattern: str) -> str:
        if pattern not in self.terminal_names:
            name = f"{kind}_{len(self.terminal_names) + 1}"
            self.terminal_names[pattern] = name
            self.made.terminals[name] = pattern
        return self.terminal_names[pattern]

    def _expect(self, schema: Mapping[str, Any], path: Path, known: set[str]) -> None:
        for keyword in schema:
            if keyword not in known and keyword not in NOTES | _MARKINGS:
                beside = "" if "type" in known else f" beside {next(iter(known))}"
                raise SchemaError(f"{show((*path, keyword))}: this keyword has no grammar{beside}")

    def _drop_what_never_ends(self) -> None:
        """Leave out the ways on which no text ever ends; refuse a schema that no finite value fits."""
        rules = self.made.rules
        ending = _names_that_end(rules)
        if "start" not in ending:
            raise SchemaError("the schema: no finite value fits it")
        self.made.rules = {
            name: [way for way in ways if all(part[0].isupper() or part[0] == "_" or part in ending for part in way)]
            for name, ways in rules.items()
            if name in ending
        }


def _names_that_end(rules: Mapping[str, list[Way]]) -> set[str]:
    """Return the rules that have a text, in time linear in the grammar."""
    ways = [(name, [part for part in way if part in rules]) for name, ways in rules.items() for way in ways]
    unknown = [len(parts) for _, parts in ways]  # of each way: the parts of which no text is known yet
    uses: dict[str, list[int]] = {name: [] for name in rules}
    for number, (_, parts) in enumerate(ways):
        for part in parts:
            uses[part].append(number)
    ending: set[str] = set()
    waiting = [name for name, parts in ways if not parts]
    while waiting:
        name = waiting.pop()
        if name in ending:
            continue
        ending.add(name)
        for number in uses[name]:
            unknown[number] -= 1
            if not unknown[number]:
                waiting.append(ways[number][0])
    return ending


def _spell_scalars(kinds: _Kinds, budget: Budget) -> str:
    """Return all scalars of a place as one expression; what could be taken for the beginning of another comes later."""
    fixed = [value for value in kinds.fixed if not _is_covered(value, kinds.scalars, budget)]
    general = [kinds.scalars[kind] for kind in ("string", "number", "integer") if kind in kinds.scalars]
    floats = [value for value in fixed if isinstance(value, float)]
    others = [value for value in fixed if not isinstance(value, float)]
    parts = [spell_fixed(floats)] * bool(floats) + general + [spell_fixed(others)] * bool(others)
    return "|".join(parts)


def _is_covered(value: Any, scalars: Mapping[str, str], budget: Budget) -> bool:
    return any(
        KINDS[kind](value) and all(budget.matches(rf"\A(?:{pattern})\z", way) for way in ways_to_write(value))
        for kind, pattern in scalars.items()
    )


def _overlap(one: _Kinds, other: _Kinds, budget: Budget) -> bool:
    budget.spend(1 + len(one.fixed) * len(other.fixed) // _COMPARED)
    if (one.objects and other.objects) or (one.lists and other.lists):
        return True
    for mine, yours in ((one, other), (other, one)):
        kinds = set(mine.scalars) | ({"integer"} if "number" in mine.scalars else set())
        if kinds & set(yours.scalars) or any(KINDS[kind](value) for value in yours.fixed for kind in mine.scalars):
            return True
    return any(same(mine, yours) for mine in one.fixed for yours in other.fixed)


def _types(schema: Mapping[str, Any], path: Path) -> list[str]:
    given = schema.get("type", [])
    types = [given] if isinstance(given, str) else given
    if not isinstance(types, list) or any(kind not in _KEYWORDS for kind in types):
        raise SchemaError(f"{show((*path, 'type'))}: {given!r} is no type of JSON Schema")
    return types
