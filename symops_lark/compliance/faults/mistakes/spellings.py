"""How the delimiters of a dialect are misspelt: too long, too short, spread, of another sign."""

from __future__ import annotations

import re

from ..marks import lengthen
from .draft import Draft


def _lengths(mark: str, lengths: tuple[int, ...]) -> list[str]:
    """Spell a mark with so many signs more or fewer; empty where nothing would be left."""
    return [lengthen(mark, more) for more in lengths]


def tags(mark: str) -> list[str]:
    """Spell a tag in other letters, with other signs between its words, in other brackets or with half of them.

    Empty where it would be as before: a mark may have no letters, one word or no brackets.
    """
    parts = re.fullmatch(r"(\W*)(\w.*\w)(\W*)", mark)
    if parts is None:
        return []
    before, words, behind = parts.groups()
    spelt = [
        mark.lower(),
        mark.title(),
        *(mark.replace("_", sign) for sign in (" ", "-", "")),
        mark + ":",
        mark.title().replace("_", " "),
        before + words,
        words + behind,
        f"**{mark}**",
        f"<{words}>",
        f"[[{words}]]",
        f"{{{words}}}",
        words.replace("_", " ").capitalize() + ":",
    ]
    return [spelling if spelling != mark else "" for spelling in spelt]


def openers(draft: Draft) -> list[str]:
    """Give the ways in which an opening delimiter is misspelt."""
    mark = draft.marks.open
    if draft.tagged:
        return tags(mark)
    if not draft.paired:
        longer, longest, shorter, last = _lengths(mark, (1, 2, -1, 3))
        return [longer, longest, shorter, "===", "==", " ".join(mark), last]
    return [*_lengths(mark, (-2, -1, 1, 2, 4)), " ".join(mark), mark + ":"]


def closers(draft: Draft) -> list[str]:
    """Give the ways in which a closing delimiter is misspelt."""
    mark = draft.marks.close
    if draft.tagged:
        return tags(mark)
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
