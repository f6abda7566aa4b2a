"""Pieces of text in, whole lines out. A line ends with a line feed and with nothing else.

Each character is looked at once, however small the pieces are.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from ..source import BOM, Span


class PlacedLine(NamedTuple):
    """A line with a line feed, its place, and the ending that it has in the stream.

    `start` and `stop` are the offsets of its first character and behind its last one, without the ending; `number` and
    `column` say where it begins, both 1-based.
    """

    text: str
    start: int
    stop: int
    number: int
    column: int = 1
    ending: str = "\n"

    @property
    def span(self) -> Span:
        """The line without its ending."""
        return Span(self.start, self.stop, self.number, self.column)

    def moved(self, count: int) -> PlacedLine:
        """The line without its first characters."""
        start, column = self.start + count, self.column + count
        return self._replace(text=self.text[count:], start=start, column=column)


class Incoming:
    """The text received so far of which nothing has been read."""

    def __init__(self) -> None:
        self._pieces: deque[str] = deque()
        self._at = 0  # in the first of them
        self._partial: list[str] = []  # the beginning of a line whose end is not there yet
        self._offset, self._number = 0, 1

    def put(self, piece: str) -> None:
        """Add the next piece."""
        if piece:
            self._pieces.append(piece)

    def next_line(self) -> PlacedLine | None:
        """Return the next whole line, or None if its end has not been received."""
        while self._pieces:
            piece, begin = self._pieces[0], self._at
            end = piece.find("\n", begin) + 1
            if not end:
                self._partial.append(piece[begin:] if begin else piece)
                self._pieces.popleft()
                self._at = 0
                continue
            line = piece[begin:end]
            if self._partial:
                self._partial.append(line)
                line = "".join(self._partial)
                self._partial.clear()
            self._at = end
            if end == len(piece):
                self._pieces.popleft()
                self._at = 0
            return self._place(line)
        return None

    def last_line(self) -> PlacedLine | None:
        """Return the rest, a line without an ending, with the ending that the strict parser would add."""
        rest = "".join(self._partial)
        self._partial.clear()
        if not rest or (self._number == 1 and rest == BOM):
            return None
        return self._place(rest + "\n")

    def _place(self, line: str) -> PlacedLine:
        start, column, size, ending = self._offset, 1, len(line), "\n"
        if self._number == 1 and line.startswith(BOM):
            start, column, line = start + 1, 2, line[1:]
        if line.endswith("\r\n"):
            line, ending = line[:-2] + "\n", "\r\n"
        placed = PlacedLine(line, start, start + len(line) - 1, self._number, column, ending)
        self._offset += size
        self._number += 1
        return placed
