"""Read arguments as clients send them: arrays, objects and numbers may be JSON in a string."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

from ...core.ground.json_objects import FieldError
from ...core.ground.numbers import counted, grouped

Values = Mapping[str, Any]
_MAX_ITEMS = 500  # items or members of an argument
MOST_TEXT = 20_000  # characters of a text
_MAX_PATH = 4_096  # characters of a path
_MAX_SHOWN = 500  # characters of a text that an answer repeats
_MAX_WRONG = 80  # characters of a wrong value in a message


def as_object(value: object, name: str) -> dict[str, Any]:
    """Return an object, which may be JSON in a string; an empty one for None.

    Args:
        value: The argument.
        name: Its name, for messages.

    Raises:
        FieldError: It is not an object, or has too many members.
    """
    value = _parse(value)
    if value is None or value == "":
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _refuse(name, "an object", value)
    _check_size(name, len(value), "member", _MAX_ITEMS)
    return dict(value)


def as_list(value: object, name: str) -> list[Any]:
    """Return a list, which may be JSON in a string; an empty one for None.

    Args:
        value: The argument. One text or object counts as a list of it.
        name: Its name, for messages.

    Raises:
        FieldError: It is not a list, or has too many items.
    """
    value = _parse(value)
    if value is None or value == "":
        return []
    if isinstance(value, str | Mapping):
        return [value]
    if not isinstance(value, list | tuple):
        raise _refuse(name, "a list", value)
    _check_size(name, len(value), "item", _MAX_ITEMS)
    items = list(value)
    for number, item in enumerate(items):
        # An object may be JSON; a list in a string may be a pattern.
        if isinstance(item, str) and item.lstrip().startswith("{"):
            items[number] = _parse(item)
    return items


def as_text(value: object, name: str) -> str:
    """Return a text; an empty one for None.

    Args:
        value: The argument.
        name: Its name, for messages.

    Raises:
        FieldError: It is not a text, or too long.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _refuse(name, "a text", value)
    is_path = name.startswith("path")
    _check_size(name, len(value), "character", _MAX_PATH if is_path else MOST_TEXT)
    return value


def as_count(value: object, name: str) -> int:
    """Return an integer from 1, which may be JSON in a string.

    Args:
        value: The argument.
        name: Its name, for messages.

    Raises:
        FieldError: It is another value.
    """
    value = coerce(value, int)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _refuse(name, "a whole number from 1", value)
    return value


def as_ranges(value: object, name: str) -> list[tuple[int, int]]:
    """Return pairs of a first and a last number, from 1.

    Args:
        value: The argument.
        name: Its name, for messages.

    Raises:
        FieldError: It is another value.
    """
    ranges = []
    for pair in as_list(value, name):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise _refuse(name, "pairs of a first and a last line", pair, "are")
        first, last = pair
        first_line = as_count(first, name)
        ranges.append((first_line, as_count(last, name)))
    return ranges


def shorten(value: Any) -> Any:
    """Return a value with its texts cut, for answers that repeat an argument."""
    if isinstance(value, str):
        return value[:_MAX_SHOWN]
    if isinstance(value, Mapping):
        names = map(shorten, value)
        return dict(zip(names, map(shorten, value.values()), strict=True))
    if isinstance(value, list | tuple):
        return list(map(shorten, value))
    return value


def coerce(value: object, hint: Any) -> Any:
    """Return the value of a string of JSON that an annotation allows; other values unchanged.

    Args:
        value: The argument.
        hint: The annotation.
    """
    if not isinstance(value, str):
        return value
    is_union = get_origin(hint) in (Union, UnionType)
    kinds = get_args(hint) if is_union else (hint,)
    # `list[str] | None` has the origins list and NoneType.
    origins = {get_origin(kind) or kind for kind in kinds}
    is_list = value.lstrip()[:2] in ('["', "[]")
    # A text is a text, except for the list that may be there instead.
    if str in origins and not (is_list and origins & {list, tuple}):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    accepted = {*origins, list, dict}
    if float in origins:
        accepted.add(int)
    return parsed if type(parsed) in accepted else value


def _parse(value: object) -> object:
    """Return the array or object of a string of JSON; other values unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _check_size(name: str, size: int, noun: str, most: int) -> None:
    if size > most:
        number = counted(size, noun)
        limit = grouped(most)
        raise FieldError(f"{name}: it has {number}, at most {limit} are read")


def _refuse(name: str, expected: str, value: object, verb: str = "is") -> FieldError:
    text = repr(value)[:_MAX_WRONG]
    message = f"{expected} {verb} expected, not {text}"
    return FieldError(f"{name}: {message}")
