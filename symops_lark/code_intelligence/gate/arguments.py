"""Arguments as clients send them: arrays, objects, booleans and numbers may come as JSON strings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

from ...core.ground.json_objects import FieldError
from ...core.ground.numbers import counted

_MOST = 500  # items or members of an argument
MOST_TEXT = 20_000  # characters of a text
_MOST_PATH = 4_096  # characters of a path
_SHOWN = 500  # characters of a text that an answer repeats


def as_object(value: object, name: str) -> dict[str, Any]:
    """Return an object, also one that was sent as a string; an empty one for None. Raise `FieldError` for others."""
    value = _parse(value)
    if value is None or value == "":
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise FieldError(f"{name}: an object is expected, not {_shown(value)}")
    if len(value) > _MOST:
        raise FieldError(f"{name}: it has {counted(len(value), 'member')}, at most {_MOST:,} are read")
    return dict(value)


def as_list(value: object, name: str) -> list[Any]:
    """Return a list, also one that was sent as a string; one text is a list of it. Raise `FieldError` for others."""
    value = _parse(value)
    if value is None or value == "":
        return []
    if isinstance(value, str | Mapping):
        return [value]
    if not isinstance(value, list | tuple):
        raise FieldError(f"{name}: a list is expected, not {_shown(value)}")
    if len(value) > _MOST:
        raise FieldError(f"{name}: it has {counted(len(value), 'item')}, at most {_MOST:,} are read")
    return [_parse(item) if isinstance(item, str) and item.lstrip()[:1] == "{" else item for item in value]


def as_text(value: object, name: str) -> str:
    """Return a text; an empty one for None. Raise `FieldError` for others."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise FieldError(f"{name}: a text is expected, not {_shown(value)}")
    most = _MOST_PATH if name.startswith("path") else MOST_TEXT
    if len(value) > most:
        raise FieldError(f"{name}: it has {counted(len(value), 'character')}, at most {most:,} are read")
    return value


def as_count(value: object, name: str) -> int:
    """Return a whole number from 1, also one that was sent as a string. Raise `FieldError` for others."""
    value = coerce(value, int)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise FieldError(f"{name}: a whole number from 1 is expected, not {_shown(value)}")
    return value


def as_ranges(value: object, name: str) -> list[tuple[int, int]]:
    """Return pairs of a first and a last number, from 1. Raise `FieldError` for others."""
    ranges = []
    for pair in as_list(value, name):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise FieldError(f"{name}: pairs of a first and a last line are expected, not {_shown(pair)}")
        ranges.append((as_count(pair[0], name), as_count(pair[1], name)))
    return ranges


def shorten(value: Any) -> Any:
    """Return a value with its texts cut, as answers repeat what was sent."""
    if isinstance(value, str):
        return value[:_SHOWN]
    if isinstance(value, Mapping):
        return {shorten(key): shorten(each) for key, each in value.items()}
    return list(map(shorten, value)) if isinstance(value, list | tuple) else value


def coerce(value: object, hint: Any) -> Any:
    """Return a value as an annotation wants it, where it is a string that says so in JSON; else as it is."""
    if not isinstance(value, str):
        return value
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    origins = {get_origin(kind) or kind for kind in kinds}
    if str in origins and not (origins & {list, tuple} and value.lstrip()[:2] in ('["', "[]")):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    wanted = (*origins, list, dict, *([int] if float in origins else []))
    return parsed if type(parsed) in wanted else value


def _parse(value: object) -> object:
    """Return what a string says in JSON, if it is an array or an object."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _shown(value: object) -> str:
    return repr(value)[:80]
