"""Find the places of a hunk in a file: exactly, or on a rung that overlooks one named difference.

The rungs, of which the first with any place counts:

    0  all lines are equal; else all but empty lines of context at the ends of the hunk
    1  blanks at the ends of lines differ
    2  all filled lines are indented by the same amount more, or less
    3  dashes, quotes and blanks are typographic variants of each other

Rung 0 is exact. A person is asked about a place on the others (`Place.doubt`). No rung measures
similarity, so a wrong letter in a quoted line fits nowhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from ..text.slips import common_ends
from .hunks import Hunk, Pairs, Strings
from .lines import Key, Lines, Texts

# The middle parts of two halves are compared line by line up to this product of their lengths,
# because the comparison is quadratic.
_MAX_COMPARED = 40_000
_FOLDED = (
    dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
    | dict.fromkeys(map(ord, "‘’‚‛"), "'")
    | dict.fromkeys(map(ord, "“”„‟"), '"')
    | dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2009\u202f\u3000"), " ")
)


class MisfitError(Exception):
    """A hunk has no place, or several.

    Attributes:
        reason: What does not fit.
        places: The indexes of the candidates, from 0.
        hint: What to do, or an empty string.
    """

    def __init__(self, reason: str, places: Sequence[int] = (), hint: str = "") -> None:
        self.reason = reason
        self.places = tuple(places)
        self.hint = hint
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file and the lines that replace them.

    Attributes:
        start: The index of the first line, from 0.
        count: The number of lines that are replaced.
        new: The lines that replace them.
        doubt: Why a person is asked, or an empty string.
        ended: Whether the file ends with a line ending then; None: as before.
        is_hinted: Only the line that the notation names distinguishes it from other places.
        is_tolerated: The doubt is about blanks, indentation, characters or lines that have moved,
            and about nothing else.
    """

    start: int
    count: int
    new: Strings
    doubt: str = ""
    ended: bool | None = None
    is_hinted: bool = False
    is_tolerated: bool = False

    @property
    def end(self) -> int:
        """The index after the last line."""
        return self.start + self.count

    def with_doubt(self, doubt: str) -> Place:
        """Return the place with a further doubt; only the first of those that always ask is kept.

        Args:
            doubt: Why a person is asked.
        """
        if not self.doubt:
            return replace(self, doubt=doubt)
        if self.is_tolerated:
            return replace(self, doubt=f"{self.doubt}; {doubt}", is_tolerated=False)
        return self


def fold(line: str) -> str:
    """Return a line without the differences that typography makes.

    Args:
        line: The line.

    Returns:
        The line with ASCII dashes, quotes and blanks, composed characters, and no blanks at its
        end.
    """
    return unicodedata.normalize("NFC", line).translate(_FOLDED).rstrip()


def find_places(hunk: Hunk, lines: Lines) -> list[Place]:
    """Return the places of a hunk on the first rung that has any.

    Args:
        hunk: A hunk of complete lines, with at least one old line.
        lines: The file.

    Returns:
        The places, in the order of the file; empty if it fits nowhere.

    Raises:
        TooManyPlaces: There are too many places.
    """
    return (
        _find_exact(hunk, lines)
        or _find_without_line_ends(hunk, lines)
        or _find_shifted(hunk, lines)
        or _find_folded(hunk, lines)
    )


def _find_exact(hunk: Hunk, lines: Lines) -> list[Place]:
    old = hunk.old
    new = hunk.new
    starts = lines.find(old)
    if not starts:
        first, last = _empty_context(hunk)
        old_end = len(old) - last
        new_end = len(new) - last
        # A hunk of nothing but empty lines has no other evidence.
        if first >= old_end or first + last == 0:
            return []
        old = old[first:old_end]
        new = new[first:new_end]
        starts = lines.find(old)
    count = len(old)
    return [Place(start, count, new, ended=hunk.ended) for start in starts]


def _find_without_line_ends(hunk: Hunk, lines: Lines) -> list[Place]:
    doubt = "the file has other blanks at line ends"
    return _places_with_context(hunk, lines, str.rstrip, doubt)


def _find_folded(hunk: Hunk, lines: Lines) -> list[Place]:
    doubt = "the file has other typographic characters (dashes, quotes or blanks)"
    return _places_with_context(hunk, lines, fold, doubt)


def _places_with_context(hunk: Hunk, lines: Lines, key: Key, doubt: str) -> list[Place]:
    """Return the places at which the lines are equal after `key` changed both."""
    starts = lines.find(hunk.old, key)
    if not starts:
        return []
    # It is the same at each place, and takes long.
    context = _context_of(hunk)
    places = []
    for start in starts:
        # The file's own lines stay where the hunk does not change them.
        new = _with_own_lines(hunk.new, context, lines, start)
        place = Place(start, len(hunk.old), new, doubt, hunk.ended, is_tolerated=True)
        places.append(place)
    return places


def _find_shifted(hunk: Hunk, lines: Lines) -> list[Place]:
    if not any(map(str.strip, hunk.old)):
        return []  # empty lines have no indentation to compare
    starts = lines.find(hunk.old, str.strip)
    if not starts:
        return []
    context = _context_of(hunk)
    places = []
    for start in starts:
        end = start + len(hunk.old)
        shift = _shift_of(hunk.old, lines.bare[start:end])
        if shift is None:
            continue
        new = _shifted(hunk.new, *shift)
        if new is None:
            continue
        place = Place(
            start=start,
            count=len(hunk.old),
            new=_with_own_lines(new, context, lines, start),
            doubt="the file has another indentation",
            ended=hunk.ended,
            is_tolerated=True,
        )
        places.append(place)
    return places


def _empty_context(hunk: Hunk) -> tuple[int, int]:
    """Return the numbers of empty lines of context at the beginning and the end of a hunk."""
    context = dict(hunk.kept)
    old_count = len(hunk.old)
    new_count = len(hunk.new)
    first = 0
    while first < old_count and not hunk.old[first] and context.get(first) == first:
        first += 1
    last = 0
    while last < old_count - first and not hunk.old[-1 - last]:
        if context.get(old_count - 1 - last) != new_count - 1 - last:
            break
        last += 1
    return first, last


def _with_own_lines(new: Strings, context: Pairs, lines: Lines, start: int) -> Strings:
    """Return new lines, with the file's own lines where old and new are equal."""
    own_lines = list(new)
    for old_index, new_index in context:
        own_lines[new_index] = lines.bare[start + old_index]
    return tuple(own_lines)


def _context_of(hunk: Hunk) -> Pairs:
    """Return the pairs of indexes of lines that both halves of a hunk have."""
    if hunk.kept:
        return hunk.kept
    old = hunk.old
    new = hunk.new
    first, last = common_ends(old, new)
    pairs = [(index, index) for index in range(first)]
    old_end = len(old) - last
    new_end = len(new) - last
    if (old_end - first) * (new_end - first) <= _MAX_COMPARED:
        matcher = SequenceMatcher(None, old[first:old_end], new[first:new_end], autojunk=False)
        for block in matcher.get_matching_blocks():
            old_block = range(first + block.a, first + block.a + block.size)
            new_block = range(first + block.b, first + block.b + block.size)
            pairs += zip(old_block, new_block, strict=True)
    pairs += [(old_end + index, new_end + index) for index in range(last)]
    return tuple(pairs)


def _shift_of(old: Texts, actual: Texts) -> tuple[str, str] | None:
    """Return the indentation to remove from each filled line and the one to add; None without."""
    shift: tuple[str, str] | None = None
    for line, actual_line in zip(old, actual, strict=True):
        if not line.strip():
            continue
        indent = line.removesuffix(line.lstrip())
        actual_indent = actual_line.removesuffix(actual_line.lstrip())
        if actual_indent.endswith(indent):
            line_shift = ("", actual_indent.removesuffix(indent))
        elif indent.endswith(actual_indent):
            line_shift = (indent.removesuffix(actual_indent), "")
        else:
            return None
        if shift is not None and line_shift != shift:
            return None
        shift = line_shift
    return shift


def _shifted(new: Texts, removed: str, added: str) -> Strings | None:
    """Return lines with another indentation; None if one has too little to remove."""
    shifted_lines = []
    for line in new:
        if not line.strip():
            shifted_lines.append(line)
        elif line.startswith(removed):
            shifted_lines.append(added + line.removeprefix(removed))
        else:
            return None
    return tuple(shifted_lines)
