"""Announce the content of a block line by line, and keep its position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..text.source import Span, make_span
from .incoming import PlacedLine

# A line of content, with the ending of the line before it; and its position.
Piece = tuple[str, Span]


class Content:
    """Announces lines of content.

    A line is announced together with the ending of the line *before* it. So the texts of all lines,
    joined, are the content: the ending of the last line belongs to the closer.

    Args:
        opener: The line of the opener.
        emit: Called with texts and their positions.
        indent: Blanks that are removed from the beginning of each line; "" for none. They are the
            indent of a malformed opener.

    Attributes:
        last: The line that was announced last; before the first one, the opener's.
        first: The position of the first line; None before it.
        begin: The empty position at the beginning of the line below the opener; None before it.
    """

    def __init__(
        self, opener: PlacedLine, emit: Callable[[Sequence[Piece]], None], indent: str
    ) -> None:
        self.last = opener
        self.first: Span | None = None
        self._emit = emit
        self.indent = indent
        self.begin: Span | None = None
        self._ending = ""  # of the last line; "" before the first one
        self._stop: tuple[int, int, int] = (0, 0, 0)  # offset, line and column of its end

    def restart(self, opener: PlacedLine) -> None:
        """Begin again below another opener."""
        self.last = opener
        self.begin = None

    @property
    def place(self) -> Span:
        """The position of the content; empty after the opener if there is no content."""
        if self.first is not None:
            return replace(self.first, end=self._stop[0])
        above = self.last.span
        return self.begin or replace(above, start=above.end)

    def add(self, line: PlacedLine) -> None:
        """Announce a line."""
        body = line.text[:-1]  # a `PlacedLine` has a line feed, and its ending beside that
        ending = line.ending
        if self.indent and body.startswith(self.indent):
            body = body[len(self.indent) :]
            line = line.moved(len(self.indent))
        self.put(body, ending, line)

    def add_lines(self, lines: Sequence[str], start: int, number: int) -> None:
        """Announce several lines at once, below a first line of content.

        Nothing is removed from the lines, so this is for content without an indent.

        Args:
            lines: The lines without their line feeds, at least one; "\\r" at the end is an ending.
            start: The offset of the first of them.
            number: Its 1-based number.
        """
        # Most of a text passes here: the state is in local variables, and `put` is not called.
        ending = self._ending
        pieces: list[Piece] = []
        begin, line, column = self._stop
        for text in lines:
            body = text.removesuffix("\r")
            length = len(body)
            stop = start + length
            pieces.append((ending + body, make_span(begin, stop, line, column)))
            ending = "\n" if body is text else "\r\n"
            begin = stop
            line = number
            column = length + 1
            start = stop + len(ending)
            number += 1
        self._emit(pieces)
        self._ending = ending
        self._stop = (begin, line, column)
        self.last = PlacedLine(body + "\n", begin - len(body), begin, line, 1, ending)

    def put(self, body: str, ending: str, line: PlacedLine, length: int | None = None) -> None:
        """Announce a text that is the beginning of a line, with the ending of the line before it.

        Args:
            body: The text.
            ending: The ending of its line.
            line: The line that contains it.
            length: The number of characters of the line that it is; None if it is written there as
                in `body`. A repaired text may be longer or shorter than the line.
        """
        length = len(body) if length is None else length
        # The text begins where the line before it ended, because it contains that line's ending.
        place = self._stop if self.first is not None else (line.start, line.number, line.column)
        start, number, column = place
        stop = line.start + length
        span = make_span(start, stop, number, column)
        self._emit([(self._ending + body, span)])
        self.first = self.first or span
        self._ending = ending
        self._stop = (stop, line.number, line.column + length)
        self.last = line
