"""Texts of a terminal: a short one to insert, all of them if they are few, and its quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..core.grammar.compiling.regular import (
    Language,
    Node,
    Unsupported,
    find_shortest,
    read_pattern,
)
from ..core.text.slips import is_one_slip

# In this order: a name, a number, an empty string, line feeds, brackets.
_USUAL = ("x", "X", "0", "1", '""', "''", "a", "A", "\n", " ", "{}", "()", "[]", "x.x", "//", "#\n")
QUOTES = "\"'`"
_MOST_CHOICES = 64


def is_token(regex: re.Pattern[str], text: str) -> bool:
    """Return whether a lexer would take all of a text as one token.

    A lazy pattern may match more text than a lexer takes, so `fullmatch` is not enough.
    """
    match = regex.match(text)
    return match is not None and match.end() == len(text) > 0


def find_sample(pattern: str, regex: re.Pattern[str], choices: frozenset[str]) -> str | None:
    """Return a short text of a terminal, or None if no text was found.

    Args:
        pattern: The regular expression.
        regex: The same, compiled.
        choices: All texts of the terminal, if these are few.
    """
    usual = [text for text in _USUAL if is_token(regex, text)]
    if usual:
        return usual[0]
    # The shortest one is the least surprising.
    if choices:
        return min(choices, key=lambda text: (len(text), text))
    try:
        shortest = find_shortest(Language(pattern))
    except Unsupported:
        return None
    if shortest and is_token(regex, shortest):
        return shortest
    return None


def find_choices(pattern: str) -> frozenset[str]:
    """Return all texts of a terminal; none if they are many, or the pattern cannot be read.

    A letter without case is in its small form: `(?i:ON)` has the choice "on".
    """
    try:
        texts = _spell(read_pattern(pattern))
    except Unsupported:
        return frozenset()
    return frozenset(texts or ()) - {""}


def _spell(node: Node) -> set[str] | None:
    """Return the texts of a part of a pattern, or None if they are too many."""
    match node:
        case ("set", ranges, False):
            return _spell_set(ranges)
        case ("all", parts):
            return _join(_spell(part) for part in parts)
        case ("any", branches):
            united = set()
            for branch in branches:
                texts = _spell(branch)
                if texts is None:
                    return None
                united |= texts
            if len(united) <= _MOST_CHOICES:
                return united
            return None
        case ("times", part, 0, 1, _):
            optional = _spell(part)
            if optional is None:
                return None
            return optional | {""}
    return None


def _spell_set(ranges: Iterable[tuple[int, int]]) -> set[str] | None:
    characters = set()
    for low, high in ranges:
        # More than two characters are not two cases of one letter.
        if high - low > 1:
            return None
        characters |= {chr(low), chr(high)}
    small = {character.lower() for character in characters}
    if len(small) == 1 and len(characters) > 1:
        return small
    if len(characters) == 1:
        return characters
    return None


def _join(parts: Iterable[set[str] | None]) -> set[str] | None:
    joined = {""}
    for texts in parts:
        if texts is None:
            return None
        if len(joined) * len(texts) > _MOST_CHOICES:
            return None
        joined = {before + after for before in joined for after in texts}
    return joined


def find_quotes(regex: re.Pattern[str]) -> str:
    """Return the quotes that can delimit the texts of a terminal."""
    quotes = ""
    for quote in QUOTES:
        example = f"{quote}x y{quote}"
        if is_token(regex, example):
            quotes += quote
    return quotes


def is_near(text: str, target: str) -> bool:
    """Return whether two words differ by one slip.

    A slip is one letter that is missing, added or changed, two neighbors that are swapped, or any
    difference of case. A target of less than three letters is near by its case alone.
    """
    if text == target:
        return False
    text = text.lower()
    target = target.lower()
    if text == target:
        return True
    return len(target) >= 3 and is_one_slip(text, target)
