"""Whether work on a folder was broken off: seen from outside, without a lock, and nothing is touched."""

from __future__ import annotations

import re

from .changes import Tree
from .filesystem import JOURNAL
from .records import OPEN
from .room import NUMBER


def is_interrupted(tree: Tree) -> bool:
    """Return whether an apply, or an undo, was broken off below the root of a tree, or is at work there."""
    numbers = (name for name in tree.names(JOURNAL) if re.fullmatch(NUMBER, name))
    return any(OPEN in tree.names(f"{JOURNAL}/{number}") for number in numbers)
