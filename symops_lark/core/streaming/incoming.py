"""Pieces of text in, whole lines out. A line ends with a line feed and with nothing else.

Each character is looked at once, however small the pieces are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..patterns.regexes import Pattern
from ..text.source import BOM, Span


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


_MOST = 4_096  # characters that are taken at once: what is announced of them waits in memory


class Incoming:
    """The text received so far of which nothing has been read."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque()  # of whole lines
        self._at = 0  # in the first of them
        self._partial: list[str] = []  # the beginning of a line whose end is not there yet
        self._offset, self._number = 0, 1

    def put(self, piece: str) -> None:
        """Add the next piece."""
        end = piece.rfind("\n") + 1
        if end:
            self._partial.append(piece[:end])
            self._texts.append("".join(self._partial))
            self._partial = [piece[end:]]
        else:
            self._partial.append(piece)

    @property
    def has_lines(self) -> bool:
        """Whether there is a whole line."""
        return bool(self._texts)

    def next_line(self) -> PlacedLine:
        """Return the next whole line; there must be one."""
        text, begin = self._texts[0], self._at
        end = text.find("\n", begin) + 1
        self._move(end)
        return self._place(text[begin:end])

    def see_lines(self, pattern: Pattern, strange: Iterable[str]) -> list[str]:
        """Return the next lines that a pattern takes, without line feeds, up to the first that ends with some words.

        There must be a whole line.
        """
        text = self._texts[0]
        match = pattern.match(text, self._at, self._at + _MOST)
        end = match.end() if match is not None else self._at
        for word in strange:
            found = text.find(word, self._at, end)
            while found >= 0:
                stop = text.find("\n", found)
                if text[found:stop].rstrip(" \t\r").endswith(word):
                    end = text.rfind("\n", self._at, found) + 1
                found = text.find(word, stop, end)
        return text[self._at : end - 1].split("\n") if end > self._at else []

    def take_lines(self, lines: Sequence[str]) -> tuple[int, int]:
        """Take lines that were seen, and return the offset and the number of the first."""
        place = self._offset, self._number
        size = sum(map(len, lines)) + len(lines)
        self._offset += size
        self._number += len(lines)
        self._move(self._at + size)
        return place

    def _move(self, end: int) -> None:
        self._at = end
        if end == len(self._texts[0]):
            self._texts.popleft()
            self._at = 0

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
