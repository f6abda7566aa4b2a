"""In place of spans that count their lines later: they are counted at once."""

from __future__ import annotations

from ...source import PlaceCounter, Source, Span


def place_later(start: int, end: int, places: Source | PlaceCounter) -> Span:
    """Return the span of two offsets, with its line and column."""
    return Span(start, end, *places.place(start))
