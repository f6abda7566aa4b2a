"""Convert dataclasses to JSON and back; errors begin with the keys that lead to the value.

The annotations of the fields are the schema. They may be the classes of JSON's values, enums,
dataclasses, `X | None`, lists, tuples, mappings, paths and `Any`. Their JSON is what one expects,
with three rules beside that:

* A tuple is a list, and a tuple of pairs an object: `(("owner", "ann"),)` is `{"owner": "ann"}`.
* A field has its name as its key, or the one in its metadata: `field(metadata={"json": "values"})`.
* A class with its own `to_dict` and `from_dict` is written and read by these.

Example of an error: `changes[0].number: expected an integer, got 'one'`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter, methodcaller
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from .errors import SymOpsError

T = TypeVar("T")
# The scalars of JSON, and their names in messages.
_SCALARS = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}
_MAX_SHOWN = 50  # characters of a string in a message


class FieldError(SymOpsError, ValueError):
    """A JSON value does not fit its annotation; the message begins with its keys."""


class JsonObject:
    """A dataclass that is written as a JSON object, and read again.

    Attributes:
        WRITTEN: The names of the fields and properties that are written, in this order. Empty for
            all fields.
    """

    __slots__ = ()
    WRITTEN: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the object as JSON."""
        return write_object(self, *self.WRITTEN)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the object that `to_dict` wrote.

        Args:
            data: The JSON object. Members that are not fields are ignored.

        Raises:
            SymOpsError: A member is missing or invalid; the message begins with its keys.
        """
        return read_object(cls, data, exact=False)


def read_object(kind: type[T], data: object, where: str = "", *, exact: bool = True) -> T:
    """Return the dataclass in a JSON object.

    Args:
        kind: The dataclass.
        data: The JSON object. Members of fields with a default may be missing.
        where: The keys that lead to the object, such as "changes[0]"; "" for the whole value.
        exact: Whether members that are not fields are errors, at every depth. If not, they are
            ignored.

    Raises:
        FieldError: The data does not fit the annotations.
    """
    members = _as_object(data, where)
    fields_by_key = _fields(kind)  # type: ignore[arg-type]
    if exact:
        for key in members:
            if key not in fields_by_key:
                keys = ", ".join(fields_by_key)
                raise FieldError(f"{_join(where, key)}: no such key; there are {keys}")
    values: dict[str, Any] = {}
    for key, (field, hint) in fields_by_key.items():
        if key in members:
            values[field.name] = _read(hint, members[key], _join(where, key), exact)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise FieldError(f"{_join(where, key)}: missing: expected {_describe(hint)}")
    return kind(**values)


def coerce_fields(self: Any, names: Collection[str], where: str = "") -> None:
    """Replace fields of a dataclass by the values that its annotations make of their JSON.

    It is for `__post_init__` of what callers and files write: a list becomes a tuple, an object the
    dataclass of its field.

    Args:
        self: The dataclass; it may be frozen.
        names: The fields.
        where: The keys that lead to the dataclass, for errors.

    Raises:
        FieldError: A field does not fit its annotation.
    """
    own: Any = type(self)
    for key, (field, hint) in _fields(own).items():
        name = field.name
        if name in names:
            place = _join(where, key)
            value = _read(hint, getattr(self, name), place, True)
            object.__setattr__(self, name, value)


# Resolving annotations takes far longer than reading an object: it is done once for each class.
@cache
def _fields(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    """Return the fields of a dataclass and their annotations, by their keys in JSON."""
    hints = get_type_hints(kind)
    by_key = {}
    for field in fields(kind):
        by_key[field.metadata.get("json", field.name)] = (field, hints[field.name])
    return by_key


def _read(hint: Any, value: Any, where: str, exact: bool) -> Any:
    """Return the value of an annotation."""
    if type(value) is hint or hint is Any:
        return value
    origin, inner = _parts(hint)
    if origin is UnionType:
        return None if value is None else _read(inner[0], value, where, exact)
    if origin in (tuple, list):
        return origin(_read_tuple(hint, value, where, exact))
    if origin in (Mapping, dict):
        return _read_mapping(inner[1], value, where, exact)
    # With `exact` a dataclass is read here and not by its own `from_dict`, which ignores members.
    own = getattr(hint, "from_dict", None)
    if own is not None and not (exact and is_dataclass(hint)):
        return _read_by(own, value, where)
    if is_dataclass(hint):
        return read_object(hint, value, where, exact=exact)  # type: ignore[arg-type]
    return _read_scalar(hint, value, where)


def _read_scalar(hint: Any, value: Any, where: str) -> Any:
    """Return the value of an annotation that is a scalar, an enum or a path."""
    expected = hint
    if hint is float:
        expected = (int, float)
    elif issubclass(hint, Enum | Path):
        expected = str
    # In Python a bool is an int, in JSON it is not.
    if isinstance(value, expected) and (hint is bool or not isinstance(value, bool)):
        try:
            return hint(value)
        except (ValueError, OverflowError):
            pass  # not a member of the enum; an integer that is too large for a float
    raise _unexpected(hint, value, where)


def _read_by(reader: Any, value: Any, where: str) -> Any:
    """Return the value that a class reads; put the keys that lead to it into its error."""
    try:
        return reader(_as_object(value, ""))
    except FieldError as error:
        message = str(error)
        # "the value" is the whole object, to which `where` leads. Other errors begin with a key.
        reason = message.removeprefix("the value: ")
        if reason != message:
            raise FieldError(f"{where}: {reason}") from None
        raise FieldError(_join(where, message)) from None


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(hint), get_args(hint)


def _read_mapping(hint: Any, value: Any, where: str, exact: bool) -> dict[str, Any]:
    """Return an object whose values have one annotation."""
    members = _as_object(value, where)
    return {key: _read(hint, part, _join(where, key), exact) for key, part in members.items()}


def _read_tuple(hint: Any, value: Any, where: str, exact: bool) -> tuple[Any, ...]:
    """Return the tuple or list of an annotation: of pairs, of one kind, or of a fixed length."""
    inner = get_args(hint)
    if _is_of_pairs(hint) and isinstance(value, Mapping):
        pair_hint = get_args(inner[0])[1]
        return tuple(_read_mapping(pair_hint, value, where, exact).items())
    is_of_one_kind = get_origin(hint) is list or inner[-1] is Ellipsis
    if not isinstance(value, list | tuple):
        raise _unexpected(hint, value, where)
    if not is_of_one_kind and len(value) != len(inner):
        raise _unexpected(hint, value, where)
    hints = [inner[0]] * len(value) if is_of_one_kind else inner
    items = []
    for index, (item_hint, item) in enumerate(zip(hints, value, strict=True)):
        items.append(_read(item_hint, item, f"{where}[{index}]", exact))
    return tuple(items)


def write_object(value: Any, *names: str) -> dict[str, Any]:
    """Return a dataclass as a JSON object.

    Args:
        value: The dataclass.
        names: The fields and properties to write, in this order. None of them: all fields.
    """
    if names:
        return {name: _write(getattr(value, name)) for name in names}
    kind: Any = type(value)
    members = {}
    for key, (field, hint) in _fields(kind).items():
        members[key] = _write(getattr(value, field.name), hint)
    return members


def _write(value: Any, hint: Any = None) -> Any:
    """Return a value as JSON; the annotation shows whether an empty tuple is one of pairs."""
    kind: Any = type(value)
    if value is None or kind in _SCALARS:
        return value
    if kind is tuple and hint and _is_of_pairs(hint):
        return _writer(dict)(dict(value))
    return _writer(kind)(value)


@cache
def _writer(kind: type) -> Callable[[Any], Any]:
    """Return the function that writes the values of a class."""
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, Path):
        return str
    # Before dataclasses: most have a `to_dict`, which may write more or less than the fields.
    if hasattr(kind, "to_dict"):
        return methodcaller("to_dict")
    if is_dataclass(kind):
        return write_object
    if issubclass(kind, list | tuple):
        return _write_list
    if issubclass(kind, Mapping):
        return _write_mapping
    return _write_unchanged


def _write_list(value: Any) -> list[Any]:
    return [_write(item) for item in value]


def _write_mapping(value: Any) -> dict[str, Any]:
    return {key: _write(item) for key, item in value.items()}


def _write_unchanged(value: Any) -> Any:
    return value


def _as_object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _unexpected(Mapping, value, where)
    return value


@cache
def _is_of_pairs(hint: Any) -> bool:
    """Return whether an annotation is like `tuple[tuple[str, int], ...]`."""
    return bool(get_origin(hint) is tuple and get_origin(get_args(hint)[0]) is tuple)


def _describe(hint: Any) -> str:
    """Return an annotation in words."""
    inner = get_args(hint)
    if get_origin(hint) is UnionType:
        return f"{_describe(inner[0])} or null"
    if get_origin(hint) is tuple and not _is_of_pairs(hint):
        return "a list" if inner[-1] is Ellipsis else f"a list of {len(inner)}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "one of " + ", ".join(str(member.value) for member in hint)
    if get_origin(hint) is list:
        return "a list"
    return _SCALARS.get(str if hint is Path else hint, "an object")


def _unexpected(hint: Any, value: object, where: str) -> FieldError:
    message = f"expected {_describe(hint)}, got {_describe_value(value)}"
    return FieldError(f"{where or 'the value'}: {message}")


def _describe_value(value: object) -> str:
    """Return a JSON value in words: strings with their beginning, others by their kind."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return repr(value[:_MAX_SHOWN])
    # A bool is also an int: it comes first.
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return type(value).__name__


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
