"""Small closed shapes, compared without a library: types, named members, lists of one kind, some fixed values.

What this does not know, it refuses: a schema that asks for more needs jsonschema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .problems import NOTES, Path, Problem, Schema, SchemaError, follow_reference, pointer_to, same, show

_KNOWN = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref"}
    | {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
)
KINDS = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
}


def find_misfits(value: Any, schema: Schema) -> list[Problem]:
    """Return where a value does not fit a schema; raise `SchemaError` for keywords that only jsonschema knows."""
    _check_keywords(schema, ())
    try:
        return [Problem(pointer_to(path), message) for path, message in _compare(value, schema, (), schema)]
    except RecursionError:
        return [Problem("", "it is nested too deeply to be compared with the schema")]


def fits_shape(value: Any, part: Any, root: Schema) -> bool:
    """Return whether a value fits a part of a schema; raise `SchemaError` for what only jsonschema knows."""
    _check_keywords(part, ())
    try:
        return not any(True for _ in _compare(value, part, (), root))
    except RecursionError:
        return False


def _check_keywords(schema: Any, path: Path) -> None:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        raise SchemaError(f"{show(path)}: a schema is an object, true or false")
    for key in schema:
        if key not in _KNOWN and key not in NOTES:
            where = pointer_to((*path, key))
            raise SchemaError(f"{where}: to check this, jsonschema is needed: pip install 'symops-lark[structured]'")
    for key in ("properties", "$defs", "definitions"):
        for name, part in (schema.get(key) or {}).items():
            _check_keywords(part, (*path, key, name))
    for key in ("items", "additionalProperties"):
        if key in schema:
            _check_keywords(schema[key], (*path, key))
    for number, part in enumerate(schema.get("anyOf") or ()):
        _check_keywords(part, (*path, "anyOf", number))


def _compare(value: Any, schema: Any, path: Path, root: Schema) -> Iterator[tuple[Path, str]]:
    if isinstance(schema, bool):
        if not schema:
            yield path, "nothing may stand here"
        return
    if "$ref" in schema:
        yield from _compare(value, follow_reference(schema["$ref"], root), path, root)
    kinds = _kinds(schema)
    if kinds and not any(KINDS[kind](value) for kind in kinds):
        yield path, f"{_show(value)} is not of type {' or '.join(kinds)}"
        return
    if "enum" in schema and not any(_equal(value, each) for each in schema["enum"]):
        yield path, f"{_show(value)} is not one of {', '.join(map(_show, schema['enum']))}"
    if "const" in schema and not _equal(value, schema["const"]):
        yield path, f"{_show(value)} is not {_show(schema['const'])}"
    if "anyOf" in schema and all(any(True for _ in _compare(value, part, path, root)) for part in schema["anyOf"]):
        yield path, f"{_show(value)} fits none of the shapes that may stand here"
    yield from _compare_sizes(value, schema, path)
    if isinstance(value, dict):
        yield from _compare_members(value, schema, path, root)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _compare(item, schema["items"], (*path, number), root)


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise SchemaError(f"{unknown[0]!r} is no type of JSON Schema")
    return list(kinds)


def _compare_members(value: dict[str, Any], schema: Schema, path: Path, root: Schema) -> Iterator[tuple[Path, str]]:
    named = schema.get("properties") or {}
    for key in schema.get("required") or ():
        if key not in value:
            yield path, f"the name {key!r} is missing"
    others = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in named:
            yield from _compare(item, named[key], (*path, key), root)
        elif others is False:
            yield path, f"no name {key!r} may stand here"
        else:
            yield from _compare(item, others, (*path, key), root)


def _compare_sizes(value: Any, schema: Schema, path: Path) -> Iterator[tuple[Path, str]]:
    size: Any = None
    names = ("minimum", "maximum")
    if isinstance(value, str):
        size, names = len(value), ("minLength", "maxLength")
    elif isinstance(value, list):
        size, names = len(value), ("minItems", "maxItems")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        size = value
    if size is not None and names[0] in schema and size < schema[names[0]]:
        yield path, f"{_show(value)}: less than {names[0]} {schema[names[0]]}"
    if size is not None and names[1] in schema and size > schema[names[1]]:
        yield path, f"{_show(value)}: more than {names[1]} {schema[names[1]]}"


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are the same in JSON: 1 is 1.0, but not true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return same(one, other)


def _show(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 60 else shown[:60] + "…"
