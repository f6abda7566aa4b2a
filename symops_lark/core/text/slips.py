"""Compare texts, or lists of lines, from both of their ends."""

from __future__ import annotations

from collections.abc import Sequence


def common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of equal items at the beginning and at the end.

    Args:
        old: Lines, or a text, whose items are its characters.
        new: The other lines, or the other text.

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

    A slip is one character that is missing, added or changed, or two neighbors that are swapped.

    Args:
        text: The one text.
        wanted: The other one.
    """
    if text == wanted:
        return False
    head, tail = common_ends(text, wanted)
    end = len(text) - tail
    end_wanted = len(wanted) - tail
    # What is between the equal ends.
    inner = text[head:end]
    inner_wanted = wanted[head:end_wanted]
    length = len(inner)
    length_wanted = len(inner_wanted)
    size = max(length, length_wanted)
    if size < 2:
        return True
    # Two characters differ at most, and only if they changed places.
    swapped = inner_wanted[::-1]
    return size == 2 and inner == swapped
