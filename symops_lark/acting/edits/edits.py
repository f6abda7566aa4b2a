"""How the content of an `edit` changes a file: whole new text, a unified diff, or search/replace blocks.

Which it is, its shape tells; it is applied exactly or not at all. Lines end with a line feed, and a carriage return
before it belongs to the ending: lines that stay keep theirs, new ones follow the file's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice

from ...core.text.source import lines_with_endings
from ..files.endings import (
    EditError,
    cut,
    ending_of,
    find_lines,
    frame,
    split_lines,
    tell_nearest,
    with_endings,
    without_ending,
)
from .diffs import apply_diff, names_file

MAX_BLOCKS = 500  # of one content: each is looked for in the whole file
_BOM = b"\xef\xbb\xbf"

_SEARCH = re.compile(r"<{7} SEARCH[ \t]*\Z")
_DIVIDER = re.compile(r"={7}[ \t]*\Z")
_REPLACE = re.compile(r">{7} REPLACE[ \t]*\Z")
_MARKS = (_SEARCH, _DIVIDER, _REPLACE)
_ALREADY_DIFF = re.compile(r"\.(diff|patch|rej)\Z", re.IGNORECASE)  # files whose own text is a diff


class Shape(StrEnum):
    """How the content of an edit says what is to change."""

    WHOLE = "whole text"
    DIFF = "unified diff"
    BLOCKS = "search/replace blocks"


def shape_of(content: str, path: str = "") -> Shape:
    """Return the shape of a content; of files that hold diffs themselves only the whole text is taken."""
    lines = split_lines(content)
    said = list(islice((line for line in lines if line.strip()), 4))
    if (said and _SEARCH.match(said[0])) or all(any(map(mark.match, lines)) for mark in _MARKS):
        return Shape.BLOCKS
    if said and not _ALREADY_DIFF.search(path):
        first = said[0]
        if first.startswith(("@@ ", "diff --git ")) or (len(said) > 1 and names_file(first, said[1])):
            return Shape.DIFF
        if first.startswith("Index: ") and any(line.startswith("--- ") for line in said):
            return Shape.DIFF
    return Shape.WHOLE


def other_name(content: str, path: str) -> str:
    """Return the name in the head of a diff if it is that of another file than `path`, or an empty text."""
    if shape_of(content, path) is not Shape.DIFF:
        return ""
    heads = list(islice((line for line in split_lines(content) if line.startswith(("--- ", "+++ "))), 2))
    if len(heads) < 2 or not names_file(*heads):
        return ""
    names = [head[4:].partition("\t")[0].strip() for head in heads]
    wanted = "/" + path
    return "" if any(not name or ("/" + name).endswith(wanted) for name in names) else names[-1]


def edit(content: str, before: bytes, path: str = "") -> bytes:
    """Return a file's bytes after an edit; raise `EditError` where it does not fit."""
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
    """Return the bytes of a file whose whole text is the content, with an ending behind its last line.

    A new file is written as it was said; one that exists keeps its line endings and its byte order mark.
    """
    if before is None:
        ending = ending_of(content)
        return encode(content if not content or content.endswith("\n") else content + ending)
    old = read_text(before)
    ending = ending_of(old or content)
    lines = split_lines(content.removeprefix("\ufeff"))
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
    lines, ending = lines_with_endings(text), ending_of(text)
    framed = frame(map(without_ending, lines))  # the same without endings, to find lines in; kept in step
    for number, (old, new) in enumerate(_read_blocks(split_lines(content)), 1):
        if number > MAX_BLOCKS:
            raise EditError(f"there are more than {MAX_BLOCKS} search/replace blocks", "write the whole text")
        if not old and lines:
            raise EditError(
                f"search/replace block {number} searches for nothing", "quote the lines that the new ones stand beside"
            )
        wanted = frame(old)
        at = framed.find(wanted)
        if at < 0:
            near = tell_nearest(old, [without_ending(line) for line in lines])
            raise EditError(
                f"search/replace block {number} does not fit: {near}", "quote the file's lines exactly, blanks included"
            )
        if old and framed.find(wanted, at + 1) >= 0:
            places = find_lines(old, [without_ending(line) for line in lines])
            shown = ", ".join(str(place + 1) for place in places[:5]) + (" …" if len(places) > 5 else "")
            raise EditError(
                f"search/replace block {number} fits at several places: lines {shown}",
                "quote more of the lines around it",
            )
        place = framed.count("\n", 0, at)
        framed = framed[:at] + frame(new) + framed[at + len(wanted) :]
        first = _shared(old, new)
        last = _shared(old[first:][::-1], new[first:][::-1])
        lines[place + first : place + len(old) - last] = [line + ending for line in new[first : len(new) - last]]
    return "".join(with_endings(lines, ending))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the lines at the beginning that are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _read_blocks(lines: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield what each block searches for and what it puts there; three marks in turn, and nothing else outside."""
    turn, parts = 0, ([], [], [])  # type: tuple[int, tuple[list[str], list[str], list[str]]]
    for number, line in enumerate(lines, 1):
        found = next((index for index, mark in enumerate(_MARKS) if mark.match(line)), None)
        if found is None:
            if turn == 0 and line.strip():
                message = f"line {number} of the content stands outside of the search/replace blocks: {cut(line)}"
                raise EditError(message, "write nothing but the blocks")
            parts[turn].append(line)
        elif found != turn:
            raise EditError(
                f"line {number} of the content is the wrong mark of a search/replace block: {cut(line)}",
                "each block has its three marks once and in turn; a line of the file that looks like one "
                "needs a unified diff",
            )
        else:
            turn = (turn + 1) % 3
            if turn == 0:
                yield parts[1], parts[2]
                parts = ([], [], [])
    if turn:
        raise EditError("the last search/replace block has no end", "the reply may have been cut off")
