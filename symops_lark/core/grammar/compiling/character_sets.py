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
_SURROGATES = range(0xD800, 0xE000)
_LINE_FEED: Ranges = ((10, 10),)
# Characters that `re` also takes for these letters when it ignores case, although `lower` and
# `upper` of the letter do not lead to them.
_OTHER_CASES = {
    "k": "\u212a",  # the Kelvin sign
    "s": "\u017f",  # the long s
    "i": "\u0130\u0131",  # the dotted capital and the dotless small letter
}
# The first and last letter of each case, and the distance to the other case.
_ASCII_CASES = (
    (65, 90, 32),  # A to Z
    (97, 122, -32),
)
# Only this many characters of a range, from its beginning, get their other case. A larger range
# usually contains both cases, and a loop over all of Unicode takes about half a second.
_MAX_FOLDED = 1_000


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
            literal = ((value, value),)
            return _fold(literal, flags)
        case "NOT_LITERAL":
            literal = ((value, value),)
            folded = _fold(literal, flags)
            return invert(folded)
        case "ANY":
            excluded = () if flags & re.DOTALL else _LINE_FEED
            return invert(excluded)
        case "IN":
            ranges, is_negated = read_class(value, flags)
            folded = _fold(ranges, flags)
            return invert(folded) if is_negated else folded
    return None


def read_class(items: Sequence[Any], flags: int) -> tuple[Ranges, bool]:
    """Read the inside of a class, such as `^a-z_`.

    Args:
        items: Its items in the tree of `re`.
        flags: The flags of `re`; only ASCII has an effect here, not IGNORECASE.

    Returns:
        The ranges of the items, and whether the class matches all other characters instead.
    """
    is_negated = False
    ranges = []
    for op, value in items:
        match str(op):
            case "NEGATE":  # the first item, if there is one
                is_negated = True
            case "LITERAL":
                ranges.append((value, value))
            case "RANGE":
                low, high = value
                ranges.append((low, high))
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


def _fold(ranges: Ranges, flags: int) -> Ranges:
    """Return ranges with the other case of their letters if the flags ignore case."""
    if not flags & re.IGNORECASE:
        return ranges
    folded = list(ranges)
    for low, high in ranges:
        last = min(high, low + _MAX_FOLDED)
        for point in range(low, last + 1):
            character = chr(point)
            lower = character.lower()
            upper = character.upper()
            other_cases = _OTHER_CASES.get(lower, "")
            # One character may become several: the upper case of `ß` is `SS`.
            variants = lower + upper + other_cases
            folded += [(ord(variant), ord(variant)) for variant in variants]
    return tuple(folded)


def fold_ascii(ranges: Ranges, flags: int) -> Ranges:
    """Return ranges with the other case of their ASCII letters if the flags ignore case."""
    if not flags & re.IGNORECASE:
        return ranges
    folded = list(ranges)
    for low, high in ranges:
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
