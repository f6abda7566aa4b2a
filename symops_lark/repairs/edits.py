"""Edits of a text, and the map that carries places in the edited text back to the original."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `start` to `end` by `text`; `rules` and `cost` say by which rules and at what price."""

    start: int
    end: int
    text: str
    rules: tuple[str, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class PositionMap:
    """Where each stretch of the new text comes from: rows of (new start, new end, old start, old end, copied)."""

    rows: tuple[tuple[int, int, int, int, bool], ...]

    def to_old(self, offset: int, *, end: bool = False) -> int:
        """Carry an offset of the new text back; `end` if it is the (exclusive) end of a stretch."""
        probe = offset - 1 if end else offset
        index = bisect_right(self.rows, probe, key=lambda row: row[0]) - 1
        if index < 0:
            return 0
        while index > 0 and self.rows[index][0] == self.rows[index][1]:  # what was only deleted holds no place
            index -= 1
        new_start, new_end, old_start, old_end, copied = self.rows[index]
        if probe >= new_end:
            return self.rows[-1][3]
        if copied:
            return old_start + (probe - new_start) + (1 if end else 0)
        return old_end if end else old_start

    def to_new(self, offset: int) -> int:
        """Carry an offset of the old text forward."""
        index = bisect_right(self.rows, offset, key=lambda row: row[2]) - 1
        while index > 0 and self.rows[index][2] == self.rows[index][3]:  # what was only inserted holds no place
            index -= 1
        if index < 0:
            return 0
        new_start, new_end, old_start, _old_end, copied = self.rows[index]
        return min(new_start + (offset - old_start), new_end) if copied else new_start


def apply_edits(text: str, edits: Sequence[Edit]) -> tuple[str, PositionMap]:
    """Apply edits that do not overlap; give the new text and the map back."""
    pieces: list[str] = []
    rows: list[tuple[int, int, int, int, bool]] = []
    old = new = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start > old:
            pieces.append(text[old : edit.start])
            rows.append((new, new + edit.start - old, old, edit.start, True))
            new += edit.start - old
        pieces.append(edit.text)
        rows.append((new, new + len(edit.text), edit.start, edit.end, False))
        new += len(edit.text)
        old = edit.end
    if old < len(text) or not rows:
        pieces.append(text[old:])
        rows.append((new, new + len(text) - old, old, len(text), True))
    return "".join(pieces), PositionMap(tuple(rows))
