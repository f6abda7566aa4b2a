"""Find the characters that a pattern's texts can begin with: other places need no search.

Example: each match of ``(?:File: )?`?[a]`` begins with `F`, a backtick or `a`.
"""

from __future__ import annotations

from typing import Any

from .re_syntax import parse_pattern

_MAX_CHARACTERS = 200  # characters; more exclude few places
_ZERO_WIDTH = ("AT", "ASSERT_NOT")


def find_first_characters(pattern: str) -> str:
    """Return the characters that the texts of a pattern can begin with.

    A positive lookahead at the end of the pattern counts as a part of its texts.

    Args:
        pattern: A pattern of `re`.

    Returns:
        The characters, sorted; empty if they are many, or if a text may be empty.

    Raises:
        UnreadablePatternError: `re` cannot read the pattern.
    """
    characters, may_be_empty = _first_of(parse_pattern(pattern).items)
    if may_be_empty or characters is None or len(characters) > _MAX_CHARACTERS:
        return ""
    return "".join(sorted(characters))


def _first_of(items: Any) -> tuple[set[str] | None, bool]:
    """Return the first characters of a sequence, None for any, and whether it may be empty."""
    characters: set[str] = set()
    for operation, value in items:
        first, may_be_empty = _first_of_item(str(operation), value)
        if first is None:
            return None, False
        characters |= first
        if not may_be_empty:
            return characters, False
    return characters, True


def _first_of_item(operation: str, value: Any) -> tuple[set[str] | None, bool]:
    match operation:
        case "LITERAL":
            return {chr(value)}, False
        case "IN":
            return _members(value), False
        case "BRANCH":
            return _union(value[1])
        case "SUBPATTERN":
            return _first_of(value[3])
        case "ATOMIC_GROUP":
            return _first_of(value)
        case "ASSERT":
            return _first_of(value[1])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            minimum, _, repeated = value
            characters, may_be_empty = _first_of(repeated)
            return characters, may_be_empty or minimum == 0
    return (set(), True) if operation in _ZERO_WIDTH else (None, False)


def _members(members: Any) -> set[str] | None:
    """Return the characters of a class; None if it excludes some, or names a category."""
    characters: set[str] = set()
    for operation, value in members:
        match str(operation):
            case "LITERAL":
                characters.add(chr(value))
            case "RANGE":
                first, last = value
                if last - first > _MAX_CHARACTERS:
                    return None
                characters.update(map(chr, range(first, last + 1)))
            case _:
                return None
    return characters


def _union(alternatives: Any) -> tuple[set[str] | None, bool]:
    characters: set[str] = set()
    may_be_empty = False
    for branch in alternatives:
        first, is_empty = _first_of(branch)
        if first is None:
            return None, False
        characters |= first
        may_be_empty = may_be_empty or is_empty
    return characters, may_be_empty
