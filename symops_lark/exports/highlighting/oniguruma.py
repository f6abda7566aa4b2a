"""Translate patterns of `re` to Oniguruma, which editors use to match TextMate grammars."""

from __future__ import annotations

import re

# The pieces of a pattern: escapes, classes, the beginnings of special groups, single characters.
_PIECE = re.compile(
    r"\\U[0-9A-Fa-f]{8}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:[:=!>]|<[=!]|[a-zA-Z-]+:?|.)|.",
    re.DOTALL,
)
_CODE_POINT = re.compile(r"\\U([0-9A-Fa-f]{8})")
# Escapes, which stay, and the signs of nested classes and of intersections.
_SIGN_IN_CLASS = re.compile(r"(\\.)|\[|&(?=&)", re.DOTALL)
_UNCHANGED = ("(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:")
_TRANSLATIONS = {"(?s:": "(?m:", "\\Z": "\\z"}


class NoPattern(ValueError):
    """Oniguruma lacks a construct; the message is the construct."""


def to_oniguruma(pattern: str) -> str:
    """Return a pattern of Oniguruma that matches the same texts.

    Raises:
        NoPattern: The pattern has a group that Oniguruma lacks.
    """
    pieces = _PIECE.findall(pattern)
    return "".join(map(_translate, pieces))


def end_of_group(pattern: str, group: int) -> int:
    """Return the offset of the bracket that closes a numbered group of a pattern of `re`.

    Raises:
        IndexError: The pattern has no such group.
    """
    opened = []  # the numbers of the open groups; 0 for a group without a number
    count = 0
    for match in _PIECE.finditer(pattern):
        piece = match[0]
        if piece == "(":
            count += 1
            opened.append(count)
        elif piece.startswith("(?"):
            opened.append(0)
        elif piece == ")" and opened.pop() == group:
            return match.start()
    raise IndexError(group)


def _translate(piece: str) -> str:
    if piece.startswith("["):
        start = 2 if piece.startswith("[^") else 1
        content = piece[start:-1]
        if content.startswith("]"):
            content = "\\" + content
        # In Oniguruma, classes nest and have intersections.
        content = _SIGN_IN_CLASS.sub(_escape_in_class, content)
        piece = f"{piece[:start]}{content}]"
    elif piece.startswith("(?") and piece not in (*_UNCHANGED, *_TRANSLATIONS):
        raise NoPattern(piece)
    return _CODE_POINT.sub(r"\\x{\1}", _TRANSLATIONS.get(piece, piece))


def _escape_in_class(match: re.Match[str]) -> str:
    return match[1] or "\\" + match[0]
