"""Convert offsets of a text to the positions of the Language Server Protocol, and back.

Invariants
    1. Lines end with a line feed, a carriage return, or both, and nothing else. (`str.splitlines`
       also ends them at form feeds and some characters of Unicode.)
    2. Columns count code units of the encoding that client and server agreed on: UTF-16 unless the
       client prefers another one. A character outside the Basic Multilingual Plane is two units of
       UTF-16.
    3. A position after the end of a line is its end; one after the last line is the end of the
       text. A position inside of a character is the position before it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

UTF_16 = "utf-16"
_LINE_END = re.compile(r"\r\n|\n|\r")


class Position(NamedTuple):
    """A position in a text.

    Attributes:
        line: The line, 0-based.
        character: The code units before it in the line.
    """

    line: int
    character: int


class Positions:
    """The lines of a text.

    Args:
        text: The text.
        encoding: The encoding whose code units columns count: utf-8, utf-16 or utf-32.
    """

    def __init__(self, text: str, encoding: str = UTF_16) -> None:
        self.text = text
        self._encoding = encoding
        self._starts = [0]
        self._ends: list[int] = []
        for match in _LINE_END.finditer(text):
            self._ends.append(match.start())
            self._starts.append(match.end())
        self._ends.append(len(text))

    def to_position(self, offset: int) -> Position:
        """Return the position of an offset; inside of a line ending it is the end of the line."""
        line = bisect_right(self._starts, offset) - 1
        end = min(offset, self._ends[line])
        return Position(line, self._units(self.text[self._starts[line] : end]))

    def to_offset(self, position: Position) -> int:
        """Return the offset of a position."""
        line, character = position
        if line >= len(self._starts):
            return len(self.text)
        start = self._starts[line]
        line_text = self.text[start : self._ends[line]]
        # Most lines are ASCII, where a unit is a character in all encodings.
        if line_text.isascii():
            return start + min(character, len(line_text))
        units = 0
        for index, sign in enumerate(line_text):
            units += self._units(sign)
            if units > character:
                return start + index
        return start + len(line_text)

    def find_offset(self, line: int, column: int) -> int:
        """Return the offset of a place as errors name it, in the text or at its end.

        Args:
            line: The line, 1-based.
            column: The character in the line, 1-based.
        """
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[line - 1] + column - 1, self._ends[line - 1])

    def line_around(self, offset: int) -> tuple[int, int]:
        """Return the start and the end of the line with an offset, without its ending."""
        line = bisect_right(self._starts, offset) - 1
        return self._starts[line], self._ends[line]

    def _units(self, text: str) -> int:
        if text.isascii() or self._encoding == "utf-32":
            return len(text)
        # A lone half of a surrogate pair is one unit, as in the editor.
        if self._encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2


def change_text(text: str, start: Position, end: Position, new: str, encoding: str) -> str:
    """Return a text after an edit.

    Args:
        text: The text before it.
        start: Where the replaced part begins.
        end: Where it ends.
        new: What replaces it.
        encoding: The encoding whose code units columns count.
    """
    positions = Positions(text, encoding)
    return text[: positions.to_offset(start)] + new + text[positions.to_offset(end) :]
