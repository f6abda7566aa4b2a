"""Classes of scripts and Java: their members, and the names of classes in their headings."""

from __future__ import annotations

from typing import Any

from .meaning import MEMBERS
from .trees import Chain, Definitions, Load, Place, Sought, Tree, place_of, text_of

CLASSES = frozenset(
    (
        "class_declaration",
        "abstract_class_declaration",
        "class",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "impl_item",
        "trait_item",
    )
)
_HEADINGS = frozenset(
    (
        "class_heritage",
        "extends_clause",
        "implements_clause",
        "extends_type_clause",
        "superclass",
        "super_interfaces",
        "extends_interfaces",
    )
)
_MAX_ANCESTORS = 50  # more classes above a class are ignored


class Classes:
    """Follows the headings of classes."""

    def __init__(self, load: Load, definitions: Definitions) -> None:
        self._load = load
        self._definitions = definitions
        self._parents: dict[Place, list[str]] = {}

    def members(self, name: str, path: str, around: str) -> list[Place]:
        """Return the members of a class with a name.

        Args:
            name: The name of the member.
            path: The file of the class.
            around: The name of the class.
        """
        places = []
        for member in self._definitions(name):
            is_in_class = member.around == around
            if is_in_class and member.path == path:
                places.append(member.place)
        return places

    def descends(self, member: Sought, base: str) -> bool:
        """Return whether the class of a member may be derived from a class of some name."""
        return bool(member.within) and base in self.above(member.around, member.path)

    def above(self, name: str, path: str) -> list[str]:
        """Return the names of the classes that a class may be derived from, the nearest first."""
        # Breadth first: in a diamond, a class far above comes after the near ones.
        names: list[str] = []
        queue = [cls for cls in self._definitions(name) if cls.path == path]
        while queue and len(names) < _MAX_ANCESTORS:
            for parent in self.parents(queue.pop(0)):
                if parent not in names and parent != name:
                    names.append(parent)
                    queue += self.types(parent)
        return names

    def types(self, name: str) -> list[Sought]:
        """Return the definitions of a name that are not members."""
        return [cls for cls in self._definitions(name) if cls.kind not in MEMBERS]

    def parents(self, cls: Sought) -> list[str]:
        """Return the names in the heading of a class."""
        if cls.place not in self._parents:
            tree = self._load(cls.path)
            chain = () if tree is None else chain_of(tree, cls.place)
            self._parents[cls.place] = names_in_heading(chain[-2]) if len(chain) > 1 else []
        return self._parents[cls.place]


def chain_of(tree: Tree, place: Place) -> Chain:
    """Return the chain to the name at a place; empty if there is none."""
    _, row, column = place
    # Only the lines up to the place are decoded: a file may be large.
    lines = tree.data.split(b"\n", row)
    if len(lines) < row:
        return ()
    line = lines[row - 1].decode("utf-8", "replace")
    start = len(line[: column - 1].encode())
    for previous in lines[: row - 1]:
        start += len(previous) + 1
    node = tree.root.descendant_for_byte_range(start, start + 1)
    if node is None or node.child_count:
        return ()
    chain = tree.chain_to(node)
    # The file may have changed since the index read it.
    if chain and place_of(tree, chain) == place:
        return chain
    return ()


def names_in_heading(definition: Any) -> list[str]:
    """Return the names of the bases of a class, without those in type arguments."""
    names = []
    nodes = [child for child in definition.children if child.type in _HEADINGS]
    while nodes:
        node = nodes.pop()
        if node.type in ("identifier", "type_identifier", "property_identifier"):
            names.append(text_of(node))
        elif node.type not in ("type_arguments", "arguments"):
            nodes += node.named_children
    return names


def class_name(node: Any) -> str:
    """Return the name of a class, or of the type of an `impl`."""
    name = node.child_by_field_name("name") or node.child_by_field_name("type")
    return text_of(name).partition("<")[0].rpartition("::")[2]
