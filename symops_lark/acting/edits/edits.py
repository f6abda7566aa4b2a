"""Apply the content of an `edit`: whole text, unified diff or search/replace blocks.

Purpose
    The content has no field that names its notation, so `shape_of` recognizes it. Diffs and
    blocks are applied exactly or refused with an `EditError`: a guess at another place would
    change code that the model did not mean.

Invariants
    1. Line endings: lines that stay keep theirs, new lines get the file's
       (`test_lines_that_stay_keep_their_endings`). A byte order mark stays.
    2. A search must be found exactly once, as complete lines.
    3. Blocks are applied one after the other: each one sees the result of those before it.

A worked example: the file `def f():`, `    return 1` and the content

    <<<<<<< SEARCH
        return 1
    =======
        return 3
    >>>>>>> REPLACE

give `def f():`, `    return 3`.

Not here
    Whether a whole text is plausible: `core.edits.whole_texts`. Who may change which file:
    `acting.plan.policy`. How diffs are read: `diffs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice

from ...core.text.source import lines_with_endings
from ..files.endings import (
    EditError,
    describe_nearest,
    ending_of,
    find_lines,
    frame,
    quote_line,
    split_lines,
    with_endings,
    without_ending,
)
from .diffs import apply_diff, names_file

# Blocks of one content. Each is searched for in the complete file: 500 blocks in a file of 20,000
# lines take 0.2 s, and a content with more is a rewrite.
MAX_BLOCKS = 500
_MAX_PLACES = 5  # line numbers that a message lists
_MAX_FIRST_LINES = 4  # filled lines, among which the names of a diff are after `Index:` and `====`
_BOM = b"\xef\xbb\xbf"

# Exactly seven signs, as in merge conflicts. Other lengths are left to the guard of whole texts:
# a row of equals signs is also a heading in Markdown and reStructuredText.
_SEARCH = re.compile(r"<{7} SEARCH[ \t]*\Z")
_DIVIDER = re.compile(r"={7}[ \t]*\Z")
_REPLACE = re.compile(r">{7} REPLACE[ \t]*\Z")
_MARKS = (_SEARCH, _DIVIDER, _REPLACE)
_ALREADY_DIFF = re.compile(r"\.(diff|patch|rej)\Z", re.IGNORECASE)  # files whose own text is a diff


class Shape(StrEnum):
    """The notation of an edit's content."""

    WHOLE = "whole text"
    DIFF = "unified diff"
    BLOCKS = "search/replace blocks"


def shape_of(content: str, path: str = "") -> Shape:
    """Return the notation of a content.

    Args:
        content: The content of an edit.
        path: The file. The text of a `.diff`, `.patch` or `.rej` file is itself a diff, so a diff
            is its whole text.

    Returns:
        The notation; WHOLE if it is not another one.
    """
    lines = split_lines(content)
    filled = (line for line in lines if line.strip())
    first_lines = list(islice(filled, _MAX_FIRST_LINES))
    begins_block = bool(first_lines) and _SEARCH.match(first_lines[0]) is not None
    # With prose before the first block, all three marks must occur: then it is refused with a hint.
    if begins_block or all(any(map(mark.match, lines)) for mark in _MARKS):
        return Shape.BLOCKS
    if _ALREADY_DIFF.search(path) is None and _begins_diff(first_lines):
        return Shape.DIFF
    return Shape.WHOLE


def _begins_diff(first_lines: Sequence[str]) -> bool:
    """Return whether the first filled lines of a content are the header of a diff."""
    if not first_lines:
        return False
    first = first_lines[0]
    if first.startswith(("@@ ", "diff --git ")):
        return True
    if len(first_lines) > 1 and names_file(first, first_lines[1]):
        return True
    return first.startswith("Index: ") and any(line.startswith("--- ") for line in first_lines)


def other_name(content: str, path: str) -> str:
    """Return the file that a diff names, if it is not the one that the action names.

    Args:
        content: The content of an edit.
        path: The file that the action names.

    Returns:
        The name in the diff, or an empty string. Prefixes such as `a/` do not make another name.
    """
    if shape_of(content, path) is not Shape.DIFF:
        return ""
    headers = (line for line in split_lines(content) if line.startswith(("--- ", "+++ ")))
    first_headers = list(islice(headers, 2))
    if len(first_headers) < 2 or not names_file(*first_headers):
        return ""
    names: list[str] = []
    for header in first_headers:
        name = header[4:].partition("\t")[0].strip()  # a tab separates the time of the file
        if not name or ("/" + name).endswith("/" + path):
            return ""
        names.append(name)
    return names[-1]


def edit(content: str, before: bytes, path: str = "") -> bytes:
    """Return the bytes of a file after an edit.

    Args:
        content: The content of the edit.
        before: The bytes of the file.
        path: The path of the file, for its type.

    Returns:
        The new bytes, UTF-8, with the byte order mark of the file if it has one.

    Raises:
        EditError: The edit does not fit, or the file is not UTF-8 text.
    """
    text = read_text(before)  # also for a whole text: a binary file is never overwritten by text
    match shape_of(content, path):
        case Shape.WHOLE:
            return write_whole(content, before)
        case Shape.DIFF:
            edited = apply_diff(content, text)
        case Shape.BLOCKS:
            edited = apply_blocks(content, text)
    return _byte_order_mark(before) + encode(edited)


def write_whole(content: str, before: bytes | None = None) -> bytes:
    """Return the bytes of a file whose whole text is the content.

    Args:
        content: The text. Its last line gets a line ending if it has none.
        before: The bytes of the file, which keeps its line endings and its byte order mark. None:
            the file is new, and is written exactly as the content is.

    Returns:
        The new bytes.

    Raises:
        EditError: The file or the content is not UTF-8 text.
    """
    if before is None:
        is_ended = not content or content.endswith("\n")
        return encode(content if is_ended else content + ending_of(content))
    old = read_text(before)
    ending = ending_of(old or content)
    lines = split_lines(content.removeprefix("\ufeff"))
    # The text after the last ending is not a line: `a` and `a\n` give the same file.
    if lines and not lines[-1]:
        lines.pop()
    return _byte_order_mark(before) + encode("".join(line + ending for line in lines))


def read_text(data: bytes) -> str:
    """Decode the bytes of a file, without its byte order mark.

    Args:
        data: The bytes.

    Returns:
        The text.

    Raises:
        EditError: It is not UTF-8 text, or has NUL characters.
    """
    plain = data.removeprefix(_BOM)
    try:
        text = plain.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte 0x{plain[error.start]:02x} at {error.start}"
        raise EditError(
            f"the file is not UTF-8 text ({place})",
            "files of another encoding, and binary ones, are not edited",
        ) from None
    if "\0" in text:
        raise EditError("the file has NUL characters: it is binary", "binary files are not edited")
    return text


def encode(text: str) -> bytes:
    """Encode a text as UTF-8.

    Args:
        text: The text.

    Returns:
        The bytes.

    Raises:
        EditError: It has half of a surrogate pair, as JSON can carry with `\\ud800`.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        character = f"U+{ord(text[error.start]):04X}"
        raise EditError(
            f"the content has a character that UTF-8 cannot carry ({character})"
        ) from None


def _byte_order_mark(data: bytes) -> bytes:
    return _BOM if data.startswith(_BOM) else b""


# ---- search/replace blocks


def apply_blocks(content: str, text: str) -> str:
    """Apply search/replace blocks one after the other.

    Args:
        content: The blocks.
        text: The text of the file.

    Returns:
        The new text.

    Raises:
        EditError: A block is not written correctly, is not found, or is found more than once.
    """
    lines = lines_with_endings(text)
    ending = ending_of(text)
    # The same lines without endings, to search in. It is updated with `lines`: to frame the file
    # again for each block would make the work quadratic.
    framed = frame(map(without_ending, lines))
    for number, (old, new) in enumerate(_read_blocks(split_lines(content)), 1):
        if number > MAX_BLOCKS:
            message = f"there are more than {MAX_BLOCKS} search/replace blocks"
            raise EditError(message, "write the whole text")
        offset = _find_block(old, framed, lines, number)
        start = framed.count("\n", 0, offset)
        framed = framed[:offset] + frame(new) + framed[offset + len(frame(old)) :]
        # Lines at both ends that the block does not change keep the endings that the file gave
        # them.
        prefix = _shared(old, new)
        suffix = _shared(old[prefix:][::-1], new[prefix:][::-1])
        changed = [line + ending for line in new[prefix : len(new) - suffix]]
        lines[start + prefix : start + len(old) - suffix] = changed
    return "".join(with_endings(lines, ending))


def _find_block(old: Sequence[str], framed: str, lines: Sequence[str], number: int) -> int:
    """Return the offset in the framed file of the only place with the lines `old`."""
    block = f"search/replace block {number}"
    if not old and lines:
        raise EditError(f"{block} searches for nothing", "quote the lines next to the new ones")
    passage = frame(old)
    offset = framed.find(passage)
    if offset < 0:
        nearest = describe_nearest(old, [without_ending(line) for line in lines])
        raise EditError(
            f"{block} does not fit: {nearest}", "quote the file's lines exactly, blanks included"
        )
    # An empty search in an empty file is found at the only place there is.
    if old and framed.find(passage, offset + 1) >= 0:
        places = find_lines(old, [without_ending(line) for line in lines])
        numbers = ", ".join(str(place + 1) for place in places[:_MAX_PLACES])
        ellipsis = " …" if len(places) > _MAX_PLACES else ""
        raise EditError(
            f"{block} fits at several places: lines {numbers}{ellipsis}",
            "quote more of the lines around it",
        )
    return offset


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning of two lists."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def _read_blocks(lines: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the old and the new lines of each block; its three marks must come in turn.

    `state` counts the marks of the current block: 0 outside, 1 in the old lines, 2 in the new ones.
    """
    state = 0
    old: list[str] = []
    new: list[str] = []
    for number, line in enumerate(lines, 1):
        mark = _mark_index(line)
        if mark is None:
            if state == 0 and line.strip():
                raise EditError(
                    f"line {number} of the content is outside the search/replace blocks: "
                    f"{quote_line(line)}",
                    "write nothing but the blocks",
                )
            if state:
                (old if state == 1 else new).append(line)
        elif mark != state:
            raise EditError(
                f"line {number} of the content is the wrong mark of a search/replace block: "
                f"{quote_line(line)}",
                "each block has its three marks once and in turn; a line of the file that looks "
                "like one needs a unified diff",
            )
        else:
            state = (state + 1) % len(_MARKS)
            if state == 0:
                yield old, new
                old = []
                new = []
    if state:
        raise EditError(
            "the last search/replace block has no end", "the reply may have been cut off"
        )


def _mark_index(line: str) -> int | None:
    """Return which of the three marks a line is, or None."""
    for index, mark in enumerate(_MARKS):
        if mark.match(line):
            return index
    return None
