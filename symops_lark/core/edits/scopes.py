"""Narrow places to the block below a line that a notation names: `@@ class A`, `@@ def run`."""

from __future__ import annotations

from dataclasses import dataclass

from ..patterns.regexes import compile_pattern
from .lines import Lines, Texts
from .places import Place

_WORD = compile_pattern(r"[0-9A-Za-z_]")
_CLOSES = compile_pattern(r"[ \t]*[)\]}]")


@dataclass(frozen=True, slots=True)
class Scope:
    """The blocks of a file that the lines of a scope name.

    Attributes:
        ranges: Each block as the index of its first line and the one after its last line.
        unknown: The line of the scope that the file does not have, or an empty string.
    """

    ranges: tuple[tuple[int, int], ...]
    unknown: str = ""

    def holds(self, place: Place) -> bool:
        """Return whether a place overlaps one of the blocks."""
        return any(_overlaps(place, start, end) for start, end in self.ranges)

    def begins_before(self, place: Place) -> bool:
        """Return whether a block begins before the end of a place."""
        return any(start < place.end for start, _ in self.ranges)


def find_scope(names: Texts, lines: Lines) -> Scope:
    """Find the blocks below some lines, each inside of the one before.

    Args:
        names: The lines, the outermost first. A line of the file may continue after it:
            `class A` finds `class A(Base):`.
        lines: The file.

    Returns:
        The blocks of the innermost line.
    """
    ranges = [(0, len(lines))]
    for name in names:
        inner = []
        for start, end in ranges:
            # The blocks of lines that are named alike may nest, too.
            for index in range(start, end):
                if _is_named(lines.bare[index], name):
                    block = index, _end_of_block(lines, index, end)
                    inner.append(block)
        if not inner:
            return Scope((), name)
        ranges = inner
    return Scope(tuple(ranges))


def _overlaps(place: Place, start: int, end: int) -> bool:
    return start < place.end and place.start < end


def _is_named(line: str, name: str) -> bool:
    text = line.strip()
    if not text.startswith(name):
        return False
    return _WORD.match(text[len(name) :]) is None or _WORD.match(name[-1:]) is None


def _end_of_block(lines: Lines, head: int, limit: int) -> int:
    """Return the index after the lines that are indented below a line, and the one that closes."""
    depth = _depth(lines.bare[head])
    for index in range(head + 1, limit):
        line = lines.bare[index]
        if line.strip() and _depth(line) <= depth:
            return index + 1 if _CLOSES.match(line) else index
    return limit


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
