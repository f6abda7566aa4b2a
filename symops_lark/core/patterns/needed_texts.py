"""Find texts without which a pattern does not match: `in` finds them faster than `re` a pattern.

Example: each match of ``(?:`{3,}|~{3,})[a-z]*`` contains three of one of these signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .re_syntax import parse_pattern

_MAX_TEXTS = 8  # more are not faster to find than the pattern
_MAX_COPIES = 8
_Texts = frozenset[str]  # of which each match contains at least one
_NOTHING: _Texts = frozenset()  # nothing is known


def find_needed_texts(pattern: str) -> tuple[str, ...]:
    """Return texts of which a text contains at least one if a pattern matches in it.

    Args:
        pattern: A pattern of `re`.

    Returns:
        The texts, sorted; empty if no such texts are known.

    Raises:
        UnreadablePatternError: `re` cannot read the pattern.
    """
    tree = parse_pattern(pattern)
    if tree.flags & re.IGNORECASE:
        return ()
    return tuple(sorted(_texts_of(tree.items)))


def _texts_of(items: Any) -> _Texts:
    """Return the best texts of a sequence: the longest, of these the fewest."""
    return max(_candidates(items), key=_worth, default=_NOTHING)


def _worth(texts: _Texts) -> tuple[int, int]:
    return min(map(len, texts), default=0), -len(texts)


def _candidates(items: Any) -> Iterator[_Texts]:
    run = ""
    for operation, value in items:
        if str(operation) == "LITERAL":
            run += chr(value)
            continue
        if run:
            yield frozenset((run,))
        run = ""
        yield _texts_of_item(str(operation), value)
    if run:
        yield frozenset((run,))


def _texts_of_item(operation: str, value: Any) -> _Texts:
    match operation:
        case "IN":
            return _one_of(value)
        case "BRANCH":
            return _union([_texts_of(branch) for branch in value[1]])
        case "SUBPATTERN":
            _, added, _, items = value
            return _NOTHING if added & re.IGNORECASE else _texts_of(items)
        case "ATOMIC_GROUP":
            return _texts_of(value)
        case "ASSERT":
            return _texts_of(value[1])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeated(*value)
    return _NOTHING


def _one_of(members: Any) -> _Texts:
    """Return the characters of a class that lists a few."""
    characters = set()
    for operation, value in members:
        if str(operation) != "LITERAL":
            return _NOTHING
        characters.add(chr(value))
    return frozenset(characters) if len(characters) <= _MAX_TEXTS else _NOTHING


def _union(alternatives: list[_Texts]) -> _Texts:
    """Return the texts of all alternatives; each must have some."""
    if not all(alternatives):
        return _NOTHING
    texts = frozenset().union(*alternatives)
    return texts if len(texts) <= _MAX_TEXTS else _NOTHING


def _repeated(least: int, _most: int, items: Any) -> _Texts:
    if least == 0:
        return _NOTHING
    # One character that is repeated is a longer text.
    if len(items) == 1 and str(items[0][0]) == "LITERAL":
        return frozenset((chr(items[0][1]) * min(least, _MAX_COPIES),))
    return _texts_of(items)
