"""Read search/replace blocks: those of aider, Cline and Roo Code, with 5 signs or more.

    a.py                       the file, which may be left out
    <<<<<<< SEARCH             or `------- SEARCH`, `<<<<<<< ORIGINAL`
    :start_line:3              the line of the file, which may be left out
    -------
    x = 1
    =======
    x = 3
    >>>>>>> REPLACE            or `+++++++ REPLACE`, `>>>>>>> UPDATED`

A divider and a closer with the number of signs of the opener are searched for first, then any. If
several lines look like the divider, each is tried, and exactly one must fit in the file.
"""

from __future__ import annotations

from ...patterns.regexes import Pattern, compile_pattern
from ..file_names import names_in
from ..hunks import Ambiguity, Hunk, Reading, Unreadable, settle
from ..lines import Texts, filled_lines
from ..nearest import quote_line

KIND = "search/replace blocks"
_DIVIDERS = Ambiguity(
    "has several dividers",
    "several lines of the edit look like its divider, and one of them fits",
    "a line of the file that looks like a mark needs a unified diff",
)
RANK = 40

# The second part is the mark that opens a block; HEAD instead of it opens a merge conflict.
_OPENER = compile_pattern(r"(<{5,}|-{5,}) ?(?:SEARCH|ORIGINAL)>?[ \t]*")
_DIVIDER = compile_pattern(r"(={5,})[ \t]*")
_CLOSER = compile_pattern(r"(>{5,}|\+{5,}) ?(?:REPLACE|UPDATED)[ \t]*")
_CLOSING_SIGNS = {"<": ">", "-": "+"}
# Roo Code writes where the old lines begin, and older versions where they end.
_START_LINE = compile_pattern(r":start_line:[ \t]*([0-9]{1,7})[ \t]*")
_END_LINE = compile_pattern(r":end_line:[ \t]*[0-9]{1,7}[ \t]*")
_HINT_END = compile_pattern(r"-{5,}[ \t]*")
_MAX_DIVIDERS = 20  # readings of one block; each is searched for in the file
# Lines before the first block, beyond which a text is about blocks rather than made of them.
_MAX_LINES_ABOVE = 3
_THREE_MARKS = "write the three marks of each block once and in turn"
_ONLY_BLOCKS = "write nothing but the blocks"


def read(content: str, path: str = "") -> Reading | None:
    """Read a content that consists of search/replace blocks.

    Args:
        content: The content of an edit.
        path: The edited file.

    Returns:
        The reading. None if no line opens a block, or if the text is about blocks.

    Raises:
        Unreadable: A block is incomplete, or other lines are between the blocks.
    """
    lines = filled_lines(content)
    first = next((index for index, line in enumerate(lines) if _opens(line)), None)
    if first is None:
        return None
    names = names_in(lines[:first], path)
    if names is None:
        if first > _MAX_LINES_ABOVE and not _has_all_marks(lines):
            return None
        raise Unreadable(
            f"line 1 of the content is outside of the blocks: {quote_line(lines[0])}", _ONLY_BLOCKS
        )
    hunks = []
    index = first
    while index < len(lines):
        if _opens(lines[index]):
            hunk, index = _read_block(lines, index)
            hunks.append(hunk)
            continue
        # Between blocks, too, a line may name a file, and a fence may close.
        line_names = names_in([lines[index]], path)
        if line_names is None:
            raise Unreadable(
                f"line {index + 1} of the content is outside of the blocks: "
                f"{quote_line(lines[index])}",
                _ONLY_BLOCKS,
            )
        names += line_names
        index += 1
    return settle(KIND, tuple(hunks), tuple(names))


def _opens(line: str) -> bool:
    return line.startswith(("<", "-")) and _OPENER.fullmatch(line) is not None


def _has_all_marks(lines: Texts) -> bool:
    return all(any(mark.fullmatch(line) for line in lines) for mark in (_OPENER, _DIVIDER, _CLOSER))


def _read_block(lines: Texts, start: int) -> tuple[Hunk, int]:
    """Read the block that a line opens; return it and the index after it."""
    opener = _OPENER.fullmatch(lines[start])
    signs = opener[1] if opener is not None else ""
    limit = start + 1
    while limit < len(lines) and not _opens(lines[limit]):
        limit += 1
    closers = [
        index
        for index in _find_mark(lines, start, limit, _CLOSER, len(signs))
        if lines[index].startswith(_CLOSING_SIGNS[signs[0]])
    ]
    # A block inside of another one means that a closer was lost, and with it the place of the end.
    if not closers and limit < len(lines):
        raise Unreadable(
            f"line {limit + 1} of the content opens a block inside of another one", _THREE_MARKS
        )
    if not closers:
        raise Unreadable("the last block has no end", "the reply may have been cut off")
    end = closers[0]
    dividers = _find_mark(lines, start, end, _DIVIDER, len(signs))
    if not dividers:
        raise Unreadable(
            f"the block at line {start + 1} of the content has no divider", _THREE_MARKS
        )
    if len(dividers) > _MAX_DIVIDERS:
        raise Unreadable(
            f"the block at line {start + 1} of the content has {len(dividers)} dividers",
            "use a unified diff",
        )
    choices = [_hunk(lines[start + 1 : divider], lines[divider + 1 : end]) for divider in dividers]
    if len(choices) == 1:
        return choices[0], end + 1
    return Hunk(choices=tuple(choices), ambiguity=_DIVIDERS), end + 1


def _find_mark(lines: Texts, start: int, end: int, mark: Pattern, length: int) -> list[int]:
    """Return the indexes of a mark: those with a number of signs, or else all of them."""
    indexes = []
    exact_indexes = []
    for index in range(start, end):
        match = mark.fullmatch(lines[index])
        if match is None:
            continue
        indexes.append(index)
        if len(match[1]) == length:
            exact_indexes.append(index)
    return exact_indexes or indexes


def _hunk(old: Texts, new: Texts) -> Hunk:
    old_line, old_start = _read_hint(old)
    new_line, new_start = _read_hint(new)  # models write the hint in either half
    line = old_line if old_line is not None else new_line
    return Hunk(tuple(old[old_start:]), tuple(new[new_start:]), line)


def _read_hint(lines: Texts) -> tuple[int | None, int]:
    """Return the line that a half names, and the index of its first own line."""
    line: int | None = None
    index = 0
    while index < len(lines):
        start_line = _START_LINE.fullmatch(lines[index])
        if start_line is not None:
            line = int(start_line[1])
        elif _END_LINE.fullmatch(lines[index]) is None:
            break
        index += 1
    if index and index < len(lines) and _HINT_END.fullmatch(lines[index]) is not None:
        index += 1
    return line, index
