"""Schemas, and values for them, that ask for endless work: for each keyword of JSON Schema at least one."""

from __future__ import annotations

from typing import Any

Case = tuple[Any, Any]  # a schema, a value
DRAFTS = {
    "3": "http://json-schema.org/draft-03/schema#",
    "4": "http://json-schema.org/draft-04/schema#",
    "6": "http://json-schema.org/draft-06/schema#",
    "7": "http://json-schema.org/draft-07/schema#",
    "2019": "https://json-schema.org/draft/2019-09/schema",
    "2020": "https://json-schema.org/draft/2020-12/schema",
}
SLOW_PATTERN = "^(a+)+$"
_LETTERS = "a" * 5_000 + "!"
_OBJECTS: list[Any] = [{"a": number, "b": str(number)} for number in range(3_000)]
_DEEP: Any = {"a": 1}
for _ in range(100):
    _DEEP = {"a": _DEEP}


def doubling(keyword: str, leaf: Any = None, depth: int = 40) -> dict[str, Any]:
    """Return a schema in which each definition has the next one twice under a keyword, and the last is a leaf."""
    parts = {f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(depth)}
    last = {f"d{depth}": {"type": "string"} if leaf is None else leaf}
    return {"$defs": parts | last, "$ref": "#/$defs/d0"}


def nested(keyword: str, depth: int = 40) -> dict[str, Any]:
    """Return a schema in which `unevaluated…` stands at each of many levels, for the same value."""
    parts = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}], keyword: {}} for n in range(depth)}
    return {"$defs": parts | {f"d{depth}": {keyword: True}}, "$ref": "#/$defs/d0"}


def colliding(count: int) -> list[Any]:
    """Return whole numbers of which Python takes one hash."""
    return [number * (2**61 - 1) for number in range(1, count)]


def doubling_by(keyword: str) -> dict[str, Any]:
    """Return a schema that applies itself twice to each member, by one more keyword than `properties`."""
    return {"properties": {"a": {"$ref": "#"}}, keyword: {"a": {"$ref": "#"}}}


def dynamic() -> dict[str, Any]:
    """Return a schema that doubles by dynamic references."""
    parts = {
        f"d{n}": {"$dynamicAnchor": f"d{n}", "allOf": [{"$dynamicRef": f"#d{n + 1}"}, {"$dynamicRef": f"#d{n + 1}"}]}
        for n in range(40)
    }
    return {"$defs": parts | {"d40": {"$dynamicAnchor": "d40", "type": "string"}}, "$dynamicRef": "#d0"}


def in_resources(keyword: str) -> dict[str, Any]:
    """Return a schema with a part that names another draft, so that a library may judge it by other rules."""
    part = {"$id": "http://a.example/part", "$schema": DRAFTS["2020"], keyword: {SLOW_PATTERN: {"type": "string"}}}
    return {"$schema": DRAFTS["7"], "allOf": [part]}


SLOW: dict[str, Case] = {
    "pattern": ({"pattern": SLOW_PATTERN}, _LETTERS),
    "patternProperties": ({"patternProperties": {SLOW_PATTERN: {"type": "string"}}}, {_LETTERS: 1}),
    "patternProperties and additionalProperties": (
        {"patternProperties": {SLOW_PATTERN: {}}, "additionalProperties": False},
        {_LETTERS: 1},
    ),
    "patternProperties and unevaluatedProperties": (
        {"patternProperties": {SLOW_PATTERN: {}}, "unevaluatedProperties": False},
        {_LETTERS: 1},
    ),
    "propertyNames": ({"propertyNames": {"pattern": SLOW_PATTERN}}, {_LETTERS: 1}),
    "a part of another draft": (in_resources("patternProperties"), {_LETTERS: 1}),
    "a pattern that is long to compile": ({"pattern": "((a?){30}){30}" * 10 + "b"}, "a" * 100_000),
    "many patterns": ({"patternProperties": {f"((a?b?){{30}}){{30}}{n}": {} for n in range(200)}}, {"a" * 1_000: 1}),
    "uniqueItems": ({"uniqueItems": True}, [{"a": number} for number in range(30_000)]),
    "uniqueItems, colliding": ({"uniqueItems": True}, [{"a": number} for number in colliding(30_000)]),
    "uniqueItems in each item": ({"items": {"uniqueItems": True}}, [[str(n) for n in range(300)]] * 300),
    "enum": ({"items": {"enum": [[number] for number in range(3_000)]}}, [[-1, number] for number in range(3_000)]),
    "enum, colliding": ({"items": {"enum": colliding(3_000)}}, colliding(6_000)),
    "const": (doubling("allOf", {"const": _OBJECTS}), _OBJECTS),
    "required": ({"items": {"required": [f"n{number}" for number in range(5_000)]}}, [{}] * 5_000),
    "properties": ({"items": {"properties": {f"n{number}": {} for number in range(1_000)}}}, [{}] * 30_000),
    "dependentRequired": (
        {"items": {"dependentRequired": {"a": [f"n{number}" for number in range(5_000)]}}},
        [{"a": 1}] * 5_000,
    ),
    "dependentSchemas": ({"dependentSchemas": {"a": doubling("allOf")}, **doubling("allOf")}, {"a": 1}),
    "contains": (doubling("allOf", {"contains": {"const": -1}, "minContains": 0}), _OBJECTS),
    "items": (doubling("allOf", {"items": {"type": "object"}}), _OBJECTS),
    "items that are allowed": (doubling("allOf", {"items": True}), [1] * 30_000),
    "propertyNames that are allowed": (
        doubling("allOf", {"propertyNames": True}),
        {str(number): 1 for number in range(10_000)},
    ),
    "messages": (doubling("anyOf", {"type": "string"}), _OBJECTS),
    "messages of not": (doubling("allOf", {"not": {"type": "string"}}), _OBJECTS),
    "messages of if": (doubling("allOf", {"if": {"type": "string"}}), _OBJECTS),
    "messages of oneOf": ({"items": {"oneOf": [{"title": "x" * 10_000}] * 200}}, [1] * 3_000),
    "allOf": (doubling("allOf"), "a"),
    "anyOf": (doubling("anyOf"), 1),
    "oneOf": (doubling("oneOf"), 1),
    "not": ({"not": doubling("anyOf"), **doubling("anyOf")}, 1),
    "if": ({"if": doubling("anyOf"), "then": {}, **doubling("anyOf")}, 1),
    "dynamicRef": (dynamic(), "a"),
    "patternProperties twice": (doubling_by("patternProperties"), _DEEP),
    "dependentSchemas twice": (
        {"properties": {"a": {"$ref": "#"}}, "dependentSchemas": {"a": {"properties": {"a": {"$ref": "#"}}}}},
        _DEEP,
    ),
    "unevaluatedProperties": (nested("unevaluatedProperties"), {"a": 1}),
    "unevaluatedItems": (nested("unevaluatedItems"), [1]),
    "unknown keywords": ({"items": {f"x{number}": 1 for number in range(5_000)}}, [1] * 5_000),
    "a schema that is itself": ({"$ref": "#"}, 1),
    "a schema that is itself, twice": ({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, 1),
    "anchors": ({"$defs": {f"d{n}": {"$anchor": f"a{n}"} for n in range(500)}, "items": {"$ref": "#a1"}}, [1] * 2_000),
    "a long reference": ({"$defs": {"x" * 50_000: {}}, "items": {"$ref": "#/$defs/" + "x" * 50_000}}, [1] * 3_000),
}
for _draft in ("3", "4", "6", "7", "2019"):
    SLOW[f"uniqueItems of draft {_draft}"] = (
        {"$schema": DRAFTS[_draft], **SLOW["uniqueItems"][0]},
        SLOW["uniqueItems"][1],
    )
    SLOW[f"patternProperties of draft {_draft}"] = (
        {"$schema": DRAFTS[_draft], "patternProperties": {SLOW_PATTERN: {}}, "additionalProperties": False},
        {_LETTERS: 1},
    )
SLOW["type of draft 3"] = (
    {
        "$schema": DRAFTS["3"],
        "type": [{"type": [{"$ref": "#"}, {"$ref": "#", "title": "again"}]}, {"$ref": "#"}],
        "items": {"$ref": "#"},
    },
    [[[[1]]]],
)
SLOW["extends of draft 3"] = (
    {
        "$schema": DRAFTS["3"],
        "extends": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#", "title": "again"}}}],
    },
    _DEEP,
)
SLOW["recursiveRef"] = (
    {"$schema": DRAFTS["2019"], "allOf": [{"properties": {"a": {"$recursiveRef": "#"}}}] * 2},
    _DEEP,
)

ODD: dict[str, Case] = {
    "multipleOf of a number that no float holds": ({"multipleOf": 0.5}, 10**400),
    "multipleOf by a number that no float holds": ({"multipleOf": 10**400}, 0.5),
    "multipleOf with a quotient that no float holds": ({"multipleOf": 5e-324}, 1e308),
    "multipleOf of no number": ({"multipleOf": float("nan")}, 1),
    "multipleOf of endless numbers": ({"multipleOf": 2}, float("inf")),
    "a minimum that no float holds": ({"minimum": 10**400, "maximum": float("inf")}, 1.5),
    "a whole number of many digits": ({"type": "string"}, 10**6_000),
    "an address that is none": ({"$id": "http://[", "$ref": "#"}, 1),
    "a reference that is none": ({"$ref": "http://["}, 1),
    "a draft that is none": ({"$schema": "http://["}, 1),
    "a draft of another kind": ({"$schema": 5}, 1),
    "a reference into a text": ({"title": "abc", "$ref": "#/title/0"}, 1),
    "a reference to a list by a name": ({"allOf": [{}], "$ref": "#/allOf/x"}, 1),
    "a reference to what is no schema": ({"default": {"minimum": "x"}, "$ref": "#/default"}, 1),
    "a reference to a number": ({"default": 5, "$ref": "#/default"}, 1),
    "a reference to types that are none": ({"default": {"type": "text"}, "$ref": "#/default"}, 1),
    "an anchor that is not there": ({"$ref": "#x"}, 1),
    "half of a surrogate pair": ({"pattern": "a", "type": "string"}, "\ud800"),
    "half of a surrogate pair in a pattern": ({"pattern": "\ud800"}, "a"),
    "half of a surrogate pair in a name": ({"patternProperties": {"a": {}}}, {"\ud800": 1}),
    "a type of draft 3 that is none": ({"$schema": DRAFTS["3"], "type": "text"}, 1),
    "items of draft 2019 that are true": ({"$schema": DRAFTS["2019"], "items": True, "unevaluatedItems": False}, [1]),
}
