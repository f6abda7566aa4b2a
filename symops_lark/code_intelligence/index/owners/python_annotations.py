"""What something is that is annotated, in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .python_things import OUTSIDE, UNKNOWN, Items, Thing, Things, instance_of, plain, union
from .trees import Binding, Chain, Tree, text_of

_ANYTHING = frozenset(("Any", "object", "TypeVar", "Self"))
_WRAPPERS = frozenset(("Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"))
_UNKNOWN, _OUTSIDE = frozenset((UNKNOWN,)), frozenset((OUTSIDE,))


class Annotations:
    """Reads annotations by what names mean, and expressions are."""

    def __init__(
        self,
        once: Callable[[tuple[Any, ...], Callable[[], Things]], Things],
        values: Callable[[Tree, Any], Things],
        meant: Callable[[Tree, Chain], Things],
        named: Callable[[Tree, Chain, str], Things],
    ) -> None:
        self._once, self._values, self._meant, self._named = once, values, meant, named

    def read(self, tree: Tree, node: Any) -> Things:
        """Return what something annotated so is."""
        return self._once(("annotation", tree.path, node.id), lambda: self._read_annotation(tree, node))

    def _read_annotation(self, tree: Tree, node: Any) -> Things:
        kind = node.type
        if kind in ("type", "parenthesized_expression", "type_parameter") and node.named_child_count:
            return self.read(tree, node.named_children[0])
        if kind in ("none", "ellipsis"):
            return _OUTSIDE
        if kind in ("identifier", "attribute"):
            named = node if kind == "identifier" else node.child_by_field_name("attribute")
            return self._annotated_by(text_of(named), self._meant(tree, tree.chain_to(named)))
        if kind == "string":
            parts = text_of(node).strip("'\"").split("|")
            names = [part.strip() for part in parts if part.strip().isidentifier()]
            chain = tree.chain_to(node)
            return union(self._annotated_by(name, self._named(tree, chain, name)) for name in names)
        if kind in ("binary_operator", "union_type"):
            return union(self.read(tree, child) for child in node.named_children)
        if kind in ("subscript", "generic_type"):
            return self._generic(tree, node)
        return _UNKNOWN

    def _annotated_by(self, name: str, meant: Things) -> Things:
        if name in _ANYTHING:
            return _UNKNOWN
        found: set[Thing] = set()
        for each in meant:
            if isinstance(each, Binding) and each.kind in ("assignment", "alias"):
                right = each.source.child_by_field_name("right")
                found |= _UNKNOWN if right is None else self.read(each.tree, right)
            else:
                found |= instance_of(each)
        return frozenset(found) or _UNKNOWN

    def _generic(self, tree: Tree, node: Any) -> Things:
        base, *given = [child for child in node.named_children if child.type != "comment"]
        if len(given) == 1 and given[0].type == "type_parameter":
            given = given[0].named_children
        name = text_of(base).rpartition(".")[2]
        if name in ("type", "Type"):
            return union(self._values(tree, plain(each)) for each in given)
        inner = [self.read(tree, each) for each in given]
        if name in _WRAPPERS:
            return union(inner[:1] if name == "Annotated" else inner)
        if name == "Callable":
            return _UNKNOWN
        around = self.read(tree, base)
        return around if around - _OUTSIDE - _UNKNOWN else frozenset((Items(union(inner)),))
