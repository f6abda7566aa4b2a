"""In place of spans that count their lines later: they are counted at once."""

from __future__ import annotations

from ...json_objects import JsonObject
from ...source import PlaceCounter, Source, Span


class Later(JsonObject):
    """What a span builds on."""

    __slots__ = ()


def place_later(start: int, end: int, places: Source | PlaceCounter) -> Span:
    """Return the span of two offsets, with its line and column."""
    return Span(start, end, *places.place(start))
