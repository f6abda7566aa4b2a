"""Compare values with small closed shapes, without a library.

Such a shape has types, named members, lists of one kind and some fixed values. A schema that needs
more is an error: it requires jsonschema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .budget import Budget
from .problems import (
    NOTES,
    Path,
    Problem,
    Schema,
    SchemaError,
    follow_reference,
    list_types,
    pointer_to,
    refuse_unusable,
    shorten,
    wrong,
)

_KEYWORDS = frozenset(
    (
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
    )
)
_MAX_VALUES_SHOWN = 20
_MAX_VALUE_SHOWN = 60  # characters of a value in a message
_Misfit = tuple[Path, str]


def _is_number(value: object) -> bool:
    # A boolean is an integer for Python, but not for JSON.
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or value.is_integer())


KINDS: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": _is_integer,
}


def find_misfits(
    value: Any, part: Any, root: Schema | None = None, budget: Budget | None = None
) -> list[Problem]:
    """Return the places where a value does not fit a part of a schema.

    Args:
        value: The value.
        part: The part of the schema.
        root: The whole schema; None: it is `part`.
        budget: The steps that may be taken; None: a new budget for a value of this size.

    Raises:
        SchemaError: The part is invalid, or has keywords that require jsonschema.
        TooComplexError: The budget is spent.
    """
    if budget is None:
        budget = Budget()
        budget.allow(value)
    comparison = _Comparison(part if root is None else root, budget)
    with refuse_unusable():
        comparison.check(part, ())
        misfits = list(comparison.compare(value, part, ()))
    return [Problem(pointer_to(path), message) for path, message in misfits]


class _Comparison:
    """A comparison of values with the parts of one schema."""

    def __init__(self, root: Schema, budget: Budget) -> None:
        self._root = root
        self._budget = budget
        self._checked: set[int] = set()  # ids of parts: references may form a cycle

    def check(self, schema: Any, path: Path) -> None:
        """Raise `SchemaError` for a part of the schema with unknown keywords."""
        if isinstance(schema, bool) or id(schema) in self._checked:
            return
        if not isinstance(schema, Mapping):
            raise wrong(path, "a schema is an object, true or false")
        self._checked.add(id(schema))
        for key in schema:
            if key not in _KEYWORDS and key not in NOTES:
                need = "to check this, jsonschema is needed: pip install 'symops-lark[structured]'"
                raise wrong((*path, key), need)
        for key in ("properties", "$defs", "definitions"):
            members = schema.get(key) or {}
            for name, part in members.items():
                self.check(part, (*path, key, name))
        for key in ("items", "additionalProperties"):
            if key in schema:
                self.check(schema[key], (*path, key))
        for index, part in enumerate(schema.get("anyOf") or ()):
            self.check(part, (*path, "anyOf", index))

    def compare(self, value: Any, schema: Any, path: Path) -> Iterator[_Misfit]:
        """Yield the places where a value does not fit a part of the schema, with the reason."""
        self._budget.look_at(schema)
        if isinstance(schema, bool):
            if not schema:
                yield path, "no value is allowed here"
            return
        if "$ref" in schema:
            # It may lead to a part that is not below a known keyword, such as a default value.
            target = follow_reference(schema["$ref"], self._root)
            self.check(target, ())
            yield from self.compare(value, target, path)
        kinds = _kinds(schema)
        if kinds and not any(KINDS[kind](value) for kind in kinds):
            # For a value of another type, the other keywords would only repeat this.
            yield path, f"{self._show(value)} is not of type {' or '.join(kinds)}"
            return
        yield from self._compare_choices(value, schema, path)
        yield from self._compare_sizes(value, schema, path)
        if isinstance(value, dict):
            yield from self._compare_members(value, schema, path)
        if isinstance(value, list) and "items" in schema:
            for index, item in enumerate(value):
                yield from self.compare(item, schema["items"], (*path, index))

    def _compare_choices(self, value: Any, schema: Schema, path: Path) -> Iterator[_Misfit]:
        budget = self._budget
        if "enum" in schema and not budget.is_among(value, schema["enum"]):
            examples = schema["enum"][:_MAX_VALUES_SHOWN]
            choices = ", ".join(map(self._show, examples))
            yield path, f"{self._show(value)} is not one of {choices}"
        if "const" in schema:
            expected = schema["const"]
            if budget.canonical(value) != budget.canonical(expected):
                yield path, f"{self._show(value)} is not {self._show(expected)}"
        if "anyOf" in schema:
            for part in schema["anyOf"]:
                # The first misfit decides, so the others are not looked for.
                misfits = self.compare(value, part, path)
                if next(misfits, None) is None:
                    return
            yield path, f"{self._show(value)} fits none of the shapes that are allowed here"

    def _compare_members(
        self, value: dict[str, Any], schema: Schema, path: Path
    ) -> Iterator[_Misfit]:
        properties = schema.get("properties") or {}
        required = schema.get("required") or []
        self._budget.look_at(value, required)
        for key in required:
            if key not in value:
                yield path, f"the name {key!r} is missing"
        default = schema.get("additionalProperties", True)
        for key, item in value.items():
            if key not in properties and default is False:
                yield path, f"no name {key!r} is allowed here"
            else:
                yield from self.compare(item, properties.get(key, default), (*path, key))

    def _compare_sizes(self, value: Any, schema: Schema, path: Path) -> Iterator[_Misfit]:
        if isinstance(value, str):
            size = len(value)
            limits = ("minLength", "maxLength")
        elif isinstance(value, list):
            size = len(value)
            limits = ("minItems", "maxItems")
        elif _is_number(value):
            size = value
            limits = ("minimum", "maximum")
        else:
            return
        lower, upper = limits
        if lower in schema and size < schema[lower]:
            yield path, f"{self._show(value)}: less than {lower} {schema[lower]}"
        if upper in schema and size > schema[upper]:
            yield path, f"{self._show(value)}: more than {upper} {schema[upper]}"

    def _show(self, value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False, default=str)
        self._budget.read(text)
        return shorten(text, _MAX_VALUE_SHOWN)


def _kinds(schema: Schema) -> list[str]:
    kinds = list_types(schema.get("type", []))
    for kind in kinds:
        if kind not in KINDS:
            raise SchemaError(f"{kind!r} is not a type of JSON Schema")
    return list(kinds)
