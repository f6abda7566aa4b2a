"""Edits of a text, and the map that carries places in the edited text back to the original."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Edit(NamedTuple):
    """Replace `start` to `end` by `text`; `rules` says by which rules."""

    start: int
    end: int
    text: str
    rules: tuple[str, ...] = ()


Row = tuple[int, int, int, int, bool]


@dataclass(frozen=True)
class PositionMap:
    """Where each stretch of the new text comes from: rows of (new start, new end, old start, old end, copied)."""

    rows: tuple[Row, ...]

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        """Where the stretches begin, in the new text and in the old."""
        return [row[0] for row in self.rows], [row[2] for row in self.rows]

    def to_old(self, offset: int, *, end: bool = False) -> int:
        """Carry an offset of the new text back; `end` if it is the (exclusive) end of a stretch."""
        probe = offset - 1 if end else offset
        index = bisect_right(self._starts[0], probe) - 1
        if index < 0:
            return 0
        new_start, new_end, old_start, old_end, copied = self.rows[index]
        if probe >= new_end:
            return self.rows[-1][3]
        if copied:
            return old_start + (probe - new_start) + (1 if end else 0)
        return old_end if end else old_start

    def to_copied(self, offset: int) -> int | None:
        """Return the old offset of a character of the new text; None if an edit wrote it."""
        row = self.rows[bisect_right(self._starts[0], offset) - 1]
        return row[2] + offset - row[0] if row[4] else None

    def to_new(self, offset: int) -> int:
        """Carry an offset of the old text forward."""
        index = bisect_right(self._starts[1], offset) - 1
        while index > 0 and self.rows[index][2] == self.rows[index][3]:  # what was only inserted holds no place
            index -= 1
        if index < 0:
            return 0
        new_start, new_end, old_start, old_end, copied = self.rows[index]
        if copied:
            return min(new_start + (offset - old_start), new_end)
        return new_start if offset < old_end else new_end


def make_edits(text: str, edits: Iterable[Edit], begin: int = 0) -> str:
    """Return a text with edits made that are in order and do not overlap; it begins at an offset of theirs."""
    pieces: list[str] = []
    old = begin
    for edit in edits:
        pieces += (text[old - begin : edit.start - begin], edit.text)
        old = edit.end
    return "".join((*pieces, text[old - begin :]))


def apply_edits(text: str, edits: Sequence[Edit]) -> tuple[str, PositionMap]:
    """Apply edits that do not overlap; give the new text and the map back."""
    rows: list[Row] = []
    old = new = 0
    in_order = sorted(edits, key=lambda e: (e.start, e.end))
    for edit in in_order:
        if edit.start > old:
            stop = new + edit.start - old
            rows.append((new, stop, old, edit.start, True))
            new = stop
        stop = new + len(edit.text)
        if "\n" in edit.text:
            rows += _match_lines(edit, text[edit.start : edit.end], new)
        elif edit.text or edit.end > edit.start:
            rows.append((new, stop, edit.start, edit.end, text[edit.start : edit.end] == edit.text))
        new, old = stop, edit.end
    if old < len(text) or not rows:
        rows.append((new, new + len(text) - old, old, len(text), True))
    return make_edits(text, in_order), PositionMap(tuple(rows))


def find_places(edits: Sequence[Edit]) -> list[int]:
    """Return of each edit where in the new text begins what it writes."""
    places = [0] * len(edits)
    shift = 0
    for at in sorted(range(len(edits)), key=lambda at: (edits[at].start, edits[at].end)):
        edit = edits[at]
        places[at] = edit.start + shift
        shift += len(edit.text) - (edit.end - edit.start)
    return places


def _match_lines(edit: Edit, old: str, new_start: int) -> Iterator[Row]:
    """Yield the rows of an edit; of several lines, what is kept of them is copied."""
    at = edit.start
    for before, after in _pair_lines(old, edit.text):
        if before or after:
            yield new_start, new_start + len(after), at, at + len(before), before == after
        at, new_start = at + len(before), new_start + len(after)


def _pair_lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield what stands for what: around a stretch that is kept whole, or in lines that lose their beginnings."""
    kept = old.find(new) if new.strip("\r\n") and "\n" in new else -1
    if kept >= 0:
        yield old[:kept], ""
        yield new, new
        yield old[kept + len(new) :], ""
    elif old.count("\n") == new.count("\n") > 0 and new.strip("\r\n"):
        for number, (before, after) in enumerate(zip(old.split("\n"), new.split("\n"), strict=True)):
            if number:
                yield "\n", "\n"
            lost = len(before) - len(after) if before.endswith(after) else len(before)
            yield before[:lost], after if lost == len(before) else ""
            yield before[lost:], before[lost:]
    else:
        yield old, new
