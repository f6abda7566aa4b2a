"""What stands at a value's edges and belongs to it: members and values that a bracket at the wrong place cut off.

Laws: an object is refused where the text beside it goes on as an object's or a list's does, as something of the answer
would be lost without a word. Prose beside an object is none of that: words without quotes, points, stray brackets.
Each character beside a value is looked at a bounded number of times.
"""

from __future__ import annotations

from ...core.patterns.regexes import compile_pattern
from .tokens import BLANKS, NAME

_FRONT = 400  # characters before a value that are looked at: one member
_REACH = 1_000  # and behind it: comments, a name or a value, the rest of a line
_GAP = rf"(?:{BLANKS}|(?://|#)[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*+"
_QUOTED = r"(?:\"[^\"\n]*+\"|'[^'\n]*+'|“[^“”\n]*+”|‘[^‘’\n]*+’)"
_SCALAR = rf"(?:{_QUOTED}|-?[0-9][0-9.eE+-]*+|true|false|null|True|False|None)"
_COLON = r":(?!//)"
_BEHIND = compile_pattern(
    # `}, "b": 2` and `}, b: 2`, also where a quote that belongs to a text is left between
    rf"[\"']?{_GAP},{_GAP}(?:{NAME}){_GAP}{_COLON}"
    # `} "b": 2`: a comma is missing, or the bracket stands before a name
    rf"|{_GAP}{_QUOTED}{_GAP}{_COLON}"
    # `}, 3]`
    rf"|{_GAP},{_GAP}{_SCALAR}{_GAP}[,\]}}]"
    # `}2`, `}.5`, `}[`: the bracket stands in a value or before one
    r"|[0-9A-Za-z_\[]|[-+.][0-9]"
    # `} is "the" end"}`: a quote that is not escaped ended a text too early
    r"|[()\[\];:,.`*<>/|\\ \t\r]*+[^{}\n][^{}\n]*+\}"
)
_BEFORE = compile_pattern(
    # `"a": {` and `"a"}: {`
    rf"[\"'”’]{_GAP}\}}?{_GAP}:{_GAP}\Z"
    # `"a": 1, {`, and without the comma
    rf"|{_QUOTED}{_GAP}:{_GAP}{_SCALAR}{_GAP},?{_GAP}\Z"
)
_EMPTY = compile_pattern(rf"\{{{_GAP}\}}")
_LIST_BEFORE = compile_pattern(rf"{_GAP},?{_GAP}\Z")


def find_joint(text: str, start: int, end: int) -> int | None:
    """Return the offset beside an object where more of it seems to stand; None if there is nothing.

    Args:
        text: The whole reply.
        start: Where the object begins.
        end: Where it ends, behind its bracket.
    """
    if behind := _BEHIND.match(text, end, end + _REACH):
        return behind.start()
    if before := _BEFORE.search(text, max(0, start - _FRONT), start):
        return before.start()
    return None


def is_list_right_before(text: str, list_end: int, start: int) -> bool:
    """Return whether nothing but blanks and a comma stands between the end of a list and an object."""
    return start - list_end <= _FRONT and _LIST_BEFORE.match(text, list_end, start) is not None


def is_empty(text: str, start: int, end: int) -> bool:
    """Return whether an object has no member, comments aside."""
    return _EMPTY.fullmatch(text, start, end) is not None
