"""The fence around jsonschema's private parts: the only module that touches the resolver of a validator.

A validator knows where references lead by its `_resolver`. jsonschema passes it on inside, but gives no public way to
ask it, or to make a validator with a registry that was crawled before. `tests/test_fenced_libraries.py` checks
what is used here against the installed jsonschema.
"""

from __future__ import annotations

from typing import Any

from referencing import Registry
from referencing.jsonschema import lookup_recursive_ref


def bind_registry(kind: Any, schema: Any, registry: Registry[Any], base: str) -> Any:
    """Return a validator of a schema whose references are looked up in a registry, from a base URI on."""
    return kind(schema, registry=registry, _resolver=registry.resolver(base))


def follow_reference(validator: Any, keyword: str, reference: str) -> tuple[Any, Any]:
    """Return the schema that a reference leads to, with a validator for it.

    Args:
        validator: The validator of the schema that has the reference.
        keyword: `$ref`, `$dynamicRef` or `$recursiveRef`.
        reference: The value of the keyword.

    Raises:
        referencing.exceptions.Unresolvable: The reference leads nowhere.
    """
    resolver = validator._resolver
    resolved = lookup_recursive_ref(resolver) if keyword == "$recursiveRef" else resolver.lookup(reference)
    return validator.evolve(schema=resolved.contents, _resolver=resolved.resolver), resolved.contents
