"""Line endings of files, and the error of an edit that does not fit.

How texts are split into lines and searched is defined in `core.edits.lines`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.edits.lines import ending_of, find_lines, frame, split_lines
from ...core.edits.nearest import describe_nearest, quote_line
from ...core.ground.errors import SymOpsError

__all__ = [
    "EditError",
    "describe_nearest",
    "ending_of",
    "find_lines",
    "frame",
    "quote_line",
    "split_lines",
    "with_endings",
    "without_ending",
]


class EditError(SymOpsError):
    """An edit does not fit its file; the message says where and why.

    Attributes:
        hint: What to do, or an empty string.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


def without_ending(line: str) -> str:
    """Return a line without its ending, if it has one."""
    if not line.endswith("\n"):
        return line
    return line[:-1].removesuffix("\r")


def with_endings(lines: Sequence[str], ending: str) -> list[str]:
    """Return lines with an ending at each but the last.

    Args:
        lines: Lines, most of them with an ending. A former last line may be without.
        ending: The ending for those without.
    """
    completed = list(lines)
    for index, line in enumerate(lines[:-1]):
        if not line.endswith("\n"):
            completed[index] = line + ending
    return completed
