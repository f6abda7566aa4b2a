"""Turn lines inside certain blocks, and drawings made of delimiters, into plain text.

Whatever the lines of a block look like, they are content: a file about a notation holds action
lines. So the engine must not see them as more.
"""

from __future__ import annotations

from collections.abc import Sequence

from .kinds import (
    ATTRIBUTE_LIKE,
    CLOSE,
    DELIM,
    HEAD_BASES,
    INNER_HEADS,
    OPEN,
    RESPELT,
    RIGHT_OR_NEAR,
    TEXT,
    Kind,
    Line,
    Spelling,
    find_filled,
    indentation_of,
    kinds_of,
    set_kind,
)
from .spelling import LineReader

HEADS_OF_BLOCKS = kinds_of(*HEAD_BASES, spelling=RIGHT_OR_NEAR) | {Kind.BARE_ACTION}
GLUED = kinds_of(spelling=(Spelling.BEHIND, Spelling.BEFORE))
_OPENERS = kinds_of(OPEN, DELIM, Kind.FENCE)
_CLOSERS = kinds_of(CLOSE, DELIM, spelling=RESPELT)
_FENCES = kinds_of(Kind.FENCE)
_WRAPPERS = _FENCES | {OPEN}
# Between an opener and its action line: a Markdown fence around the block, and a doubled opener.
_MAX_WRAPPERS = 2  # lines


def protect_blocks(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Turn every line inside a block whose two delimiters are certain into text.

    The delimiters are certain if the opener follows an action line, and inside there is neither a
    lone delimiter nor a sign of a missing closer (`_looks_unclosed`).

        was           becomes       line
        ACTION        ACTION        ::create @a.md
        OPEN          OPEN          <<<
        THOUGHT       TEXT          >> a quotation
        CLOSE         CLOSE         >>>

        was           becomes       line
        ACTION        ACTION        ::create @a.md
        OPEN          OPEN          <<<
        THOUGHT       THOUGHT       >> a quotation
        CLOSE_ACTION  CLOSE_ACTION  >>>::create @b.md
        CLOSE         CLOSE         >>>

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the pass before left them; changed in place.
        lexer: Not used.
    """
    filled = find_filled(lines)
    opener = None  # the positions in `filled` of the opener and of its action line
    head = None
    for at, index in enumerate(filled):
        kind = lines[index].kind
        if opener is not None and head is not None and kind in (CLOSE, DELIM):
            inner = filled[opener + 1 : at + 1]
            if not _looks_unclosed(text, lines, inner, lines[filled[head]]):
                for k in inner[:-1]:
                    if lines[k].kind is not TEXT:
                        set_kind(lines, k, TEXT)
            opener = None
        elif kind in (OPEN, DELIM):
            opener = at
            head = _find_head(lines, filled, at)
    return lines


def _find_head(lines: Sequence[Line], filled: Sequence[int], opener: int) -> int | None:
    """Return the position of the action line whose block an opener begins, or None."""
    head = opener - 1
    if lines[filled[opener]].kind is OPEN:
        first = max(0, opener - 1 - _MAX_WRAPPERS)
        while head > first and lines[filled[head]].kind in _WRAPPERS:
            head -= 1
    while head > 0 and lines[filled[head]].kind in ATTRIBUTE_LIKE:
        head -= 1
    if head < 0 or lines[filled[head]].kind not in HEADS_OF_BLOCKS:
        return None
    return head


def _looks_unclosed(text: str, lines: list[Line], inner: list[int], head: Line) -> bool:
    """Return whether a block holds an action line that may begin the next section.

    `inner` are the indexes of the block's lines and of its closer. Such an action line is on one
    line with a delimiter, or precedes a line that could open a block, or follows one that could
    close it (the line above, or any earlier one that ends with a closing delimiter), or is
    misspelled as the head of the block is.
    """
    depth = indentation_of(head, text)
    last = len(inner) - 1
    # Attributes are left out: they may be between an action line and its block.
    relevant = []
    for place, index in enumerate(inner):
        if place in (0, last) or lines[index].kind not in ATTRIBUTE_LIKE:
            relevant.append(index)
    kinds = [lines[index].kind for index in relevant]
    has_ended = False
    is_closed = False
    for place, kind in enumerate(kinds[:-1]):
        if kind in GLUED:
            return True
        is_alike = kind is head.kind is Kind.NEAR_ACTION
        is_between = is_closed or kinds[place + 1] in _OPENERS or is_alike
        line = lines[relevant[place]]
        if kind in INNER_HEADS and is_between and indentation_of(line, text) <= depth:
            return True
        has_ended = has_ended or kind is Kind.LAST_TEXT
        is_closed = has_ended or kind in _CLOSERS
    return False


_DELIMITERS = kinds_of(OPEN, CLOSE, DELIM, Kind.FENCE, spelling=RIGHT_OR_NEAR)
# Delimiters in a row. The longest run of a reply in tests/corpus and tests/transcripts has nine.
_MAX_RUN = 12
_BORDER = 2  # the delimiters at each end of a longer run that may belong to blocks around it


def flatten_drawings(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Turn the middle of long runs of delimiters into text: a drawing, or a model in a loop.

    was    becomes  line
    OPEN   OPEN     <<<  (2 times)
    OPEN   TEXT     <<<  (9 times)
    CLOSE  CLOSE    >>>  (2 times)

    was    becomes  line
    OPEN   OPEN     <<<  (6 times)
    CLOSE  CLOSE    >>>  (6 times)

    Args:
        text: Not used.
        lines: The lines as the pass before left them; changed in place.
        lexer: Not used.
    """
    run = 0
    for index in range(len(lines) + 1):
        if index < len(lines) and lines[index].kind in _DELIMITERS:
            run += 1
            continue
        if run > _MAX_RUN:
            for k in range(index - run + _BORDER, index - _BORDER):
                set_kind(lines, k, TEXT)
        run = 0
    return lines
