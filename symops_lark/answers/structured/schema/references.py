"""Isolate the private parts of jsonschema: only this module uses the resolver of a validator.

A validator follows references by its `_resolver`. jsonschema passes it on inside, but has no public
way to use it, or to make a validator with a registry that was crawled before.
`tests/test_fenced_libraries.py` checks the parts that are used here against the installed
jsonschema.
"""

from __future__ import annotations

from typing import Any

from referencing import Registry
from referencing.jsonschema import lookup_recursive_ref


def bind_registry(kind: Any, schema: Any, registry: Registry[Any], base: str) -> Any:
    """Return a validator of a schema whose references are looked up in a registry.

    Args:
        kind: The class of the validator.
        schema: The schema.
        registry: The schemas that references may lead to.
        base: The URI that relative references begin from.
    """
    return kind(schema, registry=registry, _resolver=registry.resolver(base))


def follow_reference(validator: Any, keyword: str, reference: str) -> tuple[Any, Any]:
    """Return the schema that a reference leads to, with a validator for it.

    Args:
        validator: The validator of the schema that has the reference.
        keyword: `$ref`, `$dynamicRef` or `$recursiveRef`.
        reference: The value of the keyword.

    Returns:
        The validator, and the schema.

    Raises:
        referencing.exceptions.Unresolvable: The reference leads nowhere.
    """
    resolver = validator._resolver
    if keyword == "$recursiveRef":
        resolved = lookup_recursive_ref(resolver)
    else:
        resolved = resolver.lookup(reference)
    schema = resolved.contents
    return validator.evolve(schema=schema, _resolver=resolved.resolver), schema
