"""What names of JavaScript and TypeScript mean: by scopes, imports and classes."""

from __future__ import annotations

from typing import Any

from .block_scopes import DEFINES, look_up
from .classes import CLASSES, Classes, Known, Load, chain_of, class_name
from .meaning import MEMBERS, Meaning, may_be, of_bindings, role, surely
from .packages.npm import Npm
from .script_exports import Exports, source_of, specifier
from .trees import Binding, Chain, Place, Tree, is_field, place_of, text_of

_HELD = {
    "member_expression": ("object", "property"),
    "nested_identifier": ("object", "property"),
    "nested_type_identifier": ("module", "name"),
}
_TYPES = frozenset(("class", "interface", "enum", "module"))


class ScriptNames:
    """Says what names mean; `load` gives the tree of a path, `known` the definitions of a name."""

    def __init__(self, load: Load, known: Known, npm: Npm, classes: Classes) -> None:
        self._load, self._known, self._classes = load, known, classes
        self._exports = Exports(load, known, npm)

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what the name at the end of a way means."""
        node, above = chain[-1], chain[-2]
        here, name = place_of(tree, chain), text_of(node)
        if (above.type in DEFINES and is_field(above, "name", node)) or here in _places(self._known(name)):
            return self._definition(tree, chain, here)
        held = _HELD.get(above.type)
        holder = above.child_by_field_name(held[0]) if held and is_field(above, held[1], node) else None
        if holder is not None:
            return self._member(tree, chain, holder)
        if node.type == "statement_identifier":
            return role("a label")
        found = specifier(tree, chain, self._exports)
        if found is None and node.type in ("property_identifier", "private_property_identifier"):
            return may_be("key")
        return self._plain(tree, chain) if found is None else found

    def _definition(self, tree: Tree, chain: Chain, here: Place) -> Meaning:
        """Return a definition with those that it is one with: overloads, and declarations that are merged."""
        bound = look_up(tree, chain)
        if any(place_of(tree, each.chain) == here for each in bound) and not source_of(bound[0]):
            return of_bindings(bound, self._known(text_of(chain[-1])))
        return surely([here])

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        name, node = text_of(chain[-1]), chain[-1]
        bound = look_up(tree, chain)
        meaning = may_be("name")
        is_taken = False
        for each in bound:
            if each.kind == "import" or source_of(each):
                meaning, is_taken = self._exports.follow(each), True
                break
        else:
            meaning = of_bindings(bound, self._known(name)) if bound else meaning
        if node.type == "shorthand_property_identifier_pattern" and not is_taken:
            # The object may be a module, whose functions are its members.
            return meaning._replace(open="any" if meaning.open else "member")
        if node.type == "shorthand_property_identifier":  # the member of an object as well
            return meaning._replace(open="any" if meaning.open else "key")
        return meaning

    def _member(self, tree: Tree, chain: Chain, holder: Any) -> Meaning:
        name = text_of(chain[-1])
        if holder.type in ("this", "super"):
            return self._own(tree, chain, is_above=holder.type == "super")
        if text_of(holder) in ("exports", "module.exports"):
            found = self._exports.find(tree.path, name)
            return found if found.places else may_be("member")
        bound = look_up(tree, tree.chain_to(holder)) if "identifier" in holder.type and not holder.child_count else []
        for each in bound:
            if self._exports.is_module(each):
                found = self._exports.imported(tree, source_of(each), name)
                return may_be("member") if found.open else found
        for path, around in self._types(bound):
            if member := self._in_class(name, path, around):
                return member
        return may_be("any" if chain[-2].type == "nested_type_identifier" else "member")

    def _types(self, bound: list[Binding]) -> list[tuple[str, str]]:
        """Return the classes that a name stands for: their files and names."""
        found = []
        for binding in bound:
            is_taken = binding.kind == "import" or source_of(binding)
            meaning = self._exports.follow(binding) if is_taken else surely([place_of(binding.tree, binding.chain)])
            for place in meaning.places:
                tree = self._load(place[0])
                chain = chain_of(tree, place) if tree is not None else ()
                name = text_of(chain[-1]) if chain else ""
                if any(one[:3] == place and one.kind in _TYPES for one in self._known(name)):
                    found.append((place[0], name))
        return found

    def _own(self, tree: Tree, chain: Chain, *, is_above: bool) -> Meaning:
        """Return what an object has by a name in its own class, or in the classes above."""
        classes = [node for node in chain if node.type in CLASSES]
        name = text_of(chain[-1])
        around = class_name(classes[-1]) if classes else ""
        if not around:
            return may_be("member")
        if is_above:
            return self._inherited(name, tree.path, around) or may_be("member")
        return self._in_class(name, tree.path, around) or may_be("member")

    def _in_class(self, name: str, path: str, around: str) -> Meaning | None:
        if own := self._classes.members(name, path, around):
            return surely(own, around)
        return self._inherited(name, path, around)

    def _inherited(self, name: str, path: str, around: str) -> Meaning | None:
        """Return the member of the nearest class above, if each class on the way has only one definition."""
        for parent in self._classes.above(around, path):
            named = [one for one in self._known(parent) if one.kind not in MEMBERS]
            if len(named) != 1:
                return None
            if found := self._classes.members(name, named[0].path, parent):
                return surely(found, around)
        return None


def _places(known: Any) -> set[Place]:
    return {one[:3] for one in known}
