"""JSON Schemas of the closed subset, and values that fit them or nearly do."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from json_values import VALUES

NAMES = ("step", "reason", "a b", "日本", 'q"\\', "x/y~")
_TEXTS = st.text(max_size=4) | st.sampled_from(("a/b", 'q"', "日本", "a|b", "{}"))
_ANY_FIXED = st.none() | st.booleans() | st.integers(-3, 12) | _TEXTS
_FIXED = st.lists(_ANY_FIXED, min_size=1, max_size=4, unique_by=json.dumps)
LEAVES = st.one_of(
    st.just({"type": "string"}),
    st.just({"type": "string", "minLength": 1}),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({"type": "number"}),
    st.just({"type": "number", "minimum": 0, "maximum": 1}),
    st.just({"type": "integer"}),
    st.sampled_from(({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": -2, "maximum": 11})),
    st.just({"type": ["integer", "null"]}),
    st.just({"type": ["string", "number", "null"]}),
    _FIXED.map(lambda values: {"enum": values}),
    _TEXTS.map(lambda value: {"const": value}),
)


def _objects(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    dictionaries = st.dictionaries(st.sampled_from(NAMES), parts, max_size=4)
    return dictionaries.flatmap(
        lambda members: (
            st.sets(st.sampled_from(sorted(members))).map(lambda needed: _object(members, needed))
            if members
            else st.just(_object({}, set()))
        )
    )


def _object(members: dict[str, Any], needed: set[str]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": sorted(needed), "additionalProperties": False}


def _grow(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.tuples(parts, st.sampled_from(({}, {"minItems": 1}, {"minItems": 1, "maxItems": 3}, {"maxItems": 2})))
    return st.one_of(
        _objects(parts),
        lists.map(lambda drawn: {"type": "array", "items": drawn[0], **drawn[1]}),
        _objects(parts).map(lambda each: {"anyOf": [each, {"type": "string"}, {"type": "null"}]}),
    )


SCHEMAS = st.recursive(LEAVES, _grow, max_leaves=6)
OBJECT_SCHEMAS = _objects(SCHEMAS)


def fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that fit a schema of the subset."""
    if "anyOf" in schema:
        return st.one_of([fitting(part) for part in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return st.one_of([_fitting_type(schema, kind) for kind in types])


def _fitting_type(schema: dict[str, Any], kind: str) -> st.SearchStrategy[Any]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if kind == "object":
        needed = {name: fitting(part) for name, part in schema["properties"].items() if name in schema["required"]}
        table = {name: fitting(part) for name, part in schema["properties"].items() if name not in schema["required"]}
        order = list(schema["properties"])
        created = st.fixed_dictionaries(needed, optional=table)
        return created.map(lambda value: {name: value[name] for name in order if name in value})
    if kind == "array":
        return st.lists(
            fitting(schema["items"]), min_size=schema.get("minItems", 0), max_size=schema.get("maxItems", 4)
        )
    return {
        "string": st.text(min_size=schema.get("minLength", 0), max_size=8),
        "boolean": st.booleans(),
        "null": st.none(),
        "integer": st.integers(low, high),
        "number": st.floats(low, high, allow_nan=False, allow_infinity=False) | st.integers(low, high),
    }[kind]


def nearly_fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that fit, and values near them: of another kind, with a member more or less, in another order."""
    return fitting(schema) | VALUES | st.tuples(fitting(schema), st.randoms(use_true_random=False)).map(_change)


def _change(drawn: tuple[Any, Any]) -> Any:
    value, random = drawn
    if isinstance(value, dict) and value:
        name = random.choice(sorted(value))
        kind = random.randrange(4)
        if kind == 0:
            return {key: item for key, item in value.items() if key != name}
        if kind == 1:
            return {**value, name: _change((value[name], random))}
        return {**value, "more": 1} if kind == 2 else dict(reversed(value.items()))
    if isinstance(value, list) and value:
        return [*value, value[0], _change((value[0], random))]
    return random.choice((None, True, "", 0, -1, 2.5, 10**20, [], {}, "x", value))
