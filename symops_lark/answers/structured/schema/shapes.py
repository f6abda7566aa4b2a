"""Small closed shapes, compared without a library: types, named members, lists of one kind, some fixed values.

What this does not know, it refuses: a schema that asks for more needs jsonschema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .budget import Budget
from .problems import NOTES, Path, Problem, Schema, SchemaError, follow_reference, pointer_to, refuse_unusable, show

_KNOWN = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref"}
    | {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
)
_MOST_SHOWN = 20
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


def find_misfits(value: Any, schema: Schema, budget: Budget | None = None) -> list[Problem]:
    """Return where a value does not fit a schema.

    Args:
        value: What is judged.
        schema: The schema.
        budget: The steps that may be taken; a new one, for a value of this size, if it is None.

    Raises:
        SchemaError: The schema is wrong, or has keywords that only jsonschema knows.
        TooComplexError: The budget is spent.
    """
    if budget is None:
        budget = Budget()
        budget.allow(value)
    comparison = _Comparison(schema, budget)
    with refuse_unusable():
        comparison.check(schema, ())
        return [Problem(pointer_to(path), message) for path, message in comparison.compare(value, schema, ())]


def fits_shape(value: Any, part: Any, root: Schema, budget: Budget) -> bool:
    """Return whether a value fits a part of a schema; raise the errors of `find_misfits`."""
    budget.allow(value)
    comparison = _Comparison(root, budget)
    with refuse_unusable():
        comparison.check(part, ())
        return not any(True for _ in comparison.compare(value, part, ()))


class _Comparison:
    """Values compared with the parts of one schema."""

    def __init__(self, root: Schema, budget: Budget) -> None:
        self._root, self._budget = root, budget
        self._checked: set[int] = set()

    def check(self, schema: Any, path: Path) -> None:
        """Raise `SchemaError` for a part of the schema with keywords that are not known here."""
        if isinstance(schema, bool) or id(schema) in self._checked:
            return
        if not isinstance(schema, Mapping):
            raise SchemaError(f"{show(path)}: a schema is an object, true or false")
        self._checked.add(id(schema))
        for key in schema:
            if key not in _KNOWN and key not in NOTES:
                where = pointer_to((*path, key))
                raise SchemaError(
                    f"{where}: to check this, jsonschema is needed: pip install 'symops-lark[structured]'"
                )
        for key in ("properties", "$defs", "definitions"):
            for name, part in (schema.get(key) or {}).items():
                self.check(part, (*path, key, name))
        for key in ("items", "additionalProperties"):
            if key in schema:
                self.check(schema[key], (*path, key))
        for number, part in enumerate(schema.get("anyOf") or ()):
            self.check(part, (*path, "anyOf", number))

    def compare(self, value: Any, schema: Any, path: Path) -> Iterator[tuple[Path, str]]:
        """Yield where a value does not fit a part of the schema, and why."""
        self._budget.look_at(schema)
        if isinstance(schema, bool):
            if not schema:
                yield path, "nothing may stand here"
            return
        if "$ref" in schema:
            target = follow_reference(schema["$ref"], self._root)
            self.check(target, ())
            yield from self.compare(value, target, path)
        kinds = _kinds(schema)
        if kinds and not any(KINDS[kind](value) for kind in kinds):
            yield path, f"{self._show(value)} is not of type {' or '.join(kinds)}"
            return
        if "enum" in schema and not self._budget.is_among(value, schema["enum"]):
            yield path, f"{self._show(value)} is not one of {', '.join(map(self._show, schema['enum'][:_MOST_SHOWN]))}"
        if "const" in schema and self._budget.canonical(value) != self._budget.canonical(schema["const"]):
            yield path, f"{self._show(value)} is not {self._show(schema['const'])}"
        if "anyOf" in schema and not any(self._fits(value, part, path) for part in schema["anyOf"]):
            yield path, f"{self._show(value)} fits none of the shapes that may stand here"
        yield from self._compare_sizes(value, schema, path)
        if isinstance(value, dict):
            yield from self._compare_members(value, schema, path)
        if isinstance(value, list) and "items" in schema:
            for number, item in enumerate(value):
                yield from self.compare(item, schema["items"], (*path, number))

    def _fits(self, value: Any, schema: Any, path: Path) -> bool:
        return next(self.compare(value, schema, path), None) is None

    def _compare_members(self, value: dict[str, Any], schema: Schema, path: Path) -> Iterator[tuple[Path, str]]:
        named, required = schema.get("properties") or {}, schema.get("required") or []
        self._budget.look_at(value, required)
        for key in required:
            if key not in value:
                yield path, f"the name {key!r} is missing"
        others = schema.get("additionalProperties", True)
        for key, item in value.items():
            if key in named:
                yield from self.compare(item, named[key], (*path, key))
            elif others is False:
                yield path, f"no name {key!r} may stand here"
            else:
                yield from self.compare(item, others, (*path, key))

    def _compare_sizes(self, value: Any, schema: Schema, path: Path) -> Iterator[tuple[Path, str]]:
        size: Any = None
        names = ("minimum", "maximum")
        if isinstance(value, str):
            size, names = len(value), ("minLength", "maxLength")
        elif isinstance(value, list):
            size, names = len(value), ("minItems", "maxItems")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            size = value
        if size is not None and names[0] in schema and size < schema[names[0]]:
            yield path, f"{self._show(value)}: less than {names[0]} {schema[names[0]]}"
        if size is not None and names[1] in schema and size > schema[names[1]]:
            yield path, f"{self._show(value)}: more than {names[1]} {schema[names[1]]}"

    def _show(self, value: Any) -> str:
        shown = json.dumps(value, ensure_ascii=False, default=str)
        self._budget.read(shown)
        return shown if len(shown) <= 60 else shown[:60] + "…"


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise SchemaError(f"{unknown[0]!r} is no type of JSON Schema")
    return list(kinds)
