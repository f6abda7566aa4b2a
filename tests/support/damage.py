"""What a stranger can put into a file: each part of a value taken out, or exchanged for each wrong kind of value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

WRONG: Sequence[Any] = (
    None,
    True,
    0,
    -1.5,
    10**40,
    float("inf"),
    "",
    "x" * 70_000,
    "(",
    "\x00\x1b[31m\u202e",
    "../\udc80",
    [],
    [[]],
    ["x", None, {"x": 1}],
    {},
    {"x": {"y": [None]}},
)
"""One of each kind of value; the texts are nothing, huge, no pattern, control characters, and half a character."""

Place = tuple[str | int, ...]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield where each part of a value stands, itself first."""
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*place, key))


def damage(value: Any, wrong: Sequence[Any] = WRONG) -> Iterator[tuple[str, Any]]:
    """Yield a value with one part damaged, and what was done to it."""
    for place in places(value):
        text = ".".join(map(str, place)) or "all of it"
        for item in wrong:
            yield f"{text} = {repr(item)[:30]}", _with(value, place, item)
        if place:
            yield f"{text} is missing", _without(value, place)
            if isinstance(place[-1], str):
                yield f"{text} has another name", _renamed(value, place)


def _parent(value: Any, place: Place) -> tuple[Any, Any]:
    copy = deepcopy(value)
    inner = copy
    for key in place[:-1]:
        inner = inner[key]
    return copy, inner


def _with(value: Any, place: Place, other: Any) -> Any:
    if not place:
        return other
    copy, inner = _parent(value, place)
    inner[place[-1]] = other
    return copy


def _without(value: Any, place: Place) -> Any:
    copy, inner = _parent(value, place)
    del inner[place[-1]]
    return copy


def _renamed(value: Any, place: Place) -> Any:
    copy, inner = _parent(value, place)
    inner[f"{place[-1]}x"] = inner.pop(place[-1])
    return copy
