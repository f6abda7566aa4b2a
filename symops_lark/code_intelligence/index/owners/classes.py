"""Classes of scripts and Java by their names: their members, and which of them come from which, as headings tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .meaning import MEMBERS
from .trees import Chain, Place, Sought, Tree, place_of, text_of

Known = Callable[[str], list[Sought]]
Load = Callable[[str], Tree | None]
CLASSES = frozenset((
    "class_declaration", "abstract_class_declaration", "class", "interface_declaration", "enum_declaration",
    "record_declaration", "impl_item", "trait_item",
))  # fmt: skip
_HEADINGS = frozenset((
    "class_heritage", "extends_clause", "implements_clause", "extends_type_clause", "superclass", "super_interfaces",
    "extends_interfaces",
))  # fmt: skip
_MOST = 50  # classes that are followed upward


class Classes:
    """Follows headings; `known` gives the definitions of a name, `load` the tree of a path."""

    def __init__(self, load: Load, known: Known) -> None:
        self._load, self._known = load, known
        self._parents: dict[Place, tuple[str, ...]] = {}

    def members(self, name: str, path: str, around: str) -> list[Place]:
        """Return the definitions of a name in a class of a file."""
        return [one[:3] for one in self._known(name) if one.path == path and one.around == around]

    def descends(self, one: Sought, base: str) -> bool:
        """Return whether the class of a member may come from one of a name."""
        return bool(one.within) and base in self.above(one.around, one.path)

    def above(self, name: str, path: str) -> list[str]:
        """Return the names of what a class may come from, the nearest first."""
        found: list[str] = []
        waiting = [one for one in self._known(name) if one.path == path]
        while waiting and len(found) < _MOST:
            one = waiting.pop(0)
            for parent in self.parents(one):
                if parent not in found and parent != name:
                    found.append(parent)
                    waiting += [each for each in self._known(parent) if each.kind not in MEMBERS]
        return found

    def parents(self, one: Sought) -> tuple[str, ...]:
        """Return the names in the heading of a class."""
        if one[:3] not in self._parents:
            self._parents[one[:3]] = self._read_parents(one)
        return self._parents[one[:3]]

    def _read_parents(self, one: Sought) -> tuple[str, ...]:
        tree = self._load(one.path)
        chain = () if tree is None else chain_of(tree, one[:3])
        return tuple(names_in_heading(chain[-2])) if len(chain) > 1 else ()


def chain_of(tree: Tree, place: Place) -> Chain:
    """Return the way to the name that stands at a place; empty if none does."""
    lines = tree.data.split(b"\n", place[1])
    if len(lines) < place[1]:
        return ()
    line = lines[place[1] - 1].decode("utf-8", "replace")
    start = sum(len(each) + 1 for each in lines[: place[1] - 1]) + len(line[: place[2] - 1].encode())
    node = tree.root.descendant_for_byte_range(start, start + 1)
    chain = tree.chain_to(node) if node is not None and not node.child_count else ()
    return chain if chain and place_of(tree, chain) == place else ()


def names_in_heading(definition: Any) -> list[str]:
    """Return the names of what a class is said to come from, without those of arguments."""
    found: list[str] = []
    waiting = [child for child in definition.children if child.type in _HEADINGS]
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "type_identifier", "property_identifier"):
            found.append(text_of(node))
        elif node.type not in ("type_arguments", "arguments"):
            waiting += node.named_children
    return found


def class_name(node: Any) -> str:
    """Return the name of a class, or of the type that an `impl` is of."""
    name = node.child_by_field_name("name") or node.child_by_field_name("type")
    return text_of(name).partition("<")[0].rpartition("::")[2]
