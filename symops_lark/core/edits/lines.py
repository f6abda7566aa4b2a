"""The lines of a file with their endings: find passages, replace lines, and join the text again.

A line ends with a line feed; a carriage return before it belongs to the ending. No other character
ends a line: form feeds and U+2028 are content, though `str.splitlines` would split there.

Lines that stay, or are changed one by one, keep their own endings; new ones get the ending of most
lines. A new last line has an ending if the old one had it, so an edit does not change how a file
ends, unless it removes the last line; the one notation that describes this passes `ended`
(`\\ No newline at end of file`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..text.slips import common_ends

# Places of one passage. More are too many for a person to choose from, and would take long.
MAX_PLACES = 10_000
# Characters that are compared for the places of one passage, which bounds the time in a file that
# repeats itself: each place of a long passage is compared again.
_MAX_COMPARED = 40_000_000

Key = Callable[[str], str]
Texts = Sequence[str]  # lines without endings


class TooManyPlaces(Exception):
    """A passage occurs more often than the limits allow to compare."""


def split_lines(content: str) -> list[str]:
    """Return the lines of a content without their endings."""
    return [line.removesuffix("\r") for line in content.split("\n")]


def content_lines(content: str) -> list[str]:
    """Return the lines of a content without their endings, and without one after the last."""
    lines = split_lines(content)
    if not lines[-1]:
        lines.pop()
    return lines


def filled_lines(content: str) -> list[str]:
    """Return the lines of a content without the empty ones at its beginning and end.

    A last line of blanks stays: in a diff, one blank is an empty line of context.
    """
    lines = split_lines(content.removeprefix("\ufeff"))
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    start = 0
    while start < end and not lines[start].strip():
        start += 1
    return lines[start:end]


def ending_of(text: str) -> str:
    """Return the ending that most lines of a text have: `\\r\\n` or, also in a tie, `\\n`."""
    # A file may mix both: new lines follow the majority, and the minority is left as it is.
    windows_count = text.count("\r\n")
    line_count = text.count("\n")
    if windows_count * 2 > line_count:
        return "\r\n"
    return "\n"


def frame(lines: Iterable[str]) -> str:
    """Return lines as one text in which `str.find` finds complete lines only.

    Each line ends with a line feed, and one more precedes the first: `\\na\\nb\\n`. So `\\nb\\n` is
    found in it, and `\\nbc\\n` is not.
    """
    return "\n".join(("", *lines, ""))


def find_lines(old: Texts, lines: Texts) -> list[int]:
    """Return all places at which a passage occurs in a file; places may overlap.

    Args:
        old: The lines of the passage.
        lines: The lines of the file, without endings.

    Returns:
        The indexes of the first lines, from 0.
    """
    return _find(frame(old), frame(lines), len(lines) + 1)


class Lines:
    """The lines of a file, which edits replace.

    Attributes:
        bare: The lines without their endings.
    """

    def __init__(self, text: str) -> None:
        self.bare: list[str] = []
        self._endings: list[str] = []
        parts = text.split("\n")
        unended_line = parts.pop()
        for part in parts:
            line = part.removesuffix("\r")
            self.bare.append(line)
            self._endings.append("\n" if line == part else "\r\n")
        if unended_line:
            self.bare.append(unended_line)
            self._endings.append("")
        self._main_ending = ending_of(text)
        self._frames: dict[Key, str] = {}
        self._splices: list[tuple[int, int, int]] = []

    def __len__(self) -> int:
        return len(self.bare)

    @property
    def is_ended(self) -> bool:
        """Whether the last line has an ending; True also without lines."""
        return "" not in self._endings[-1:]

    def framed(self, key: Key = str) -> str:
        """Return all lines as `frame` does, each changed by `key`.

        The text is kept until a line changes: many hunks are searched for in it.
        """
        if key not in self._frames:
            self._frames[key] = frame(map(key, self.bare))
        return self._frames[key]

    def find(self, old: Texts, key: Key = str) -> list[int]:
        """Return all places at which a passage occurs; places may overlap.

        Args:
            old: The lines of the passage, at least one.
            key: Changes each line of both before they are compared.

        Returns:
            The indexes of the first lines, from 0, in ascending order.

        Raises:
            TooManyPlaces: There are too many places.
        """
        passage = frame(map(key, old))
        most_compared = 1 + _MAX_COMPARED // len(passage)
        limit = min(MAX_PLACES, most_compared)
        places = _find(passage, self.framed(key), limit + 1)
        if len(places) > limit:
            raise TooManyPlaces
        return places

    def splice(self, start: int, count: int, new: Texts, ended: bool | None = None) -> None:
        """Replace lines; equal lines at both ends of the place stay with their endings.

        Args:
            start: The index of the first line.
            count: The number of lines that are replaced.
            new: The lines that replace them, without endings.
            ended: Whether the last line of the file has an ending then. None: as before.
        """
        size = len(self.bare)
        was_ended = self.is_ended
        end = start + count
        first, last = common_ends(self.bare[start:end], new)
        start += first
        end -= last
        fresh_end = len(new) - last
        fresh_lines = list(new[first:fresh_end])
        if not was_ended:
            self._endings[-1] = self._main_ending  # other lines may follow it now
        self.bare[start:end] = fresh_lines
        # Lines that are changed one by one keep their endings, too.
        if len(fresh_lines) != end - start:
            self._endings[start:end] = [self._main_ending] * len(fresh_lines)
        self._splices.append((start, end - start, len(fresh_lines)))
        self._frames.clear()
        if ended is None:
            is_last_removed = end == size and not fresh_lines
            ended = was_ended or is_last_removed
        # An empty line without an ending would not exist.
        if not ended and self.bare and self.bare[-1]:
            self._endings[-1] = ""

    def number_before(self, index: int) -> int:
        """Return the number, from 1, that the line at an index had before all splices."""
        for start, count, new_count in reversed(self._splices):
            new_end = start + new_count
            last = start + max(count - 1, 0)
            if index >= new_end:
                index += count - new_count
            elif index >= start:
                index = min(index, last)
        return index + 1

    def gap_now(self, gap: int) -> int | None:
        """Return where the gap after a number of lines is after all splices; None: in new lines.

        Args:
            gap: The number of lines before the gap, as it was before all splices.
        """
        for start, count, new_count in self._splices:
            end = start + count
            if start < gap < end:
                return None
            # What is inserted later in one gap follows what is there.
            if gap >= end:
                gap += new_count - count
        return gap

    def join(self) -> str:
        """Return the text."""
        pairs = zip(self.bare, self._endings, strict=True)
        return "".join(map("".join, pairs))


def _find(passage: str, text: str, limit: int) -> list[int]:
    places: list[int] = []
    line = 0
    previous = 0
    offset = text.find(passage)
    while offset >= 0 and len(places) < limit:
        # Line feeds are counted from the last place on, so that the text is read only once.
        line += text.count("\n", previous, offset)
        places.append(line)
        previous = offset
        offset = text.find(passage, offset + 1)
    return places
