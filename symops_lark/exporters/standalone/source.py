"""In place of spans that count their lines later: they are counted from the place before."""

from __future__ import annotations

from ...source import Source, Span


def _place_later(start: int, end: int, places: Source) -> Span:
    """Return the span of two offsets, with its line and column."""
    return Span(start, end, *places.place(start))


class PlaceCounter:
    """The spans of a text whose offsets mostly grow: lines are counted from the place before."""

    def __init__(self, text: str) -> None:
        self._text, self._offset, self._line = text, 0, 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of two offsets."""
        text, before = self._text, self._offset
        if start >= before:
            self._line += text.count("\n", before, start)
        else:
            self._line -= text.count("\n", start, before)
        self._offset = start
        return Span(start, end, self._line, start - text.rfind("\n", 0, start))
