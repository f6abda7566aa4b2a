"""How the delimiters of a dialect are misspelt: too long, too short, spread, of another sign."""

from __future__ import annotations

from ..marks import lengthen
from .draft import Draft


def _lengths(mark: str, lengths: tuple[int, ...]) -> list[str]:
    """Spell a mark with so many signs more or fewer; empty where nothing would be left."""
    return [lengthen(mark, more) for more in lengths]


def openers(draft: Draft) -> list[str]:
    mark = draft.marks.open
    if not draft.paired:
        longer, longest, shorter, last = _lengths(mark, (1, 2, -1, 3))
        return [longer, longest, shorter, "===", "==", " ".join(mark), last]
    return [*_lengths(mark, (-2, -1, 1, 2, 4)), " ".join(mark), mark + ":"]


def closers(draft: Draft) -> list[str]:
    mark = draft.marks.close
    if not draft.paired:
        longer, longest, shorter, last = _lengths(mark, (1, 2, -1, 3))
        return [longer, longest, shorter, "===", " ".join(mark), last]
    return [*_lengths(mark, (-2, -1, 1, 2, 4)), " ".join(mark)]


def misspells(draft: Draft, spelling: str) -> bool:
    """Tell whether it is a misspelling, and not nothing, a mark of this very dialect, or another section's line."""
    marks = draft.marks
    own = {marks.open, marks.close, marks.action, marks.end_close}
    if "fences" in draft.dialect.forms:
        own |= {lengthen(mark, more) for mark in (marks.open, marks.close) for more in range(1, 6)}
    sections = tuple(mark + " " for mark in (marks.thought, marks.question, marks.error))
    return bool(spelling) and spelling not in own and not spelling.startswith(sections)
