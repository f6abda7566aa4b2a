"""Measure the nodes of a YAML file, and note their positions.

A node is what PyYAML's composer returns: a scalar, a list of nodes, or a list of pairs. References
(`*name`) make two places share one node, so the nodes are a graph and not a tree: both functions
visit each node once, by its identity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..ground.numbers import grouped
from .source import Source

Keys = tuple[str, ...]
Place = tuple[int, int]  # start and end, as offsets in the file
_MAX_VALUES = 200_000  # after references; a rule set of this package has some thousand


class NodeError(Exception):
    """A node must not be read.

    Attributes:
        message: What is wrong.
        start: The offset of the node in the file.
        end: The offset after it.
        hint: What to do; empty: there is no advice.
    """

    def __init__(self, message: str, place: Place, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.start, self.end = place
        self.hint = hint


@dataclass(frozen=True)
class Places:
    """The positions in a file.

    Attributes:
        values: Start and end of each value, by the keys that lead to it.
        keys: Start and end of each key, by the keys that lead to it and itself.
    """

    values: dict[Keys, Place] = field(default_factory=dict)
    keys: dict[Keys, Place] = field(default_factory=dict)


def place_of(node: Any) -> Place:
    """Return the start and end of a node."""
    start = node.start_mark.index
    end = node.end_mark.index
    return start, end


def check_size(node: Any, what: str) -> None:
    """Check that a node does not have too many values after references.

    A file of a few lines can come to billions of values, if each line refers several times to the
    line above ("billion laughs").

    Args:
        node: The outermost node.
        what: A word for the file in messages.

    Raises:
        NodeError: It has more than 200,000 values, or a value refers to itself.
    """
    _count(node, what, {}, set())


def _count(node: Any, what: str, counts: dict[int, int], above: set[int]) -> int:
    """Return the number of values; `counts` and `above` (the nodes around) are by identity."""
    identity = id(node)
    if identity in above:
        place = place_of(node)
        raise NodeError("a value refers to itself", place)
    if identity not in counts:
        # The sum is stored, so the time is linear however many references there are.
        above.add(identity)
        count = 1
        for child in _children(node):
            count += _count(child, what, counts, above)
        counts[identity] = count
        above.discard(identity)
    if counts[identity] > _MAX_VALUES:
        limit = grouped(_MAX_VALUES)
        message = f"the {what} comes to more than {limit} values, written out"
        place = place_of(node)
        raise NodeError(message, place)
    return counts[identity]


def _children(node: Any) -> list[Any]:
    """Return the nodes directly in a node: the items of a list, or keys and values."""
    children: list[Any] = []
    if isinstance(node.value, list):
        for item in node.value:
            if isinstance(item, tuple):
                children += item
            else:
                children.append(item)
    return children


def find_places(node: Any, source: Source) -> Places:
    """Return the positions of all keys and values.

    Args:
        node: The outermost node.
        source: The text of the file, for messages.

    Returns:
        The positions. A node with several references to it has those of the first place only.

    Raises:
        NodeError: A mapping has a key twice.
    """
    places = Places()
    visited: set[int] = set()
    _note(node, (), places, source, visited)
    return places


def _note(node: Any, keys: Keys, places: Places, source: Source, visited: set[int]) -> None:
    identity = id(node)
    if identity in visited:
        return
    if not isinstance(node.value, list):
        return
    visited.add(identity)
    if node.id == "sequence":
        for index, item in enumerate(node.value):
            name = str(index)
            path = (*keys, name)
            places.values[path] = place_of(item)
            _note(item, path, places, source, visited)
        return
    for key, value in node.value:
        name = str(key.value)
        path = (*keys, name)
        key_place = place_of(key)
        if path in places.keys:
            # PyYAML would silently take the second value.
            first, _ = places.keys[path]
            line, _ = source.place(first)
            message = f"`{key.value}` is set twice, here for the second time"
            hint = f"the first is in line {line}"
            raise NodeError(message, key_place, hint)
        places.keys[path] = key_place
        # A value that begins below its key is a block of lines: the key is the better place.
        is_below = value.start_mark.line > key.start_mark.line
        place = place_of(value)
        if is_below:
            place = key_place
        places.values[path] = place
        _note(value, path, places, source, visited)
