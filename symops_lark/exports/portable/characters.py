"""Properties of characters that drawn messages need, as the code points where they change."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from sys import maxunicode

from ...core.grammar.compiling.bounds import uncounted_steps


def is_wide(character: str) -> bool:
    """Return whether a character needs two columns of a terminal."""
    # A combining character has a width in Unicode's table, but is drawn over another.
    if unicodedata.combining(character):
        return False
    return unicodedata.east_asian_width(character) in ("W", "F")


def is_narrow(character: str) -> bool:
    """Return whether a character needs no column, because it is drawn over the one before it."""
    return unicodedata.combining(character) > 0


def find_edges(test: Callable[[str], bool]) -> list[int]:
    """Return the code points where ranges begin and end, in turn.

    Args:
        test: Whether a character is in a range.
    """
    # Runtimes search for the last edge before a character: an odd number of them is inside.
    edges = []
    was_inside = False
    with uncounted_steps():
        for point in range(maxunicode + 1):
            is_inside = test(chr(point))
            if is_inside != was_inside:
                edges.append(point)
            was_inside = is_inside
    return edges
