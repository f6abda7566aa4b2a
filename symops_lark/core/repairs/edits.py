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
        probe = offset - 1 if end else offset
        index = bisect_right(self._new_starts, probe) - 1
        if index < 0:
            return 0
        new_start, new_end, old_start, old_end, copied = self.rows[index]
        if probe >= new_end:
            last = self.rows[-1]
            return last[3]
        if copied:
            return old_start + (offset - new_start)
        return old_end if end else old_start

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
            return min(new_start + (offset - old_start), new_end)
        return new_start if offset < old_end else new_end


def make_edits(text: str, edits: Iterable[Edit], begin: int = 0) -> str:
    """Return a text with edits applied.

    Args:
        text: The text, or the part of it that the edits are in.
        edits: Edits in order that do not overlap.
        begin: Offset of `text` in the text whose offsets the edits use.
    """
    pieces: list[str] = []
    old = begin
    for edit in edits:
        pieces.append(text[old - begin : edit.start - begin])
        pieces.append(edit.text)
        old = edit.end
    pieces.append(text[old - begin :])
    return "".join(pieces)


def apply_edits(text: str, edits: Sequence[Edit]) -> tuple[str, PositionMap]:
    """Apply edits that do not overlap, in any order.

    Returns:
        The new text and the map from it to `text`.
    """
    rows: list[Row] = []
    old = new = 0
    in_order = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for edit in in_order:
        if edit.start > old:
            copied_end = new + edit.start - old
            rows.append((new, copied_end, old, edit.start, True))
            new = copied_end
        replaced = text[edit.start : edit.end]
        # An edit of several lines may keep some of their characters: see `_pair_lines`.
        new_end = new + len(edit.text)
        is_unchanged = replaced == edit.text
        if "\n" in edit.text:
            rows += _match_lines(edit, replaced, new)
        elif edit.text or replaced:
            rows.append((new, new_end, edit.start, edit.end, is_unchanged))
        new = new_end
        old = edit.end
    # An empty text has one row as well, so that each offset has one.
    if old < len(text) or not rows:
        copied_end = new + len(text) - old
        rows.append((new, copied_end, old, len(text), True))
    return make_edits(text, in_order), PositionMap(tuple(rows))


def find_places(edits: Sequence[Edit]) -> list[int]:
    """Return, for each edit in the given order, the offset in the new text at which it writes."""
    places = [0] * len(edits)
    shift = 0
    in_order = sorted(range(len(edits)), key=lambda index: (edits[index].start, edits[index].end))
    for index in in_order:
        edit = edits[index]
        places[index] = edit.start + shift
        shift += len(edit.text) - (edit.end - edit.start)
    return places


def _match_lines(edit: Edit, old: str, new_start: int) -> Iterator[Row]:
    """Yield the rows of an edit that writes several lines; the parts that it keeps are copied."""
    old_start = edit.start
    for before, after in _pair_lines(old, edit.text):
        old_end = old_start + len(before)
        new_end = new_start + len(after)
        if before or after:
            yield new_start, new_end, old_start, old_end, before == after
        old_start = old_end
        new_start = new_end


def _pair_lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield pairs (old part, new part) that together spell both texts.

    Equal parts are recognized in two cases only: the new text is a stretch of the old one (a
    wrapper was taken off), or both have the same number of lines and each new line ends an old
    one (an indentation was taken off). Without this every offset inside a content would map to
    the start of the content.
    """
    has_lines = "\n" in new
    has_text = new.strip("\r\n") != ""
    kept_start = -1
    if has_lines and has_text:
        kept_start = old.find(new)
    if kept_start >= 0:
        kept_end = kept_start + len(new)
        yield old[:kept_start], ""
        yield new, new
        yield old[kept_end:], ""
    elif has_lines and has_text and old.count("\n") == new.count("\n"):
        line_pairs = zip(old.split("\n"), new.split("\n"), strict=True)
        for number, (before, after) in enumerate(line_pairs):
            if number:
                yield "\n", "\n"
            if after and before.endswith(after):
                lost = len(before) - len(after)
                yield before[:lost], ""
                yield after, after
            else:
                yield before, after
    else:
        yield old, new
