"""Edits of a text, and the map from offsets of the edited text back to the original.

An `Edit` replaces one half-open stretch of characters. Edits that are applied together must not
overlap, but they may touch, and an insertion is an edit whose start and end are equal.
`apply_edits` returns the new text with a `PositionMap`: rows that cover the new text in order and
without gaps, each a pair of stretches (new, old) and whether the characters were copied.

Example: `Create` becomes `create` in the fourteen characters `{action}Create @a.py`:

    new 0..2    old 0..2    copied     the mark
    new 2..8    old 2..8    written    create
    new 8..14   old 8..14   copied     the target

A copied row maps each character; a written one maps as a whole, to its start or its end. All
offsets are 0-based and count characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Edit(NamedTuple):
    """The replacement of one stretch of a text.

    Attributes:
        start: Offset of the first character that is replaced.
        end: Offset after the last one; equal to `start` for an insertion.
        text: The new text; empty for a deletion.
        rules: Ids of the repair rules that ask for the edit, in the order in which they ran.
    """

    start: int
    end: int
    text: str
    rules: tuple[str, ...] = ()


Row = tuple[int, int, int, int, bool]  # new start, new end, old start, old end, copied


@dataclass(frozen=True)
class PositionMap:
    """The origin of each stretch of a new text.

    Attributes:
        rows: Tuples (new start, new end, old start, old end, copied), in order and without gaps.
    """

    rows: tuple[Row, ...]

    # Both are searched by bisection, so that mapping an offset takes logarithmic time.
    @cached_property
    def _new_starts(self) -> list[int]:
        return [row[0] for row in self.rows]

    @cached_property
    def _old_starts(self) -> list[int]:
        return [row[2] for row in self.rows]

    def to_old(self, offset: int, *, end: bool = False) -> int:
        """Map an offset of the new text to the old text.

        Args:
            offset: Offset in the new text; one after its end maps to the end of the old text.
            end: Whether the offset is the exclusive end of a stretch. It then belongs to the
                character before it.

        Returns:
            The old offset. In a row that an edit wrote, the start or the end of what it replaced.
        """
        # An end belongs to the character before it, which may be the last one of an earlier row.
        probe = offset
        if end:
            probe -= 1
        index = bisect_right(self._new_starts, probe) - 1
        if index < 0:
            return 0
        new_start, new_end, old_start, old_end, copied = self.rows[index]
        if probe >= new_end:
            last = self.rows[-1]
            return last[3]
        if copied:
            return old_start + (offset - new_start)
        if end:
            return old_end
        return old_start

    def to_copied(self, offset: int) -> int | None:
        """Return the old offset of a character of the new text; None if an edit wrote it."""
        index = bisect_right(self._new_starts, offset) - 1
        new_start, _, old_start, _, copied = self.rows[index]
        if not copied:
            return None
        return old_start + offset - new_start

    def to_new(self, offset: int) -> int:
        """Map an offset of the old text to the new text.

        An offset inside a replaced stretch maps to the start of its replacement. Insertions at
        the offset come before it.
        """
        index = bisect_right(self._old_starts, offset) - 1
        # An insertion has no characters in the old text, so no offset belongs to it.
        while index > 0:
            _, _, old_start, old_end, _ = self.rows[index]
            if old_start < old_end:
                break
            index -= 1
        if index < 0:
            return 0
        new_start, new_end, old_start, old_end, copied = self.rows[index]
        if copied:
            new = new_start + (offset - old_start)
            return min(new, new_end)
        if offset < old_end:
            return new_start
        return new_end


def make_edits(text: str, edits: Iterable[Edit], begin: int = 0) -> str:
    """Return a text with edits applied.

    Args:
        text: The text, or the part of it that the edits are in.
        edits: Edits in order that do not overlap.
        begin: Offset of `text` in the text whose offsets the edits use.
    """
    pieces = []
    old = begin
    for edit in edits:
        copied = text[old - begin : edit.start - begin]
        pieces.append(copied)
        pieces.append(edit.text)
        old = edit.end
    following = text[old - begin :]
    pieces.append(following)
    return "".join(pieces)


def apply_edits(text: str, edits: Sequence[Edit]) -> tuple[str, PositionMap]:
    """Apply edits that do not overlap, in any order.

    Returns:
        The new text and the map from it to `text`.
    """
    rows = []
    old = 0
    new = 0
    in_order = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for edit in in_order:
        if edit.start > old:
            copied_end = new + edit.start - old
            rows.append((new, copied_end, old, edit.start, True))
            new = copied_end
        replaced = text[edit.start : edit.end]
        new_end = new + len(edit.text)
        if "\n" in edit.text:
            # An edit of several lines may keep some of their characters: see `_pair_lines`.
            rows += _match_lines(edit, replaced, new)
        elif edit.text or replaced:
            is_unchanged = replaced == edit.text
            rows.append((new, new_end, edit.start, edit.end, is_unchanged))
        new = new_end
        old = edit.end
    # An empty text has one row as well, so that each offset has one.
    end = len(text)
    if old < end or not rows:
        copied_end = new + end - old
        rows.append((new, copied_end, old, end, True))
    edited = make_edits(text, in_order)
    return edited, PositionMap(tuple(rows))


def find_places(edits: Sequence[Edit]) -> list[int]:
    """Return, for each edit in the given order, the offset in the new text at which it writes."""
    places = [0] * len(edits)
    shift = 0
    indexes = range(len(edits))
    in_order = sorted(indexes, key=lambda index: (edits[index].start, edits[index].end))
    for index in in_order:
        edit = edits[index]
        places[index] = edit.start + shift
        old_size = edit.end - edit.start
        shift += len(edit.text) - old_size
    return places


def _match_lines(edit: Edit, old: str, new_start: int) -> Iterator[Row]:
    """Yield the rows of an edit that writes several lines; the parts that it keeps are copied."""
    old_start = edit.start
    for before, after in _pair_lines(old, edit.text):
        old_end = old_start + len(before)
        new_end = new_start + len(after)
        if before or after:
            is_copied = before == after
            yield new_start, new_end, old_start, old_end, is_copied
        old_start = old_end
        new_start = new_end


def _pair_lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield pairs (old part, new part) that together spell both texts.

    Equal parts are recognized in two cases only: the new text is a stretch of the old one (a
    wrapper was taken off), or both have the same number of lines and each new line ends an old
    one (an indentation was taken off). Without this every offset inside a content would map to
    the start of the content.
    """
    has_text = new.strip("\r\n") != ""
    if "\n" not in new or not has_text:
        yield old, new
        return
    kept_start = old.find(new)
    if kept_start >= 0:
        kept_end = kept_start + len(new)
        yield old[:kept_start], ""
        yield new, new
        yield old[kept_end:], ""
        return
    old_lines = old.split("\n")
    new_lines = new.split("\n")
    if len(old_lines) != len(new_lines):
        yield old, new
        return
    for index, after in enumerate(new_lines):
        before = old_lines[index]
        if index:
            yield "\n", "\n"
        if after and before.endswith(after):
            lost = len(before) - len(after)
            yield before[:lost], ""
            yield after, after
        else:
            yield before, after
