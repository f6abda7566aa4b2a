"""Replace a text inside of lines, as the tools that pass an old and a new string do.

The old text must occur once. Notations differ in the meaning of a line end at the end of a text,
and in the lines that remain where complete lines are replaced by nothing: here they are removed,
not emptied. A person is asked about a text that begins or ends inside of a word, and about one
that joins two lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from .hunks import Hunk
from .lines import MAX_PLACES, Lines, TooManyPlaces
from .nearest import describe_nearest, quote_numbers
from .places import MisfitError, Place, find_places

_MAX_COMPARED = 40_000_000  # characters, see `lines`
_JOINS = "the edit joins two lines"


def find_inner_places(hunk: Hunk, lines: Lines, number: int) -> list[Place]:
    """Return the places of a hunk that quotes a text inside of lines.

    Args:
        hunk: A hunk with `within`. If it has `old` too, complete lines are preferred.
        lines: The file.
        number: The number of the hunk, for messages.

    Returns:
        One place; with `every`, all of them, in the order of the file. Several candidates if the
        text occurs as complete lines only, which differ in blanks or typography.

    Raises:
        MisfitError: The text does not occur, or occurs more than once.
        TooManyPlaces: There are too many places.
    """
    assert hunk.within is not None
    old, new = hunk.within
    # In the framed text each line has a line feed on both sides; the first is not of the file.
    text = lines.framed()
    offsets = _find_all(text, old, is_apart=hunk.every)
    if not offsets:
        return _find_as_lines(hunk, old, new, lines, number)
    indexes = _line_indexes(text, offsets)
    if hunk.line is not None and not hunk.every:
        # The offsets on the line that the notation names, if there are any.
        first = bisect_left(indexes, hunk.line - 1)
        end = bisect_left(indexes, hunk.line)
        if first < end:
            offsets = offsets[first:end]
            indexes = indexes[first:end]
    if len(offsets) > 1 and not hunk.every:
        distinct = list(dict.fromkeys(indexes))
        raise MisfitError(
            f"edit {number}: its text is at several places: {quote_numbers(distinct)}",
            distinct,
            "quote more of the text around it",
        )
    if hunk.old and all(_are_lines(text, offset, old) for offset in offsets):
        return [Place(index, len(hunk.old), hunk.new) for index in indexes]
    if old.endswith("\n") and new.endswith("\n") and len(old) > 1:
        old = old[:-1]
        new = new[:-1]
    height = old.count("\n")
    places = []
    for first_line, group in _group_by_line(offsets, indexes, height):
        places.append(_place_of(text, first_line, group, old, new))
    last = places[-1]
    # A new line end at the end of a last line without one ends that line, and begins no other.
    is_at_end = last.end == len(lines)
    if is_at_end and not lines.is_ended and last.new[-1:] == ("",):
        new_lines = last.new[:-1]
        places[-1] = replace(last, new=new_lines, ended=True)
    return places


def _find_all(text: str, old: str, *, is_apart: bool) -> list[int]:
    most_compared = 1 + _MAX_COMPARED // len(old)
    limit = min(MAX_PLACES, most_compared)
    step = len(old) if is_apart else 1
    offsets: list[int] = []
    offset = text.find(old, 1)
    while offset >= 0:
        if len(offsets) == limit:
            raise TooManyPlaces
        offsets.append(offset)
        offset = text.find(old, offset + step)
    return offsets


def _line_indexes(text: str, offsets: Sequence[int]) -> list[int]:
    indexes = []
    index = -1
    previous = 0
    for offset in offsets:
        index += text.count("\n", previous, offset)
        indexes.append(index)
        previous = offset
    return indexes


def _are_lines(text: str, offset: int, old: str) -> bool:
    return text.startswith(f"\n{old}\n", offset - 1)


def _group_by_line(
    offsets: Sequence[int], indexes: Sequence[int], height: int
) -> list[tuple[int, list[int]]]:
    """Return the places that share lines together, with the index of their first line.

    Args:
        offsets: The places.
        indexes: The index of the first line of each.
        height: The number of line ends in each place.
    """
    groups: list[tuple[int, list[int]]] = []
    last = -1
    for offset, index in zip(offsets, indexes, strict=True):
        if index > last:
            groups.append((index, []))
        groups[-1][1].append(offset)
        last = index + height
    return groups


def _place_of(text: str, first: int, offsets: Sequence[int], old: str, new: str) -> Place:
    """Return the place of replacements that share lines."""
    first_offset = offsets[0]
    last_offset = offsets[-1]
    start = text.rfind("\n", 0, first_offset) + 1
    end = last_offset + len(old)
    # Where the last line end of the file is replaced too, no line follows.
    line_end = text.find("\n", end)
    below = line_end + 1 or len(text)
    count = text.count("\n", start, below)
    parts = []
    position = start
    for offset in offsets:
        unchanged = text[position:offset]
        parts += [unchanged, new]
        position = offset + len(old)
    replaced = "".join(parts)
    replaced += text[position:below]
    replaced = replaced.removesuffix("\n")
    # Complete lines that nothing replaces are removed; to empty them would leave empty lines. But
    # a text with a line end at its own end names only one side of the empty line next to it.
    is_complete = end == len(text) or old == old.strip("\n")
    is_removed = is_complete and not replaced
    new_lines = () if is_removed else tuple(replaced.split("\n"))
    doubts = {_doubt_about(text, offset, old, new) for offset in offsets}
    return Place(first, count, new_lines, max(doubts))


def _doubt_about(text: str, offset: int, old: str, new: str) -> str:
    """Return why a person is asked about a place, or an empty string."""
    end = offset + len(old)
    begins_line = text.startswith("\n", offset - 1)
    ends_line = end == len(text) or text.startswith("\n", end)
    joins_next = old.endswith("\n") and end < len(text)
    joins_previous = old.startswith("\n") and not new.startswith("\n")
    if old == "\n" and "\n" in new:
        # The line end stays, and only gets a text on one of its sides.
        joins_next = False
        joins_previous = False
    # If nothing replaces complete lines, no two lines are joined.
    if joins_next and (new or not begins_line):
        return _JOINS
    if joins_previous and (new or not ends_line):
        return _JOINS
    if _is_inside_word(text, offset) or _is_inside_word(text, end):
        return "the edit begins or ends inside of a word"
    return ""


def _is_inside_word(text: str, offset: int) -> bool:
    """Return whether the characters on both sides of an offset belong to one word."""
    neighbors = text[offset - 1 : offset + 1].replace("_", "a")
    return len(neighbors) == 2 and neighbors.isalnum()


def _find_as_lines(hunk: Hunk, old: str, new: str, lines: Lines, number: int) -> list[Place]:
    """Search for the text as complete lines, which may differ in blanks or typography."""
    old_lines = old.strip("\n").split("\n")
    bare_new = new.strip("\n")
    new_lines = bare_new.split("\n") if bare_new else []
    line_hunk = Hunk(old=tuple(old_lines), new=tuple(new_lines), line=hunk.line, every=hunk.every)
    # Line ends that one text has and the other has not would be lost.
    is_even = not new or _outer_line_ends(old) == _outer_line_ends(new)
    places = []
    if is_even and any(old_lines):
        places = find_places(line_hunk, lines)
    if not places:
        nearest = describe_nearest(old_lines, lines.bare)
        raise MisfitError(
            f"edit {number} does not fit: {nearest}",
            hint="quote the text of the file exactly, blanks included",
        )
    return places


def _outer_line_ends(text: str) -> tuple[int, int]:
    """Return the numbers of line ends at the beginning and at the end of a text."""
    leading_count = len(text) - len(text.lstrip("\n"))
    trailing_count = len(text) - len(text.rstrip("\n"))
    return leading_count, trailing_count
