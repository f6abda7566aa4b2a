"""Blocks that are found by searching for what may end them, instead of being matched line by line.

The terminal of a block is a first line, lines of content and a last line. Most lines are content because of how they
begin: only those that begin with a delimiter have to be looked at. That this reads what the terminal says is proved for
each grammar, by its automata; where it is not, the terminal's pattern stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import combinations

from .regular import Language, Unsupported, find_common, find_outside

_ONE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)  # an escape, a class
_GROUP = re.compile(r"\([^()]*\)")
_KEEPS = re.compile(r"\(\?>|[*+?}]\+")  # what does not give back is no plain language
_LINE = r"[^\n]*\n"


def split_blocks(pattern: str, delimiters: Collection[str]) -> list[list[str]]:
    """Return for each alternative of a block the patterns of its first line, of a line of content, of its last line.

    Nothing if it is not proved that lines of content are lines, and all lines that begin with no delimiter are content.
    """
    if pattern.startswith("(?:") and ")" not in _mask(pattern[3:-1]):
        pattern = pattern[3:-1]
    signs = _mask(pattern)
    ends = [at for at, sign in enumerate(signs) if sign == "|"]
    rows = []
    for start, end in zip([0, *(at + 1 for at in ends)], [*ends, len(pattern)], strict=True):
        opener, _, rest = pattern[start:end].partition("(?:")
        line, _, closer = rest.partition(")*+")
        rows.append([opener, line, closer])
    try:
        return rows if _are_proved(rows, "|".join(map(re.escape, delimiters))) else []
    except Unsupported:
        return []


def ends_in(pattern: str, part: str) -> bool:
    """Return whether a pattern has nothing behind a part of it, wherever that stands."""
    behind = (re.sub(r"\|[^)]*", "", _mask(rest)) for rest in pattern.split(part)[1:])
    return all(re.fullmatch(r"(?:\)(?:\?\+?)?)*", rest) for rest in behind)


def _mask(pattern: str) -> str:
    """Return a pattern with a letter for each character of what is no bracket or bar of its own level."""
    masked, before = _ONE.sub(lambda found: "x" * len(found[0]), pattern), ""
    while masked != before:
        masked, before = _GROUP.sub(lambda found: "x" * len(found[0]), masked), masked
    return masked


def _are_proved(rows: list[list[str]], stops: str) -> bool:
    lines = Language(_LINE)
    for opener, line, closer in rows:
        if not closer or _KEEPS.search(line):
            return False
        content = Language(f"{line}|(?:{stops}){_LINE}")
        if any(
            find_outside(*pair) is not None for pair in ((content, lines), (lines, content), (Language(opener), lines))
        ):
            return False
    openers = [Language(opener) for opener, _, _ in rows]  # each one line: different ones cannot begin one text
    return all(find_common(*pair) is None for pair in combinations(openers, 2))
