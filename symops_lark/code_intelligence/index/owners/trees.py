"""Parsed files, the chains of nodes down to their names, and the places of definitions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from ..languages import Language
from ..symbols import is_mention

Chain = tuple[Any, ...]  # nodes from the root down to one
Place = tuple[str, int, int]  # the file, line and column of a name
T = TypeVar("T")


class Tree:
    """A file with its syntax tree; `bound` is a cache of the bindings of names."""

    def __init__(self, path: str, data: bytes, language: Language) -> None:
        self.path = path
        self.data = data
        self.language = language.name
        self.root = language.parser.parse(data).root_node
        self.bound: dict[str, dict[int, list[Binding]]] = {}
        self._notes: dict[str, Any] = {}
        self._chains: dict[str, list[Chain]] = {}

    def once(self, key: str, read: Callable[[], T]) -> T:
        """Return the result of a function that reads this file; it is called only once."""
        if key not in self._notes:
            self._notes[key] = read()
        result: T = self._notes[key]
        return result

    def chain_at(self, start: int, end: int) -> Chain:
        """Return the chain to the name between two bytes; empty if there is none."""
        node = self.root.descendant_for_byte_range(start, end)
        if node is None or node.child_count:
            return ()
        if node.start_byte != start or node.end_byte != end:
            return ()
        return self.chain_to(node)

    def mention_at(self, start: int, end: int) -> Chain:
        """Return the chain to a text around two bytes whose names are code; empty if none is."""
        node = self.root.descendant_for_byte_range(start, end)
        if node is None or not is_mention(node):
            return ()
        return self.chain_to(node)

    def chain_to(self, node: Any) -> Chain:
        """Return the chain to a node."""
        # From above: asking a node for its parent searches from the root each time.
        chain = [self.root]
        while chain[-1].id != node.id:
            below = chain[-1].child_with_descendant(node)
            if below is None:
                return ()
            chain.append(below)
        return tuple(chain)

    def chains(self, name: str) -> list[Chain]:
        """Return the chains to all identifiers with a name."""
        if name not in self._chains:
            self._chains[name] = list(self._find_chains(name))
        return self._chains[name]

    def _find_chains(self, name: str) -> Iterator[Chain]:
        # A search in the text is faster than a walk through the tree.
        target = name.encode()
        place = self.data.find(target)
        while place >= 0:
            end = place + len(target)
            chain = self.chain_at(place, end)
            if chain and "identifier" in chain[-1].type:
                yield chain
            place = self.data.find(target, end)


class Sought(NamedTuple):
    """A definition whose uses are requested: the place of its name (from 1), and its kind."""

    path: str
    line: int
    column: int
    kind: str
    within: str

    @property
    def place(self) -> Place:
        """The place of its name."""
        return self[:3]

    @property
    def around(self) -> str:
        """The last name of the definition around it."""
        return self.within.rpartition(".")[2]


Definitions = Callable[[str], list[Sought]]  # all definitions of a name
Load = Callable[[str], Tree | None]  # the tree of a path, if it can be parsed


def is_place_of(definitions: Collection[Sought], place: Place) -> bool:
    """Return whether one of some definitions is at a place."""
    return any(definition.place == place for definition in definitions)


class Binding(NamedTuple):
    """A place where a name gets its value; `source` is the node that determines the value."""

    tree: Tree
    chain: Chain
    kind: str
    source: Any

    @property
    def place(self) -> tuple[str, int]:
        """The file, and the byte at which the name begins."""
        return self.tree.path, self.chain[-1].start_byte


def place_of(tree: Tree, chain: Chain) -> Place:
    """Return the file, line and column of the name at the end of a chain."""
    node = chain[-1]
    row, offset = node.start_point
    # Tree-sitter counts bytes, this project characters.
    line_start = node.start_byte - offset
    before = tree.data[line_start : node.start_byte].decode("utf-8", "replace")
    return tree.path, row + 1, len(before) + 1


def is_field(node: Any, name: str, child: Any) -> bool:
    """Return whether a node is in a field of another.

    Args:
        node: The node with fields.
        name: The name of the field.
        child: The other node, one level below.
    """
    return any(field.id == child.id for field in node.children_by_field_name(name))


def is_at(chain: Chain, kind: str, field: str) -> bool:
    """Return whether a name is in a field of a certain node.

    Args:
        chain: The chain to the name.
        kind: The type of the node above it.
        field: The field of that node.
    """
    *_, above, node = chain
    return above.type == kind and is_field(above, field, node)


def innermost(chain: Chain, kinds: Collection[str]) -> Any:
    """Return the last node of a chain with one of some types; None if there is none."""
    for node in reversed(chain):
        if node.type in kinds:
            return node
    return None


def holder_of(chain: Chain, fields: Mapping[str, tuple[str, str]]) -> Any:
    """Return the node before the dot of a name; None if the name is not after a dot.

    `fields` has, for each type of node with a dot, the field before the dot and that of the name.
    """
    above = chain[-2]
    for kind, (holder, member) in fields.items():
        if is_at(chain, kind, member):
            return above.child_by_field_name(holder)
    return None


def text_of(node: Any) -> str:
    """Return the text of a node; empty for None."""
    if node is None:
        return ""
    return (node.text or b"").decode("utf-8", "replace")
