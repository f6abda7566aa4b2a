"""Lines and their endings: where some stand in a file, what comes nearest, and the error that says so.

Lines end with a line feed, and a carriage return before it belongs to the ending; no other character ends a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import counted


class EditError(SymOpsError):
    """An edit does not fit; the message says where and why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


def split_lines(content: str) -> list[str]:
    """Return the lines of a content without their endings."""
    return [line.removesuffix("\r") for line in content.split("\n")]


def without_ending(line: str) -> str:
    """Return one of these lines without its ending."""
    return line[:-1].removesuffix("\r") if line.endswith("\n") else line


def ending_of(text: str) -> str:
    """Return the ending that most lines of a text have."""
    pairs = text.count("\r\n")
    return "\r\n" if pairs * 2 > text.count("\n") else "\n"


def with_endings(lines: Sequence[str], ending: str) -> list[str]:
    """Return the lines with an ending behind all but the last: one that was the last may not be it any more."""
    return [line if line.endswith("\n") else line + ending for line in lines[:-1]] + list(lines[-1:])


def frame(lines: Iterable[str]) -> str:
    """Return lines as a text to find whole lines in: each ends with a line feed, and one stands before all."""
    return "\n" + "".join(line + "\n" for line in lines)


def find_lines(old: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Return all places at which some lines stand."""
    text, wanted = frame(lines), frame(old)
    places, line, last = [], 0, 0
    at = text.find(wanted)
    while at >= 0:
        line += text.count("\n", last, at)
        places.append(line)
        last, at = at, text.find(wanted, at + 1)
    return places


def tell_nearest(old: Sequence[str], lines: Sequence[str], start: int | None = None) -> str:
    """Return a sentence on the place of a file that is most like the lines that were not found."""
    if not lines:
        return "the file is empty"
    where: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        where.setdefault(line.strip(), []).append(index)
    votes: dict[int, int] = {}
    for offset, line in enumerate(old):
        known = where.get(line.strip(), [])
        for index in known if line.strip() and len(known) <= 20 else ():
            votes[index - offset] = votes.get(index - offset, 0) + 1
    if votes:
        begin = max(votes, key=lambda place: (votes[place], -place))
    elif start is not None and start < len(lines):
        begin = max(start, 0)
    else:
        return f"none of its lines stands in the file: {cut(next((line for line in old if line.strip()), ''))}"
    for offset, line in enumerate(old):
        index = begin + offset
        if not 0 <= index < len(lines):
            return f"nearest is line {max(begin, 0) + 1}, but the file has {counted(len(lines), 'line')}"
        if lines[index] != line:
            blanks = " (only blanks differ)" if lines[index].split() == line.split() else ""
            return f"nearest is line {index + 1}, which is {cut(lines[index])} and not {cut(line)}{blanks}"
    return f"nearest is line {begin + 1}"


def cut(line: str) -> str:
    """Quote a line, or its beginning if it is long."""
    return repr(line if len(line) <= 80 else line[:79] + "…")
