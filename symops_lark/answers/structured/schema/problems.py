"""What is said of values that do not fit, and the ways inside a schema and a value: JSON pointers and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from ....core.ground.errors import SymOpsError

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]  # to a part of a schema or of a value
NOTES = frozenset(  # keywords that nothing is compared with
    {"$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples"}
)


class SchemaError(SymOpsError):
    """A schema is none, or has what is not supported; the message begins with the JSON pointer to it."""


class Problem(NamedTuple):
    """Where a value does not fit (`pointer`, a JSON pointer; empty for the value itself), and why.

    The `code` is `too-complex` where it is not known whether the value fits, as judging it takes too many steps.
    """

    pointer: str
    message: str
    code: str = "does-not-fit"

    def __str__(self) -> str:
        return f"{self.pointer or 'the value'}: {self.message}"


@contextmanager
def refuse_unusable() -> Iterator[None]:
    """Raise a `SchemaError` where a keyword has a value of another kind than it should, or the schema has no end."""
    try:
        yield
    except RecursionError:
        raise SchemaError("the schema is nested too deeply") from None
    except (TypeError, AttributeError, ValueError, LookupError, ArithmeticError) as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        raise SchemaError(f"a part of the schema cannot be used as one: {reason}") from None


def pointer_to(path: Any) -> str:
    """Return the JSON pointer of some keys and indices."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def show(path: Path) -> str:
    """Return the JSON pointer to a part of a schema, as messages begin with it."""
    return pointer_to(path) or "the schema"


def same(one: Any, other: Any) -> bool:
    """Return whether two scalars are the same in JSON: 1 is 1.0, but not true."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def follow_reference(reference: str, root: Schema) -> Any:
    """Return what a reference inside a schema (`#`, `#/$defs/name`) leads to; raise `SchemaError` if nowhere."""
    target: Any = root
    for part in reference[1:].split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and part in target:
            target = target[part]
        elif isinstance(target, list) and part.isdigit() and int(part) < len(target):
            target = target[int(part)]
        else:
            raise SchemaError(f"the reference {reference!r} leads nowhere")
    if reference[:2] not in ("#", "#/"):
        raise SchemaError(f"the reference {reference!r} leads out of the schema, and nothing is fetched")
    return target
