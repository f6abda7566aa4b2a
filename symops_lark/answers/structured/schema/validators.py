"""The one door to jsonschema: its validators, with every step counted and nothing fetched.

A validator of jsonschema makes others for the parts of a schema. So the classes themselves are changed copies: whatever
part names whatever draft (`$schema`), it is judged by a copy, never by the class of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import attrs
from jsonschema import Draft3Validator, Draft202012Validator, FormatChecker
from jsonschema.exceptions import UnknownType
from jsonschema.validators import extend, validator_for
from jsonschema_specifications import REGISTRY as SPECIFICATIONS
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with

from .budget import Budget, NotLinearError
from .keywords import BUDGET, KEYWORDS, KEYWORDS_OF_DRAFT3, is_valid
from .problems import Schema, SchemaError, pointer_to
from .references import bind_registry

_WALKING = frozenset(  # keywords that go through all items or members of a value
    {"items", "additionalItems", "prefixItems", "contains", "propertyNames"}
    | {"additionalProperties", "unevaluatedItems", "unevaluatedProperties"}
)
_STEPS_TO_CHECK = 500_000  # about 100 for each part of a schema that is a schema
_UNUSABLE = (TypeError, AttributeError, ValueError, ArithmeticError, LookupError, UnknownType)
_REFERENCES = frozenset({"$ref", "$dynamicRef"})
_LONGEST_MESSAGE = 200


def make_validator(schema: Schema) -> Any:
    """Return the validator of a schema, of the draft that it names or the newest; it works inside `counted` alone.

    Raises:
        SchemaError: The schema is wrong, with the pointer to the part to blame.
    """
    try:
        with counted(Budget(_STEPS_TO_CHECK)):
            kind = _guard(validator_for(schema, default=Draft202012Validator))
            _check_schema(kind, schema)
            resource = specification_with(kind.ID_OF(kind.META_SCHEMA)).create_resource(schema)
            base = resource.id() or ""
            # Crawled once: a registry that was not is crawled anew for each anchor that is looked up.
            registry: Any = SPECIFICATIONS.combine(Registry()).with_resource(base, resource).crawl()
            return bind_registry(kind, schema, registry, base)
    except RecursionError:
        raise SchemaError("the schema is nested too deeply") from None


class counted:
    """Count what validators do inside the block; what stops them is raised as a `SchemaError`."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def __enter__(self) -> None:
        self._token = BUDGET.set(self._budget)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        BUDGET.reset(self._token)
        if isinstance(error, Unresolvable):
            shown = (str(error.ref) or f"#{getattr(error, 'anchor', '')}")[:80]
            reason = "leads nowhere, or out of the schema, and nothing is fetched"
            raise SchemaError(f"the reference {shown!r} {reason}") from None
        if isinstance(error, _UNUSABLE):
            # A reference may lead to a default value or a text, which nobody has checked as a schema.
            reason = f"{type(error).__name__}: {error}"[:_LONGEST_MESSAGE]
            raise SchemaError(f"a part of the schema cannot be used as one: {reason}") from None


def _check_schema(kind: Any, schema: Any) -> None:
    """Raise `SchemaError` with the first mistake that the schema of schemas finds."""
    for error in _make_checker(kind).iter_errors(schema):
        message = str(error.cause or error.message)
        shown = message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"
        raise SchemaError(f"{pointer_to(error.absolute_path) or 'the schema'}: {shown}")


@lru_cache(maxsize=16)
def _make_checker(kind: Any) -> Any:
    """Return the validator of schemas of a draft; their patterns are compiled, by RE2."""
    formats = FormatChecker(formats=())
    formats.checks("regex", raises=NotLinearError)(_is_pattern)
    registry: Any = Registry()
    checker = _guard(validator_for(kind.META_SCHEMA, default=kind))
    return checker(kind.META_SCHEMA, registry=registry, format_checker=formats)


def _is_pattern(value: Any) -> bool:
    if isinstance(value, str):
        BUDGET.get().compile(value)
    return True


@lru_cache(maxsize=16)
def _guard(kind: Any) -> Any:
    """Return the copy of a validator class that counts its steps; a copy itself if it is one."""
    if hasattr(kind, "counts_steps"):
        return kind
    ours = KEYWORDS | (KEYWORDS_OF_DRAFT3 if kind is Draft3Validator else {})
    known = kind.VALIDATORS
    guarded: Any = extend(kind, {name: _count(name, ours.get(name, known[name])) for name in known})
    fields = [(field.name, field.alias) for field in attrs.fields(guarded) if field.init]

    def evolve(self: Any, **changes: Any) -> Any:
        schema = changes.setdefault("schema", self.schema)
        BUDGET.get().look_at(schema)
        for name, argument in fields:
            if argument not in changes:
                changes[argument] = getattr(self, name)
        return _guard(validator_for(schema, default=type(self)))(**changes)

    guarded.evolve, guarded.is_valid, guarded.counts_steps = evolve, is_valid, True
    return guarded


def _count(name: str, check: Callable[..., Any]) -> Callable[..., Any]:
    """Return a keyword's function that takes note of what it costs before it begins."""
    walks = name in _WALKING

    def check_counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        budget = BUDGET.get()
        budget.look_at(value, instance if walks else None)
        if name in _REFERENCES:
            parts = value.count("/")
            budget.spend(parts * parts // 20)  # each part is looked up together with those before it
        return check(validator, value, instance, schema)

    return check_counted
