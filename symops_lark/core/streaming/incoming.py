"""Turn pieces of text into whole lines.

A line ends with a line feed and with nothing else. Each character is looked at once, however small
the pieces are: a stream of single characters costs time proportional to its length, not to its
square.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..patterns.regexes import Pattern
from ..text.source import BOM, Span


class PlacedLine(NamedTuple):
    """A line and its position.

    Attributes:
        text: The line with a line feed, also if it has another ending in the stream, or none.
        start: The offset of its first character.
        stop: The offset after its last character, without the ending.
        number: Its line number, from 1.
        column: The column where it begins, from 1; more for a part of a line.
        ending: The ending that it has in the stream: a line feed, or both characters of CRLF.
    """

    text: str
    start: int
    stop: int
    number: int
    column: int = 1
    ending: str = "\n"

    @property
    def span(self) -> Span:
        """The position of the line without its ending."""
        return Span(self.start, self.stop, self.number, self.column)

    def moved(self, count: int) -> PlacedLine:
        """Return the line without its first characters.

        Args:
            count: The number of characters to leave out.
        """
        start = self.start + count
        column = self.column + count
        return self._replace(text=self.text[count:], start=start, column=column)


# Characters that `see_lines` returns at most. The events of all of them wait in memory.
_MAX_RUN = 4_096


class Incoming:
    """The text that was received and not read yet."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque()  # each of whole lines
        self._at = 0  # the index in the first of them
        self._partial: list[str] = []  # the beginning of a line whose end has not arrived
        self._offset = 0  # of the next line in the stream
        self._number = 1

    def put(self, piece: str) -> None:
        """Add the next piece."""
        # Pieces of one line are joined only when its end is there: see the module's docstring.
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
        """Return the next whole line and move on; there must be one."""
        text = self._texts[0]
        begin = self._at
        end = text.find("\n", begin) + 1
        self._move(end)
        return self._place(text[begin:end])

    def see_lines(self, pattern: Pattern, strange: Iterable[str]) -> list[str]:
        """Return the next lines that a pattern matches, without moving on. There must be a line.

        Args:
            pattern: A pattern of whole lines.
            strange: Texts; the lines stop before the first line that ends with one of them.

        Returns:
            The lines without their line feeds; empty if the next line is not one of them.
        """
        text = self._texts[0]
        match = pattern.match(text, self._at, self._at + _MAX_RUN)
        end = match.end() if match is not None else self._at
        # The run is searched, not each line tested: most runs contain none of these texts.
        for word in strange:
            place = text.find(word, self._at, end)
            while place >= 0:
                stop = text.find("\n", place)
                if text[place:stop].rstrip(" \t\r").endswith(word):
                    end = text.rfind("\n", self._at, place) + 1
                place = text.find(word, stop, end)
        return text[self._at : end - 1].split("\n") if end > self._at else []

    def take_lines(self, lines: Sequence[str]) -> tuple[int, int]:
        """Move on past lines that `see_lines` returned.

        Args:
            lines: The first of these lines, or all of them.

        Returns:
            The offset of the first line, and its number.
        """
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
        """Return the last line, which has no ending, with the one that the strict parser adds.

        Returns:
            The line; None if the text ends with a line feed, or is empty.
        """
        partial = "".join(self._partial)
        self._partial.clear()
        if not partial or (self._number == 1 and partial == BOM):
            return None
        return self._place(partial + "\n")

    def _place(self, line: str) -> PlacedLine:
        """Return the next line of the stream with its position."""
        start = self._offset
        column = 1
        size = len(line)
        ending = "\n"
        # A byte order mark is not a part of the text, but it has an offset and a column.
        if self._number == 1 and line.startswith(BOM):
            start += 1
            column = 2
            line = line[1:]
        if line.endswith("\r\n"):
            line = line[:-2] + "\n"
            ending = "\r\n"
        stop = start + len(line) - 1
        placed = PlacedLine(line, start, stop, self._number, column, ending)
        self._offset += size
        self._number += 1
        return placed
