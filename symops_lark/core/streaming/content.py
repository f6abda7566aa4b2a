"""The content of a block: its lines out as they come, and the place of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..text.source import Span, make_span
from .incoming import PlacedLine


class Content:
    """Announces lines of content by `emit`; `indent` is that of the opener, and taken off."""

    def __init__(self, opener: PlacedLine, emit: Callable[[str, Span], None], indent: str) -> None:
        self.last = opener  # the line announced last; before the first one, the opener's
        self.first: Span | None = None  # the place of the first line
        self._emit = emit
        self.indent = indent
        self.begin: Span | None = None  # the beginning of the line below the opener
        self._ending = ""
        self._stop: tuple[int, int, int] = (0, 0, 0)  # offset, line and column behind the last line

    def restart(self, opener: PlacedLine) -> None:
        """Begin below another opener."""
        self.last, self.begin = opener, None

    @property
    def place(self) -> Span:
        """The place of the content; empty behind the opener if there is none."""
        if self.first is not None:
            return replace(self.first, end=self._stop[0])
        above = self.last.span
        return self.begin or replace(above, start=above.end)

    def add(self, line: PlacedLine) -> None:
        """Announce a line."""
        body, ending = line.text[:-1], line.ending
        if self.indent and body.startswith(self.indent):
            body, line = body[len(self.indent) :], line.moved(len(self.indent))
        self.put(body, ending, line)

    def add_lines(self, lines: Sequence[str], start: int, number: int) -> None:
        """Announce lines without their line feeds, the first at an offset and with a number, below a first line.

        Nothing is taken off them, so it is for content without an indent.
        """
        ending, emit, (begin, line, column) = self._ending, self._emit, self._stop
        for text in lines:
            body = text.removesuffix("\r")
            length = len(body)
            stop = start + length
            emit(ending + body, make_span(begin, stop, line, column))
            ending = "\n" if body is text else "\r\n"
            begin, line, column = stop, number, length + 1
            start = stop + len(ending)
            number += 1
        self._ending, self._stop = ending, (begin, line, column)
        self.last = PlacedLine(body + "\n", begin - len(body), begin, line, 1, ending)

    def put(self, body: str, ending: str, line: PlacedLine, length: int | None = None) -> None:
        """Announce a text at the beginning of a line, with the ending of the line before it.

        `length` is how much of the line it is, where it is spelt otherwise there.
        """
        length = len(body) if length is None else length
        start, number, column = self._stop if self.first is not None else (line.start, line.number, line.column)
        stop = line.start + length
        span = make_span(start, stop, number, column)
        self._emit(self._ending + body, span)
        self.first = self.first or span
        self._ending, self._stop, self.last = ending, (stop, line.number, line.column + length), line
