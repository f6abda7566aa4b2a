"""Unified diffs: read by `unidiff`, with a guard that no line is passed over, and applied exactly.

The library is given one hunk at a time: it stops where the numbers of a hunk are used up, and passes over what follows.
So every line of a content is counted here: it is a head, a line of a hunk, or blank, or the diff is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.text.source import lines_with_endings
from ..files.endings import (
    EditError,
    cut,
    ending_of,
    find_lines,
    split_lines,
    tell_nearest,
    with_endings,
    without_ending,
)

if TYPE_CHECKING:
    from unidiff.patch import Hunk as UnidiffHunk

_HUNK = "@@ "
_HEAD = re.compile(r"@@ -[0-9]{1,9}(?:,[0-9]{1,9})? \+[0-9]{1,9}(?:,[0-9]{1,9})? @@")
_HEADER = re.compile(r"diff --git |index [0-9a-f]+\.\.|Index: |={60,}\Z|old mode |new mode ")
_FILE = ("--- a\n", "+++ b\n")  # without them, a hunk is none to the library
_WANTED = "hunks begin with `@@ -line,count +line,count @@`"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a diff: the line where it begins, and its lines with their signs; `bare` ones lack an ending."""

    old: int
    lines: tuple[tuple[str, str], ...]
    bare: frozenset[int] = frozenset()


def apply_diff(content: str, text: str) -> str:
    """Apply a unified diff at the lines that it names; every line that it quotes must be there."""
    lines, ending = lines_with_endings(text), ending_of(text)
    bare = [without_ending(line) for line in lines]
    done: list[str] = []
    at = 0
    for number, hunk in enumerate(read_diff(content), 1):
        quoted = [line for sign, line in hunk.lines if sign != "+"]
        start = hunk.old - 1 if quoted else hunk.old
        if start < at or bare[start : start + len(quoted)] != quoted or start > len(lines):
            places = find_lines(quoted, bare) if quoted else []
            where = f"its lines stand at line {places[0] + 1}" if places else tell_nearest(quoted, bare, start)
            raise EditError(
                f"hunk {number} of the diff does not fit at line {hunk.old}: {where}",
                "give the file's own lines and numbers, or use search/replace blocks",
            )
        done += lines[at:start]
        at = start
        for index, (sign, line) in enumerate(hunk.lines):
            if sign == "+":
                done.append(line if index in hunk.bare else line + ending)
                is_last = start + len(quoted) == len(lines)
            else:
                done += [lines[at]] if sign == " " else []
                is_last = not lines[at].endswith("\n")
                at += 1
            if index in hunk.bare and not is_last:
                raise EditError(
                    f"hunk {number} of the diff says that line {cut(line)} ends the file without a line "
                    "ending, which does not fit"
                )
    done += lines[at:]
    return "".join(with_endings(done, ending))


def read_diff(content: str) -> tuple[Hunk, ...]:
    """Read the hunks of a unified diff of one file; raise `EditError` for anything that is not understood."""
    lines = split_lines(content)
    heads = [index for index, line in enumerate(lines) if line.startswith(_HUNK)]
    _check_header(lines[: heads[0]] if heads else lines)
    if not heads:
        raise EditError("the diff has no hunk", _WANTED)
    ends = [*heads[1:], len(lines)]
    return tuple(_read_hunk(lines, *place, number) for number, place in enumerate(zip(heads, ends, strict=True), 1))


def names_file(line: str, below: str) -> bool:
    """Return whether two lines are the head of a diff's file."""
    return line.startswith("--- ") and below.startswith("+++ ")


def _check_header(lines: Sequence[str]) -> None:
    """Refuse what stands before the first hunk, but for the names of one file and what some tools write above them."""
    at, named = 0, False
    while at < len(lines):
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        if not named and names_file(line, below):
            if "/dev/null" in line[4:] or "/dev/null" in below[4:]:
                raise EditError("the diff creates or deletes the file", "use `create` or `delete` for that")
            named = True
            at += 1
        elif line.strip() and (named or not _HEADER.match(line)):
            raise _not_understood(at, line)
        at += 1


def _read_hunk(lines: Sequence[str], head: int, end: int, number: int) -> Hunk:
    """Read one hunk; `end` is the line behind it at which the next one begins."""
    if not _HEAD.match(lines[head]):
        raise _not_understood(head, lines[head])
    found = _parse(lines, head, end, number)
    read: list[tuple[str, str]] = []
    bare: set[int] = set()
    at = head + 1
    for quoted in found:
        if quoted.diff_line_no is None:  # what it adds behind the last line: told below
            continue
        sign = lines[at][:1] or " "
        if quoted.diff_line_no + head - len(_FILE) - 1 != at or quoted.line_type != sign or (sign == "\\" and not read):
            raise _miscounted(lines, at, number)
        if sign == "\\":
            bare.add(len(read) - 1)
        else:
            read.append((sign, lines[at][1:]))
        at += 1
    if not read:
        raise EditError(f"hunk {number} of the diff has no lines", _WANTED)
    while at < end and lines[at].startswith("\\"):
        bare.add(len(read) - 1)
        at += 1
    _check_rest(lines, at, end, number)
    return Hunk(found.source_start, tuple(read), frozenset(bare))


def _parse(lines: Sequence[str], head: int, end: int, number: int) -> UnidiffHunk:
    """Return the hunk as unidiff reads it, which is given the lines that look like those of a hunk."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    given = head

    def give() -> Iterator[str]:
        nonlocal given
        yield from _FILE
        for given in range(head, end):
            if given > head and lines[given][:1] not in ("", " ", "+", "-", "\\"):
                return
            yield lines[given] + "\n"
        given = end

    try:
        return PatchSet(give())[0][0]
    except UnidiffParseError:
        raise _miscounted(lines, given, number) from None


def _check_rest(lines: Sequence[str], at: int, end: int, number: int) -> None:
    for place in range(at, end):
        line = lines[place]
        if line.strip():
            what = "another file" if line.startswith(("diff --git ", "--- ")) else "lines that its numbers do not count"
            raise EditError(
                f"line {place + 1} of the diff: behind hunk {number} there is {what}: {cut(line)}",
                "one diff changes one file, and the numbers of a hunk count its lines",
            )


def _not_understood(at: int, line: str) -> EditError:
    return EditError(f"line {at + 1} of the diff is not understood: {cut(line)}", _WANTED)


def _miscounted(lines: Sequence[str], at: int, number: int) -> EditError:
    shown = f"line {at + 1} of the diff: {cut(lines[at])}" if at < len(lines) else "the content ends"
    return EditError(
        f"hunk {number} of the diff does not have the lines that its numbers count: {shown}",
        "count the lines of each hunk, or use search/replace blocks",
    )
