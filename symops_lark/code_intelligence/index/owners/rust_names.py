"""What names of Rust mean: paths are followed from module to module, members belong to types."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from .block_scopes import DEFINES, look_up
from .classes import Known, class_name
from .meaning import MEMBERS, Elsewhere, Meaning, may_be, of_bindings, outside, role, surely
from .rust_modules import Foreign, Item, Module, RustModules, Thing, split_path, use_path
from .trees import Chain, Place, Sought, Tree, is_field, place_of, text_of

_TYPES = frozenset(("struct_item", "enum_item", "union_item", "trait_item"))
_OF_STD = frozenset((
    "Vec", "String", "Box", "Rc", "Arc", "Option", "Result", "HashMap", "HashSet", "BTreeMap", "BTreeSet",
    "Cell", "RefCell", "Mutex", "RwLock", "Path", "PathBuf", "Duration", "Instant", "Cow", "OsString",
    "VecDeque",
))  # fmt: skip
_KEYS = {"field_initializer": ("field", "name"), "field_pattern": ("name",)}  # attributes may come before
_FIELDS = frozenset(("field",))
_OWNERS = frozenset(("impl_item", "trait_item"))


class RustNames:
    """Says what names mean; `known` gives the definitions of a name."""

    def __init__(self, known: Known, modules: RustModules) -> None:
        self._known, self._modules = known, modules

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what the name at the end of a way means."""
        node, above = chain[-1], chain[-2]
        if above.type in DEFINES and is_field(above, "name", node):
            return self._definition(tree, chain)
        if above.type in ("lifetime", "label"):
            return role("a label")
        if any(each.type == "use_declaration" for each in chain):
            if above.type == "use_as_clause" and is_field(above, "alias", node):
                return role("a new name of what is used")
            return self._path(tree, chain, use_path(chain))
        if above.type == "macro_invocation" and is_field(above, "macro", node):
            return self._macro(tree, text_of(node))
        if above.type in ("scoped_identifier", "scoped_type_identifier") and is_field(above, "name", node):
            return self._scoped(tree, chain)
        if above.type == "field_expression" and is_field(above, "field", node):
            return self._field(tree, chain, above.child_by_field_name("value"))
        if any(is_field(above, field, node) for field in _KEYS.get(above.type, ())):
            return self._of_literal(tree, chain)
        if above.type == "token_tree":
            return self._in_macro(tree, chain)
        found = self._plain(tree, chain)
        if above.type == "shorthand_field_initializer" or node.type == "shorthand_field_identifier":
            return found._replace(open="any" if found.open else "key")
        return found

    def _scoped(self, tree: Tree, chain: Chain) -> Meaning:
        path = chain[-2].child_by_field_name("path")
        if chain[-3].type == "macro_invocation":
            return self._macro(tree, text_of(chain[-1]))
        if path is not None and path.type == "bracketed_type":
            return may_be("any")
        parts = split_path(text_of(path)) if path is not None else []
        return self._path(tree, chain, [*parts, text_of(chain[-1])])

    def _definition(self, tree: Tree, chain: Chain) -> Meaning:
        here = place_of(tree, chain)
        if any(one[:3] == here for one in self._known(text_of(chain[-1]))):
            return surely([here])
        return surely([here], kind="binding")

    # ---- names alone, and paths

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        name = text_of(chain[-1])
        bound = [each for each in look_up(tree, chain) if not _is_member(each.chain)]
        module = self._modules.around(tree, chain)
        local = [each for each in bound if each.chain[-3].id != module.node.id or each.kind != "definition"]
        if local:
            return of_bindings(local, self._known(name))
        for node in reversed(chain[:-1]):
            for _, path in self._modules.uses(tree, node, name) if node.type == "block" else ():
                if path != [name]:
                    return self._thing(self._modules.resolve(module, path), module, path)
        return self._path(tree, chain, [name])

    def _path(self, tree: Tree, chain: Chain, parts: list[str]) -> Meaning:
        """Return what a path means where it stands."""
        module = self._modules.around(tree, chain)
        if not parts:
            return may_be("any")
        if parts[0] == "Self":
            around = _class_around(chain)
            if len(parts) == 1:
                return may_be("name")
            return self._of_type(parts[-1], around, tree.path, without=_FIELDS) or may_be("any")
        return self._thing(self._resolve(tree, chain, module, parts), module, parts, chain)

    def _resolve(self, tree: Tree, chain: Chain, module: Module, parts: list[str]) -> list[Thing]:
        """Resolve a path, whose first name may be used in a block around."""
        for node in reversed(chain[:-1]):
            for _, path in self._modules.uses(tree, node, parts[0]) if node.type == "block" else ():
                if path[0] != parts[0]:
                    return self._modules.resolve(module, [*path, *parts[1:]])
        return self._modules.resolve(module, parts)

    def _thing(self, things: list[Thing], module: Module, parts: list[str], chain: Chain = ()) -> Meaning:
        """Return the meaning of what a path was found to be; a member of a type if it is none."""
        items = [thing for thing in things if isinstance(thing, Item)]
        if items:
            return surely([place_of(each.tree, each.chain) for each in items])
        for thing in things:
            if isinstance(thing, Foreign):
                return outside(thing.name)
        if len(parts) > 1:
            return self._of_path(self._resolve(module.tree, chain, module, parts[:-1]), parts)
        return self._by_stars(module, parts[0])

    def _of_path(self, holders: list[Thing], parts: list[str]) -> Meaning:
        """Return what the last name of a path means by what stands before it: a type, a module, a crate outside."""
        name, around = parts[-1], parts[-2]
        for holder in holders:
            if isinstance(holder, Foreign):
                return outside(holder.name)
            if isinstance(holder, Item) and holder.chain[-2].type in _TYPES:
                owner = text_of(holder.chain[-1])
                if found := self._of_type(name, owner, holder.tree.path, without=_FIELDS):
                    return found
                place = place_of(holder.tree, holder.chain)
                return self._by_trait(name, Elsewhere("definition", f"{place[0]}:{place[1]}"))
        if around in _OF_STD and not holders and not self._known(around):
            return outside(f"{around} of std")
        return may_be("any")

    def _of_type(
        self, name: str, around: str, path: str, *, kinds: Container[str] = (), without: Container[str] = ()
    ) -> Meaning | None:
        """Return the members of a type, wherever in its crate they are; of several by traits it may be each."""
        crate = self._modules.cargo.home(path)
        found: list[Place] = []
        for one in self._known(name):
            is_there = one.path.endswith(".rs") and self._modules.cargo.home(one.path) == crate
            is_meant = one.kind not in without and (not kinds or one.kind in kinds)
            if is_there and is_meant and around and one.around == around:
                found.append(one[:3])
        if not found:
            return None
        types = [one for one in self._known(around) if one.path.endswith(".rs") and one.kind not in MEMBERS]
        homes = {one[:3] for one in types if self._modules.cargo.home(one.path) == crate}
        meaning = surely(found)
        is_sure = len(homes) < 2 and len(found) == 1
        return meaning if is_sure else meaning._replace(places=(), perhaps=tuple(found))

    def _by_trait(self, name: str, owner: Elsewhere) -> Meaning:
        """Return a member that a type does not define: of a trait, or derived for it."""
        perhaps = [one[:3] for one in self._known(name) if self._is_of_trait(one)]
        return Meaning(perhaps=tuple(perhaps), instead=owner)

    def _is_of_trait(self, one: Sought) -> bool:
        return any(each.kind in ("trait", "type") and each.path.endswith(".rs") for each in self._known(one.around))

    def _by_stars(self, module: Module, name: str) -> Meaning:
        """Return what a name alone means that nothing says: a variant of what is used whole, or anything."""
        for thing in self._modules.stars(module):
            if not isinstance(thing, Item) or thing.chain[-2].type != "enum_item":
                continue
            if found := self._of_type(name, text_of(thing.chain[-1]), thing.tree.path):
                return found
        return may_be("variant")

    # ---- members and macros

    def _field(self, tree: Tree, chain: Chain, holder: Any) -> Meaning:
        if text_of(holder) == "self" and (around := _class_around(chain)):
            is_called = chain[-3].type in ("call_expression", "generic_function")
            kinds = MEMBERS - _FIELDS if is_called and is_field(chain[-3], "function", chain[-2]) else _FIELDS
            return self._of_type(text_of(chain[-1]), around, tree.path, kinds=kinds) or may_be("key")
        return may_be("key")

    def _of_literal(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the field of the type that a literal or a pattern is of."""
        for node in reversed(chain[:-2]):
            if node.type in ("struct_expression", "struct_pattern"):
                made = node.child_by_field_name("name") or node.child_by_field_name("type")
                parts = split_path(text_of(made))
                if parts == ["Self"]:
                    around = _class_around(chain)
                    return self._of_type(text_of(chain[-1]), around, tree.path, kinds=_FIELDS) or may_be("key")
                found = self._resolve(tree, chain, self._modules.around(tree, chain), parts)
                for thing in found:
                    if isinstance(thing, Item):
                        owned = self._of_type(text_of(chain[-1]), parts[-1], thing.tree.path, kinds=_FIELDS)
                        return owned or may_be("key")
                break
        return may_be("key")

    def _macro(self, tree: Tree, name: str) -> Meaning:
        macros = [one for one in self._known(name) if one.kind == "macro"]
        own = [one[:3] for one in macros if one.path == tree.path]
        if own:
            return surely(own)
        home = self._modules.cargo.home
        mine = [one[:3] for one in macros if home(one.path) == home(tree.path)]
        return surely(mine) if len(mine) == 1 else may_be("macro")

    def _in_macro(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what a name among the words that a macro is given means: they are not parsed."""
        words = chain[-2].children
        place = next(number for number, word in enumerate(words) if word.id == chain[-1].id)
        parts = [text_of(chain[-1])]
        while place > 1 and text_of(words[place - 1]) == "::":
            parts.insert(0, text_of(words[place - 2]))
            place -= 2
        if place and text_of(words[place - 1]) == "::":
            return may_be("any")
        if place and text_of(words[place - 1]) in (".", "$"):
            return may_be("key")
        found = self._plain(tree, chain) if len(parts) == 1 else self._path(tree, chain, parts)
        return found._replace(open="any") if found.open else found


def _class_around(chain: Chain) -> str:
    return next((class_name(node) for node in reversed(chain) if node.type in _OWNERS), "")


def _is_member(chain: Chain) -> bool:
    """Return whether a binding is an item of an `impl` or a trait: no name alone means it."""
    return len(chain) > 3 and chain[-4].type in _OWNERS and chain[-2].type in DEFINES
