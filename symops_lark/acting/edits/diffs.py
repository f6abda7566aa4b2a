"""Read unified diffs of one file with `unidiff`, and apply them exactly or not at all.

Purpose
    A model's diff often has wrong counts, lines without a sign or a second file. Applied as far
    as it goes, it would lose lines silently; so every line of a diff is accounted for, or it is
    refused.

Invariants
    1. Each line of a content is a header, the head of a hunk, a line of a hunk, a marker
       (`\\ No newline at end of file`) or blank (`test_no_line_of_a_diff_is_passed_over`).
    2. A diff is applied at the lines that it names, and every line that it quotes is there
       (`test_diffs_apply_to_no_other_text`): no fuzz, no search at other places.
    3. Lines that stay keep their endings; new ones get the file's.

Theory of operation
    `unidiff` stops reading where the counts of a hunk are used up, and ignores the lines after
    that. So it is passed one hunk at a time, and the lines that it returns are compared with the
    content:

        @@ -1,2 +1,2 @@      unidiff reads 3 lines: 2 old, 2 new, one of them shared
         def f():
        -    return 1
        +    return 2
        +    more            `_check_end`: lines that the numbers of the hunk do not count

References
    The format is that of GNU diff: https://www.gnu.org/software/diffutils/manual/#Unified-Format
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.text.source import lines_with_endings
from ..files.endings import (
    EditError,
    describe_nearest,
    ending_of,
    find_lines,
    quote_line,
    split_lines,
    with_endings,
    without_ending,
)

if TYPE_CHECKING:
    from unidiff.patch import Hunk as UnidiffHunk

_HUNK = "@@ "
# `@@ -1,3 +1,4 @@ def f():`, `@@ -1 +1 @@`; not `@@ ... @@`. At most 9 digits: `int` refuses
# thousands of digits with another error, and `\d` would accept digits of other scripts.
_HEAD = re.compile(r"@@ -[0-9]{1,9}(?:,[0-9]{1,9})? \+[0-9]{1,9}(?:,[0-9]{1,9})? @@")
# What tools write above the names of the file; not `rename from a`, which would move the file.
_HEADER = re.compile(r"diff --git |index [0-9a-f]+\.\.|Index: |={60,}\Z|old mode |new mode ")
# unidiff takes a hunk for text before the diff, and ignores it, unless names of a file precede it.
_FILE = ("--- a\n", "+++ b\n")
_HINT = "hunks begin with `@@ -line,count +line,count @@`"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a diff.

    Attributes:
        old: The line of the old file where it begins, from 1. For a hunk that quotes no line: the
            line after which it inserts, 0 for the beginning.
        lines: Its lines as pairs of sign (blank, `-` or `+`) and text.
        bare: The indexes of lines that end the file without a line ending.
    """

    old: int
    lines: tuple[tuple[str, str], ...]
    bare: frozenset[int] = frozenset()


def apply_diff(content: str, text: str) -> str:
    """Apply a unified diff at the lines that it names.

    Args:
        content: The diff.
        text: The text of the file.

    Returns:
        The new text.

    Raises:
        EditError: The diff cannot be read, or a line that it quotes is not there.
    """
    lines = lines_with_endings(text)
    bare_lines = [without_ending(line) for line in lines]
    ending = ending_of(text)
    applied: list[str] = []
    position = 0  # index of the first line of the file that is not in `applied` yet
    for number, hunk in enumerate(read_diff(content), 1):
        start = _find_start(hunk, bare_lines, position, number)
        applied += lines[position:start]
        position = _apply_hunk(hunk, lines, start, applied, ending, number)
    applied += lines[position:]
    return "".join(with_endings(applied, ending))


def read_diff(content: str) -> tuple[Hunk, ...]:
    """Read the hunks of a unified diff of one file.

    Args:
        content: The diff, with or without its headers.

    Returns:
        The hunks in their order.

    Raises:
        EditError: There is no hunk, or a line that is not understood.
    """
    lines = split_lines(content)
    heads = [index for index, line in enumerate(lines) if line.startswith(_HUNK)]
    _check_header(lines[: heads[0]] if heads else lines)
    if not heads:
        raise EditError("the diff has no hunk", _HINT)
    ends = [*heads[1:], len(lines)]
    hunks: list[Hunk] = []
    for head, end in zip(heads, ends, strict=True):
        hunks.append(_read_hunk(lines, head, end, len(hunks) + 1))
    return tuple(hunks)


def names_file(line: str, below: str) -> bool:
    """Return whether a line and the one below it are the names of a diff's file."""
    return line.startswith("--- ") and below.startswith("+++ ")


def _find_start(hunk: Hunk, lines: Sequence[str], position: int, number: int) -> int:
    """Return the index at which a hunk applies; raise `EditError` if its lines are not there."""
    quoted = [line for sign, line in hunk.lines if sign != "+"]
    # A hunk without quoted lines names the line before it, so its index is not one less.
    start = hunk.old - 1 if quoted else hunk.old
    is_in_order = position <= start <= len(lines)
    if is_in_order and lines[start : start + len(quoted)] == quoted:
        return start
    places = find_lines(quoted, lines) if quoted else []
    if places:
        reason = f"its lines are at line {places[0] + 1}"
    else:
        reason = describe_nearest(quoted, lines, start)
    raise EditError(
        f"hunk {number} of the diff does not fit at line {hunk.old}: {reason}",
        "give the file's own lines and numbers, or use search/replace blocks",
    )


def _apply_hunk(
    hunk: Hunk, lines: Sequence[str], start: int, applied: list[str], ending: str, number: int
) -> int:
    """Append the lines that a hunk leaves to `applied`; return the index after its old lines."""
    old_end = start + sum(sign != "+" for sign, _ in hunk.lines)
    position = start
    for index, (sign, line) in enumerate(hunk.lines):
        is_bare = index in hunk.bare
        if sign == "+":
            applied.append(line if is_bare else line + ending)
            # A new line ends the file only if no old line follows the hunk.
            is_last = old_end == len(lines)
        else:
            if sign == " ":
                applied.append(lines[position])
            is_last = not lines[position].endswith("\n")
            position += 1
        if is_bare and not is_last:
            raise EditError(
                f"hunk {number} of the diff says that line {quote_line(line)} ends the file "
                "without a line ending, which does not fit"
            )
    return position


def _check_header(lines: Sequence[str]) -> None:
    """Refuse lines before the first hunk, except the names of one file and headers of tools."""
    index = 0
    has_names = False
    while index < len(lines):
        line = lines[index]
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if not has_names and names_file(line, below):
            if "/dev/null" in line[4:] or "/dev/null" in below[4:]:
                raise EditError(
                    "the diff creates or deletes the file", "use `create` or `delete` for that"
                )
            has_names = True
            index += 1
        elif line.strip() and (has_names or not _HEADER.match(line)):
            raise _not_understood(index, line)
        index += 1


def _read_hunk(lines: Sequence[str], head: int, end: int, number: int) -> Hunk:
    """Read the hunk between the index of its head and that of the next one."""
    if not _HEAD.match(lines[head]):
        raise _not_understood(head, lines[head])
    parsed = _parse(lines, head, end, number)
    rows: list[tuple[str, str]] = []
    bare: set[int] = set()
    index = head + 1
    for quoted in parsed:
        # unidiff adds such a line for an unfinished hunk; `_check_end` reports what follows.
        if quoted.diff_line_no is None:
            continue
        sign = lines[index][:1] or " "  # an editor removed the blank of an empty line
        # Line numbers of unidiff count from 1, and the names of the file before the hunk.
        is_here = quoted.diff_line_no + head - len(_FILE) - 1 == index
        is_marker = sign == "\\"
        if not is_here or quoted.line_type != sign or (is_marker and not rows):
            raise _miscounted(lines, index, number)
        if is_marker:
            bare.add(len(rows) - 1)
        else:
            rows.append((sign, lines[index][1:]))
        index += 1
    if not rows:
        raise EditError(f"hunk {number} of the diff has no lines", _HINT)
    # Counts do not include a marker, so unidiff stops before one after the last line.
    while index < end and lines[index].startswith("\\"):
        bare.add(len(rows) - 1)
        index += 1
    _check_end(lines, index, end, number)
    return Hunk(parsed.source_start, tuple(rows), frozenset(bare))


def _parse(lines: Sequence[str], head: int, end: int, number: int) -> UnidiffHunk:
    """Return a hunk as unidiff reads it, from the lines that look like those of a hunk."""
    # Imported here: a plan without diffs needs no unidiff.
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    position = head

    def feed() -> Iterator[str]:
        nonlocal position
        yield from _FILE
        for position in range(head, end):
            if position > head and lines[position][:1] not in ("", " ", "+", "-", "\\"):
                return
            yield lines[position] + "\n"
        position = end

    try:
        return PatchSet(feed())[0][0]
    except UnidiffParseError:
        # unidiff reads lazily: the line that it was at is the one that was fed last.
        raise _miscounted(lines, position, number) from None


def _check_end(lines: Sequence[str], start: int, end: int, number: int) -> None:
    """Refuse filled lines between the last line of a hunk and the next head."""
    for index in range(start, end):
        line = lines[index]
        if not line.strip():
            continue
        if line.startswith(("diff --git ", "--- ")):
            description = "is another file"
        else:
            description = "are lines that its numbers do not count"
        raise EditError(
            f"line {index + 1} of the diff: after hunk {number} there {description}: "
            f"{quote_line(line)}",
            "one diff changes one file, and the numbers of a hunk count its lines",
        )


def _not_understood(index: int, line: str) -> EditError:
    return EditError(f"line {index + 1} of the diff is not understood: {quote_line(line)}", _HINT)


def _miscounted(lines: Sequence[str], index: int, number: int) -> EditError:
    place = "the content ends"
    if index < len(lines):
        place = f"line {index + 1} of the diff: {quote_line(lines[index])}"
    return EditError(
        f"hunk {number} of the diff does not have the lines that its numbers count: {place}",
        "count the lines of each hunk, or use search/replace blocks",
    )
