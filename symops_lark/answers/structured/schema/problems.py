"""Report values that do not fit; follow JSON pointers and references in schemas and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from ....core.ground.errors import SymOpsError

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]  # to a part of a schema or of a value
NOTES = frozenset(  # keywords that no value is compared with
    (
        "$schema",
        "$id",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "examples",
    )
)
MAX_MESSAGE = 200  # characters of a message: those of jsonschema show the whole value
# What Python raises where a keyword of a schema has a value of a wrong kind.
UNUSABLE = (TypeError, AttributeError, ValueError, LookupError, ArithmeticError)


class SchemaError(SymOpsError):
    """A schema is invalid or not supported; the message begins with the JSON pointer to it."""


class Problem(NamedTuple):
    """A place where a value does not fit.

    Attributes:
        pointer: The JSON pointer to the place; empty for the value itself.
        message: The reason.
        code: `does-not-fit`, or `too-complex` if it is unknown whether the value fits, because
            judging it takes too many steps.
    """

    pointer: str
    message: str
    code: str = "does-not-fit"

    def __str__(self) -> str:
        return f"{self.pointer or 'the value'}: {self.message}"


@contextmanager
def refuse_unusable() -> Iterator[None]:
    """Raise a `SchemaError` for keywords with values of a wrong kind, and for endless schemas.

    Raises:
        SchemaError: The code in the block failed because of the schema.
    """
    try:
        yield
    except RecursionError:
        raise SchemaError("the schema is nested too deeply") from None
    except UNUSABLE as error:
        raise unusable(error) from None


def unusable(error: BaseException) -> SchemaError:
    """Return the error for a part of a schema whose use raised an error of Python."""
    reason = f"{type(error).__name__}: {error}"[:MAX_MESSAGE]
    return SchemaError(f"a part of the schema cannot be used as one: {reason}")


def shorten(text: str, length: int = MAX_MESSAGE) -> str:
    """Return a text that is cut, with an ellipsis, if it is longer than allowed."""
    if len(text) <= length:
        return text
    return text[:length] + "…"


def pointer_to(path: Any) -> str:
    """Return the JSON pointer of some keys and indices."""
    pointer = ""
    for part in path:
        escaped = str(part).replace("~", "~0").replace("/", "~1")
        pointer += "/" + escaped
    return pointer


def list_types(types: Any) -> Any:
    """Return the value of the keyword `type`, a list or one text, as a list."""
    return [types] if isinstance(types, str) else types


def wrong(path: Path, message: object) -> SchemaError:
    """Return the error about a part of a schema."""
    return SchemaError(f"{pointer_to(path) or 'the schema'}: {message}")


def same(first: Any, second: Any) -> bool:
    """Return whether two scalars are the same in JSON: 1 is 1.0, but not true."""
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def follow_reference(reference: str, root: Schema) -> Any:
    """Return the target of a reference inside a schema, such as `#` or `#/$defs/name`.

    Raises:
        SchemaError: The reference has no target in the schema.
    """
    target: Any = root
    for part in reference[1:].split("/")[1:]:
        # In this order: "~01" means "~1".
        part = part.replace("~1", "/")
        part = part.replace("~0", "~")
        if isinstance(target, Mapping) and part in target:
            target = target[part]
        elif isinstance(target, list) and part in map(str, range(len(target))):
            target = target[int(part)]
        else:
            raise SchemaError(f"the reference {reference!r} leads nowhere")
    # A reference to another document may have found a part of the same name in this one.
    if reference[:2] not in ("#", "#/"):
        message = "leads out of the schema, and nothing is fetched"
        raise SchemaError(f"the reference {reference!r} {message}")
    return target
