"""Read the hunks of diffs: heads that begin with `@@`, and lines with the marks ` `, `-` and `+`.

Unified diffs and V4A patches share them. Models count wrongly, so numbers are hints: the counts of
a head end no hunk, and the line of a head only decides between equal places.

    @@ -3,2 +3,2 @@      the old lines begin at line 3
    @@ def f():          the hunk is below this line; several such heads nest
    @@ ... @@            nothing is known about the place
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..patterns.regexes import compile_pattern
from .hunks import Ambiguity, Hunk, Unreadable
from .lines import Texts
from .nearest import quote_line

# `@@`, `@@ def f():`, `@@-1 +1@@`; not `@@name`.
_HEAD = compile_pattern(r"@@(?:[ \t@-][^\n]*|[^ \t@\n-](?:[^@\n]|@[^@\n])*@@[^\n]*)?")
_NUMBERS = compile_pattern(
    r"@@+ *-([0-9]{1,9})(?:,([0-9]{1,9}))? +\+([0-9]{1,9})(?:,([0-9]{1,9}))?(?: *@@[^\n]*)?"
)
_DOTS_OR_NUMBERS = compile_pattern(r"[.… \t]*|[+-][0-9][0-9 ,+-]*")
_MARKS = ("-", "+", " ")
_UNSIGNED = Ambiguity(
    "has lines without a sign",
    "lines of the edit have no sign, and are read as lines that stay",
    "begin each line of a hunk with its mark",
)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a hunk.

    Attributes:
        line: The line of the file where the old lines begin; None without numbers.
        counts: The numbers of old and new lines; None without numbers.
        scope: The lines that the hunk is below.
    """

    line: int | None = None
    counts: tuple[int, int] | None = None
    scope: tuple[str, ...] = ()


def is_head(line: str) -> bool:
    """Return whether a line is the head of a hunk."""
    return line.startswith("@@") and _HEAD.fullmatch(line) is not None


def has_signed_line(lines: Texts) -> bool:
    """Return whether a line begins with `-` or `+`."""
    return any(line.startswith(("-", "+")) for line in lines)


def read_heads(lines: Texts, start: int) -> tuple[Head, int]:
    """Read the heads of one hunk: one with numbers, or several that nest.

    Args:
        lines: The lines of the content.
        start: The index of the first head.

    Returns:
        What they say together, and the index after them.
    """
    number: int | None = None
    counts: tuple[int, int] | None = None
    scope = []
    index = start
    while index < len(lines) and is_head(lines[index]):
        numbers = _NUMBERS.fullmatch(lines[index])
        if numbers is not None:
            # The text after the numbers is not a scope: `diff` writes the last heading above the
            # hunk, which is that of another function if the change is in a heading.
            number = int(numbers[1])
            counts = (int(numbers[2] or 1), int(numbers[4] or 1))
        else:
            scope += _scope_of(lines[index])
        index += 1
    return Head(number, counts, tuple(scope)), index


def read_hunk(
    lines: Texts, start: int, head: Head, ends: Callable[[int, bool], bool]
) -> tuple[Hunk | None, int]:
    """Read the lines of a hunk.

    Args:
        lines: The lines of the content.
        start: The index of the first line after its head.
        head: The head.
        ends: Returns whether the hunk ends before the line at an index. Its second argument is
            whether the hunk has all the lines that its head counts.

    Returns:
        The hunk, and the index after it. None instead of a hunk that changes nothing.

    Raises:
        Unreadable: A line has no mark, or there are none.
    """
    body = _Body(head)
    index = start
    while index < len(lines) and not is_head(lines[index]) and not ends(index, body.is_counted):
        body.add(lines[index], index)
        index += 1
    if index == start:
        raise Unreadable(f"line {start} of the diff is the head of a hunk without lines")
    body.drop_empty_context()
    return body.hunk(), index


def _scope_of(head: str) -> list[str]:
    names = [part.strip() for part in head.strip("@").split(" @@ ")]
    return [name for name in names if _DOTS_OR_NUMBERS.fullmatch(name) is None]


class _Body:
    """The lines of a hunk as they are read."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._old: list[str] = []
        self._new: list[str] = []
        self._context: list[tuple[int, int]] = []
        self._is_unsigned = False  # whether a line has no sign
        # The indexes of the lines of context that begin with a blank: their sign, or their text.
        self._blank: list[tuple[int, int]] = []
        self._last_sign = ""
        self._trailing_count = 0  # lines at the end that are completely empty
        self._is_changed = False
        # Whether a marker says that the last old or new line has no line ending.
        self._is_old_bare = False
        self._is_new_bare = False

    @property
    def is_counted(self) -> bool:
        """Whether the hunk has all the lines that its head counts."""
        if self._head.counts is None:
            return True
        old_count, new_count = self._head.counts
        return len(self._old) >= old_count and len(self._new) >= new_count

    def add(self, line: str, index: int) -> None:
        """Add a line of the diff.

        Args:
            line: The line, with its mark.
            index: Its index in the content, for messages.

        Raises:
            Unreadable: It has no mark, or follows the end of the file.
        """
        # An editor may have removed the blank of an empty line of context.
        sign = line[:1] or " "
        text = line[1:]
        if sign == "\\":
            self._mark_end(line, index)
            return
        if sign not in _MARKS:
            # Where lines are counted, each of them needs its sign.
            if self._head.counts is not None:
                raise Unreadable(
                    f"line {index + 1} of the diff has none of the marks ' ', '-' and '+': "
                    f"{quote_line(line)}",
                    _UNSIGNED.hint,
                )
            sign = " "
            text = line
            self._is_unsigned = True
        elif sign == " " and text.strip():
            self._blank.append((len(self._old), len(self._new)))
        if (self._is_old_bare and sign != "+") or (self._is_new_bare and sign != "-"):
            raise Unreadable(f"line {index + 1} of the diff follows the last line of the file")
        if sign == " ":
            self._context.append((len(self._old), len(self._new)))
        else:
            self._is_changed = True
        if sign != "+":
            self._old.append(text)
        if sign != "-":
            self._new.append(text)
        self._last_sign = sign
        self._trailing_count = 0 if line else self._trailing_count + 1

    def drop_empty_context(self) -> None:
        """Remove empty lines at the end that the head does not count: they separate hunks."""
        counts = self._head.counts
        while self._trailing_count and (counts is None or len(self._old) > counts[0]):
            self._old.pop()
            self._new.pop()
            self._context.pop()
            self._trailing_count -= 1

    def hunk(self) -> Hunk | None:
        """Return the hunk; None if it changes nothing."""
        if not self._is_changed:
            return None
        head = self._head
        line = head.line
        if not self._old and head.counts is not None and head.counts[0]:
            line = None  # it counts lines that it does not quote, so its number proves nothing
        ended: bool | None = None
        # For a line of context, the marker changes nothing: the file stays as it is.
        if self._new and self._last_sign != " ":
            if self._is_new_bare:
                ended = False
            elif self._is_old_bare:
                ended = True
        hunk = Hunk(
            tuple(self._old),
            tuple(self._new),
            line,
            head.scope,
            at_end=self._is_old_bare or self._is_new_bare,
            kept=tuple(self._context),
            ended=ended,
        )
        if not self._is_unsigned:
            return hunk
        # Where some context has no sign, the first blank of other lines may be their text.
        old = list(self._old)
        new = list(self._new)
        for old_index, new_index in self._blank:
            old[old_index] = new[new_index] = " " + old[old_index]
        unsigned = replace(hunk, old=tuple(old), new=tuple(new))
        # Equal readings count once.
        choices = tuple(dict.fromkeys((hunk, unsigned)))
        return replace(hunk, choices=choices, ambiguity=_UNSIGNED)

    def _mark_end(self, line: str, index: int) -> None:
        """Handle `\\ No newline at end of file`, which belongs to the line before it."""
        if not self._last_sign:
            raise Unreadable(f"line {index + 1} of the diff follows no line: {quote_line(line)}")
        if self._last_sign != "+":
            self._is_old_bare = True
        if self._last_sign != "-":
            self._is_new_bare = True
