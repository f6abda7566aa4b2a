"""How the delimiters of a dialect are misspelt: too long, too short, spread, of another sign."""

from __future__ import annotations

import re
from typing import Literal

from ..marks import lengthen
from .draft import Draft


def tags(mark: str) -> list[str]:
    """Return a tag in other letters, with other signs between its words, in other brackets or with half of them.

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


def delimiters(draft: Draft, role: Literal["open", "close"]) -> list[str]:
    """Return the ways in which a delimiter is misspelt; one is empty where nothing would be left."""
    mark = draft.marks.open if role == "open" else draft.marks.close
    if draft.tagged:
        return tags(mark)
    spread, opens = " ".join(mark), role == "open"
    if draft.paired:
        return [*(lengthen(mark, more) for more in (-2, -1, 1, 2, 4)), spread, *[mark + ":"] * opens]
    return [*(lengthen(mark, more) for more in (1, 2, -1)), "===", *["=="] * opens, spread, lengthen(mark, 3)]


def misspells(draft: Draft, spelling: str) -> bool:
    """Return whether it is a misspelling, and not nothing, a mark of this very dialect, or another section's line."""
    marks = draft.marks
    own = {marks.open, marks.close, marks.action, marks.end_close}
    if "fences" in draft.dialect.forms:
        own |= {lengthen(mark, more) for mark in (marks.open, marks.close) for more in range(1, 6)}
    sections = tuple(mark + " " for mark in (marks.thought, marks.question, marks.error))
    return bool(spelling) and spelling not in own and not spelling.startswith(sections)
