"""What one item of a regular expression stands for: ranges of characters, as `re` understands them."""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

Ranges = tuple[tuple[int, int], ...]  # of code points, both ends inside

NICE = string.ascii_lowercase + string.digits + string.ascii_uppercase + string.punctuation + " \t\n\r"
LAST = 0x10FFFF
_FOLDED = {"k": "\u212a", "s": "\u017f", "i": "\u0130\u0131"}  # beside their other case
_MOST_FOLDED = 1000


def invert(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the ranges of code points that are in none of these."""
    found, start = [], 0
    for low, high in [*sorted(ranges), (LAST + 1, LAST + 1)]:
        if start < low:
            found.append((start, low - 1))
        start = max(start, high + 1)
    return tuple(found)


def read_set(op: str, value: Any, flags: int) -> Ranges | None:
    """Return the characters that an item matches, or None if it is no set of characters."""
    match op:
        case "LITERAL":
            return _fold(((value, value),), flags)
        case "NOT_LITERAL":
            return invert(_fold(((value, value),), flags))
        case "ANY":
            return invert(() if flags & re.DOTALL else ((10, 10),))
        case "IN":
            negated = str(value[0][0]) == "NEGATE"
            found = tuple(pair for part in value[negated:] for pair in read_part(part[0], part[1], flags))
            return invert(_fold(found, flags)) if negated else _fold(found, flags)
    return None


def read_part(op: Any, value: Any, flags: int) -> Ranges:
    """Return the characters that a part of a class stands for."""
    match str(op):
        case "LITERAL":
            return ((int(value), int(value)),)
        case "RANGE":
            return ((int(value[0]), int(value[1])),)
    return _category(str(value).removeprefix("CATEGORY_"), bool(flags & re.ASCII))


@lru_cache(maxsize=16)
def _category(name: str, ascii_only: bool) -> Ranges:
    r"""Return what `\d`, `\s`, `\w` and their opposites match."""
    sign = name.removeprefix("NOT_")[0].lower()
    every = "".join(map(chr, range(128 if ascii_only else 0x110000)))
    found = tuple(
        (run.start(), run.end() - 1) for run in re.finditer(f"\\{sign}+", every, re.ASCII if ascii_only else 0)
    )
    return invert(found) if name.startswith("NOT_") else found


def _fold(ranges: Ranges, flags: int) -> Ranges:
    """Return ranges with the other case of their letters where a flag asks for it."""
    if not flags & re.IGNORECASE:
        return ranges
    found = list(ranges)
    for low, high in ranges:
        for point in range(low, min(high, low + _MOST_FOLDED) + 1):
            character = chr(point)
            others: str = character.lower() + character.upper() + _FOLDED.get(character.lower(), "")
            found += [(ord(other), ord(other)) for other in others]
    return tuple(found)


def divide(sets: Sequence[Ranges]) -> tuple[list[str], list[list[int]]]:
    """Return a character for each class that the sets tell apart, readable ones first, and the classes of each set.

    The characters in none of the sets are a class as well, if there are any.
    """
    kinds = {ranges: number for number, ranges in enumerate(dict.fromkeys(sets))}
    edges = sorted({0, *(point for ranges in kinds for low, high in ranges for point in (low, high + 1))})
    starts = [point for point in edges if point <= LAST]
    members: list[set[int]] = [set() for _ in starts]
    for ranges, number in kinds.items():
        for low, high in ranges:
            for place in range(bisect_left(starts, low), bisect_left(starts, high + 1)):
                members[place].add(number)
    points = [*map(ord, NICE), *starts]
    shown: dict[frozenset[int], str] = {}
    for point in points:
        shown.setdefault(frozenset(members[bisect_right(starts, point) - 1]), chr(point))
    order = {number: [kind for kind, inside in enumerate(shown) if number in inside] for number in kinds.values()}
    return list(shown.values()), [order[kinds[ranges]] for ranges in sets]
