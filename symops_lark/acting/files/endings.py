"""Split texts into lines, find lines in a file, and describe the nearest place.

A line ends with a line feed; a carriage return before it belongs to the ending. No other character
ends a line: form feeds and U+2028 are content, though `str.splitlines` would split there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import counted

# Places of one line in a file, beyond which it gives no evidence of where a quoted passage belongs:
# `}` or `return None`. It also bounds the work, which would be quadratic for a file of equal lines.
_MAX_PLACES = 20
_MAX_QUOTED = 80  # characters of a line in a message


class EditError(SymOpsError):
    """An edit does not fit its file; the message says where and why.

    Attributes:
        hint: What to do, or an empty string.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


def split_lines(content: str) -> list[str]:
    """Return the lines of a content without their endings."""
    return [line.removesuffix("\r") for line in content.split("\n")]


def without_ending(line: str) -> str:
    """Return a line without its ending, if it has one."""
    if not line.endswith("\n"):
        return line
    return line[:-1].removesuffix("\r")


def ending_of(text: str) -> str:
    """Return the ending that most lines of a text have: `\\r\\n` or, also in a tie, `\\n`."""
    # A file may mix both: new lines follow the majority, and the minority is left as it is.
    windows_count = text.count("\r\n")
    line_count = text.count("\n")
    if windows_count * 2 > line_count:
        return "\r\n"
    return "\n"


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


def frame(lines: Iterable[str]) -> str:
    """Return lines as one text in which `str.find` finds complete lines only.

    Each line ends with a line feed, and one more precedes the first: `\\na\\nb\\n`. So `\\nb\\n` is
    found in it, and `\\nbc\\n` is not.
    """
    return "\n" + "".join(line + "\n" for line in lines)


def find_lines(old: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Return all places at which a passage occurs in a file; places may overlap.

    Args:
        old: The lines of the passage.
        lines: The lines of the file, without endings.

    Returns:
        The indexes of the first lines, from 0.
    """
    text = frame(lines)
    passage = frame(old)
    places: list[int] = []
    line = 0
    previous = 0
    offset = text.find(passage)
    while offset >= 0:
        # Line feeds are counted from the last place on, so that the text is read only once.
        line += text.count("\n", previous, offset)
        places.append(line)
        previous = offset
        offset = text.find(passage, offset + 1)
    return places


def describe_nearest(old: Sequence[str], lines: Sequence[str], start: int | None = None) -> str:
    """Describe the place of a file that is most like a passage that was not found.

    Args:
        old: The lines of the passage.
        lines: The lines of the file, without endings.
        start: The index at which the passage was expected, if it names one. Used where no line of
            the passage is in the file.

    Returns:
        A clause such as `nearest is line 2, which is 'x = 2' and not 'x = 1'`.
    """
    if not lines:
        return "the file is empty"
    nearest = _find_nearest(old, lines)
    # A diff names a place, even if nothing there is right: better than no line at all.
    if nearest is None and start is not None and start < len(lines):
        nearest = max(start, 0)
    if nearest is None:
        filled = filter(str.strip, old)
        first_filled = next(filled, "")
        return f"none of its lines is in the file: {quote_line(first_filled)}"

    for index, line in enumerate(old, nearest):
        if not 0 <= index < len(lines):
            number = max(nearest, 0) + 1
            line_count = counted(len(lines), "line")
            return f"nearest is line {number}, but the file has {line_count}"
        actual = lines[index]
        if actual == line:
            continue
        message = f"nearest is line {index + 1}, which is {quote_line(actual)}"
        message += f" and not {quote_line(line)}"
        if actual.split() == line.split():
            message += " (only blanks differ)"
        return message
    return f"nearest is line {nearest + 1}"


def _find_nearest(old: Sequence[str], lines: Sequence[str]) -> int | None:
    """Return the start for which most lines agree but for blanks, the first one in a tie.

    Every line of the passage votes for each start that would put it on an equal line (a Hough
    transform). The start may be negative: then the passage would begin before the file.
    """
    indexes_by_line: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        indexes_by_line.setdefault(line.strip(), []).append(index)

    votes: Counter[int] = Counter()
    for offset, line in enumerate(old):
        text = line.strip()
        indexes = indexes_by_line.get(text, [])
        if not text or len(indexes) > _MAX_PLACES:
            continue
        votes.update(index - offset for index in indexes)
    if not votes:
        return None
    most_votes = max(votes.values())
    starts = [start for start, count in votes.items() if count == most_votes]
    return min(starts)


def quote_line(line: str) -> str:
    """Return a line in quotes, cut off after 80 characters."""
    if len(line) > _MAX_QUOTED:
        line = line[: _MAX_QUOTED - 1] + "…"
    return repr(line)
