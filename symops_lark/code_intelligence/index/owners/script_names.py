"""Find the meaning of names of JavaScript and TypeScript: by scopes, imports and classes."""

from __future__ import annotations

from typing import Any

from .block_scopes import is_defined, look_up
from .classes import CLASSES, Classes, chain_of, class_name
from .meaning import Meaning, may_be, of_bindings, role, surely
from .packages.npm import Npm
from .script_exports import Exports, source_of, specifier
from .trees import (
    Binding,
    Chain,
    Definitions,
    Load,
    Sought,
    Tree,
    holder_of,
    is_place_of,
    place_of,
    text_of,
)

_SELECTIONS = {
    "member_expression": ("object", "property"),
    "nested_identifier": ("object", "property"),
    "nested_type_identifier": ("module", "name"),
}
_TYPES = frozenset(("class", "interface", "enum", "module"))


class ScriptNames:
    """Finds meanings in all scripts."""

    def __init__(self, load: Load, definitions: Definitions, npm: Npm, classes: Classes) -> None:
        self._load = load
        self._definitions = definitions
        self._classes = classes
        self._exports = Exports(load, definitions, npm)

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of the name at the end of a chain."""
        node = chain[-1]
        here = place_of(tree, chain)
        definitions = self._definitions(text_of(node))
        # Assignments such as `exports.name = …` are in the index too.
        # In `const { name } = value` the name is the member's, too.
        is_member = node.type == "shorthand_property_identifier_pattern"
        if not is_member and (is_defined(chain) or is_place_of(definitions, here)):
            return self._defined(tree, chain, definitions)
        holder = holder_of(chain, _SELECTIONS)
        if holder is not None:
            return self._member(tree, chain, holder)
        if node.type == "statement_identifier":
            return role("a label")
        meaning = specifier(tree, chain, self._exports)
        if meaning is not None:
            return meaning
        if node.type in ("property_identifier", "private_property_identifier"):
            return may_be("key")
        return self._plain(tree, chain)

    def _defined(self, tree: Tree, chain: Chain, definitions: list[Sought]) -> Meaning:
        """Return a definition with its overloads, and with declarations merged into it."""
        here = place_of(tree, chain)
        bindings = look_up(tree, chain)
        places = [place_of(tree, binding.chain) for binding in bindings]
        if here in places and not source_of(bindings[0]):
            return of_bindings(bindings, definitions)
        return surely([here])

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        node = chain[-1]
        bindings = look_up(tree, chain)
        imported = self._exports.follow_first(bindings)
        if imported is not None:
            meaning = imported
        elif bindings:
            meaning = of_bindings(bindings, self._definitions(text_of(node)))
        else:
            meaning = may_be("name")
        # These names are also the name of a member. In a pattern, the object may be a module,
        # whose functions are its members.
        if node.type == "shorthand_property_identifier_pattern" and imported is None:
            return meaning.or_role("member")
        if node.type == "shorthand_property_identifier":
            return meaning.or_role("key")
        return meaning

    def _member(self, tree: Tree, chain: Chain, holder: Any) -> Meaning:
        """Return the meaning of a name after a dot."""
        name = text_of(chain[-1])
        if holder.type in ("this", "super"):
            return self._own(tree, chain, is_above=holder.type == "super") or may_be("member")
        if text_of(holder) in ("exports", "module.exports"):
            meaning = self._exports.find(tree.path, name)
            if meaning.places:
                return meaning
            return may_be("member")
        bindings = []
        if "identifier" in holder.type and not holder.child_count:
            bindings = look_up(tree, tree.chain_to(holder))
        for binding in bindings:
            if self._exports.is_module(binding):
                meaning = self._exports.imported(tree, source_of(binding), name)
                if meaning.open:
                    return may_be("member")
                return meaning
        for path, around in self._types(bindings):
            if member := self._in_class(name, path, around):
                return member
        return may_be("any" if chain[-2].type == "nested_type_identifier" else "member")

    def _types(self, bindings: list[Binding]) -> list[tuple[str, str]]:
        """Return the classes of a name: their files and names."""
        types = []
        for binding in bindings:
            meaning = self._exports.follow_first([binding])
            if meaning is None:
                meaning = surely([place_of(binding.tree, binding.chain)])
            for place in meaning.places:
                # The class may have another name in its own file.
                tree = self._load(place[0])
                chain = chain_of(tree, place) if tree is not None else ()
                name = text_of(chain[-1]) if chain else ""
                for definition in self._definitions(name):
                    if definition.place == place and definition.kind in _TYPES:
                        types.append((place[0], name))
                        break
        return types

    def _own(self, tree: Tree, chain: Chain, *, is_above: bool) -> Meaning | None:
        """Return the meaning of a member of `this`, or of `super` if `is_above`."""
        classes = [node for node in chain if node.type in CLASSES]
        around = class_name(classes[-1]) if classes else ""
        if not around:
            return None
        find = self._inherited if is_above else self._in_class
        return find(text_of(chain[-1]), tree.path, around)

    def _in_class(self, name: str, path: str, around: str) -> Meaning | None:
        if members := self._classes.members(name, path, around):
            return surely(members, around)
        return self._inherited(name, path, around)

    def _inherited(self, name: str, path: str, around: str) -> Meaning | None:
        """Return the member of the nearest class above, if its name has only one definition."""
        for parent in self._classes.above(around, path):
            # Of several classes with one name, it is unknown which one is meant.
            types = self._classes.types(parent)
            if len(types) != 1:
                return None
            if members := self._classes.members(name, types[0].path, parent):
                return surely(members, around)
        return None
