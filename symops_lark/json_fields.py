"""Dataclasses out of JSON: what does not fit its type is told with the keys that lead to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from .errors import SymOpsError

T = TypeVar("T")
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


class FieldError(SymOpsError, ValueError):
    """A JSON value is not what is expected; the message begins with the keys that lead to it."""


def read_fields(kind: type[T], data: object, where: str, *, exact: bool = False) -> T:
    """Return the dataclass that a JSON object describes; `where` are the keys that lead to the object.

    A field is called by its name, or as its metadata says (`json`); one that is missing has its default. Further keys
    are ignored, unless the object must be `exact`. Raises `FieldError`.
    """
    members = _as_object(data, where)
    known = _fields(kind)  # type: ignore[arg-type]
    if exact and (unknown := [name for name in members if name not in known]):
        raise FieldError(f"{_join(where, unknown[0])}: no such key; there are {', '.join(known)}")
    values: dict[str, Any] = {}
    for name, (field, hint) in known.items():
        if name in members:
            values[field.name] = _read_value(hint, members[name], _join(where, name))
        elif field.default is MISSING and field.default_factory is MISSING:
            raise FieldError(f"{_join(where, name)}: {_describe(hint)} is expected, but there is none")
    return kind(**values)


@cache
def _fields(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    hints = get_type_hints(kind)
    return {field.metadata.get("json", field.name): (field, hints[field.name]) for field in fields(kind)}


def _read_value(hint: Any, value: Any, where: str) -> Any:
    """Return the value of a type; a tuple is a list in JSON, and a tuple of pairs of a text and a value an object."""
    inner = get_args(hint)
    if get_origin(hint) is UnionType:
        return None if value is None else _read_value(inner[0], value, where)
    if get_origin(hint) is tuple:
        if get_origin(inner[0]) is tuple:
            pair = get_args(inner[0])[1]
            return tuple((key, _read_value(pair, v, _join(where, key))) for key, v in _as_object(value, where).items())
        if not isinstance(value, list | tuple):
            raise _unexpected("a list", value, where)
        return tuple(_read_value(inner[0], item, f"{where}[{index}]") for index, item in enumerate(value))
    if hint is Any:
        return value
    if is_dataclass(hint):
        return read_fields(hint, value, where)  # type: ignore[arg-type]
    wanted = (int, float) if hint is float else str if issubclass(hint, Enum) else hint
    try:
        if isinstance(value, wanted) and (hint is bool or not isinstance(value, bool)):
            return hint(value)
    except (ValueError, OverflowError):  # no member of an enum; a whole number that is too large for a float
        pass
    raise _unexpected(_describe(hint), value, where)


def _as_object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _unexpected("an object", value, where)
    return value


def _describe(hint: Any) -> str:
    if get_origin(hint) is UnionType:
        return f"{_describe(get_args(hint)[0])} or null"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "one of " + ", ".join(str(member.value) for member in hint)
    return _WORDS.get(hint, "a list" if get_origin(hint) is tuple else "an object")


def _unexpected(expected: str, value: object, where: str) -> FieldError:
    kinds = {Mapping: "an object", list | tuple: "a list", bool: str(value is True).lower(), int | float: "a number"}
    found = "null" if value is None else repr(value[:50]) if isinstance(value, str) else type(value).__name__
    found = next((word for kind, word in kinds.items() if isinstance(value, kind)), found)
    return FieldError(f"{where or 'the value'}: {expected} is expected, and found was {found}")


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
