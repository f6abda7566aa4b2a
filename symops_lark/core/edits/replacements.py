"""Make hunks of replacements, the pairs of old and new text that an action carries."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Replacement
from .hunks import Hunk
from .lines import content_lines
from .marks import BLOCK_MARKS

REPLACEMENTS = "replacements"  # the kind of their reading


def hunks_of(edits: Sequence[Replacement]) -> tuple[Hunk, ...]:
    """Return a hunk for each replacement.

    Args:
        edits: The replacements.
    """
    hunks = []
    for edit in edits:
        if edit.lines:
            old_lines = tuple(content_lines(edit.old))
            new_lines = tuple(content_lines(edit.new))
            hunks.append(Hunk(old_lines, new_lines, every=edit.every))
        else:
            # Files are searched with line feeds, whatever endings they have.
            old = edit.old.replace("\r\n", "\n")
            new = edit.new.replace("\r\n", "\n")
            hunks.append(Hunk(within=(old, new), every=edit.every))
    return tuple(hunks)


def show_replacements(edits: Sequence[Replacement]) -> str:
    """Return replacements as search/replace blocks, for people and for readers of contents.

    Args:
        edits: The replacements.
    """
    opener, divider, closer = BLOCK_MARKS
    text = ""
    for edit in edits:
        for row in (opener, edit.old, divider, edit.new, closer):
            text += row
            # Each mark begins a line.
            if row and not row.endswith("\n"):
                text += "\n"
    return text.removesuffix("\n")
