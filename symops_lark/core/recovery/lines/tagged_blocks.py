"""Read tags of another format as the delimiters of a block: `<content>` … `</content>`.

One tag means nothing. Only a pair of tags delimits a content, and only if the first tag is directly
below an action line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence

from ...patterns.regexes import compile_pattern
from ...text.source import size
from .kinds import (
    ATTRIBUTE_LIKE,
    BLANK,
    BLOCKS,
    CLOSE,
    DELIM,
    DELIMITERS,
    JOINED,
    TEXT,
    Kind,
    Line,
    set_kind,
    text_of,
)
from .spelling import LineReader

# Matches "<code lang='py'>", "[CONTENT]", "[FILE_START]"; does not match "</code>" or "<a> <b>".
# Groups: the name of an angular tag, that of a tag in brackets, what joins it to START.
_TAG = compile_pattern(
    r"[ \t]*(?:<([0-9A-Za-z_-]++)[^<>]*>|"
    r"\[([0-9A-Za-z_]+?)(?:([_ ])(?:START|BEGIN))?\])[ \t]*"
)
_TAGS = frozenset((Kind.TAG, Kind.NEAR_OPEN, Kind.NEAR_CLOSE, TEXT))
_MAX_LENGTH = 200  # characters of a tag; a longer line is a line of markup in a file


def pair_tags(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Read pairs of tags below action lines as delimiters, and the lines between them as text.

    A tag next to a delimiter encloses a block, and a tag that nothing closes before the next such
    tag is not a delimiter: both stay what they are. So do tags around a lone delimiter, unless the
    dialect has fences of any length: no repaired text could hold this content. Of several closing
    tags the first one counts after which a section or nothing follows.

        was     becomes     line
        ACTION  ACTION      ::create @a.html
        TAG     NEAR_OPEN   <code>
        TEXT    TEXT        <p>
        ACTION  TEXT        ::create @b.html
        TAG     NEAR_CLOSE  </code>
        THOUGHT THOUGHT     >> done

        was     becomes     line
        ACTION  ACTION      ::create @a.py
        TAG     TAG         <code>
        OPEN    OPEN        <<<
        TEXT    TEXT        x = 1
        CLOSE   CLOSE       >>>
        TAG     TAG         </code>

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the pass before left them; changed in place.
        lexer: Answers whether a tag can be read as a delimiter.
    """
    closing_tags = {}  # by the index of the opening tag
    for at in _find_below_heads(lines):
        closing = _closing_tag(text, lines, at, lexer)
        if closing:
            closing_tags[at] = closing
    if not closing_tags:
        return lines
    places_of = _find_tags(text, lines, frozenset(closing_tags.values()))
    has_fences = "fences" in lexer.dialect.forms
    end = 0
    openers = sorted(closing_tags)
    ends = [*openers[1:], len(lines)]
    for opener, following in zip(openers, ends, strict=True):
        places = places_of.get(closing_tags[opener], [])
        first = bisect_right(places, opener)
        last = bisect_right(places, following)
        candidates = places[first:last]
        if opener < end or not candidates:
            continue
        closer = _choose_closer(lines, candidates)
        if _encloses_block(lines, opener, closer, has_fences):
            continue
        end = closer
        set_kind(lines, opener, Kind.NEAR_OPEN)
        set_kind(lines, end, Kind.NEAR_CLOSE)
        for at in range(opener + 1, end):
            line = lines[at]
            if line.kind is not BLANK:
                lines[at] = line._replace(kind=TEXT, inside=())
    return lines


def _find_tags(text: str, lines: Sequence[Line], tags: Collection[str]) -> Mapping[str, list[int]]:
    """Return the indexes of the lines that are only one of some tags, by tag."""
    places_of: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if line.kind in _TAGS:
            tag = _normalize(text, line)
            if tag in tags:
                places_of.setdefault(tag, []).append(at)
    return places_of


def _choose_closer(lines: Sequence[Line], candidates: Sequence[int]) -> int:
    """Return the first closing tag after which a section or nothing follows, else the first."""
    for at in candidates:
        if _ends_block(lines, at):
            return at
    return candidates[0]


def _encloses_block(lines: Sequence[Line], opener: int, closer: int, has_fences: bool) -> bool:
    """Return whether the lines between two tags already have delimiters, or hold a lone one."""
    between = lines[opener + 1 : closer]
    inside = [line.kind for line in between if line.kind is not BLANK]
    if inside[-1:] in ([CLOSE], [DELIM]):
        return True
    return not has_fences and not DELIMITERS.isdisjoint(inside)


def open_reasoning(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Read a tag that opens a thinking section as a heading over thoughts if nothing closes it.

    was          becomes         line
    THINK_OPEN   NEAR_REASONING  <reasoning>
    TEXT         TEXT            first look

    was          becomes         line
    THINK_OPEN   THINK_OPEN      <reasoning>
    TEXT         TEXT            first look
    THINK_CLOSE  THINK_CLOSE     </reasoning>

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the pass before left them; changed in place.
        lexer: Answers whether a tag can be a heading over thoughts.
    """
    # Backward: a tag before the last closing one is closed.
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.kind is Kind.THINK_CLOSE:
            break
        is_open = line.kind is Kind.THINK_OPEN
        if is_open and lexer.is_reasoning(text_of(line, text)):
            set_kind(lines, index, Kind.NEAR_REASONING)
    return lines


def _find_below_heads(lines: Sequence[Line]) -> list[int]:
    """Return the indexes of the tags below an action line, after only attributes and blanks."""
    places = []
    is_below = False
    for at, line in enumerate(lines):
        if is_below and line.kind in _TAGS:
            places.append(at)
        if line.kind in JOINED:
            is_below = True
        elif line.kind is not BLANK and line.kind not in ATTRIBUTE_LIKE:
            is_below = False
    return places


def _closing_tag(text: str, lines: Sequence[Line], at: int, lexer: LineReader) -> str:
    """Return the tag that closes the one on a line; empty if it is not one, or before a block."""
    if _kind_after(lines, at) in BLOCKS:
        return ""
    opening = text_of(lines[at], text)
    if size(opening) > _MAX_LENGTH or not lexer.opens_block(opening):
        return ""
    tag = _TAG.fullmatch(opening)
    if tag is None:
        return ""
    if tag[1]:
        return f"</{tag[1]}>".lower()
    if tag[3]:  # `[FILE_START]` … `[FILE_END]`
        return f"[{tag[2]}{tag[3]}end]".lower()
    return f"[/{tag[2]}]".lower()


def _kind_after(lines: Sequence[Line], at: int) -> Kind:
    """Return the kind of the next line that is not blank; BLANK at the end."""
    for index in range(at + 1, len(lines)):
        if lines[index].kind is not BLANK:
            return lines[index].kind
    return BLANK


def _normalize(text: str, line: Line) -> str:
    """Return a line as closing tags are compared; empty if it is too long for a tag."""
    if line.stop - line.start > _MAX_LENGTH:
        return ""
    return text_of(line, text).strip(" \t").lower()


def _ends_block(lines: Sequence[Line], at: int) -> bool:
    """Return whether a section or nothing follows a line."""
    following = _kind_after(lines, at)
    if following is BLANK:
        return True
    return following.base is not TEXT and following not in _TAGS
