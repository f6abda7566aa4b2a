"""Describe the place of a file that is most like a passage that was not found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..ground.numbers import counted, quoted

# Places of one line in a file, beyond which it gives no evidence of where a quoted passage belongs:
# `}` or `return None`. It also bounds the work, which would be quadratic for a file of equal lines.
_MAX_PLACES = 20
_MAX_QUOTED = 80  # characters of a line in a message
_MAX_NUMBERS = 5  # line numbers in a message


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

    if nearest < 0:
        line_count = counted(-nearest, "line")
        message = f"nearest is line 1, but the quoted lines begin {line_count} before it"
        return f"{message}, with {quote_line(old[0])}"
    for index, line in enumerate(old, nearest):
        if index >= len(lines):
            line_count = counted(len(lines), "line")
            return f"nearest is line {nearest + 1}, but the file has {line_count}"
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
    return quoted(line)


def quote_numbers(indexes: Sequence[int]) -> str:
    """Return the numbers of lines for a message: `line 3`, `lines 3, 8 and 12`.

    Args:
        indexes: The indexes of the lines, from 0.

    Returns:
        The first five numbers, counted from 1.
    """
    numbers = [str(index + 1) for index in indexes]
    last = numbers[-1]
    if len(numbers) == 1:
        return f"line {last}"
    if len(numbers) > _MAX_NUMBERS:
        list_of_first = ", ".join(numbers[:_MAX_NUMBERS])
        return f"lines {list_of_first} …"
    list_of_others = ", ".join(numbers[:-1])
    return f"lines {list_of_others} and {last}"
