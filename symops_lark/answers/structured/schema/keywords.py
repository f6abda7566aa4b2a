"""Keywords of JSON Schema that jsonschema itself judges in more than linear time, judged anew.

Its own versions run `re`, which backtracks; compare each item with each; build the errors of every alternative; or stop
at numbers that no float holds. These take the steps that a `Budget` counts, and use RE2. They keep jsonschema's
signature, `(validator, keyword's value, instance, schema)`, and its messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from math import isfinite
from typing import Any

from jsonschema.exceptions import ValidationError

from .budget import Budget
from .references import follow_reference

BUDGET: ContextVar[Budget] = ContextVar("budget")  # of the judgment that is running
_Errors = Iterator[Any]


def is_valid(validator: Any, instance: Any) -> bool:
    """Return whether a validator finds no error; its first error is paid for, as it shows the whole value."""
    return _fits(validator.iter_errors(instance))


def _fits(errors: _Errors) -> bool:
    error = next(errors, None)
    if error is not None:
        BUDGET.get().read(error.message)
    return error is None


def _check_pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, str) and not BUDGET.get().matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _check_pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    budget = BUDGET.get()
    for pattern, part in patterns.items():
        for name, value in instance.items():
            if budget.matches(pattern, name):
                yield from validator.descend(value, part, path=name, schema_path=pattern)


def _check_additional_properties(validator: Any, others: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    budget = BUDGET.get()
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extras = [
        name for name in instance if name not in named and not any(budget.matches(each, name) for each in patterns)
    ]
    if isinstance(others, dict):
        for name in extras:
            yield from validator.descend(instance[name], others, path=name)
    elif not others and extras:
        yield ValidationError(f"Additional properties are not allowed ({_list_extras(extras)} unexpected)")


def _list_extras(extras: list[Any]) -> str:
    return f"{', '.join(map(repr, extras))} {'was' if len(extras) == 1 else 'were'}"


def _check_unique_items(validator: Any, is_asked: Any, instance: Any, schema: Any) -> _Errors:
    if not is_asked or not isinstance(instance, list):
        return
    budget = BUDGET.get()
    seen: set[str] = set()
    for item in instance:
        key = budget.canonical(item)
        if key in seen:
            yield ValidationError(f"{instance!r} has non-unique elements")
            return
        seen.add(key)


def _check_enum(validator: Any, values: Any, instance: Any, schema: Any) -> _Errors:
    if not BUDGET.get().is_among(instance, values):
        yield ValidationError(f"{instance!r} is not one of {values!r}")


def _check_const(validator: Any, value: Any, instance: Any, schema: Any) -> _Errors:
    budget = BUDGET.get()
    if budget.canonical(instance) != budget.canonical(value):
        yield ValidationError(f"{value!r} was expected")


def _check_multiple_of(validator: Any, divisor: Any, instance: Any, schema: Any) -> _Errors:
    if validator.is_type(instance, "number") and not _is_multiple(instance, divisor):
        yield ValidationError(f"{instance!r} is not a multiple of {divisor}")


def _is_multiple(number: float, divisor: float) -> bool:
    if not isinstance(divisor, float) and not isinstance(number, float):
        return number % divisor == 0
    if not all(isfinite(each) for each in (number, divisor) if isinstance(each, float)):
        return False
    try:
        quotient = number / divisor
        return int(quotient) == quotient
    except OverflowError:  # one of them, or the quotient, is larger than a float can be
        return (Fraction(number) / Fraction(divisor)).denominator == 1


def _check_any_of(validator: Any, parts: Any, instance: Any, schema: Any) -> _Errors:
    if not any(_fits(validator.descend(instance, part)) for part in parts):
        yield ValidationError(f"{instance!r} is not valid under any of the given schemas")


def _check_one_of(validator: Any, parts: Any, instance: Any, schema: Any) -> _Errors:
    fitting = 0
    for part in parts:
        fitting += _fits(validator.descend(instance, part))
        if fitting == 2:
            yield ValidationError(f"{instance!r} is valid under more than one of the given schemas")
            return
    if not fitting:
        yield ValidationError(f"{instance!r} is not valid under any of the given schemas")


def _check_type_of_draft3(validator: Any, types: Any, instance: Any, schema: Any) -> _Errors:
    for kind in [types] if isinstance(types, str) else types:
        if _fits(validator.descend(instance, kind)) if isinstance(kind, dict) else validator.is_type(instance, kind):
            return
    yield ValidationError(f"{instance!r} is not of type {types!r}")


def _check_unevaluated_items(validator: Any, part: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, list):
        return
    known = _evaluated_items(validator, instance, schema)
    if extras := [item for at, item in enumerate(instance) if at not in known]:
        yield ValidationError(f"Unevaluated items are not allowed ({_list_extras(extras)} unexpected)")


def _check_unevaluated_properties(validator: Any, part: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    known = _evaluated_names(validator, instance, schema)
    extras = [
        name
        for name, value in instance.items()
        if name not in known and not _fits(validator.descend(value, part, path=name))
    ]
    if extras:
        yield ValidationError(f"Unevaluated properties are not allowed ({_list_extras(extras)} unexpected)")


def _evaluated_items(validator: Any, instance: list[Any], schema: Any) -> set[int]:
    """Return the indices of the items that a schema says something of."""
    if isinstance(schema, bool):
        return set()
    BUDGET.get().look_at(instance, schema)
    items = schema.get("items")
    if "items" in schema and (not isinstance(items, list) or "additionalItems" in schema):
        return set(range(len(instance)))
    known = set(range(len(items))) if isinstance(items, list) else set[int]()
    known.update(range(len(schema.get("prefixItems", ()))))
    for keyword in ("contains", "unevaluatedItems"):
        if keyword in schema:
            inner = validator.evolve(schema=schema[keyword])
            known.update(at for at, item in enumerate(instance) if is_valid(inner, item))
    for inner, part in _applied(validator, instance, schema):
        known |= _evaluated_items(inner, instance, part)
    return known


def _evaluated_names(validator: Any, instance: dict[str, Any], schema: Any) -> set[str]:
    """Return the names of the members that a schema says something of."""
    if isinstance(schema, bool):
        return set()
    budget = BUDGET.get()
    budget.look_at(instance, schema)
    known = {name for name in schema.get("properties", ()) if name in instance}
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in schema:
            part = schema[keyword]
            known.update(name for name, value in instance.items() if _fits(validator.descend(value, part)))
    for pattern in schema.get("patternProperties", ()):
        known.update(name for name in instance if budget.matches(pattern, name))
    for name, part in schema.get("dependentSchemas", {}).items():
        if name in instance:
            known |= _evaluated_names(validator, instance, part)
    for inner, part in _applied(validator, instance, schema):
        known |= _evaluated_names(inner, instance, part)
    return known


def _applied(validator: Any, instance: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the schemas that hold for the same value because a schema refers to them, or has them in itself."""
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword in schema:
            yield follow_reference(validator, keyword, schema[keyword])
    for keyword in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(keyword, ()):
            if _fits(validator.descend(instance, part)):
                yield validator, part
    if "if" in schema:
        holds = is_valid(validator.evolve(schema=schema["if"]), instance)
        if holds:
            yield validator, schema["if"]
        branch = "then" if holds else "else"
        if branch in schema:
            yield validator, schema[branch]


KEYWORDS = {
    "additionalProperties": _check_additional_properties,
    "anyOf": _check_any_of,
    "const": _check_const,
    "divisibleBy": _check_multiple_of,
    "enum": _check_enum,
    "multipleOf": _check_multiple_of,
    "oneOf": _check_one_of,
    "pattern": _check_pattern,
    "patternProperties": _check_pattern_properties,
    "unevaluatedItems": _check_unevaluated_items,
    "unevaluatedProperties": _check_unevaluated_properties,
    "uniqueItems": _check_unique_items,
}
KEYWORDS_OF_DRAFT3 = {"type": _check_type_of_draft3}
