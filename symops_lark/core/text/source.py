"""Texts and places in them: the only module that converts offsets to lines and columns.

Lines end with a line feed (a carriage return before it belongs to the line ending) and with nothing else.
Offsets are 0-based and half-open; lines and columns, for people, are 1-based.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..ground.frozen import make_quickly
from ..ground.json_objects import JsonObject
from ..patterns.regexes import compile_pattern

BOM = "\ufeff"  # the byte order mark: at the beginning of a text it says nothing


def cut(text: str, start: int, length: int) -> str:
    """Return what stands in a text from an offset on, at most `length` characters."""
    return text[start : start + length]


def size(text: str) -> int:
    """Return how many characters a text has, to be held against a limit: `len` of it is for offsets."""
    return len(text)


def lines_with_endings(text: str) -> list[str]:
    """Return the lines of a text with their endings; the last one may have none."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


class Later(JsonObject):
    """What counts the line and the column of a span when one of them is first asked for."""

    __slots__ = ("_places",)
    _places: Source | PlaceCounter
    start: int

    def __getattr__(self, name: str) -> int:
        if name not in ("line", "column"):
            raise AttributeError(f"a span has no {name}")
        line, column = self._places.place(self.start)
        object.__setattr__(self, "line", line)
        object.__setattr__(self, "column", column)
        return line if name == "line" else column


@dataclass(frozen=True, slots=True, order=True)
class Span(Later):
    """A stretch of the caller's text: `start` and `end` are offsets, `line` and `column` those of `start`."""

    start: int
    end: int
    line: int = 1
    column: int = 1

    def overlaps(self, other: Span) -> bool:
        """Return whether the two have a character in common, or an empty one stands inside or beside the other."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


make_span: Callable[[int, int, int, int], Span] = make_quickly(Span)


@dataclass(frozen=True)
class Source:
    """A text that knows where its lines are; `name` is what errors call it (a file's path, say)."""

    text: str
    name: str = "<reply>"

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins; the last line may be empty."""
        return [0, *[match.end() for match in _LINE_FEED.finditer(self.text)]]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        index = bisect_right(self.line_starts, offset) - 1
        return index + 1, offset - self.line_starts[index] + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of two offsets."""
        return place_later(start, end, self)

    def line_text(self, line: int) -> str:
        """Return a line (1-based) without its ending."""
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].removesuffix("\r")


class PlaceCounter:
    """The places of a text, whose lines are counted when one is asked for: from the place that was asked for before."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last = 0, 1, 0  # an offset, its line, how many characters were counted: one value, for all threads

    def read(self, text: str) -> None:
        """Take the text, where it was not all there before; no place may have been asked for."""
        self._text = text

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        before, line, counted = self._last
        if counted > len(self._text):
            return self._source.place(offset)  # asked for back and forth
        if offset >= before:
            line += self._text.count("\n", before, offset)
        else:
            line -= self._text.count("\n", offset, before)
        self._last = offset, line, counted + abs(offset - before)
        return line, offset - self._text.rfind("\n", 0, offset)

    @cached_property
    def _source(self) -> Source:
        return Source(self._text)


def place_later(start: int, end: int, places: Source | PlaceCounter) -> Span:
    """Return the span of two offsets, whose line and column `places` tells when one is asked for."""
    span = _new(Span)
    _set_start(span, start)
    _set_end(span, end)
    _set_places(span, places)
    return span


_new = object.__new__  # faster than the class, which counts
_set_start, _set_end, _set_places = (
    vars(Span)["start"].__set__,
    vars(Span)["end"].__set__,
    vars(Later)["_places"].__set__,
)


class LineEndings:
    """A text whose lines end with a line feed alone (`plain`), and the way from and to the text as it is (`text`).

    What reads broken texts reads the plain one, so that no result depends on how lines end.
    """

    def __init__(self, text: str) -> None:
        self.text = self.plain = text
        self._starts: list[int] = []  # where, in the text, the ending of a line is longer than a line feed
        self._places: list[int] = []  # the same in the plain text
        self._left_out: list[int] = [0]  # how many characters are left out up to each of them
        if "\r" not in text or "\n" not in text:
            return
        for match in _CARRIAGE_RETURNS.finditer(text):
            self._starts.append(match.start())
            self._places.append(match.start() - self._left_out[-1])
            self._left_out.append(self._left_out[-1] + len(match[0]))
        self.plain = _CARRIAGE_RETURNS.sub("", text)

    def to_text(self, offset: int) -> int:
        """Return the offset in the text of an offset in the plain one; the end of a line is before its ending."""
        return offset + self._left_out[bisect_left(self._places, offset)]

    def to_plain(self, offset: int) -> int:
        """Return the offset in the plain text of an offset in the text."""
        before = bisect_left(self._starts, offset)
        return max(offset - self._left_out[before], self._places[before - 1]) if before else offset

    def cut(self, start: int, end: int) -> str:
        """Return what stands in the text between two offsets of the plain one."""
        return self.text[self.to_text(start) : self.to_text(end)]

    def ending(self, offset: int) -> str:
        """Return what stands in the text for the line feed at an offset of the plain one."""
        return self.text[self.to_text(offset) : self.to_text(offset + 1)]

    def span(self, source: Source, start: int, end: int) -> Span:
        """Return the span in the text (`source`) of two offsets of the plain one."""
        return source.span(self.to_text(start), self.to_text(end))

    def longer(self) -> Iterator[tuple[int, int]]:
        """Yield where, in the text, the endings stand that are longer than a line feed: from and to."""
        for start, place in zip(self._starts, self._places, strict=True):
            yield start, self.to_text(place + 1)

    @property
    def usual(self) -> str:
        """The ending of most lines."""
        return "\r\n" if 2 * len(self._places) > self.plain.count("\n") else "\n"


_LINE_FEED = compile_pattern(r"\n")
_CARRIAGE_RETURNS = compile_pattern(r"(?<!\r)\r+(?=\n|\Z)")
