"""Find the values of Python objects from their annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..trees import Binding, Chain, Tree, text_of
from .imports import Once
from .things import ONLY_OUTSIDE, ONLY_UNKNOWN, Items, Things, instance_of, only, union

_ANYTHING = frozenset(("Any", "object", "TypeVar", "Self"))
_WRAPPERS = frozenset(
    ("Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly")
)


class Annotations:
    """Reads annotations, with functions that answer questions about names and expressions.

    Args:
        once: Returns a cached answer, or computes it.
        values: Returns the values of an expression.
        meant: Returns the meaning of the name at the end of a chain.
        named: Returns the meaning of a name at a place.
    """

    def __init__(
        self,
        once: Once,
        values: Callable[[Tree, Any], Things],
        meant: Callable[[Tree, Chain], Things],
        named: Callable[[Tree, Chain, str], Things],
    ) -> None:
        self._once = once
        self._values = values
        self._meant = meant
        self._named = named

    def read(self, tree: Tree, node: Any) -> Things:
        """Return the values that an annotation allows."""
        key = ("annotation", tree.path, node.id)
        return self._once(key, lambda: self._read_annotation(tree, node))

    def _read_annotation(self, tree: Tree, node: Any) -> Things:
        match node.type:
            case "type" | "parenthesized_expression" | "type_parameter" if node.named_child_count:
                return self.read(tree, node.named_children[0])
            case "none" | "ellipsis":
                # Their members are those of builtins.
                return ONLY_OUTSIDE
            case "identifier":
                return self._by_name(text_of(node), self._meant(tree, tree.chain_to(node)))
            case "attribute":
                name = node.child_by_field_name("attribute")
                return self._by_name(text_of(name), self._meant(tree, tree.chain_to(name)))
            case "string":
                # A name that is defined later, or `"A | B"`; other expressions are not read.
                chain = tree.chain_to(node)
                values = []
                for part in text_of(node).strip("'\"").split("|"):
                    name = part.strip()
                    if name.isidentifier():
                        values.append(self._by_name(name, self._named(tree, chain, name)))
                return union(values)
            case "binary_operator" | "union_type":
                return self._union_of(tree, node.named_children)
            case "subscript" | "generic_type":
                return self._generic(tree, node)
        return ONLY_UNKNOWN

    def _union_of(self, tree: Tree, nodes: list[Any]) -> Things:
        return union([self.read(tree, node) for node in nodes])

    def _by_name(self, name: str, things: Things) -> Things:
        if name in _ANYTHING:
            return ONLY_UNKNOWN
        values = []
        for thing in things:
            if isinstance(thing, Binding) and thing.kind in ("assignment", "alias"):
                # The name of another annotation.
                right = thing.source.child_by_field_name("right")
                values.append(ONLY_UNKNOWN if right is None else self.read(thing.tree, right))
            else:
                values.append(instance_of(thing))
        return union(values)

    def _generic(self, tree: Tree, node: Any) -> Things:
        base, *arguments = [child for child in node.named_children if child.type != "comment"]
        if len(arguments) == 1 and arguments[0].type == "type_parameter":
            arguments = arguments[0].named_children
        name = text_of(base).rpartition(".")[2]
        if name in ("type", "Type"):
            # The value is a class, not an object of it.
            return union([self._values(tree, _without_type(node)) for node in arguments])
        if name == "Callable":
            return ONLY_UNKNOWN
        if name in _WRAPPERS:
            return self._union_of(tree, arguments[:1] if name == "Annotated" else arguments)
        # A class of the index with type arguments, or a container from outside.
        values = self.read(tree, base)
        if values - ONLY_OUTSIDE - ONLY_UNKNOWN:
            return values
        return only(Items(self._union_of(tree, arguments)))


def _without_type(node: Any) -> Any:
    """Return an annotation without the node that the grammar puts around it."""
    if node.type == "type" and node.named_child_count:
        return node.named_children[0]
    return node
