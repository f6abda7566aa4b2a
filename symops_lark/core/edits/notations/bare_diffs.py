"""Read diffs without any head: nothing but lines with the marks ` `, `-` and `+`.

    -x = 1
    +x = 3
     y = 2

Only the file shows that such lines are a diff, and not a list in YAML or Markdown: no line is in
the file as it is, and each line with a blank or `-` is, without its mark.
"""

from __future__ import annotations

from itertools import pairwise

from ..diff_lines import Head, read_hunk
from ..hunks import Reading
from ..lines import Texts, filled_lines, split_lines

KIND = "diff without a head"
RANK = 10
_DOUBT = "without heads and lines around the changes, they may be meant for several places"


def read_against(content: str, path: str, old: str) -> Reading | None:
    """Read a diff without a head.

    Args:
        content: The content of an edit.
        path: The edited file.
        old: Its text.

    Returns:
        The reading; None if the lines do not fit those of the file.
    """
    lines = filled_lines(content)
    signs = {line[:1] for line in lines}
    if not {"-", "+"} <= signs <= {"-", "+", " ", ""}:
        return None
    file_lines = set(split_lines(old))
    for line in lines:
        if line.strip() and line in file_lines:
            return None
        # Lines with `+` are new, so they prove nothing.
        if line.startswith(("-", " ")) and line[1:] not in file_lines:
            return None
    hunk, _ = read_hunk(lines, 0, Head(), _never_ends)
    if hunk is None:
        return None
    if _is_one_place(lines):
        return Reading(KIND, (hunk,), ordered=True)
    return Reading(KIND, (hunk,), ordered=True, doubts=(_DOUBT,))


def _is_one_place(lines: Texts) -> bool:
    """Return whether the lines cannot be two hunks, of which one inserts lines somewhere else."""
    if not any(line.startswith(" ") for line in lines):
        return False
    # Within a hunk, new lines follow the old ones that they replace.
    pairs = pairwise(lines)
    return not any(line.startswith("+") and below.startswith("-") for line, below in pairs)


def _never_ends(index: int, is_counted: bool) -> bool:
    return False
