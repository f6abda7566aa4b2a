"""Whether a value fits a JSON Schema, and where it does not: by jsonschema or, without it, for small closed shapes.

The library fetches nothing here, and patterns take linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from ..regexes import PatternError, compile_linear
from .problems import Problem, Schema, SchemaError, follow_reference, pointer_to

EXACT = 2**53  # up to here, a float is the whole number that was written
_MOST_PROBLEMS = 5
_LONGEST_MESSAGE = 200


def find_problems(value: Any, schema: Schema) -> list[Problem]:
    """Return where a value does not fit a schema, the first few places; none if it fits.

    `true` is no number here, and 2.0 is the whole number 2. Raises `SchemaError` if the schema is wrong.
    """
    return problem_finder(schema)(value)


def problem_finder(schema: Schema) -> Callable[[Any], list[Problem]]:
    """Return `find_problems` for one schema and many values; raise `SchemaError` if the schema is wrong."""
    try:
        validator = _make_validator(schema)
    except ImportError:
        from .shapes import find_misfits

        find_misfits(None, schema)
        return lambda value: find_misfits(value, schema)[:_MOST_PROBLEMS]
    from referencing.exceptions import Unresolvable

    def find(value: Any) -> list[Problem]:
        try:
            return [_tell(error) for error in islice(validator.iter_errors(value), _MOST_PROBLEMS)]
        except Unresolvable as error:
            raise _lost_reference(error) from None
        except RecursionError:
            return [Problem("", "it is nested too deeply to be compared with the schema")]

    return find


def _lost_reference(error: Any) -> SchemaError:
    return SchemaError(f"the reference {error.ref!r} leads nowhere, or out of the schema, and nothing is fetched")


def _tell(error: Any) -> Problem:
    message = str(error.message)
    shown = message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"
    return Problem(pointer_to(error.absolute_path), shown)


def fit_checker(root: Schema) -> Callable[[Any, Any], bool]:
    """Return what says whether a value fits a part of a schema; raise `SchemaError` if the schema is wrong."""
    try:
        validator = _make_validator(root)
    except ImportError:
        from .shapes import fits_shape

        return lambda value, part: fits_shape(value, part, root)
    from referencing.exceptions import Unresolvable

    def check(value: Any, part: Any) -> bool:
        try:
            return bool(validator.evolve(schema=part).is_valid(value))
        except Unresolvable as error:
            raise _lost_reference(error) from None
        except RecursionError:
            return False

    return check


def with_whole_numbers(value: Any, schema: Any, root: Schema | None = None) -> Any:
    """Return a value in which 2.0 is 2 wherever the schema asks for an integer."""
    root = schema if root is None else root
    if not isinstance(schema, Mapping):
        return value
    kinds = schema.get("type")
    if isinstance(value, float):
        whole = kinds == "integer" or (isinstance(kinds, list) and "integer" in kinds and "number" not in kinds)
        if whole and value.is_integer() and abs(value) <= EXACT:
            return int(value)
    for part in _parts(schema, root):
        value = with_whole_numbers(value, part, root)
    if isinstance(value, dict):
        named = schema.get("properties") or {}
        others = schema.get("additionalProperties")
        return {key: with_whole_numbers(item, named.get(key, others), root) for key, item in value.items()}
    if isinstance(value, list):
        first = schema.get("prefixItems") or []
        return [
            with_whole_numbers(item, first[i] if i < len(first) else schema.get("items"), root)
            for i, item in enumerate(value)
        ]
    return value


def _parts(schema: Schema, root: Schema) -> list[Any]:
    """Return the schemas that hold for the same value; a reference is followed inside the document."""
    parts = [part for name in ("allOf", "anyOf", "oneOf") for part in schema.get(name) or ()]
    if isinstance(schema.get("$ref"), str):
        with suppress(SchemaError):  # anchors and the like, which jsonschema alone follows
            parts.append(follow_reference(schema["$ref"], root))
    return parts


def _make_validator(schema: Schema) -> Any:
    """Return the validator of a schema, of the draft that it names or the newest.

    Raises `SchemaError` for a schema that is wrong, and `ImportError` where jsonschema is not installed.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError as WrongSchema
    from jsonschema.validators import extend, validator_for
    from referencing import Registry

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except WrongSchema as error:
        raise SchemaError(f"{pointer_to(error.absolute_path) or 'the schema'}: {error.message}") from None
    except RecursionError:
        raise SchemaError("the schema is nested too deeply") from None
    registry: Any = Registry()
    return extend(kind, {"pattern": _check_pattern})(schema, registry=registry)


def _check_pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(instance, "string"):
        return
    try:
        found = compile_linear(pattern).search(instance)
    except PatternError as error:
        raise SchemaError(f"the pattern {pattern!r} is none that takes linear time: {error}") from None
    if not found:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
