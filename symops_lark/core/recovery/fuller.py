"""Compare readings of a text in two dialects: one may have all actions of the other, and more.

To drop a line may cost less than to read it as a misspelled action. So a dialect can be the
cheapest one because its rules do not know a mistake.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from .outline.outline import Outline


class Heads(NamedTuple):
    """What two readings are compared by. It needs far less memory than an outline.

    Attributes:
        text: The text as the dialect prepares it; offsets refer to it.
        starts: Where the actions begin.
        dropped: Where runs of dropped lines begin, in order.
        dropped_ends: Where these runs end.
        is_certain: Whether a line is exactly an action of the dialect, not a misspelled one.
    """

    text: str
    starts: frozenset[int]
    dropped: tuple[int, ...]
    dropped_ends: tuple[int, ...]
    is_certain: bool


def find_heads(outline: Outline) -> Heads:
    """Return where the actions and the dropped lines of a reading are.

    Args:
        outline: The reading.
    """
    starts = []
    dropped = []
    ends = []
    is_certain = False
    for part in outline.parts:
        if part.step.role == "head":
            starts.append(part.line.start)
            is_certain = is_certain or not part.line.kind.is_respelt
        elif part.step.role == "drop":
            dropped.append(part.line.start)
            ends.append(part.line.stop)
    return Heads(outline.text, frozenset(starts), tuple(dropped), tuple(ends), is_certain)


def is_fuller(reading: Heads, cheaper: Heads) -> bool:
    """Return whether a reading has each action of a cheaper one, and more where that drops text.

    Actions in a content of the cheaper reading do not count: a content may show another dialect.

    Args:
        reading: The reading.
        cheaper: The reading in another dialect.
    """
    # Some rules of a dialect change the whole text; then the offsets are not the same.
    if not reading.starts > cheaper.starts or reading.text != cheaper.text:
        return False
    for start in reading.starts - cheaper.starts:
        index = bisect_right(cheaper.dropped, start) - 1
        if index < 0 or start >= cheaper.dropped_ends[index]:
            return False
    return True
