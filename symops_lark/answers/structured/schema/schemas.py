"""Whether a value fits a JSON Schema, and where it does not: by jsonschema or, without it, for small closed shapes.

Nothing is fetched, patterns take linear time, and every step is counted (`budget`): a value that cannot be judged in a
bounded number of steps does not fit (`too-complex`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from .budget import Budget, TooComplexError
from .problems import Problem, Schema, SchemaError, follow_reference, pointer_to

EXACT = 2**53  # up to here, a float is the whole number that was written
_MOST_PROBLEMS = 5
_LONGEST_MESSAGE = 200


def find_problems(value: Any, schema: Schema) -> list[Problem]:
    """Return where a value does not fit a schema, the first few places; none if it fits.

    `true` is no number here, and 2.0 is the whole number 2. A value that takes too many steps to judge has one problem,
    with the code `too-complex`.

    Raises:
        SchemaError: The schema is wrong.
    """
    return problem_finder(schema)(value)


def problem_finder(schema: Schema) -> Callable[[Any], list[Problem]]:
    """Return `find_problems` for one schema and the values of one reply, which share a budget.

    Raises:
        SchemaError: The schema is wrong.
    """
    budget = Budget()
    if not _has_jsonschema():
        from .shapes import find_misfits

        with suppress(TooComplexError):  # only the keywords matter here
            find_misfits(None, schema, Budget())
        find_all: Callable[[Any], list[Problem]] = lambda value: find_misfits(value, schema, budget)[:_MOST_PROBLEMS]  # noqa: E731
    else:
        from .validators import counted, make_validator

        validator = make_validator(schema)

        def find_all(value: Any) -> list[Problem]:
            with counted(budget):
                return [_tell(error) for error in islice(validator.iter_errors(value), _MOST_PROBLEMS)]

    def find(value: Any) -> list[Problem]:
        budget.allow(value)
        try:
            return find_all(value)
        except TooComplexError as error:
            return [Problem("", str(error), "too-complex")]
        except RecursionError:
            return [Problem("", "it is nested too deeply to be compared with the schema")]

    return find


def _has_jsonschema() -> bool:
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        return False
    return True


def _tell(error: Any) -> Problem:
    message = str(error.message)
    shown = message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"
    return Problem(pointer_to(error.absolute_path), shown)


def fit_checker(root: Schema, budget: Budget | None = None) -> Callable[[Any, Any], bool]:
    """Return what says whether a value fits a part of a schema, in the steps of one budget.

    It raises `TooComplexError` when they are spent.

    Args:
        root: The whole schema, which references lead into.
        budget: The steps for all values together; a new one if it is None.

    Raises:
        SchemaError: The schema is wrong.
    """
    budget = Budget() if budget is None else budget
    if not _has_jsonschema():
        from .shapes import fits_shape

        return lambda value, part: fits_shape(value, part, root, budget)
    from .validators import counted, make_validator

    validator = make_validator(root)

    def check(value: Any, part: Any) -> bool:
        budget.allow(value)
        try:
            with counted(budget):
                return bool(validator.evolve(schema=part).is_valid(value))
        except RecursionError:
            return False

    return check


def with_whole_numbers(value: Any, schema: Any, root: Schema | None = None) -> Any:
    """Return a value in which 2.0 is 2 wherever the schema asks for an integer.

    Raises:
        TooComplexError: The schema has too many parts for one value.
    """
    budget = Budget()
    budget.allow(value)
    return _with_whole_numbers(value, [schema], schema if root is None else root, budget)


def _with_whole_numbers(value: Any, schemas: list[Any], root: Schema, budget: Budget) -> Any:
    if not isinstance(value, float | dict | list):
        return value
    parts = _parts(schemas, root, budget)
    if isinstance(value, float):
        if value.is_integer() and abs(value) <= EXACT and any(map(_asks_for_integer, parts)):
            return int(value)
        return value
    if isinstance(value, dict):
        return {
            key: _with_whole_numbers(item, [_schema_of_member(part, key) for part in parts], root, budget)
            for key, item in value.items()
        }
    return [
        _with_whole_numbers(item, [_schema_of_item(part, at) for part in parts], root, budget)
        for at, item in enumerate(value)
    ]


def _asks_for_integer(schema: Schema) -> bool:
    kinds = schema.get("type")
    return kinds == "integer" or (isinstance(kinds, list) and "integer" in kinds and "number" not in kinds)


def _schema_of_member(schema: Schema, key: str) -> Any:
    named = schema.get("properties")
    return (named if isinstance(named, Mapping) else {}).get(key, schema.get("additionalProperties"))


def _schema_of_item(schema: Schema, at: int) -> Any:
    first = schema.get("prefixItems")
    return first[at] if isinstance(first, list) and at < len(first) else schema.get("items")


def _parts(schemas: list[Any], root: Schema, budget: Budget) -> list[Schema]:
    """Return the schemas that hold for the same value, each once; a reference is followed inside the document."""
    parts: list[Schema] = []
    seen: set[int] = set()
    waiting = list(reversed(schemas))
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen:
            continue
        budget.look_at(schema)
        seen.add(id(schema))
        parts.append(schema)
        for name in ("allOf", "anyOf", "oneOf"):
            alternatives = schema.get(name)
            waiting += alternatives if isinstance(alternatives, list) else ()
        if isinstance(schema.get("$ref"), str):
            with suppress(SchemaError):  # anchors and the like, which jsonschema alone follows
                waiting.append(follow_reference(schema["$ref"], root))
    return parts
