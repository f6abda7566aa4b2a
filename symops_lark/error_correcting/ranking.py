"""Order repairs of one price by the places of their edits.

The price does not decide where a token is missing if several places are possible. Lines do: most
tokens that end something are missing at the end of a line, and a bracket is missing where the
indentation becomes less.
"""

from __future__ import annotations

from collections.abc import Sequence

from .edits import CLOSERS, OPENERS, Edit


def rank_edits(text: str, edits: Sequence[Edit]) -> int:
    """Return how unusual the places of edits are; 0 is usual.

    Args:
        text: The text.
        edits: The edits.
    """
    return sum(_rank_place(text, edit) for edit in edits)


def _rank_place(text: str, edit: Edit) -> int:
    if edit.kind != "insert":
        return 0
    if edit.new and edit.new in OPENERS:
        return 3  # a closing bracket without an opening one is rather too much
    # The end of the line in which the token is inserted.
    line_end = text.find("\n", edit.start)
    if line_end < 0:
        line_end = len(text)
    if text[edit.start : line_end].strip():
        return 2
    if edit.new and edit.new in CLOSERS and not _is_dedented(text, line_end):
        return 1
    return 0


def _is_dedented(text: str, line_end: int) -> bool:
    """Return whether the next line with text is indented less than the one that ends there."""
    line_start = text.rfind("\n", 0, line_end) + 1
    line = text[line_start:line_end]
    # Lines of blanks have no indentation that counts.
    text_start = len(text) - len(text[line_end:].lstrip())
    if text_start == len(text):
        return True
    next_start = text.rfind("\n", 0, text_start) + 1
    next_line = text[next_start:text_start] + text[text_start]
    return _indentation(next_line) < _indentation(line)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
