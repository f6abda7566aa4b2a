"""Tags of another format that stand for the delimiters of a block: `<content>` … `</content>`.

A tag by itself means nothing. Only a pair of them, the first right below an action line, delimits a content.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from ...patterns.regexes import compile_pattern
from ...text.source import size
from .kinds import ATTRIBUTE_LIKE, BLANK, BLOCKS, CLOSE, DELIM, DELIMITERS, JOINED, TEXT, Kind, Line
from .spelling import LineReader

_TAG = compile_pattern(r"[ \t]*(?:<([0-9A-Za-z_-]++)[^<>]*>|\[([0-9A-Za-z_]+?)(?:([_ ])(?:START|BEGIN))?\])[ \t]*")
_TAGS = frozenset((Kind.TAG, Kind.NEAR_OPEN, Kind.NEAR_CLOSE, TEXT))
_LONGEST = 200  # characters of a tag


def pair_tags(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines with delimiters for pairs of tags below action lines, and plain text for what they enclose.

    A tag with a delimiter next to it encloses a block, and one that nothing closes before the next such tag is none:
    they stay what they are. So do tags around a lone delimiter, unless the dialect has fences of any length: no
    repaired text could say this content. Of several closing tags the first counts that has a section behind it, or
    nothing.

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
    """
    fences = "fences" in lexer.dialect.forms
    openers = {at: closing for at in _find_below_heads(lines) if (closing := _closing_tag(text, lines, at, lexer))}
    if not openers:
        return lines
    wanted: dict[str, list[int]] = {closing: [] for closing in openers.values()}
    for at, line in enumerate(lines):
        if line.kind in _TAGS and (shown := _shown(text, line)) in wanted:
            wanted[shown].append(at)
    end = 0
    places = sorted(openers)
    for opener, following in zip(places, [*places[1:], len(lines)], strict=True):
        closers = wanted[openers[opener]]
        found = closers[bisect_right(closers, opener) : bisect_right(closers, following)]
        if opener < end or not found:
            continue
        closer = next((at for at in found if _ends_block(lines, at)), found[0])
        inside = [line.kind for line in lines[opener + 1 : closer] if line.kind is not BLANK]
        if inside[-1:] in ([CLOSE], [DELIM]) or (not fences and not DELIMITERS.isdisjoint(inside)):
            continue
        end = closer
        lines[opener] = lines[opener]._replace(kind=Kind.NEAR_OPEN)
        lines[end] = lines[end]._replace(kind=Kind.NEAR_CLOSE)
        for at in range(opener + 1, end):
            if lines[at].kind is not BLANK:
                lines[at] = lines[at]._replace(kind=TEXT, inside=())
    return lines


def open_reasoning(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines; what opens a thinking section that nothing closes may be a tag over thoughts.

    was          becomes         line
    THINK_OPEN   NEAR_REASONING  <reasoning>
    TEXT         TEXT            first look

    was          becomes         line
    THINK_OPEN   THINK_OPEN      <reasoning>
    TEXT         TEXT            first look
    THINK_CLOSE  THINK_CLOSE     </reasoning>
    """
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.kind is Kind.THINK_CLOSE:
            break
        if line.kind is Kind.THINK_OPEN and lexer.is_reasoning(text[line.start : line.stop]):
            lines[index] = line._replace(kind=Kind.NEAR_REASONING)
    return lines


def _find_below_heads(lines: Sequence[Line]) -> list[int]:
    """Return the places of the tags that stand below an action line, with nothing but attributes and blanks between."""
    found = []
    below = False
    for at, line in enumerate(lines):
        if below and line.kind in _TAGS:
            found.append(at)
        below = line.kind in JOINED or (below and (line.kind is BLANK or line.kind in ATTRIBUTE_LIKE))
    return found


def _closing_tag(text: str, lines: Sequence[Line], at: int, lexer: LineReader) -> str:
    """Return the tag that closes the one on a line; nothing if that is none, or encloses a block."""
    behind = _find_behind(lines, at)
    shown = text[lines[at].start : lines[at].stop]
    tag = (
        _TAG.fullmatch(shown) if behind not in BLOCKS and size(shown) <= _LONGEST and lexer.opens_block(shown) else None
    )
    if tag is None:
        return ""
    if tag[1]:
        return f"</{tag[1]}>".lower()
    return f"[{tag[2]}{tag[3]}end]".lower() if tag[3] else f"[/{tag[2]}]".lower()


def _find_behind(lines: Sequence[Line], at: int) -> Kind:
    """Return the kind of the next line that is not blank; BLANK at the end."""
    return next((lines[k].kind for k in range(at + 1, len(lines)) if lines[k].kind is not BLANK), BLANK)


def _shown(text: str, line: Line) -> str:
    return text[line.start : line.stop].strip(" \t").lower() if line.stop - line.start <= _LONGEST else ""


def _ends_block(lines: Sequence[Line], at: int) -> bool:
    """Return whether a section stands behind a line, or nothing more."""
    behind = _find_behind(lines, at)
    return behind is BLANK or (behind.base is not TEXT and behind not in _TAGS)
