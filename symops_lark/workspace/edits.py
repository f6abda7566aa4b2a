"""How the content of an `edit` changes a file: whole new text, a unified diff, or search/replace blocks.

Which it is, its shape tells; it is applied exactly or not at all. Lines end with a line feed, and a carriage return
before it belongs to the ending: lines that stay keep theirs, new ones follow the file's. The reader of diffs is our
own: libraries pass over lines behind a hunk whose numbers are too small, or split lines at other characters too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from ..errors import SymOpsError

MAX_BLOCKS = 500  # of one content: each is looked for in the whole file
_BOM = b"\xef\xbb\xbf"

_SEARCH = re.compile(r"<{7} SEARCH[ \t]*\Z")
_DIVIDER = re.compile(r"={7}[ \t]*\Z")
_REPLACE = re.compile(r">{7} REPLACE[ \t]*\Z")
_MARKS = (_SEARCH, _DIVIDER, _REPLACE)
_HUNK = re.compile(r"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@")
_HEADER = re.compile(r"diff --git |index [0-9a-f]+\.\.|Index: |={60,}\Z|old mode |new mode ")
_ALREADY_DIFF = re.compile(r"\.(diff|patch|rej)\Z", re.IGNORECASE)  # files whose own text is a diff


class EditError(SymOpsError):
    """An edit does not fit; the message says where and why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


class Shape(StrEnum):
    """How the content of an edit says what is to change."""

    WHOLE = "whole text"
    DIFF = "unified diff"
    BLOCKS = "search/replace blocks"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a diff: the line where it begins, and its lines with their signs; `bare` ones lack an ending."""

    old: int
    lines: tuple[tuple[str, str], ...]
    bare: frozenset[int] = frozenset()


def shape_of(content: str, path: str = "") -> Shape:
    """Tell the shape of a content; of files that hold diffs themselves only the whole text is taken."""
    lines = _split(content)
    said = list(islice((line for line in lines if line.strip()), 4))
    if (said and _SEARCH.match(said[0])) or all(any(map(mark.match, lines)) for mark in _MARKS):
        return Shape.BLOCKS
    if said and not _ALREADY_DIFF.search(path):
        first = said[0]
        if first.startswith(("@@ ", "diff --git ")) or (len(said) > 1 and _names_file(first, said[1])):
            return Shape.DIFF
        if first.startswith("Index: ") and any(line.startswith("--- ") for line in said):
            return Shape.DIFF
    return Shape.WHOLE


def other_name(content: str, path: str) -> str:
    """Give the name in the head of a diff if it is that of another file than `path`, or an empty text."""
    if shape_of(content, path) is not Shape.DIFF:
        return ""
    heads = list(islice((line for line in _split(content) if line.startswith(("--- ", "+++ "))), 2))
    if len(heads) < 2 or not _names_file(*heads):
        return ""
    names = [head[4:].partition("\t")[0].strip() for head in heads]
    wanted = "/" + path
    return "" if any(not name or ("/" + name).endswith(wanted) for name in names) else names[-1]


def edit(content: str, before: bytes, path: str = "") -> bytes:
    """Give a file's bytes after an edit; raise `EditError` where it does not fit."""
    text = read_text(before)
    match shape_of(content, path):
        case Shape.WHOLE:
            return write_whole(content, before)
        case Shape.DIFF:
            done = apply_diff(content, text)
        case Shape.BLOCKS:
            done = apply_blocks(content, text)
    return (_BOM if before.startswith(_BOM) else b"") + encode(done)


def write_whole(content: str, before: bytes | None = None) -> bytes:
    """Give the bytes of a file whose whole text is the content, with an ending behind its last line.

    A new file is written as it was said; one that exists keeps its line endings and its byte order mark.
    """
    if before is None:
        ending = _ending_of(content)
        return encode(content if not content or content.endswith("\n") else content + ending)
    old = read_text(before)
    ending = _ending_of(old or content)
    lines = _split(content.removeprefix("\ufeff"))
    if lines and not lines[-1]:
        lines.pop()
    return (_BOM if before.startswith(_BOM) else b"") + encode("".join(line + ending for line in lines))


def read_text(data: bytes) -> str:
    """Decode a file, without its byte order mark; raise `EditError` if it is no text."""
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the file is no UTF-8 text (byte 0x{data.removeprefix(_BOM)[error.start]:02x} at {error.start})"
        raise EditError(message, "files of another encoding, and binary ones, are not edited") from None
    if "\0" in text:
        raise EditError("the file has NUL characters: it is binary", "binary files are not edited")
    return text


def encode(text: str) -> bytes:
    """Encode a text as UTF-8; raise `EditError` for what it cannot carry."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"the content has a character that UTF-8 cannot carry (U+{ord(text[error.start]):04X})"
        raise EditError(message) from None


# ---- search/replace blocks


def apply_blocks(content: str, text: str) -> str:
    """Apply search/replace blocks one after the other; each must be found exactly once, as whole lines."""
    lines, ending = _with_endings(text), _ending_of(text)
    framed = _frame(map(_bare, lines))  # the same without endings, to find lines in; kept in step
    for number, (old, new) in enumerate(_read_blocks(_split(content)), 1):
        if number > MAX_BLOCKS:
            raise EditError(f"there are more than {MAX_BLOCKS} search/replace blocks", "write the whole text")
        if not old and lines:
            raise EditError(f"search/replace block {number} searches for nothing",
                            "quote the lines that the new ones stand beside")  # fmt: skip
        wanted = _frame(old)
        at = framed.find(wanted)
        if at < 0:
            near = _near(old, [_bare(line) for line in lines])
            raise EditError(f"search/replace block {number} does not fit: {near}",
                            "quote the file's lines exactly, blanks included")  # fmt: skip
        if old and framed.find(wanted, at + 1) >= 0:
            places = _find(old, [_bare(line) for line in lines])
            shown = ", ".join(str(place + 1) for place in places[:5]) + (" …" if len(places) > 5 else "")
            raise EditError(f"search/replace block {number} fits at several places: lines {shown}",
                            "quote more of the lines around it")  # fmt: skip
        place = framed.count("\n", 0, at)
        framed = framed[:at] + _frame(new) + framed[at + len(wanted) :]
        first = _shared(old, new)
        last = _shared(old[first:][::-1], new[first:][::-1])
        lines[place + first : place + len(old) - last] = [line + ending for line in new[first : len(new) - last]]
    return "".join(_ended(lines, ending))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the lines at the beginning that are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _read_blocks(lines: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Give what each block searches for and what it puts there; three marks in turn, and nothing else outside."""
    turn, parts = 0, ([], [], [])  # type: tuple[int, tuple[list[str], list[str], list[str]]]
    for number, line in enumerate(lines, 1):
        found = next((index for index, mark in enumerate(_MARKS) if mark.match(line)), None)
        if found is None:
            if turn == 0 and line.strip():
                message = f"line {number} of the content stands outside of the search/replace blocks: {_cut(line)}"
                raise EditError(message, "write nothing but the blocks")
            parts[turn].append(line)
        elif found != turn:
            raise EditError(f"line {number} of the content is the wrong mark of a search/replace block: {_cut(line)}",
                            "each block has its three marks once and in turn; a line of the file that looks like one "
                            "needs a unified diff")  # fmt: skip
        else:
            turn = (turn + 1) % 3
            if turn == 0:
                yield parts[1], parts[2]
                parts = ([], [], [])
    if turn:
        raise EditError("the last search/replace block has no end", "the reply may have been cut off")


# ---- unified diffs


def apply_diff(content: str, text: str) -> str:
    """Apply a unified diff at the lines that it names; every line that it quotes must be there."""
    lines, ending = _with_endings(text), _ending_of(text)
    bare = [_bare(line) for line in lines]
    done: list[str] = []
    at = 0
    for number, hunk in enumerate(read_diff(content), 1):
        quoted = [line for sign, line in hunk.lines if sign != "+"]
        start = hunk.old - 1 if quoted else hunk.old
        if start < at or bare[start : start + len(quoted)] != quoted or start > len(lines):
            places = _find(quoted, bare) if quoted else []
            where = f"its lines stand at line {places[0] + 1}" if places else _near(quoted, bare, start)
            raise EditError(f"hunk {number} of the diff does not fit at line {hunk.old}: {where}",
                            "give the file's own lines and numbers, or use search/replace blocks")  # fmt: skip
        done += lines[at:start]
        at = start
        for index, (sign, line) in enumerate(hunk.lines):
            if sign == " ":
                done.append(lines[at])
            elif sign == "+":
                done.append(line if index in hunk.bare else line + ending)
            if sign != "+":
                wrong = index in hunk.bare and lines[at].endswith("\n")
                at += 1
            else:
                wrong = index in hunk.bare and start + len(quoted) != len(lines)
            if wrong:
                raise EditError(f"hunk {number} of the diff says that line {_cut(line)} ends the file without a line "
                                "ending, which does not fit")  # fmt: skip
    done += lines[at:]
    return "".join(_ended(done, ending))


def read_diff(content: str) -> tuple[Hunk, ...]:
    """Read the hunks of a unified diff of one file; raise `EditError` for anything that is not understood."""
    lines = _split(content)
    hunks: list[Hunk] = []
    at, named = 0, False
    while at < len(lines):
        line = lines[at]
        found = _HUNK.match(line)
        if found:
            hunk, at = _read_hunk(lines, at, found, len(hunks) + 1)
            hunks.append(hunk)
        elif hunks and line.strip():
            what = "another file" if line.startswith(("diff --git ", "--- ")) else "lines that its numbers do not count"
            raise EditError(f"line {at + 1} of the diff: behind hunk {len(hunks)} there is {what}: {_cut(line)}",
                            "one diff changes one file, and the numbers of a hunk count its lines")  # fmt: skip
        elif not named and at + 1 < len(lines) and _names_file(line, lines[at + 1]):
            if "/dev/null" in line[4:] or "/dev/null" in lines[at + 1][4:]:
                raise EditError("the diff creates or deletes the file", "use `create` or `delete` for that")
            named = True
            at += 2
        elif line.strip() and not (_HEADER.match(line) and not named):
            raise EditError(f"line {at + 1} of the diff is not understood: {_cut(line)}",
                            "hunks begin with `@@ -line,count +line,count @@`")  # fmt: skip
        else:
            at += 1
    if not hunks:
        raise EditError("the diff has no hunk", "hunks begin with `@@ -line,count +line,count @@`")
    return tuple(hunks)


def _read_hunk(lines: Sequence[str], at: int, found: re.Match[str], number: int) -> tuple[Hunk, int]:
    """Read as many lines as the numbers of a hunk say; a line without any character is an empty one of the file."""
    old, new = (int(found[group]) if found[group] is not None else 1 for group in (2, 4))
    read: list[tuple[str, str]] = []
    bare: set[int] = set()
    at += 1
    while old or new or (at < len(lines) and lines[at].startswith("\\")):
        line = lines[at] if at < len(lines) else None
        sign = (line[:1] or " ") if line is not None else ""
        if sign == "\\" and read:
            bare.add(len(read) - 1)
        elif sign in (" ", "+", "-") and line is not None and (old or sign == "+") and (new or sign == "-"):
            read.append((sign, line[1:]))
            old -= sign != "+"
            new -= sign != "-"
        else:
            shown = f"line {at + 1} of the diff: {_cut(line)}" if line is not None else "the content ends"
            raise EditError(f"hunk {number} of the diff does not have the lines that its numbers count: {shown}",
                            "count the lines of each hunk, or use search/replace blocks")  # fmt: skip
        at += 1
    return Hunk(int(found[1]), tuple(read), frozenset(bare)), at


def _names_file(line: str, below: str) -> bool:
    return line.startswith("--- ") and below.startswith("+++ ")


# ---- lines


def _split(content: str) -> list[str]:
    """Give the lines of a content without their endings."""
    return [line.removesuffix("\r") for line in content.split("\n")]


def _with_endings(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _bare(line: str) -> str:
    return line[:-1].removesuffix("\r") if line.endswith("\n") else line


def _ending_of(text: str) -> str:
    """Give the ending that most lines of a text have."""
    pairs = text.count("\r\n")
    return "\r\n" if pairs * 2 > text.count("\n") else "\n"


def _ended(lines: Sequence[str], ending: str) -> list[str]:
    """Give every line but the last an ending: one that was the last may not be it any more."""
    return [line if line.endswith("\n") else line + ending for line in lines[:-1]] + list(lines[-1:])


def _frame(lines: Iterable[str]) -> str:
    """Give lines as a text in which whole lines can be found: each ends with a line feed, and one stands before all."""
    return "\n" + "".join(line + "\n" for line in lines)


def _find(old: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Give all places at which some lines stand."""
    text, wanted = _frame(lines), _frame(old)
    places, line, last = [], 0, 0
    at = text.find(wanted)
    while at >= 0:
        line += text.count("\n", last, at)
        places.append(line)
        last, at = at, text.find(wanted, at + 1)
    return places


def _near(old: Sequence[str], lines: Sequence[str], start: int | None = None) -> str:
    """Say which place of a file comes nearest to the lines that were not found, and what stands there."""
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
        return f"none of its lines stands in the file: {_cut(next((line for line in old if line.strip()), ''))}"
    for offset, line in enumerate(old):
        index = begin + offset
        if not 0 <= index < len(lines):
            return f"nearest is line {max(begin, 0) + 1}, but the file has {len(lines)} lines"
        if lines[index] != line:
            blanks = " (only blanks differ)" if lines[index].split() == line.split() else ""
            return f"nearest is line {index + 1}, which is {_cut(lines[index])} and not {_cut(line)}{blanks}"
    return f"nearest is line {begin + 1}"


def _cut(line: str) -> str:
    return repr(line if len(line) <= 80 else line[:79] + "…")
