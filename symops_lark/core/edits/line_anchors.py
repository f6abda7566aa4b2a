"""Anchors of lines: a number and a hash, as in `11:a3f`, which name a line and prove it.

The hash covers a line and its two neighbors, without blanks at the ends. With the line alone, all
empty lines and lone braces would have one hash: in 493 changes of real files that grew above the
place, 9 edits went to another place then, and none with the neighbors.
"""

from __future__ import annotations

import zlib

from ..ground.numbers import counted
from .hunks import Hunk
from .lines import Lines, Texts, content_lines
from .nearest import quote_line
from .places import MisfitError, Place

_DIGITS = "abcdefghijkmnpqrstuvwxyz23456789"  # 32 characters, without l, o, 0 and 1
_LENGTH = 3  # characters of a hash: 32,768 different ones
_OUTSIDE = "\0"  # the neighbor of the first and of the last line
_AROUND = 2  # lines on each side of a place that a hint shows
NUMBER_ALONE = "only a line number names the place, and nothing shows which line was meant"


def hash_lines(lines: Texts) -> list[str]:
    """Return the hash of each line: three characters of a-z and 2-9.

    Args:
        lines: All lines of a file, without endings.

    Returns:
        The hashes, in the same order.
    """
    above = _OUTSIDE
    hashes = []
    bare_lines = list(map(str.rstrip, lines))
    below_lines = [*bare_lines[1:], _OUTSIDE]
    for line, below in zip(bare_lines, below_lines, strict=False):
        hashes.append(_hash(f"{above}\n{line}\n{below}"))
        above = line
    return hashes


def show_anchors(text: str, first: int = 1) -> str:
    """Return a text with the anchor of each line before it: `11:a3f|    return x`.

    Args:
        text: The text of a file. For a region of it, the hashes of the first and the last line
            differ from those in the file, because a neighbor is missing: take a line more on each
            side, and remove these lines from the result.
        first: The number of the first line.

    Returns:
        The lines, each with an ending.
    """
    lines = content_lines(text.removeprefix("\ufeff"))
    rows = []
    for number, mark in enumerate(hash_lines(lines)):
        rows.append(f"{number + first}:{mark}|{lines[number]}\n")
    return "".join(rows)


def find_range(hunk: Hunk, lines: Lines, hashes: Texts, number: int) -> Place:
    """Return the place of a range of lines.

    Args:
        hunk: A hunk with `line` and `count`; with `hashes`, or by its numbers alone.
        lines: The file.
        hashes: The hashes of its lines.
        number: The number of the hunk, for messages.

    Returns:
        The place. It has a doubt if the lines have moved, or if nothing but numbers names it.

    Raises:
        MisfitError: The file has no such lines, or other ones.
    """
    start = (hunk.line or 1) - 1
    count = hunk.count or 0
    end = start + count
    if start < 0 or end > len(lines):
        raise _no_line(max(end, start + 1), lines, number)
    if hunk.hashes is None:
        return Place(start, count, hunk.new, NUMBER_ALONE)
    if not count and not start:
        return Place(0, 0, hunk.new)  # at the top of the file, which needs no evidence
    # An insertion names the line before it.
    first = start if count else start - 1
    last = end - 1
    if (hashes[first], hashes[last]) == hunk.hashes:
        return Place(start, count, hunk.new)
    # Both ends of the range, at the same distance.
    moved = []
    last_hashes = hashes[last - first :]
    for index, pair in enumerate(zip(hashes, last_hashes, strict=False)):
        if pair == hunk.hashes:
            moved.append(index)
    if len(moved) == 1:
        moved_first = moved[0]
        drift = moved_first - first
        doubt = f"the lines have moved from {first + 1} to {moved_first + 1}"
        return Place(start + drift, count, hunk.new, doubt, is_tolerated=True)
    line = quote_line(lines.bare[first])
    anchors = _show_region(hashes, first, last)
    raise MisfitError(
        f"edit {number}: line {first + 1} or a line next to it has changed; it is {line} now",
        moved,
        f"use the anchors of the current file: {anchors}",
    )


def insert_by_number(hunk: Hunk, lines: Lines, number: int) -> Place:
    """Return the place of new lines that quote no line of the file.

    Args:
        hunk: A hunk without old lines.
        lines: The file.
        number: The number of the hunk, for messages.

    Returns:
        The place. It has a doubt if nothing but a number names it.

    Raises:
        MisfitError: Nothing names a place, or the file has no such line.
    """
    line_count = len(lines)
    if not line_count and not hunk.line:
        return Place(0, 0, hunk.new, ended=hunk.ended)  # an empty file has one place
    if hunk.line is not None and not hunk.scope:
        if not 0 <= hunk.line <= line_count:
            raise _no_line(hunk.line, lines, number)
        if hunk.at_end and hunk.line != line_count:
            raise MisfitError(
                f"edit {number} ends the file, but line {hunk.line} is not its last line",
                hint="quote the line before the new ones",
            )
        return Place(hunk.line, 0, hunk.new, NUMBER_ALONE, hunk.ended)
    if hunk.at_end:
        return Place(line_count, 0, hunk.new, ended=hunk.ended)
    raise MisfitError(
        f"edit {number} quotes no line of the file", hint="quote the lines next to the new ones"
    )


def _no_line(line: int, lines: Lines, number: int) -> MisfitError:
    count = counted(len(lines), "line")
    return MisfitError(
        f"edit {number}: there is no line {line}; the file has {count}", hint="read the file again"
    )


def _hash(text: str) -> str:
    value = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    digits = ""
    for _ in range(_LENGTH):
        value, digit = divmod(value, len(_DIGITS))
        digits += _DIGITS[digit]
    return digits


def _show_region(hashes: Texts, first: int, last: int) -> str:
    # Of a long range, its beginning.
    shown_last = min(last, first + _AROUND)
    start = max(first - _AROUND, 0)
    end = shown_last + _AROUND + 1
    anchors = []
    for number, line_hash in enumerate(hashes[start:end], start + 1):
        anchors.append(f"{number}:{line_hash}")
    return ", ".join(anchors)
