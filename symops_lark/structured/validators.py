"""The library jsonschema as it is used here: it fetches nothing, and patterns take linear time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..regexes import PatternError, compile_linear
from .problems import Schema, SchemaError, pointer_to


def make_validator(schema: Schema) -> Any:
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
    linear = extend(kind, {"pattern": _check_pattern})
    registry: Any = Registry()
    return linear(schema, registry=registry)


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
