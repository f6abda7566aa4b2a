"""Read one item of a regular expression as a set of characters, with the meaning it has in `re`.

A set is a tuple of ranges of code points. `divide` finds the classes of characters that some sets
distinguish: an automaton then follows one character of each class, not 1,114,112 of them.

    sets                 classes, by the character that represents them
    [a-z], [a-f0-9]      a (in both), g (in the first), 0 (in the second), A (in neither)
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

# The first and the last code point.
Range = tuple[int, int]
Ranges = tuple[Range, ...]

# Characters that represent a class if it has one of them, the preferred ones first.
READABLE = (
    string.ascii_lowercase + string.digits + string.ascii_uppercase + string.punctuation + " \t\n\r"
)
LAST = 0x10FFFF  # the last code point
_TYPES = re.ASCII | re.UNICODE  # flags that exclude each other
_SURROGATES = range(0xD800, 0xE000)
_LINE_FEED: Ranges = ((10, 10),)
# Characters outside ASCII that `re` takes for `k`, `s` and `i` when it ignores case.
_LIKE_ASCII = "\u212a\u017f\u0130\u0131"
# The first and last letter of each case, and the distance to the other case.
_ASCII_CASES = (
    (65, 90, 32),  # A to Z
    (97, 122, -32),
)


def invert(ranges: Iterable[Range]) -> Ranges:
    """Return the ranges of all code points that are in none of the given ranges."""
    gaps = []
    start = 0  # the first code point after the ranges so far
    for low, high in sorted(ranges):
        if start < low:
            gaps.append((start, low - 1))
        start = max(start, high + 1)
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


def read_set(op: str, value: Any, flags: int) -> Ranges | None:
    """Return the characters that an item matches.

    Args:
        op: The name of its operation in the tree of `re`, such as `IN`.
        value: The value of the operation in the tree.
        flags: The flags of `re` that are in effect there.

    Returns:
        None if the item does not match exactly one character.
    """
    match op:
        case "LITERAL":
            return _fold(value, value, flags)
        case "NOT_LITERAL":
            folded = _fold(value, value, flags)
            return invert(folded)
        case "ANY":
            excluded = () if flags & re.DOTALL else _LINE_FEED
            return invert(excluded)
        case "IN":
            ranges, is_negated = read_class(value, flags)
            return invert(ranges) if is_negated else ranges
    return None


def read_class(items: Sequence[Any], flags: int) -> tuple[Ranges, bool]:
    """Read the inside of a class, such as `^a-z_`.

    Args:
        items: Its items in the tree of `re`.
        flags: The flags of `re`: ASCII and IGNORECASE have an effect.

    Returns:
        The ranges of the items, and whether the class matches all other characters instead.
    """
    is_negated = False
    ranges: list[Range] = []
    for op, value in items:
        match str(op):
            case "NEGATE":  # the first item, if there is one
                is_negated = True
            case "LITERAL":
                ranges += _fold(value, value, flags)
            case "RANGE":
                low, high = value
                ranges += _fold(low, high, flags)
            case _:
                name = str(value).removeprefix("CATEGORY_")
                is_ascii = bool(flags & re.ASCII)
                ranges += _read_category(name, is_ascii)
    return tuple(ranges), is_negated


@lru_cache(maxsize=16)
def _read_category(name: str, ascii_only: bool) -> Ranges:
    r"""Return the characters of `\d`, `\s`, `\w` (DIGIT, SPACE, WORD) or of their opposites."""
    # `re` itself is asked, so the ranges follow the Unicode version of the Python that runs.
    positive = name.removeprefix("NOT_")
    letter = positive[0].lower()
    last = 127 if ascii_only else LAST
    points = range(last + 1)
    characters = "".join(map(chr, points))
    flags = re.ASCII if ascii_only else 0
    pattern = re.compile(rf"\{letter}+", flags)
    ranges = []
    for run in pattern.finditer(characters):
        start, end = run.span()
        ranges.append((start, end - 1))
    if positive == name:
        return tuple(ranges)
    return invert(ranges)


def combine_flags(flags: int, added: int, removed: int) -> int:
    """Return the flags that are in effect inside a group.

    Args:
        flags: The flags around it.
        added: The flags that it adds, such as that of `(?i:…)`.
        removed: The flags that it removes.
    """
    # `(?u:…)` ends `(?a:…)`, and the other way round.
    if added & _TYPES:
        flags &= ~_TYPES
    return (flags | added) & ~removed


def _fold(low: int, high: int, flags: int) -> Ranges:
    """Return a range with the other case of its letters if the flags ignore case."""
    if not flags & re.IGNORECASE:
        return ((low, high),)
    if flags & re.ASCII:
        return _fold_ascii(low, high)
    return _fold_unicode(low, high)


@lru_cache(maxsize=1000)
def _fold_unicode(low: int, high: int) -> Ranges:
    # `re` itself is asked: `lower` and `upper` do not lead from σ to ς, nor from ß to ẞ.
    candidates = string.ascii_letters + _LIKE_ASCII
    if high > 127:
        candidates = _list_cased()
    either_case = re.compile(rf"(?i)[\U{low:08x}-\U{high:08x}]")
    folded = [(low, high)]
    for character in either_case.findall(candidates):
        point = ord(character)
        if not low <= point <= high:
            folded.append((point, point))
    return tuple(folded)


@lru_cache(maxsize=1)
def _list_cased() -> str:
    """Return all characters that have another case. This takes a quarter of a second."""
    characters = map(chr, range(LAST + 1))
    return "".join([sign for sign in characters if sign.lower() != sign or sign.upper() != sign])


def _fold_ascii(low: int, high: int) -> Ranges:
    folded = [(low, high)]
    for first, last, distance in _ASCII_CASES:
        start = max(low, first)
        end = min(high, last)
        if start <= end:
            folded.append((start + distance, end + distance))
    return tuple(folded)


def contains(ranges: Ranges, point: int) -> bool:
    """Return whether a code point is in one of the ranges."""
    return any(low <= point <= high for low, high in ranges)


@lru_cache(maxsize=1000)
def represent(sets: frozenset[Ranges]) -> list[str]:
    """Return one character of each class that some sets distinguish.

    A class is represented by its most readable character, and readable ones come first. Characters
    in none of the sets have no representative, and neither have lone surrogates, which no text that
    is read contains.
    """
    ordered = sorted(sets)
    # A class begins where a range begins, or after the end of one.
    starts: set[int] = set()
    for ranges in ordered:
        for low, high in ranges:
            starts.update((low, high + 1))
    starts.discard(LAST + 1)
    starts.difference_update(_SURROGATES)
    candidates = [ord(character) for character in READABLE]
    candidates += sorted(starts)
    representatives: dict[tuple[bool, ...], str] = {}
    for point in candidates:
        in_sets = tuple(contains(ranges, point) for ranges in ordered)
        if any(in_sets):
            representatives.setdefault(in_sets, chr(point))
    return list(representatives.values())


def divide(sets: Sequence[Ranges]) -> tuple[list[str], list[list[int]]]:
    """Divide all characters into the classes that some sets distinguish.

    Args:
        sets: The sets; equal ones may be repeated.

    Returns:
        A character that represents each class, readable ones first, and for each set the numbers of
        its classes. The characters that are in none of the sets are a class too, if there are any.
    """
    numbers: dict[Ranges, int] = {}
    for ranges in sets:
        numbers.setdefault(ranges, len(numbers))
    boundaries = {0}
    for ranges in numbers:
        for low, high in ranges:
            boundaries.update((low, high + 1))
    boundaries.discard(LAST + 1)
    # Between two starts all characters are in the same sets: those of `members`.
    starts = sorted(boundaries)
    members: list[set[int]] = [set() for _ in starts]
    for ranges, number in numbers.items():
        for low, high in ranges:
            first = bisect_left(starts, low)
            end = bisect_left(starts, high + 1)
            for sets_there in members[first:end]:
                sets_there.add(number)
    candidates = [ord(character) for character in READABLE]
    candidates += starts
    representatives: dict[frozenset[int], str] = {}
    for point in candidates:
        index = bisect_right(starts, point) - 1
        in_sets = frozenset(members[index])
        representatives.setdefault(in_sets, chr(point))
    classes: dict[int, list[int]] = {}
    for kind, in_sets in enumerate(representatives):
        for number in in_sets:
            kinds = classes.setdefault(number, [])
            kinds.append(kind)
    by_set = []
    for ranges in sets:
        number = numbers[ranges]
        kinds = classes.get(number, [])
        by_set.append(kinds)
    return list(representatives.values()), by_set
