"""Read ranges of lines, the notation of the first SWE-agent.

    edit 3:5
    x = 3
    end_of_edit

Nothing in it shows which lines the model meant, so a person is asked each time.
"""

from __future__ import annotations

from ...patterns.regexes import compile_pattern
from ..hunks import MAX_HUNKS, Hunk, Reading, Unreadable
from ..lines import filled_lines
from ..nearest import quote_line

KIND = "ranges of lines"
RANK = 15

# `edit 3:5`; not `edit a.py`.
_HEAD = compile_pattern(r"edit ([0-9]{1,7}):([0-9]{1,7})[ \t]*")
_END = "end_of_edit"


def read(content: str, path: str = "") -> Reading | None:
    """Read ranges of lines with their new lines.

    Args:
        content: The content of an edit.
        path: The edited file.

    Returns:
        The reading; None if the content does not begin with a range.

    Raises:
        Unreadable: A range is reversed or has no end.
    """
    lines = filled_lines(content)
    # Without any end, the first line is the order of a text in prose.
    is_ended = any(line.strip() == _END for line in lines)
    if not lines or _HEAD.fullmatch(lines[0]) is None or not is_ended:
        return None
    hunks = []
    index = 0
    while index < len(lines):
        if not lines[index].strip():
            index += 1
            continue
        hunk, index = _read_range(lines, index)
        hunks.append(hunk)
        if len(hunks) > MAX_HUNKS:
            raise Unreadable(f"there are more than {MAX_HUNKS} ranges", "write the whole text")
    return Reading(KIND, tuple(hunks))


def _read_range(lines: list[str], start: int) -> tuple[Hunk, int]:
    head = _HEAD.fullmatch(lines[start])
    if head is None:
        raise Unreadable(
            f"line {start + 1} of the content is outside of the ranges: {quote_line(lines[start])}",
            "write nothing but the ranges",
        )
    end = start + 1
    while end < len(lines) and lines[end].strip() != _END:
        end += 1
    if end == len(lines):
        raise Unreadable(
            f"the range at line {start + 1} has no `end_of_edit`", "the reply may have been cut off"
        )
    first = int(head[1])
    last = int(head[2])
    if not 0 < first <= last:
        raise Unreadable(
            f"`{lines[start]}` is not a range of lines", "write the lower number first"
        )
    new = tuple(lines[start + 1 : end])
    return Hunk((), new, first, count=last - first + 1), end + 1
