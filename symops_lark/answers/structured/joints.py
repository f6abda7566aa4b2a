"""Find parts of a JSON value beside it, which a bracket at the wrong place cut off.

An object is rejected if the text beside it continues like an object or a list: a part of the answer
would be lost silently. Prose beside an object (words without quotes, periods, stray brackets) does
not count. Each character beside a value is read a bounded number of times.
"""

from __future__ import annotations

from ...core.patterns.regexes import compile_pattern
from .tokens import BLANKS, NAME

_MAX_BEFORE = 400  # characters that are read before a value: one member
_MAX_AFTER = 1_000  # characters after it: comments, a name or a value, the end of a line
_GAP = rf"(?:{BLANKS}|(?://|#)[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*+"
_QUOTED = r"(?:\"[^\"\n]*+\"|'[^'\n]*+'|“[^“”\n]*+”|‘[^‘’\n]*+’)"
_SCALAR = rf"(?:{_QUOTED}|-?[0-9][0-9.eE+-]*+|true|false|null|True|False|None)"
_COLON = r":(?!//)"
_AFTER = compile_pattern(
    # `}, "b": 2` and `}, b: 2`, also if the closing quote of a text remains between
    rf"[\"']?{_GAP},{_GAP}(?:{NAME}){_GAP}{_COLON}"
    # `} "b": 2`: a comma is missing, or the bracket is before a name
    rf"|{_GAP}{_QUOTED}{_GAP}{_COLON}"
    # `}, 3]`
    rf"|{_GAP},{_GAP}{_SCALAR}{_GAP}[,\]}}]"
    # `}2`, `}.5`, `}[`: the bracket is in a value or before one
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
    """Return the offset beside an object where it seems to continue; None if it does not.

    Args:
        text: The whole reply.
        start: The offset of its bracket.
        end: The offset after its closing bracket.
    """
    match = _AFTER.match(text, end, end + _MAX_AFTER)
    if match is None:
        match = _BEFORE.search(text, max(0, start - _MAX_BEFORE), start)
    return None if match is None else match.start()


def is_list_right_before(text: str, list_end: int, start: int) -> bool:
    """Return whether only blanks and a comma separate a list from the object after it.

    Args:
        text: The whole reply.
        list_end: The offset after the list.
        start: The offset of the object.
    """
    if start - list_end > _MAX_BEFORE:
        return False
    return _LIST_BEFORE.match(text, list_end, start) is not None


def is_empty(text: str, start: int, end: int) -> bool:
    """Return whether an object has no member; comments do not count.

    Args:
        text: The whole reply.
        start: The offset of its bracket.
        end: The offset after its closing bracket.
    """
    return _EMPTY.fullmatch(text, start, end) is not None
