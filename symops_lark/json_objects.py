"""Frozen dataclasses from JSON objects: what their annotations say is checked, in one place for all of them.

Annotations may be classes of JSON's own values, other dataclasses, enums, `X | None`, tuples, mappings and `Any`.
A tuple of pairs is an object in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]


def read_object(cls: type[T], data: Any) -> T:
    """Return the dataclass that a JSON object says, parsed or not yet written.

    Raises `TypeError` or `ValueError`, with the name of the field, for anything that the class would not have written.
    """
    kind: Any = cls
    readers, values = _fields(kind), {}
    for name, value in _expect(Mapping, data).items():
        if name not in readers:
            raise TypeError(f"{cls.__name__} has no {name!r}")
        try:
            values[name] = readers[name](value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
    return cls(**values)


@cache
def _fields(cls: Any) -> dict[str, Reader]:
    return {name: _reader(kind) for name, kind in get_type_hints(cls).items()}


def _reader(kind: Any) -> Reader:
    """Return the function that checks a value of an annotation, and makes it what the class has."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is UnionType:
        [some] = (_reader(arg) for arg in args if arg is not NoneType)
        return lambda value: None if value is None else some(value)
    if origin is tuple:
        return _tuple_reader(args)
    if isinstance(kind, type) and is_dataclass(kind):
        return lambda value: read_object(kind, value)
    if kind is Any:
        return lambda value: value
    if kind is float:
        return lambda value: float(_expect(int | float, value))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return lambda value: _expect(origin or kind, value)


def _tuple_reader(args: tuple[Any, ...]) -> Reader:
    first, *rest = map(_reader, (arg for arg in args if arg is not Ellipsis))
    if Ellipsis not in args:
        both = (first, *rest)
        return lambda value: tuple(read(item) for read, item in zip(both, _expect(list | tuple, value), strict=True))
    is_pairs = get_origin(args[0]) is tuple

    def read_items(value: Any) -> tuple[Any, ...]:
        items = value.items() if is_pairs and isinstance(value, Mapping) else _expect(list | tuple, value)
        return tuple(first(item) for item in items)

    return read_items


def _expect(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{value!r:.60} is no {getattr(kind, '__name__', 'value of this kind')}")
    return value
