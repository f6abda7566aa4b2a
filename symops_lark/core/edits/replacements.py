"""Make hunks of replacements, the pairs of old and new text that an action carries."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Replacement
from .hunks import Hunk
from .lines import content_lines

REPLACEMENTS = "replacements"  # the kind of their reading


def hunks_of(edits: Sequence[Replacement]) -> tuple[Hunk, ...]:
    """Return a hunk for each replacement.

    Args:
        edits: The replacements.
    """
    hunks: list[Hunk] = []
    for edit in edits:
        if edit.lines:
            old_lines = tuple(content_lines(edit.old)) if edit.old else ()
            new_lines = tuple(content_lines(edit.new)) if edit.new else ()
            hunks.append(Hunk(old_lines, new_lines, every=edit.every))
        else:
            # Files are searched with line feeds, whatever endings they have.
            old = edit.old.replace("\r\n", "\n")
            new = edit.new.replace("\r\n", "\n")
            hunks.append(Hunk(within=(old, new), every=edit.every))
    return tuple(hunks)
