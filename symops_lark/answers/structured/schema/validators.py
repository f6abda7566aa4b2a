"""Make the validators of jsonschema count every step and fetch nothing.

No other module makes them. A validator of jsonschema makes others for the parts of a schema, so the
classes themselves are changed copies: a part may name another draft (`$schema`), and is still
judged by a copy, never by the class of the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from .problems import UNUSABLE, Schema, SchemaError, pointer_to, shorten, unusable
from .references import bind_registry

_WALKING = frozenset(  # keywords that go through all items or members of a value
    (
        "items",
        "additionalItems",
        "prefixItems",
        "contains",
        "propertyNames",
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)
_STEPS_TO_CHECK = 500_000  # about 100 for each part of a schema that is a schema
_REFERENCES = frozenset(("$ref", "$dynamicRef"))
_MAX_REFERENCE = 80  # characters of a reference in a message


def make_validator(schema: Schema) -> Any:
    """Return the validator of a schema, which works only inside `counted`.

    Its draft is the one that the schema names, or else the newest.

    Raises:
        SchemaError: The schema is invalid; the message has the pointer to the wrong part.
    """
    try:
        with counted(Budget(_STEPS_TO_CHECK)):
            kind = _guard(validator_for(schema, default=Draft202012Validator))
            _check_schema(kind, schema)
            specification = specification_with(kind.ID_OF(kind.META_SCHEMA))
            resource = specification.create_resource(schema)
            base = resource.id() or ""
            registry: Any = SPECIFICATIONS.combine(Registry()).with_resource(base, resource)
            # Without this, it is crawled again for each anchor that is looked up.
            registry = registry.crawl()
            return bind_registry(kind, schema, registry, base)
    except RecursionError:
        raise SchemaError("the schema is nested too deeply") from None


@contextmanager
def counted(budget: Budget) -> Iterator[None]:
    """Count in a budget what validators do inside the block.

    Raises:
        SchemaError: The schema stops the validator.
    """
    token = BUDGET.set(budget)
    try:
        yield
    except Unresolvable as error:
        reference = str(error.ref) or f"#{getattr(error, 'anchor', '')}"
        reason = "leads nowhere, or out of the schema, and nothing is fetched"
        raise SchemaError(f"the reference {reference[:_MAX_REFERENCE]!r} {reason}") from None
    except (*UNUSABLE, UnknownType) as error:
        # A reference may lead to a default value or a text, which was not checked as a schema.
        raise unusable(error) from None
    finally:
        BUDGET.reset(token)


def _check_schema(kind: Any, schema: Any) -> None:
    """Raise `SchemaError` for the first mistake that the schema of schemas finds."""
    for error in _make_checker(kind).iter_errors(schema):
        message = shorten(str(error.cause or error.message))
        raise SchemaError(f"{pointer_to(error.absolute_path) or 'the schema'}: {message}")


@lru_cache(maxsize=16)
def _make_checker(kind: Any) -> Any:
    """Return the validator of the schemas of a draft; it compiles their patterns with RE2."""
    # Formats of values are not checked; in a schema of schemas, `regex` marks the patterns.
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
    """Return the copy of a validator class that counts its steps; the class itself if it is one."""
    if hasattr(kind, "counts_steps"):
        return kind
    replaced = KEYWORDS
    if kind is Draft3Validator:
        replaced = KEYWORDS | KEYWORDS_OF_DRAFT3
    # A draft does not know all keywords, and must ignore the others.
    checks: dict[str, Any] = {}
    for name, original in kind.VALIDATORS.items():
        checks[name] = _count(name, replaced.get(name, original))
    guarded: Any = extend(kind, checks)
    fields = [(field.name, field.alias) for field in attrs.fields(guarded) if field.init]

    def evolve(self: Any, **changes: Any) -> Any:
        schema = changes.setdefault("schema", self.schema)
        BUDGET.get().look_at(schema)
        for name, argument in fields:
            if argument not in changes:
                changes[argument] = getattr(self, name)
        # The part may name another draft than the schema.
        kind = validator_for(schema, default=type(self))
        return _guard(kind)(**changes)

    guarded.evolve = evolve
    guarded.is_valid = is_valid
    guarded.counts_steps = True
    return guarded


def _count(name: str, check: Callable[..., Any]) -> Callable[..., Any]:
    """Return a keyword's function that counts its cost before it begins."""
    walks = name in _WALKING

    def check_counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        budget = BUDGET.get()
        budget.look_at(value, instance if walks else None)
        if name in _REFERENCES:
            # Each part of a pointer is looked up together with those before it.
            parts = value.count("/")
            budget.spend(parts * parts // 20)
        return check(validator, value, instance, schema)

    return check_counted
