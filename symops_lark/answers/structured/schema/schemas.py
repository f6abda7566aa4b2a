"""Compare values with a JSON Schema: by jsonschema or, without it, for small closed shapes.

Nothing is fetched, patterns take linear time, and every step is counted (`budget`): a value that
cannot be judged in a bounded number of steps does not fit (`too-complex`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from .budget import Budget, TooComplexError
from .problems import Problem, Schema, SchemaError, follow_reference, pointer_to, shorten

EXACT = 2**53  # below, a float is exactly the integer that was written
_MAX_PROBLEMS = 5  # enough for a model to correct its answer
_Judge = Callable[[Any, Any, int], list[Problem]]  # a value, a part of the schema, the number


def find_problems(value: Any, schema: Schema) -> list[Problem]:
    """Return the first places where a value does not fit a schema.

    `true` is not a number here, and 2.0 is the integer 2.

    Args:
        value: The value.
        schema: The schema.

    Returns:
        At most five problems; none if the value fits. A value that takes too many steps to judge
        has one problem, with the code `too-complex`.

    Raises:
        SchemaError: The schema is invalid.
    """
    return problem_finder(schema)(value)


def problem_finder(schema: Schema) -> Callable[[Any], list[Problem]]:
    """Return `find_problems` for one schema and the values of one reply, which share a budget.

    Raises:
        SchemaError: The schema is invalid.
    """
    budget = Budget()
    judge = _make_judge(schema, budget)
    if not _has_jsonschema():
        # The schema is checked before there is a value: None is any value.
        with suppress(TooComplexError):
            _make_judge(schema, Budget())(None, schema, 1)

    # These errors are properties of the value, so they are its problems; others are the schema's.
    def find(value: Any) -> list[Problem]:
        budget.allow(value)
        try:
            return judge(value, schema, _MAX_PROBLEMS)
        except TooComplexError as error:
            return [Problem("", str(error), "too-complex")]
        except RecursionError:
            return [
                Problem("", "it is nested too deeply, or the schema refers to itself endlessly")
            ]

    return find


def fit_checker(root: Schema, budget: Budget) -> Callable[[Any, Any], bool]:
    """Return a function that returns whether a value fits a part of a schema.

    The function raises `TooComplexError` when the budget is spent.

    Args:
        root: The whole schema, which references lead into.
        budget: The steps for all values together.

    Raises:
        SchemaError: The schema is invalid.
    """
    judge = _make_judge(root, budget)

    def check(value: Any, part: Any) -> bool:
        budget.allow(value)
        try:
            return not judge(value, part, 1)
        except RecursionError:
            return False

    return check


def _make_judge(root: Schema, budget: Budget) -> _Judge:
    if not _has_jsonschema():
        from .shapes import find_misfits

        return lambda value, part, count: find_misfits(value, part, root, budget)[:count]

    from .validators import counted, make_validator

    validator = make_validator(root)

    def find_errors(value: Any, part: Any, count: int) -> list[Problem]:
        problems = []
        with counted(budget):
            errors = validator.evolve(schema=part).iter_errors(value)
            for error in islice(errors, count):
                # The message shows the whole value, so that writing it has a cost.
                budget.read(error.message)
                pointer = pointer_to(error.absolute_path)
                problems.append(Problem(pointer, shorten(error.message)))
        return problems

    return find_errors


def _has_jsonschema() -> bool:
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        return False
    return True


# ---- integers


def with_whole_numbers(value: Any, schema: Schema, root: Schema) -> Any:
    """Return a value in which 2.0 is 2 wherever the schema asks for an integer.

    Args:
        value: The value.
        schema: The schema of the value.
        root: The whole schema, which references lead into.

    Raises:
        TooComplexError: The schema has too many parts for one value.
    """
    budget = Budget()
    budget.allow(value)
    return _with_whole_numbers(value, [schema], root, budget)


def _with_whole_numbers(value: Any, schemas: list[Any], root: Schema, budget: Budget) -> Any:
    if not isinstance(value, float | dict | list):
        return value
    parts = _parts(schemas, root, budget)
    if isinstance(value, float):
        is_exact = value.is_integer() and abs(value) < EXACT
        if is_exact and any(map(_asks_for_integer, parts)):
            return int(value)
        return value
    if isinstance(value, dict):
        members: dict[Any, Any] = {}
        for key, item in value.items():
            inner = [_schema_of_member(part, key) for part in parts]
            members[key] = _with_whole_numbers(item, inner, root, budget)
        return members
    items: list[Any] = []
    for index, item in enumerate(value):
        inner = [_schema_of_item(part, index) for part in parts]
        items.append(_with_whole_numbers(item, inner, root, budget))
    return items


def _asks_for_integer(schema: Schema) -> bool:
    types = schema.get("type")
    if isinstance(types, list):
        return "integer" in types and "number" not in types
    return types == "integer"


def _schema_of_member(schema: Schema, key: str) -> Any:
    default = schema.get("additionalProperties")
    properties = schema.get("properties")
    # The schema may be invalid here: answers are carried before they are judged.
    if not isinstance(properties, Mapping):
        return default
    return properties.get(key, default)


def _schema_of_item(schema: Schema, index: int) -> Any:
    first = schema.get("prefixItems")
    if isinstance(first, list) and index < len(first):
        return first[index]
    return schema.get("items")


def _parts(schemas: list[Any], root: Schema, budget: Budget) -> list[Schema]:
    """Return the schemas that hold for the same value, without duplicates."""
    parts = {}  # by their ids: schemas cannot be hashed
    waiting = list(reversed(schemas))
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in parts:
            continue
        budget.look_at(schema)
        parts[id(schema)] = schema
        for name in ("allOf", "anyOf", "oneOf"):
            alternatives = schema.get(name)
            if isinstance(alternatives, list):
                waiting += alternatives
        reference = schema.get("$ref")
        if isinstance(reference, str):
            with suppress(SchemaError):  # an anchor, or another document: only jsonschema knows
                waiting.append(follow_reference(reference, root))
    return list(parts.values())
