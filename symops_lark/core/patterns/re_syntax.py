"""The fence around the parser of `re`: the only module that imports `re._parser`.

Python has no public parser of regular expressions. The operations of a tree are those of
`re._constants`, and `str` gives their names: "LITERAL", "IN", "MAX_REPEAT".
`tests/test_fenced_libraries.py` checks the shape of each one's value against the Python that
runs; a Python that changes a shape is answered here, not where trees are read.
"""

from __future__ import annotations

import re
from re import _parser
from typing import Any, NamedTuple

ENDLESS: int = _parser.MAXREPEAT  # the upper bound of a repetition without one


class PatternTree(NamedTuple):
    """A regular expression as a tree.

    Attributes:
        items: Pairs of an operation and its value. The values of groups and repetitions contain
            trees of this kind.
        flags: The flags of the whole pattern, those that it sets itself included.
        names: The numbers of the named groups.
        groups: The number of groups.
    """

    items: Any
    flags: int
    names: dict[str, int]
    groups: int


class UnreadablePatternError(ValueError):
    """`re` cannot read a pattern; the message is that of `re`."""


def parse_pattern(pattern: str, flags: int = 0) -> PatternTree:
    """Return a pattern as a tree.

    Raises:
        UnreadablePatternError: The pattern is not one of `re`'s, or is nested too deeply.
    """
    try:
        items = _parser.parse(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise UnreadablePatternError(str(error)) from None
    state = items.state
    return PatternTree(items, state.flags, dict(state.groupdict), state.groups - 1)
