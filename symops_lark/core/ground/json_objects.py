"""Dataclasses to JSON and back: what does not fit its type is told with the keys that lead to it.

Annotations may be the classes of JSON's values, enums, dataclasses, `X | None`, lists, tuples, mappings, paths and
`Any`. A tuple is a list in JSON, and one of pairs an object. A field is called by its name there, or as its metadata
says (`json`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter, methodcaller
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from .errors import SymOpsError

T = TypeVar("T")
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


class FieldError(SymOpsError, ValueError):
    """A JSON value is not what is expected; the message begins with the keys that lead to it."""


class JsonObject:
    """A dataclass that is a JSON object: what is written is read again.

    What is written are all fields, or the fields and properties that `WRITTEN` names, in this order.
    """

    __slots__ = ()
    WRITTEN: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return write_object(self, *self.WRITTEN)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote; raise `SymOpsError` with the keys that lead to what is wrong."""
        return read_object(cls, data, exact=False)


def read_object(kind: type[T], data: object, where: str = "", *, exact: bool = True) -> T:
    """Return the dataclass that a JSON object says; `where` are the keys that lead to it. Missing fields have defaults.

    Raises `FieldError`, also for keys that are no fields unless the object need not be `exact`.
    """
    members = _as_object(data, where)
    known = _fields(kind)  # type: ignore[arg-type]
    if exact and (unknown := [name for name in members if name not in known]):
        raise FieldError(f"{_join(where, unknown[0])}: no such key; there are {', '.join(known)}")
    values: dict[str, Any] = {}
    for name, (field, hint) in known.items():
        if name in members:
            values[field.name] = _read(hint, members[name], _join(where, name), exact)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise FieldError(f"{_join(where, name)}: {_describe(hint)} is expected, but there is none")
    return kind(**values)


@cache
def _fields(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    hints = get_type_hints(kind)
    return {field.metadata.get("json", field.name): (field, hints[field.name]) for field in fields(kind)}


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
        return {key: _read(inner[1], v, _join(where, key), exact) for key, v in _as_object(value, where).items()}
    own = getattr(hint, "from_dict", None)
    if own is not None and not (exact and is_dataclass(hint)):
        return _read_by(own, value, where)
    if is_dataclass(hint):
        return read_object(hint, value, where, exact=exact)  # type: ignore[arg-type]
    wanted = (int, float) if hint is float else str if issubclass(hint, Enum | Path) else hint
    try:
        if isinstance(value, wanted) and (hint is bool or not isinstance(value, bool)):
            return hint(value)
    except (ValueError, OverflowError):  # no member of an enum; a whole number that is too large for a float
        pass
    raise _unexpected(hint, value, where)


def _read_by(reader: Any, value: Any, where: str) -> Any:
    try:
        return reader(_as_object(value, ""))
    except FieldError as error:
        told = str(error)
        said = told.removeprefix("the value: ")
        raise FieldError(f"{where}: {said}" if said != told else _join(where, told)) from None


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(hint), get_args(hint)


def _read_tuple(hint: Any, value: Any, where: str, exact: bool) -> tuple[Any, ...]:
    inner = get_args(hint)
    if _is_of_pairs(hint) and isinstance(value, Mapping):
        kind = get_args(inner[0])[1]
        return tuple((key, _read(kind, v, _join(where, key), exact)) for key, v in _as_object(value, where).items())
    many = get_origin(hint) is list or inner[-1] is Ellipsis
    if not isinstance(value, list | tuple) or not (many or len(value) == len(inner)):
        raise _unexpected(hint, value, where)
    kinds = [inner[0]] * len(value) if many else inner
    return tuple(_read(kind, v, f"{where}[{i}]", exact) for i, (kind, v) in enumerate(zip(kinds, value, strict=True)))


def write_object(value: Any, *names: str) -> dict[str, Any]:
    """Return a dataclass as a JSON object: its fields, or those fields and properties that are named, in this order."""
    if names:
        return {name: _write(getattr(value, name)) for name in names}
    kind: Any = type(value)
    return {name: _write(getattr(value, field.name), hint) for name, (field, hint) in _fields(kind).items()}


def _write(value: Any, hint: Any = None) -> Any:
    """Return a value as JSON, by its own `to_dict` if it has one; the annotation says whether a tuple has pairs."""
    kind: Any = type(value)
    if value is None or kind in _WORDS:
        return value
    if kind is tuple and hint and _is_of_pairs(hint):
        value, kind = dict(value), dict
    return _writer(kind)(value)


@cache
def _writer(kind: type) -> Callable[[Any], Any]:
    """Return what writes the values of a class."""
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, Path):
        return str
    if hasattr(kind, "to_dict"):
        return methodcaller("to_dict")
    if is_dataclass(kind):
        return write_object
    if issubclass(kind, list | tuple):
        return lambda value: [_write(item) for item in value]
    if issubclass(kind, Mapping):
        return lambda value: {key: _write(item) for key, item in value.items()}
    return lambda value: value


def _as_object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _unexpected(Mapping, value, where)
    return value


@cache
def _is_of_pairs(hint: Any) -> bool:
    return bool(get_origin(hint) is tuple and get_origin(get_args(hint)[0]) is tuple)


def _describe(hint: Any) -> str:
    inner = get_args(hint)
    if get_origin(hint) is UnionType:
        return f"{_describe(inner[0])} or null"
    if get_origin(hint) is tuple and not _is_of_pairs(hint):
        return "a list" if inner[-1] is Ellipsis else f"a list of {len(inner)}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "one of " + ", ".join(str(member.value) for member in hint)
    return _WORDS.get(str if hint is Path else hint, "an object")


def _unexpected(hint: Any, value: object, where: str) -> FieldError:
    kinds = {Mapping: "an object", list | tuple: "a list", bool: str(value is True).lower(), int | float: "a number"}
    found = "null" if value is None else repr(value[:50]) if isinstance(value, str) else type(value).__name__
    found = next((word for kind, word in kinds.items() if isinstance(value, kind)), found)
    return FieldError(f"{where or 'the value'}: {_describe(hint)} is expected, and found was {found}")


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
