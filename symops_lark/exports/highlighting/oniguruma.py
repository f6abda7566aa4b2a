"""From the patterns of `re` to those of Oniguruma, which editors match TextMate grammars with."""

from __future__ import annotations

import re

_PIECES = re.compile(
    r"\\U[0-9A-Fa-f]{8}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:[:=!>]|<[=!]|[a-zA-Z-]+:?|.)|.", re.DOTALL
)
_SAME = ("(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:")
_OTHER = {"(?s:": "(?m:", "\\Z": "\\z"}


class NoPattern(ValueError):
    """Oniguruma has no such thing; the message names it."""


def to_oniguruma(pattern: str) -> str:
    """Return a pattern that matches the same; raise `NoPattern` where there is none."""
    return "".join(_translate(match[0]) for match in _PIECES.finditer(pattern))


def end_of_group(pattern: str, group: int) -> int:
    """Return the offset of the bracket that closes a numbered group of a pattern of `re`."""
    opened: list[int] = []  # the numbers of the groups that are open; 0 for those that have none
    count = 0
    for match in _PIECES.finditer(pattern):
        if match[0] == "(":
            count += 1
            opened.append(count)
        elif match[0].startswith("(?"):
            opened.append(0)
        elif match[0] == ")" and opened.pop() == group:
            return match.start()
    raise IndexError(group)


def _translate(piece: str) -> str:
    if piece.startswith("["):
        begin = 2 if piece.startswith("[^") else 1
        inner = piece[begin:-1]
        inner = ("\\" if inner.startswith("]") else "") + inner
        # Oniguruma's classes nest, and have intersections.
        inner = re.sub(
            r"\\.|\[|&(?=&)", lambda found: found[0] if len(found[0]) > 1 else "\\" + found[0], inner, flags=re.DOTALL
        )
        return piece[:begin] + _wide(inner) + "]"
    if piece.startswith("(?") and piece not in _SAME and piece not in _OTHER:
        raise NoPattern(piece)
    return _OTHER.get(piece) or _wide(piece)


def _wide(text: str) -> str:
    return re.sub(r"\\U([0-9A-Fa-f]{8})", r"\\x{\1}", text)
