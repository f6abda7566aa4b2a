"""A parsed file, and the way down to each of its names; definitions that are asked about, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..languages import Language
from ..symbols import is_mention

Chain = tuple[Any, ...]  # nodes from the root down to one
Place = tuple[str, int, int]  # the file, line and column of a name


class Tree:
    """A file with its syntax tree; `bound` remembers what was found of names."""

    def __init__(self, path: str, data: bytes, language: Language) -> None:
        self.path, self.data, self.language = path, data, language.name
        self.root = language.parser.parse(data).root_node
        self.bound: dict[str, dict[int, list[Binding]]] = {}
        self.noted: dict[str, Any] = {}  # what a language reads of the whole file, once
        self._chains: dict[str, list[Chain]] = {}

    def chain_at(self, start: int, end: int) -> Chain:
        """Return the way to the name that stands between two bytes; empty if none does."""
        node = self.root.descendant_for_byte_range(start, end)
        is_name = node is not None and (node.start_byte, node.end_byte) == (start, end) and not node.child_count
        return self.chain_to(node) if is_name else ()

    def mention_at(self, start: int, end: int) -> Chain:
        """Return the way to the text around two bytes in which names are code; empty if there is none."""
        node = self.root.descendant_for_byte_range(start, end)
        return self.chain_to(node) if node is not None and is_mention(node) else ()

    def chain_to(self, node: Any) -> Chain:
        """Return the way to a node."""
        chain = [self.root]
        while chain[-1].id != node.id:
            below = chain[-1].child_with_descendant(node)
            if below is None:
                return ()
            chain.append(below)
        return tuple(chain)

    def chains(self, name: str) -> list[Chain]:
        """Return the ways to all places where an identifier has a name."""
        if name not in self._chains:
            self._chains[name] = list(self._find_chains(name))
        return self._chains[name]

    def _find_chains(self, name: str) -> Iterator[Chain]:
        wanted = name.encode()
        place = self.data.find(wanted)
        while place >= 0:
            chain = self.chain_at(place, place + len(wanted))
            if chain and "identifier" in chain[-1].type:
                yield chain
            place = self.data.find(wanted, place + len(wanted))


class Sought(NamedTuple):
    """A definition that is asked about: where its name stands (lines and columns from 1), and what it is."""

    path: str
    line: int
    column: int
    kind: str
    within: str

    @property
    def around(self) -> str:
        """The last name of what it stands in."""
        return self.within.rpartition(".")[2]


class Binding(NamedTuple):
    """A place where a name gets what it stands for; `source` is the node that says what that is."""

    tree: Tree
    chain: Chain
    kind: str
    source: Any

    @property
    def place(self) -> tuple[str, int]:
        """The file, and the byte at which the name begins."""
        return self.tree.path, self.chain[-1].start_byte


def place_of(tree: Tree, chain: Chain) -> Place:
    """Return the file, line and column of the name at the end of a way."""
    row, offset = chain[-1].start_point
    begin = chain[-1].start_byte - offset
    return tree.path, row + 1, len(tree.data[begin : begin + offset].decode("utf-8", "replace")) + 1


def is_field(node: Any, name: str, child: Any) -> bool:
    """Return whether a node is in a field of another."""
    return any(each.id == child.id for each in node.children_by_field_name(name))


def text_of(node: Any) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""
