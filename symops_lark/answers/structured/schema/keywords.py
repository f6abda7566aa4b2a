"""Judge in linear time the keywords of JSON Schema for which jsonschema takes longer.

Its versions use `re`, which backtracks; compare each item with each; build the errors of every
alternative; or fail for numbers that no float holds. These count their steps in a `Budget`, and use
RE2. They keep jsonschema's signature, `(validator, keyword's value, instance, schema)`, and its
messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from math import isfinite
from typing import Any

from jsonschema.exceptions import ValidationError

from .budget import Budget
from .problems import list_types
from .references import follow_reference

BUDGET: ContextVar[Budget] = ContextVar("budget")  # of the judgment that is running
_Errors = Iterator[Any]


def is_valid(validator: Any, instance: Any) -> bool:
    """Return whether a validator finds no error; replaces the method of jsonschema."""
    return _fits(validator.iter_errors(instance))


def _fits(errors: _Errors) -> bool:
    error = next(errors, None)
    # The message shows the whole value, so that writing it has a cost.
    if error is not None:
        BUDGET.get().read(error.message)
    return error is None


# ---- texts and names


def _check_pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, str) and not BUDGET.get().matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _check_pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any
) -> _Errors:
    if not isinstance(instance, dict):
        return
    budget = BUDGET.get()
    for pattern, part in patterns.items():
        for name, value in instance.items():
            if budget.matches(pattern, name):
                yield from validator.descend(value, part, path=name, schema_path=pattern)


def _check_additional_properties(validator: Any, part: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    budget = BUDGET.get()
    properties = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    extras = []
    for name in instance:
        if name in properties:
            continue
        if not any(budget.matches(pattern, name) for pattern in patterns):
            extras.append(name)
    if isinstance(part, dict):
        for name in extras:
            yield from validator.descend(instance[name], part, path=name)
    elif not part and extras:
        yield _unexpected("Additional properties", extras)


def _unexpected(kind: str, extras: list[Any]) -> ValidationError:
    names = ", ".join(map(repr, extras))
    verb = "was" if len(extras) == 1 else "were"
    return ValidationError(f"{kind} are not allowed ({names} {verb} unexpected)")


# ---- comparisons


def _check_unique_items(validator: Any, is_required: Any, instance: Any, schema: Any) -> _Errors:
    if not is_required or not isinstance(instance, list):
        return
    budget = BUDGET.get()
    # The texts can be hashed, so that the items are not compared in pairs.
    keys = set()
    for item in instance:
        key = budget.canonical(item)
        if key in keys:
            yield ValidationError(f"{instance!r} has non-unique elements")
            return
        keys.add(key)


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
    if any(isinstance(value, float) and not isfinite(value) for value in (number, divisor)):
        return False
    # Integers of any size are exact; the quotient of two floats is rounded, as that of 1e20 and 3.
    if divisor == int(divisor):
        return number == int(number) and int(number) % int(divisor) == 0
    try:
        quotient = number / divisor
        return int(quotient) == quotient
    except OverflowError:  # one of them, or the quotient, is larger than a float can be
        return (Fraction(number) / Fraction(divisor)).denominator == 1


# ---- alternatives


def _check_any_of(validator: Any, parts: Any, instance: Any, schema: Any) -> _Errors:
    if not any(_fits(validator.descend(instance, part)) for part in parts):
        yield ValidationError(f"{instance!r} is not valid under any of the given schemas")


def _check_one_of(validator: Any, parts: Any, instance: Any, schema: Any) -> _Errors:
    fitting = 0
    for part in parts:
        fitting += _fits(validator.descend(instance, part))
        # The others cannot change the result.
        if fitting == 2:
            message = "is valid under more than one of the given schemas"
            yield ValidationError(f"{instance!r} {message}")
            return
    if not fitting:
        yield ValidationError(f"{instance!r} is not valid under any of the given schemas")


def _check_type_of_draft3(validator: Any, types: Any, instance: Any, schema: Any) -> _Errors:
    for kind in list_types(types):
        # In draft 3 a type may be a schema.
        if isinstance(kind, dict):
            has_type = _fits(validator.descend(instance, kind))
        else:
            has_type = validator.is_type(instance, kind)
        if has_type:
            return
    yield ValidationError(f"{instance!r} is not of type {types!r}")


# ---- items and members that no other keyword has evaluated


def _check_unevaluated_items(validator: Any, part: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, list):
        return
    evaluated = _evaluated_items(validator, instance, schema)
    extras = [item for index, item in enumerate(instance) if index not in evaluated]
    if extras:
        yield _unexpected("Unevaluated items", extras)


def _check_unevaluated_properties(validator: Any, part: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    evaluated = _evaluated_names(validator, instance, schema)
    extras = []
    for name, value in instance.items():
        if name in evaluated:
            continue
        if not _fits(validator.descend(value, part, path=name)):
            extras.append(name)
    if extras:
        yield _unexpected("Unevaluated properties", extras)


def _evaluated_items(validator: Any, instance: list[Any], schema: Any) -> set[int]:
    """Return the indices of the items that a schema evaluates."""
    if isinstance(schema, bool):
        return set()
    BUDGET.get().look_at(instance, schema)
    items = schema.get("items")
    first = len(schema.get("prefixItems", ()))
    # Before draft 2020-12, a list of `items` holds for the first items.
    if isinstance(items, list) and "additionalItems" not in schema:
        first = max(first, len(items))
    elif "items" in schema:
        return set(range(len(instance)))
    evaluated = set(range(first))
    for keyword in ("contains", "unevaluatedItems"):
        if keyword in schema:
            inner = validator.evolve(schema=schema[keyword])
            for index, item in enumerate(instance):
                if is_valid(inner, item):
                    evaluated.add(index)
    for inner, part in _applied(validator, instance, schema):
        evaluated |= _evaluated_items(inner, instance, part)
    return evaluated


def _evaluated_names(validator: Any, instance: dict[str, Any], schema: Any) -> set[str]:
    """Return the names of the members that a schema evaluates."""
    if isinstance(schema, bool):
        return set()
    budget = BUDGET.get()
    budget.look_at(instance, schema)
    evaluated = {name for name in schema.get("properties", ()) if name in instance}
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword not in schema:
            continue
        part = schema[keyword]
        for name, value in instance.items():
            if _fits(validator.descend(value, part)):
                evaluated.add(name)
    for pattern in schema.get("patternProperties", ()):
        evaluated.update(name for name in instance if budget.matches(pattern, name))
    for name, part in schema.get("dependentSchemas", {}).items():
        if name in instance:
            evaluated |= _evaluated_names(validator, instance, part)
    for inner, part in _applied(validator, instance, schema):
        evaluated |= _evaluated_names(inner, instance, part)
    return evaluated


def _applied(validator: Any, instance: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the schemas that hold for the same value, because a schema has or references them."""
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword in schema:
            yield follow_reference(validator, keyword, schema[keyword])
    for keyword in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(keyword, ()):
            # An alternative evaluates nothing if the value does not fit it.
            if _fits(validator.descend(instance, part)):
                yield validator, part
    if "if" in schema:
        condition = validator.evolve(schema=schema["if"])
        holds = is_valid(condition, instance)
        if holds:
            yield validator, schema["if"]
        branch = "then" if holds else "else"
        if branch in schema:
            yield validator, schema[branch]


KEYWORDS = {
    "additionalProperties": _check_additional_properties,
    "anyOf": _check_any_of,
    "const": _check_const,
    "divisibleBy": _check_multiple_of,  # of draft 3
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
