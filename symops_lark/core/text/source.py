"""Texts and positions in them: converts the offsets of spans to lines and columns.

Invariants
    1. Lines end with a line feed and nothing else. A carriage return before it belongs to the
       line ending.
    2. Offsets are 0-based and spans half-open, in characters. Lines and columns are for people,
       and 1-based.
    3. Every span that leaves this package refers to the caller's text. Code that reads broken
       text works on `LineEndings.plain` and converts its offsets with `to_text`.

Example: in `"a\\r\\nb\\n"`, `b` has the offset 3, line 2 and column 1. The plain text is
`"a\\nb\\n"`, where `b` has the offset 2; `to_text(2)` is 3.

Performance
    Most spans are never printed, so lines are counted when `line` or `column` is read for the first
    time (`Later`). `PlaceCounter` counts from the last position, which is fast for positions in
    order; if they are not, it builds the table of `Source`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..ground.frozen import make_quickly
from ..ground.json_objects import JsonObject
from ..patterns.regexes import compile_pattern

BOM = "\ufeff"  # the byte order mark: it has no meaning at the beginning of a text


def cut(text: str, start: int, length: int) -> str:
    """Return a part of a text.

    The exported parser for JavaScript has its own version: there, indexes count UTF-16 units.

    Args:
        text: The text.
        start: The offset of the part.
        length: The maximum number of characters.

    Returns:
        The part; shorter at the end of the text.
    """
    return text[start : start + length]


def size(text: str) -> int:
    """Return the number of characters of a text, to compare it with a limit.

    For offsets, use `len`: in JavaScript the two are different.
    """
    return len(text)


def lines_with_endings(text: str) -> list[str]:
    """Return the lines of a text with their endings; the last one may have none."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    # After a final line feed, `split` returns an empty text, which is not a line.
    if last:
        lines.append(last)
    return lines


class Later(JsonObject):
    """The base of `Span`: counts line and column when one of them is first read."""

    __slots__ = ("_places",)
    _places: Source | PlaceCounter
    start: int

    def __getattr__(self, name: str) -> int:
        # Called only while the slot is empty: setting it makes later reads direct.
        if name not in ("line", "column"):
            raise AttributeError(f"a span has no {name}")
        line, column = self._places.place(self.start)
        object.__setattr__(self, "line", line)
        object.__setattr__(self, "column", column)
        return line if name == "line" else column


@dataclass(frozen=True, slots=True, order=True)
class Span(Later):
    """A part of the caller's text.

    Attributes:
        start: The offset of its first character, 0-based.
        end: The offset after its last character.
        line: The line of `start`, 1-based.
        column: The column of `start`, 1-based, in characters.
    """

    start: int
    end: int
    line: int = 1
    column: int = 1

    def overlaps(self, other: Span) -> bool:
        """Return whether two spans have a character in common.

        An empty span overlaps another if it is inside or directly beside it.
        """
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


make_span: Callable[[int, int, int, int], Span] = make_quickly(Span)


@dataclass(frozen=True)
class Source:
    """A text with a table of its lines.

    Attributes:
        text: The text.
        name: The name in messages, such as the path of a file.
    """

    text: str
    name: str = "<reply>"

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line's first character; the last line may be empty."""
        ends = [match.end() for match in _LINE_FEED.finditer(self.text)]
        return [0, *ends]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        line = bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        return line, offset - start + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span from one offset to another."""
        return place_later(start, end, self)

    def line_text(self, line: int) -> str:
        """Return a line without its ending.

        Args:
            line: The number of the line, 1-based.

        Returns:
            The line; empty if there is none of that number.
        """
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        start = starts[line - 1]
        end = len(self.text)
        if line < len(starts):
            end = starts[line] - 1
        line_text = self.text[start:end]
        return line_text.removesuffix("\r")


class PlaceCounter:
    """Converts offsets of a text to lines and columns, counting from the last offset.

    A parser reads positions nearly in order, so all of them together take one pass.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # The last offset, its line, and the number of characters counted so far. One tuple, because
        # threads may share a counter and an assignment is atomic.
        self._last = 0, 1, 0

    def read(self, text: str) -> None:
        """Replace the text by a longer one, before the first position is converted."""
        self._text = text

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        before, line, counted_before = self._last
        # More counting than one pass: the positions are not in order, so a table is faster.
        if counted_before > len(self._text):
            return self._source.place(offset)
        if offset >= before:
            line += self._text.count("\n", before, offset)
        else:
            line -= self._text.count("\n", offset, before)
        distance = abs(offset - before)
        self._last = offset, line, counted_before + distance
        # `rfind` returns -1 in the first line, which gives the same column.
        line_feed = self._text.rfind("\n", 0, offset)
        return line, offset - line_feed

    @cached_property
    def _source(self) -> Source:
        return Source(self._text)


def place_later(start: int, end: int, places: Source | PlaceCounter) -> Span:
    """Return a span whose line and column are counted when one of them is read.

    Args:
        start: The offset of its first character.
        end: The offset after its last character.
        places: Converts offsets of the text.

    Returns:
        The span.
    """
    span = _new(Span)
    _set_start(span, start)
    _set_end(span, end)
    _set_places(span, places)
    return span


# Setting the slots directly is faster than the class: a frozen dataclass calls
# `object.__setattr__` for each field, and would need the line.
_new = object.__new__
_set_start = vars(Span)["start"].__set__
_set_end = vars(Span)["end"].__set__
_set_places = vars(Later)["_places"].__set__


class LineEndings:
    """A text and its plain form, in which all lines end with a single line feed.

    Broken text is read in its plain form, so that no result depends on line endings.

    Attributes:
        text: The text.
        plain: The text without the carriage returns before line feeds and at its end. If no line
            ends with a line feed, it is the text.
    """

    def __init__(self, text: str) -> None:
        self.text = self.plain = text
        self._starts: list[int] = []  # offsets in the text of endings longer than a line feed
        self._places: list[int] = []  # the same offsets in the plain text
        self._left_out: list[int] = [0]  # the number of characters left out before each of them
        # Without a line feed there is only one line, and its carriage returns are content.
        if "\r" not in text or "\n" not in text:
            return
        for match in _CARRIAGE_RETURNS.finditer(text):
            start = match.start()
            left_out = self._left_out[-1]
            self._starts.append(start)
            self._places.append(start - left_out)
            left_out += len(match[0])
            self._left_out.append(left_out)
        self.plain = _CARRIAGE_RETURNS.sub("", text)

    def to_text(self, offset: int) -> int:
        """Return the offset in the text of an offset in the plain text.

        The end of a line becomes the position before its whole ending.
        """
        before = bisect_left(self._places, offset)
        return offset + self._left_out[before]

    def to_plain(self, offset: int) -> int:
        """Return the offset in the plain text of an offset in the text.

        All positions within one ending become the position of its line feed.
        """
        before = bisect_left(self._starts, offset)
        if not before:
            return offset
        place = self._places[before - 1]
        return max(offset - self._left_out[before], place)

    def cut(self, start: int, end: int) -> str:
        """Return the part of the text between two offsets of the plain text."""
        first = self.to_text(start)
        last = self.to_text(end)
        return self.text[first:last]

    def ending(self, offset: int) -> str:
        """Return the line ending in the text for the line feed at an offset of the plain text."""
        start = self.to_text(offset)
        end = self.to_text(offset + 1)
        return self.text[start:end]

    def span(self, source: Source, start: int, end: int) -> Span:
        """Return the span in the text between two offsets of the plain text.

        Args:
            source: The text.
            start: The first offset.
            end: The second offset.

        Returns:
            The span in `source`.
        """
        first = self.to_text(start)
        last = self.to_text(end)
        return source.span(first, last)

    def longer(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end, in the text, of each ending that is longer than a line feed."""
        pairs = zip(self._starts, self._places, strict=True)
        for start, place in pairs:
            end = self.to_text(place + 1)
            yield start, end

    @property
    def usual(self) -> str:
        """The ending of most lines; a line feed if both are equally frequent."""
        line_count = self.plain.count("\n")
        if 2 * len(self._places) > line_count:
            return "\r\n"
        return "\n"


_LINE_FEED = compile_pattern(r"\n")
# Matches "\r" in "a\r\n" and "\r\r" in "a\r\r\n", not the "\r" in "a\rb". The lookbehind makes it
# start at the first of several, which takes linear time.
_CARRIAGE_RETURNS = compile_pattern(r"(?<!\r)\r+(?=\n|\Z)")
