"""Compare texts, or sequences such as lines, from both of their ends."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Slip(StrEnum):
    """One mistake in a text of a few characters."""

    CASE = "letters in another case"
    DOUBLED = "a doubled character"
    BLANK = "an additional blank"
    ADDED = "an additional character"
    MISSING = "a missing character"
    REPLACED = "a changed character"
    EXCHANGED = "two exchanged characters"


def common_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """Return the numbers of equal items at the beginning and at the end.

    Args:
        old: Items, such as lines; those of a text are its characters.
        new: The other items.

    Returns:
        The two numbers. No item counts at both ends.
    """
    size = len(old)
    new_size = len(new)
    shorter = min(size, new_size)
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    # What is equal at the beginning does not count again.
    remaining = shorter - head
    tail = 0
    while tail < remaining:
        place = -1 - tail
        if old[place] != new[place]:
            break
        tail += 1
    return head, tail


def is_one_slip(text: str, wanted: str) -> bool:
    """Return whether two texts differ by one slip.

    Args:
        text: The one text.
        wanted: The other one.
    """
    return find_slip(text, wanted) is not None


def find_slip(text: str, wanted: str) -> Slip | None:
    """Return the slip by which a text differs from the one that is meant; None if it is not one.

    A slip is one character that is missing, added or changed, two neighbors that are swapped, or
    any number of letters in another case.

    Args:
        text: The text.
        wanted: The text that is meant.
    """
    if text == wanted:
        return None
    if text.lower() == wanted.lower():
        return Slip.CASE
    head, tail = common_ends(text, wanted)
    end = len(text) - tail
    end_wanted = len(wanted) - tail
    # What is between the equal ends.
    inner = text[head:end]
    inner_wanted = wanted[head:end_wanted]
    size = max(len(inner), len(inner_wanted))
    if size > 1:
        # Two characters differ at most, and only if they changed places.
        is_exchanged = size == 2 and inner == inner_wanted[::-1]
        return Slip.EXCHANGED if is_exchanged else None
    if not inner:
        return Slip.MISSING
    if inner_wanted:
        return Slip.REPLACED
    if inner == " ":
        return Slip.BLANK
    # Equal neighbors belong to the equal ends, so the first of the two is before.
    is_doubled = inner in text[max(0, head - 1) : head] + text[end : end + 1]
    return Slip.DOUBLED if is_doubled else Slip.ADDED
