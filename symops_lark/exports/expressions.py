"""Build regular expressions that repeat little, and write them for any engine.

Equal beginnings and ends of alternatives are written once. The expressions use only literals,
classes and the signs ( ) | ? * +, which every engine has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TypeGuard

from ..core.text.slips import common_ends
from .automata.alphabet import WHITE, Alphabet, spell_class

# An expression: a set of letters, or a tag and its parts.
Tagged = tuple[str, tuple["Expression", ...]]
Expression = int | Tagged
_ORDER = "in order"
_CHOICE = "one of"
_MAYBE = "maybe"
_REPEATED = "repeated"
NOTHING: Expression = (_ORDER, ())  # the empty text


def in_order(parts: Iterable[Expression]) -> Expression:
    """Return the texts of the parts, one after the other."""
    flat: list[Expression] = []
    for part in parts:
        flat += _parts(part)
    return _tag(_ORDER, flat)


def _tag(tag: str, parts: Sequence[Expression]) -> Expression:
    """Return an expression with a tag; a single part needs none."""
    if len(parts) == 1:
        return parts[0]
    return tag, tuple(parts)


def repeated(part: Expression) -> Expression:
    """Return a part any number of times."""
    # `(x?)*` and `(x*)*` are `x*`.
    while _has_tag(part, _MAYBE, _REPEATED):
        [part] = part[1]
    return _REPEATED, (part,)


def one_of(parts: Iterable[Expression]) -> Expression:
    """Return the texts of any part, with their common beginning and end written once."""
    return reduce(_unite, parts)


def _has_tag(part: Expression, *tags: str) -> TypeGuard[Tagged]:
    return isinstance(part, tuple) and part[0] in tags


def _parts(part: Expression, tag: str = _ORDER) -> tuple[Expression, ...]:
    """Return the parts of an expression with a tag; another one is its only part."""
    return part[1] if _has_tag(part, tag) else (part,)


def _unite(first: Expression, second: Expression) -> Expression:
    if first == second:
        return first
    # The union of two classes of characters is a class.
    if isinstance(first, int) and isinstance(second, int):
        return first | second
    left = _parts(first)
    right = _parts(second)
    start, end = common_ends(left, right)
    if start or end:
        left_end = len(left) - end
        right_end = len(right) - end
        left_middle = in_order(left[start:left_end])
        right_middle = in_order(right[start:right_end])
        middle = _unite(left_middle, right_middle)
        return in_order([*left[:start], middle, *left[left_end:]])
    if first == NOTHING:
        return _maybe(second)
    if second == NOTHING:
        return _maybe(first)
    choices = _parts(first, _CHOICE) + _parts(second, _CHOICE)
    return _gather(choices)


def _maybe(part: Expression) -> Expression:
    # `(x*)?` is `x*`.
    if _has_tag(part, _MAYBE, _REPEATED):
        return part
    return _MAYBE, (part,)


def _gather(choices: Sequence[Expression]) -> Expression:
    """Return alternatives, with those united that share something."""
    united: list[Expression] = []
    for choice in choices:
        for index, earlier in enumerate(united):
            if _shares(choice, earlier):
                united[index] = _unite(earlier, choice)
                break
        else:
            united.append(choice)
    return _tag(_CHOICE, united)


def _shares(one: Expression, other: Expression) -> bool:
    """Return whether two alternatives begin or end with the same part, or are both characters."""
    if isinstance(one, int) and isinstance(other, int):
        return True
    left = _parts(one)
    right = _parts(other)
    return left[0] == right[0] or left[-1] == right[-1]


def spell_expression(part: Expression, alphabet: Alphabet) -> str:
    """Return a regular expression, without the slashes around it."""
    if isinstance(part, int):
        return _spell_class(alphabet, part)
    tag, parts = part
    # The caller adds brackets where they are needed.
    if tag == _CHOICE:
        return "|".join(spell_expression(choice, alphabet) for choice in parts)
    if tag == _ORDER:
        return _spell_order(parts, alphabet)
    sign = "?" if tag == _MAYBE else "*"
    return _group(parts[0], alphabet) + sign


def _spell_order(parts: tuple[Expression, ...], alphabet: Alphabet) -> str:
    text = ""
    previous: Expression | None = None
    last = ""
    for part in parts:
        # `xx*` is written as `x+`.
        if previous is not None and part == (_REPEATED, (previous,)):
            last = _group(previous, alphabet) + "+"
            previous = None
            continue
        text += last
        previous = part
        if _has_tag(part, _CHOICE):
            last = _group(part, alphabet)
        else:
            last = spell_expression(part, alphabet)
    return text + last


def _group(part: Expression, alphabet: Alphabet) -> str:
    text = spell_expression(part, alphabet)
    # A class of characters needs no brackets.
    if isinstance(part, int):
        return text
    return f"({text})"


def _spell_class(alphabet: Alphabet, letters: int) -> str:
    ranges = alphabet.ranges(letters)
    first, last = ranges[0]
    if len(ranges) == 1 and first == last:
        return _escape(first, r"\^$.|?*+()[]{}/-&~#")
    return spell_class(ranges, lambda point: _escape(point, r"\]^[-&~/#"))


def _escape(point: int, special: str) -> str:
    """Return a character in a pattern.

    Args:
        point: The code point.
        special: The characters that need a backslash there.
    """
    character = chr(point)
    if character in WHITE:
        return WHITE[character]
    if " " <= character < "\x7f":
        return f"\\{character}" if character in special else character
    if point < 0x80:
        return f"\\x{point:02x}"
    if point <= 0xFFFF:
        return f"\\u{point:04x}"
    return f"\\U{point:08x}"
