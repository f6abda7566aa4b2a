"""Count what a new text keeps of an old one, and what looks like a notation for edits.

`measure` returns a `Measure`; `whole_texts` turns its numbers into sentences. A *filled* line is
one that has more than blanks. Filled lines are compared without the blanks at their ends, and as
a multiset: moved lines count as kept, and a line that occurs twice in one text and once in the
other is kept once. So reordering a file never looks like a loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from .left_out import may_stand_for_code
from .marks import (
    commands_edit,
    has_edit_keys,
    is_fence,
    is_mark,
    is_sure_mark,
    number_of,
    rest_after_mark,
)

Row = tuple[int, str]  # number of a line, from 1, and its text

# Filled lines. In a text with fewer, a changed line or two may be the whole edit, so a new text
# that keeps nothing is judged by its likeness instead (see `Thresholds.nothing_from`).
SHORT_TEXT_LINES = 4
# Characters. Longer lines are never marks: notations for edits have short ones.
MAX_MARK_LENGTH = 400
# Lines of each text that are searched for in those of the other one. The search is quadratic, so
# twice the number takes four times the time.
_MAX_SEARCHED_LINES = 400
# Characters of a line, and lines of the new text, that the (cubic) comparison of short texts reads.
_MAX_LIKENESS_LENGTH = 200
_MAX_LIKENESS_LINES = 12
# Characters. A shorter old line, such as `}` or `else:`, is part of many unrelated lines.
_MIN_INSIDE_LENGTH = 8
# Lines near the end of a new text that are searched for in the old one, and lines below them that
# may be new.
_WINDOW, _MAX_CHANGED = 3, 3
# Share of the old lines below that must be lost: some, such as `}`, are elsewhere, too.
_LOST_SHARE = 0.9
# Letters and digits. A line with fewer, such as `}` or `)`, occurs often in any text.
_MIN_WORD_CHARACTERS = 2


@dataclass(frozen=True, slots=True)
class Measure:
    """Numbers about an old and a new text; all counts are of filled lines.

    Attributes:
        old_count: Lines of the old text.
        new_count: Lines of the new text, without a Markdown fence around it.
        kept_count: Old lines that the new text has too, blanks at both ends ignored.
        missing_end: Old lines below the last lines of the new text, if almost all of them are lost.
        likeness: How similar (0 to 1) the most similar pair of an old and a new line is. Computed
            only for short old texts of which nothing is kept; 0 otherwise.
        marked_count: New lines that are old ones after a mark or a number.
        has_signs: Each new line begins with a mark of a diff, and the old ones do not.
        has_numbers: Each new line begins with its number, and the old ones do not.
        twice_share: Share (0 to 1) of the different old lines that occur at least twice as often in
            the new text.
        inside_count: New lines that contain an old line and more.
        mark: Number and text of a new line that is the mark of a notation for edits, or None.
        command: The first line, if it is a command of such a notation; else empty.
        has_keys: The new text has keys of a tool call for edits that the old text does not have.
        left_out: Number and text of a new line that stands for omitted code, or None.
    """

    old_count: int
    new_count: int
    kept_count: int
    missing_end: int
    likeness: float
    marked_count: int
    has_signs: bool
    has_numbers: bool
    twice_share: float
    inside_count: int
    mark: Row | None
    command: str
    has_keys: bool
    left_out: Row | None


def measure(old: str, new: str) -> Measure:
    """Compare a new text with the old one.

    Args:
        old: The file's text.
        new: The text that replaces it; it has at least one filled line.

    Returns:
        The numbers of both.
    """
    # Two views of each text: with its indentation, which signs and numbers need, and without.
    before = _texts(filled_lines(old))
    old_lines = list(map(str.strip, before))
    old_set = set(old_lines)
    rows = _without_fence(filled_lines(new), old_set)
    after = _texts(rows)
    new_lines = list(map(str.strip, after))

    kept_count = count_kept(old_lines, new_lines)
    fresh = [(number, line) for number, line in rows if line.strip() not in old_set]
    likeness = 0.0
    if len(before) < SHORT_TEXT_LINES and not kept_count:
        likeness = _likeness(old_lines, new_lines)
    # Searching for old lines inside new ones is the slowest step: only where most lines are lost.
    inside_count = 0
    if kept_count * 3 < len(before):
        inside_count = _count_inside(old_lines, fresh)
    return Measure(
        old_count=len(before),
        new_count=len(after),
        kept_count=kept_count,
        missing_end=_count_missing_end(old_lines, new_lines, len(before) - kept_count),
        likeness=likeness,
        marked_count=_count_marked(before, after),
        has_signs=_is_newly_signed(before, after),
        has_numbers=_is_numbered(after) and not _is_numbered(before),
        twice_share=_share_twice(old_lines, new_lines),
        inside_count=inside_count,
        mark=find_mark_row(old_set, rows, is_anywhere=kept_count * 2 < len(before)),
        command=_find_command(rows, fresh),
        has_keys=has_edit_keys(new) and not has_edit_keys(old, anywhere=True),
        left_out=_find_left_out(fresh),
    )


def _count_missing_end(old_lines: Sequence[str], new_lines: Sequence[str], lost_count: int) -> int:
    """Return how many old lines are below the last lines of the new text, if it ends too early.

    0 if no lines near its end are old ones, or if many of the lines below are elsewhere in it.
    """
    # The edit may have changed the last lines themselves: then the lines above are searched for.
    for changed_count in range(_MAX_CHANGED + 1):
        end = len(new_lines) - changed_count
        # Of a short text this has fewer lines than a window, and is at the very end if anywhere.
        last = new_lines[end - _WINDOW : end]
        for start in reversed(range(len(old_lines))):
            below = start + _WINDOW
            if old_lines[start:below] == last:
                count = len(old_lines) - below - changed_count
                return max(0, count) if lost_count >= count * _LOST_SHARE else 0
    return 0


def filled_lines(text: str) -> list[Row]:
    """Return the filled lines of a text with their numbers, for LF, CRLF and CR alike.

    Args:
        text: The text; a byte order mark is ignored.

    Returns:
        The lines without the blanks at their ends, in order.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [(number, line.rstrip()) for number, line in enumerate(lines, 1) if line.strip()]


def count_kept(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the number of old lines that are among the new ones, as multisets.

    Args:
        old: The stripped lines of the old text.
        new: The stripped lines of the new text.

    Returns:
        The size of the intersection.
    """
    return (Counter(old) & Counter(new)).total()


def find_mark_row(old: Collection[str], rows: Sequence[Row], *, is_anywhere: bool) -> Row | None:
    """Find the first line that is the mark of a notation for edits and not an old line.

    Args:
        old: The stripped lines of the old text.
        rows: The filled lines of the new text, with their numbers.
        is_anywhere: Whether all lines are candidates, not only those near the beginning and end.
            A certain mark, such as `<<<<<<<`, counts wherever it is.

    Returns:
        The line and its number, or None.
    """
    edges = {number for number, _ in (*rows[:4], *rows[-2:])}
    for number, line in rows:
        text = line.strip()
        if len(text) >= MAX_MARK_LENGTH or text in old:
            continue
        # The unstripped line: an indented `<<<<<<<` is an example in a text, not a conflict.
        if is_sure_mark(line):
            return number, text
        if (is_anywhere or number in edges) and is_mark(text):
            return number, text
    return None


def _texts(rows: Sequence[Row]) -> list[str]:
    return [line for _, line in rows]


def _without_fence(rows: list[Row], old: Collection[str]) -> list[Row]:
    """Remove a Markdown fence that the file does not have: its content may be a notation."""
    if len(rows) <= 2:
        return rows
    first = rows[0][1].strip()
    last = rows[-1][1].strip()
    if is_fence(first) and is_fence(last) and first not in old:
        return rows[1:-1]
    return rows


def _find_command(rows: Sequence[Row], fresh: Sequence[Row]) -> str:
    """Return the first line of the new text if it is new and a command to edit; else empty."""
    if not fresh or fresh[0] != rows[0]:
        return ""
    line = rows[0][1]
    if len(line) >= MAX_MARK_LENGTH:
        return ""
    command = line.strip()
    return command if commands_edit(command) else ""


def _find_left_out(fresh: Sequence[Row]) -> Row | None:
    for number, line in fresh:
        if may_stand_for_code(line):
            return number, line.strip()
    return None


def _likeness(old: Sequence[str], new: Sequence[str]) -> float:
    """Return the highest Ratcliff-Obershelp ratio (`difflib`) of an old and a new line."""
    best = 0.0
    for old_line in old:
        for new_line in new[:_MAX_LIKENESS_LINES]:
            x = old_line[:_MAX_LIKENESS_LENGTH]
            y = new_line[:_MAX_LIKENESS_LENGTH]
            best = max(best, SequenceMatcher(None, x, y, autojunk=False).ratio())
    return best


def _count_marked(old: Sequence[str], new: Sequence[str]) -> int:
    """Count new lines that are old ones after a mark.

    A blank is a mark only if some other line has a sign or a number: otherwise the text may just be
    indented by one column.
    """
    old_set = set(old)
    marked_count = 0
    has_sign = False
    for line in new:
        if line in old_set or _is_rule(line):
            continue
        text, is_blank = rest_after_mark(line)
        if text is None or not text.strip():
            continue
        # `- x` may be the old line `x` after a sign and a blank, or the old line ` x` after a sign.
        has_second_blank = not is_blank and text[0] == " "
        if text in old_set or (has_second_blank and text[1:] in old_set):
            marked_count += 1
            has_sign = has_sign or not is_blank
        elif line[0] in "-+":
            has_sign = True
    return marked_count if has_sign else 0


def _is_newly_signed(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether the new lines begin with marks of a diff, unlike those of the file.

    Either each new line does; or each line that the file does not have, and the text after each
    `-` is a line of the file. Marks in the old text count wherever they are indented to: a
    Markdown list and an option in a help text begin with `-` too, and are not diffs. Nor is a list
    of YAML, whose items continue in indented lines.
    """
    old_set = set(old)
    stripped = {line.strip() for line in old}
    fresh = [line for line in new if line not in old_set]
    if all(line.strip() in stripped or _is_rule(line) for line in fresh):
        return False

    has_new_signs = not _signs(fresh) <= _signs(stripped)
    quotes_old_line = any(line[1:] in old_set for line in fresh if line[0] != "+")
    is_unlike_old = has_new_signs or quotes_old_line
    if all(line[0] == "+" or (line[0] == "-" and line[1:] in old_set) for line in fresh):
        return is_unlike_old
    if not _is_signed(new):
        return False
    return is_unlike_old or not (_is_signed(old) or _is_signed(stripped))


def _signs(lines: Collection[str]) -> set[str]:
    """Return the signs that lines begin with; `- ` of a list differs from `-` of a diff."""
    signs = set()
    for line in lines:
        if line[0] in "-+":
            signs.add(line[:2] if line[1:2] == " " else line[0])
    return signs


def _is_rule(line: str) -> bool:
    """Return whether a line is a rule that is drawn below a heading, such as `-----`."""
    return len(line) > 2 and len(set(line)) == 1


def _is_signed(lines: Collection[str]) -> bool:
    return all(line[0] in "-+ " for line in lines) and any(line[0] in "-+" for line in lines)


def _is_numbered(lines: Sequence[str]) -> bool:
    """Return whether each line begins with a number, the numbers rise, and one has a mark."""
    numbers = []
    has_mark = False
    for line in lines:
        numbered = number_of(line)
        if numbered is None:
            return False
        numbers.append(numbered[0])
        has_mark = has_mark or numbered[1]
    return has_mark and all(x < y for x, y in pairwise(numbers))


def _share_twice(old: Sequence[str], new: Sequence[str]) -> float:
    new_counts = Counter(new)
    different_count = 0
    twice_count = 0
    for line, old_count in Counter(old).items():
        if sum(map(str.isalnum, line)) < _MIN_WORD_CHARACTERS:
            continue
        different_count += 1
        if new_counts[line] >= 2 * old_count:
            twice_count += 1
    return twice_count / different_count if different_count else 0.0


def _count_inside(old: Sequence[str], fresh: Sequence[Row]) -> int:
    """Count new lines that contain an old line, as `old → new` and word diffs do."""
    long = [line for line in dict.fromkeys(old) if len(line) >= _MIN_INSIDE_LENGTH]
    searched = long[:_MAX_SEARCHED_LINES]
    count = 0
    for _, line in fresh[:_MAX_SEARCHED_LINES]:
        if any(old_line in line for old_line in searched):
            count += 1
    return count
