"""Make the rules of a JSON Schema: a grammar whose terminals are regular expressions.

Supported are objects whose members are all named, lists of one kind, texts, numbers, fixed values,
null, alternatives of different kinds, and references inside the schema. Members have the order of
the schema. Anything else is an error with the JSON pointer to it: a grammar that allows more than
the schema would promise nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .kinds import Kinds
from .scalars import BLANKS, Unwritable, spell_fixed, spell_integer, spell_number, spell_string
from .schema.budget import Budget
from .schema.problems import (
    NOTES,
    Path,
    SchemaError,
    follow_reference,
    list_types,
    pointer_to,
    refuse_unusable,
    same,
    wrong,
)
from .schema.shapes import KINDS

Way = tuple[str, ...]  # the names of rules and terminals, one after the other
_IGNORED = NOTES | {"deprecated", "readOnly", "writeOnly"}
_NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_KEYWORDS: dict[str, set[str]] = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"minLength"},
    "number": _NUMBERS,
    "integer": _NUMBERS,
    "boolean": set(),
    "null": set(),
}
_MAX_ITEMS = 100  # each item that is counted is a rule
_SCALARS = {"string": spell_string, "integer": spell_integer, "number": spell_number}
OPEN = "_OPEN"
CLOSE = "_CLOSE"
OPEN_LIST = "_OPEN_LIST"
CLOSE_LIST = "_CLOSE_LIST"
COMMA = "_COMMA"
MARKS = {
    OPEN: rf"\{{{BLANKS}*",
    CLOSE: rf"{BLANKS}*\}}",
    OPEN_LIST: rf"\[{BLANKS}*",
    CLOSE_LIST: rf"{BLANKS}*\]",
    COMMA: rf"{BLANKS}*,{BLANKS}*",
}


@dataclass(slots=True)
class Rules:
    """A grammar.

    Attributes:
        rules: The alternatives of each rule, `start` first.
        terminals: The regular expressions of the names in capitals.
        places: The JSON pointers of the parts of the schema that rules come from.
    """

    rules: dict[str, list[Way]] = field(default_factory=dict)
    terminals: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)


def make_rules(schema: Mapping[str, Any]) -> Rules:
    """Return the grammar of a schema.

    Raises:
        SchemaError: A part of the schema is not supported; the message has the pointer to it.
    """
    with refuse_unusable():
        return _Maker(schema).make()


class _Maker:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.root = schema
        self.budget = Budget()
        self.budget.allow(schema)
        self.grammar = Rules()
        self.names: dict[tuple[int, str], str] = {}  # of rules, by the schema that they come from
        self.terminal_names: dict[str, str] = {}  # by the pattern

    def make(self) -> Rules:
        self._add_rule("start", self.root, ())
        self.grammar.rules = _without_endless(self.grammar.rules)
        used: set[str] = set()
        for ways in self.grammar.rules.values():
            used.update(*ways)
        for name, pattern in MARKS.items():
            if name in used:
                self.grammar.terminals[name] = pattern
        return self.grammar

    def _add_rule(self, name: str, schema: Any, path: Path, first: Way = ()) -> None:
        """Add the rule of the values of a schema, after some other names."""
        # The rule exists before its alternatives, which may refer to it.
        rules = self.grammar.rules
        rules[name] = []
        if path:
            self.grammar.places[name] = pointer_to(path)
        rules[name] = [(*first, *way) for way in self._ways(schema, path)]

    def _ways(self, schema: Any, path: Path) -> list[Way]:
        """Return the ways to write a value of a schema."""
        kinds = Kinds()
        self._collect(schema, path, kinds, ())
        ways: list[Way] = []
        for names, plural in ((kinds.objects, "objects"), (kinds.lists, "lists")):
            if len(names) > 1:
                raise wrong(path, f"two kinds of {plural} at one place cannot be distinguished")
            ways += [(name,) for name in names]
        scalars = kinds.spell_scalars(self.budget)
        if scalars:
            ways.append((self._terminal("VALUE", scalars),))
        return ways

    # ---- kinds of values

    def _collect(self, schema: Any, path: Path, kinds: Kinds, outer: tuple[int, ...]) -> None:
        """Add the kinds of a schema; `outer` are the ids of the schemas that lead to it."""
        if not isinstance(schema, Mapping):
            raise wrong(path, "a schema that allows everything, or nothing, has no grammar")
        if id(schema) in outer:
            raise wrong(path, "the schema refers to itself")
        self.budget.look_at(schema)
        outer = (*outer, id(schema))
        if "$ref" in schema:
            self._expect(schema, path, {"$ref"})
            try:
                target = follow_reference(schema["$ref"], self.root)
            except SchemaError as error:
                raise wrong((*path, "$ref"), error) from None
            self._collect(target, path, kinds, outer)
        elif "anyOf" in schema or "oneOf" in schema:
            name = "anyOf" if "anyOf" in schema else "oneOf"
            self._expect(schema, path, {name})
            self._collect_alternatives(schema[name], (*path, name), kinds, outer)
        elif "enum" in schema or "const" in schema:
            self._collect_fixed(schema, path, kinds)
        else:
            self._collect_types(schema, path, kinds)

    def _collect_alternatives(
        self, parts: Any, path: Path, kinds: Kinds, outer: tuple[int, ...]
    ) -> None:
        if not isinstance(parts, list) or not parts:
            raise wrong(path, "a list of schemas is expected")
        is_exclusive = path[-1] == "oneOf"
        earlier: list[Kinds] = []
        for index, part in enumerate(parts):
            # Apart from `kinds`, so that it can be compared with the earlier ones.
            alternative = Kinds()
            where = (*path, index)
            self._collect(part, where, alternative, outer)
            if is_exclusive:
                if any(alternative.overlaps(second, self.budget) for second in earlier):
                    raise wrong(where, "a value may fit this and another one, which oneOf forbids")
                earlier.append(alternative)
            kinds.add(alternative, self.budget)

    def _collect_fixed(self, schema: Mapping[str, Any], path: Path, kinds: Kinds) -> None:
        self._expect(schema, path, {"enum", "const", "type"})
        values = schema.get("enum", [schema.get("const")])
        if not isinstance(values, list):
            raise wrong((*path, "enum"), "a list of values is expected")
        if "const" in schema:
            values = [value for value in values if same(value, schema["const"])]
        types = _types(schema, path)
        count = len(kinds.fixed)
        for value in values:
            if isinstance(value, dict | list):
                raise wrong(path, "a fixed value can only be a text, a number, true, false or null")
            if not types or any(KINDS[kind](value) for kind in types):
                kinds.fixed.append(value)
        if len(kinds.fixed) == count:
            raise wrong(path, "none of the fixed values is of the type")

    def _collect_types(self, schema: Mapping[str, Any], path: Path, kinds: Kinds) -> None:
        types = _types(schema, path)
        if not types:
            raise wrong(path, "the type is missing: a schema that allows every kind has no grammar")
        keywords = [_KEYWORDS[kind] for kind in types]
        self._expect(schema, path, {"type"}.union(*keywords))
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
                    raise wrong((*path, error.keyword), error) from None

    # ---- rules of objects and lists

    def _name(self, kind: str, schema: Mapping[str, Any], path: Path) -> str:
        """Return the rule of an object or list; two references to a schema have one rule."""
        key = (id(schema), kind)
        if key not in self.names:
            name = f"{kind}_{len(self.names) + 1}"
            self.names[key] = name
            self.grammar.rules[name] = []
            self.grammar.places[name] = pointer_to(path)
            if kind == "object":
                self._make_object(name, schema, path)
            else:
                self._make_list(name, schema, path)
        return self.names[key]

    def _make_object(self, name: str, schema: Mapping[str, Any], path: Path) -> None:
        if schema.get("additionalProperties", False) is not False:
            raise wrong(
                (*path, "additionalProperties"), "members without a name have no grammar: use false"
            )
        properties = schema.get("properties") or {}
        required = set(schema.get("required") or ())
        unknown = sorted(required.difference(properties))
        if unknown:
            message = "is required, but not one of the properties"
            raise wrong((*path, "required"), f"{unknown[0]!r} {message}")
        rules = self.grammar.rules
        # The first member is any before, or at, the first one that is required.
        rules[name] = []
        can_be_empty = True
        for number, key in enumerate(properties, 1):
            member = f"{name}_{number}"
            colon = f"({spell_fixed([key])}){BLANKS}*:{BLANKS}*"
            terminal = self._terminal("NAME", colon)
            self._add_rule(member, properties[key], (*path, "properties", key), (terminal,))
            if can_be_empty:
                rules[name].append((OPEN, member, f"{name}_behind_{number}", CLOSE))
            can_be_empty = can_be_empty and key not in required
        if can_be_empty:
            rules[name].append((OPEN, CLOSE))
        # After a member: the next one, a later one if that may be absent, or the end.
        for number, key in enumerate([*properties][1:], 2):
            following = f"{name}_behind_{number}"
            ways: list[Way] = [(COMMA, f"{name}_{number}", following)]
            if key not in required:
                ways.append((following,))
            rules[f"{name}_behind_{number - 1}"] = ways
        if properties:
            rules[f"{name}_behind_{len(properties)}"] = [()]

    def _make_list(self, name: str, schema: Mapping[str, Any], path: Path) -> None:
        least = schema.get("minItems", 0)
        limit = schema.get("maxItems")
        for keyword, bound in (("minItems", least), ("maxItems", limit)):
            if bound is not None and bound > _MAX_ITEMS:
                raise wrong((*path, keyword), f"more than {_MAX_ITEMS} items are not counted")
        if limit is not None and limit < least:
            raise wrong((*path, "maxItems"), "it is less than minItems, so no list fits")
        rules = self.grammar.rules
        # An empty list is one alternative; the other has an item first, so that commas separate.
        rules[name] = [] if least else [(OPEN_LIST, CLOSE_LIST)]
        if limit == 0:
            return
        if "items" not in schema:
            raise wrong(path, "`items` is missing: a list of everything has no grammar")
        item = f"{name}_item"
        following = f"{name}_more"
        self._add_rule(item, schema["items"], (*path, "items"))
        count = max(least, 1)
        further = (COMMA, item) * (count - 1)
        rules[name].append((OPEN_LIST, item, *further, following, CLOSE_LIST))
        if limit is None:
            rules[following] = [(), (COMMA, item, following)]
            return
        for number in range(limit - count, 0, -1):
            after = f"{name}_more_{number}"
            rules[following] = [(), (COMMA, item, after)]
            following = after
        rules[following] = [()]

    def _terminal(self, kind: str, pattern: str) -> str:
        if pattern not in self.terminal_names:
            name = f"{kind}_{len(self.terminal_names) + 1}"
            self.terminal_names[pattern] = name
            self.grammar.terminals[name] = pattern
        return self.terminal_names[pattern]

    def _expect(self, schema: Mapping[str, Any], path: Path, known: set[str]) -> None:
        """Raise `SchemaError` for a keyword that has no grammar here."""
        for keyword in schema:
            if keyword not in known and keyword not in _IGNORED:
                beside = "" if "type" in known else f" beside {next(iter(known))}"
                raise wrong((*path, keyword), f"this keyword has no grammar{beside}")


def _without_endless(rules: Mapping[str, list[Way]]) -> dict[str, list[Way]]:
    """Return the rules without alternatives whose texts never end."""
    # A required member of its own kind, for instance, has no end.
    ending = _names_that_end(rules)
    if "start" not in ending:
        raise wrong((), "no finite value fits it")
    endless = rules.keys() - ending
    finite = {}
    for name, ways in rules.items():
        if name in ending:
            finite[name] = [way for way in ways if endless.isdisjoint(way)]
    return finite


def _names_that_end(rules: Mapping[str, list[Way]]) -> set[str]:
    """Return the rules that have a finite text, in time linear in the grammar."""
    names: list[str] = []  # of each alternative: its rule
    unknown = []  # and the number of rules in it of which no text is known yet
    uses: dict[str, list[int]] = {name: [] for name in rules}  # the alternatives by rules in them
    for name, ways in rules.items():
        for way in ways:
            parts = [part for part in way if part in rules]
            for part in parts:
                uses[part].append(len(names))
            names.append(name)
            unknown.append(len(parts))
    ending = set()
    waiting = [name for name, count in zip(names, unknown, strict=True) if not count]
    while waiting:
        name = waiting.pop()
        if name in ending:
            continue
        ending.add(name)
        for index in uses[name]:
            unknown[index] -= 1
            if not unknown[index]:
                waiting.append(names[index])
    return ending


def _types(schema: Mapping[str, Any], path: Path) -> list[str]:
    value = schema.get("type", [])
    types = list_types(value)
    if not isinstance(types, list) or any(kind not in _KEYWORDS for kind in types):
        raise wrong((*path, "type"), f"{value!r} is not a type of JSON Schema")
    return types
