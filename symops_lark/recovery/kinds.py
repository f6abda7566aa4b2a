"""What the neighbours of a line tell about it: lines of certain blocks, of fences, of drawings become plain text.

A line's kind says what it could be by itself; these passes take back what it cannot be where it stands.
"""

from __future__ import annotations

import re
from typing import NamedTuple

FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t\r]*")


SPLIT = "SPLIT_"  # the first line of an action whose path has a line of its own


class Line(NamedTuple):  # made for every line of a text: a named tuple is made fastest
    """One line: its kind and where it stands; `stop` is before its ending, `end` behind it."""

    kind: str
    start: int
    stop: int
    end: int
    inside: tuple[Line, ...] = ()  # an action line and the attribute lines below it, read as one line


ATTRIBUTES = frozenset(("ATTRIBUTE", "PATH_LINE", "COMMAND_LINE", "DEPENDS_LINE"))


PATHS = frozenset(("PATH_LINE", "COMMAND_LINE"))


ATTRIBUTE_LIKE = frozenset(("ATTRIBUTE", "NEAR_ATTRIBUTE", "BARE_ATTRIBUTE"))


PLAIN = frozenset(("TEXT", "STUB", "CHOICE", "NEAR_CHOICE", "NEAR_THOUGHT", "NEAR_VITALS"))


JOINED = frozenset(
    (
        "ACTION",
        "COMMAND",
        "ODD_ACTION",
        "NEAR_ACTION",
        "NEAR_COMMAND",
        "BARE_ACTION",
        "BARE_COMMAND",
        "CLOSE_ACTION",
        "CLOSE_COMMAND",
    )
)
