"""Read sketches: parts of a file, with marks such as `# ... existing code ...` for the rest.

    # ... existing code ...
    def f():                   a line of the file that occurs once: the part begins there
        return y
    # ... existing code ...    nothing before it is a line of the file, so this is refused

Each part begins and ends with a line of the file where a mark is next to it. The lines of the file
between these two are replaced. Lines that a model forgot would be lost, so a person is asked each
time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from ...ground.numbers import counted
from ..hunks import MAX_HUNKS, Hunk, Reading, Unreadable
from ..left_out import stands_for_code
from ..lines import Lines, Texts, filled_lines
from ..nearest import quote_line

KIND = "sketch"
RANK = 20
# A text that has this share of the file's lines is the whole text with a comment, and no sketch.
_WHOLE_SHARE = 0.8
_DOUBT = "marks stand for parts of the file: look at the lines that are lost"


def read_against(content: str, path: str, old: str) -> Reading | None:
    """Read a sketch.

    Args:
        content: The content of an edit.
        path: The edited file.
        old: Its text.

    Returns:
        The reading. None if there is no mark, or if a text that has most lines of the file has a
        mark that does not fit: it may be the whole text, with a comment.

    Raises:
        Unreadable: A part does not begin or end with a line that occurs once.
    """
    lines = filled_lines(content)
    file_lines = Lines(old).bare
    known_lines = set(file_lines)
    marks = [
        index
        for index, line in enumerate(lines)
        if line not in known_lines and stands_for_code(line)
    ]
    if not marks or not old.strip():
        return None
    try:
        hunks = _Sketch(lines, marks, file_lines).hunks()
    except Unreadable:
        if _has_most_lines(lines, file_lines):
            return None
        raise
    return Reading(KIND, tuple(hunks), ordered=True, doubts=(_DOUBT,))


def _has_most_lines(lines: Texts, file_lines: Texts) -> bool:
    common = Counter(map(str.strip, lines)) & Counter(map(str.strip, file_lines))
    filled_count = sum(1 for line in file_lines if line.strip())
    return common.total() - common[""] >= _WHOLE_SHARE * filled_count


class _Sketch:
    """Places the parts of a sketch in a file, from the top to the bottom."""

    def __init__(self, lines: Texts, marks: Sequence[int], file_lines: Texts) -> None:
        self._lines = lines
        self._marks = marks
        self._file_lines = file_lines
        self._indexes: dict[str, list[int]] = {}
        for index, line in enumerate(file_lines):
            self._indexes.setdefault(line, []).append(index)

    def hunks(self) -> list[Hunk]:
        """Return one hunk for each part.

        Raises:
            Unreadable: A part does not fit.
        """
        hunks = []
        floor = 0  # the parts follow each other in the file
        starts = [0, *(mark + 1 for mark in self._marks)]
        ends = [*self._marks, len(self._lines)]
        # The parts between the marks, and those before the first and after the last one.
        for start, end in zip(starts, ends, strict=True):
            first, last = self._trim(start, end)
            if first == last:
                continue
            hunk = self._hunk(first, last, floor, is_after_mark=start > 0)
            floor = (hunk.line or 1) - 1 + len(hunk.old)
            # A line of the file alone between two marks changes nothing.
            if hunk.old != hunk.new:
                hunks.append(hunk)
        if not hunks:
            raise Unreadable("the lines between the marks change nothing")
        if len(hunks) > MAX_HUNKS:
            raise Unreadable(f"there are more than {MAX_HUNKS} parts", "write the whole text")
        return hunks

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        """Return a part without the empty lines at its ends."""
        while start < end and not self._lines[start].strip():
            start += 1
        while start < end and not self._lines[end - 1].strip():
            end -= 1
        return start, end

    def _hunk(self, start: int, end: int, floor: int, *, is_after_mark: bool) -> Hunk:
        new = self._lines[start:end]
        # Without a mark before it, a part begins where the file begins.
        first = 0
        if is_after_mark:
            first = self._index_of(new[0], floor, start, "begin each part after a mark with")
        last = len(self._file_lines) - 1
        if end <= self._marks[-1]:
            last = self._index_of(new[-1], first, end - 1, "end each part before a mark with")
        old = self._file_lines[first : last + 1]
        return Hunk(tuple(old), tuple(new), first + 1)

    def _index_of(self, line: str, floor: int, number: int, order: str) -> int:
        """Return the only index of a line in the file from a floor on."""
        indexes = self._indexes.get(line, [])
        position = bisect_left(indexes, floor)
        place_count = len(indexes) - position
        if place_count == 1:
            return indexes[position]
        count = "is not a line of the file there"
        if place_count:
            count = f"is at {counted(place_count, 'place')} of the file"
        raise Unreadable(
            f"line {number + 1} of the content is next to a mark for existing code, and {count}: "
            f"{quote_line(line)}",
            f"{order} a line that the file has once",
        )
