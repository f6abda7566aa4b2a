"""Find the meaning of names of Rust: paths lead from module to module, members belong to types."""

from __future__ import annotations

from collections.abc import Iterator

from .block_scopes import DEFINES, is_defined, look_up
from .classes import class_name
from .meaning import MEMBERS, Elsewhere, Meaning, may_be, of_bindings, outside, role, surely
from .rust_modules import Foreign, Item, Module, RustModules, Thing, split_path, use_path
from .trees import (
    Chain,
    Definitions,
    Place,
    Sought,
    Tree,
    innermost,
    is_at,
    is_place_of,
    place_of,
    text_of,
)

_TYPES = frozenset(("struct_item", "enum_item", "union_item", "trait_item"))
_STD_TYPES = frozenset(
    (
        "Vec",
        "String",
        "Box",
        "Rc",
        "Arc",
        "Option",
        "Result",
        "HashMap",
        "HashSet",
        "BTreeMap",
        "BTreeSet",
        "Cell",
        "RefCell",
        "Mutex",
        "RwLock",
        "Path",
        "PathBuf",
        "Duration",
        "Instant",
        "Cow",
        "OsString",
        "VecDeque",
    )
)
# By a field and not by an index: attributes may come before.
_KEYS = (("field_initializer", "field"), ("field_initializer", "name"), ("field_pattern", "name"))
_SCOPED = ("scoped_identifier", "scoped_type_identifier")
_CALLS = ("call_expression", "generic_function")
_OWNERS = frozenset(("impl_item", "trait_item"))


class RustNames:
    """Finds meanings in all files of Rust."""

    def __init__(self, definitions: Definitions, modules: RustModules) -> None:
        self._definitions = definitions
        self._modules = modules
        self._home = modules.cargo.home  # the crate of a path

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of the name at the end of a chain."""
        *_, above, node = chain
        name = text_of(node)
        if is_defined(chain):
            here = place_of(tree, chain)
            if is_place_of(self._definitions(name), here):
                return surely([here])
            return surely([here], kind="binding")
        if above.type in ("lifetime", "label"):
            return role("a label")
        if innermost(chain, ("use_declaration",)) is not None:
            if is_at(chain, "use_as_clause", "alias"):
                return role("a new name of what is used")
            return self._path(tree, chain, use_path(chain))
        if is_at(chain, "macro_invocation", "macro"):
            return self._macro(tree, name)
        if any(is_at(chain, kind, "name") for kind in _SCOPED):
            return self._scoped(tree, chain)
        if is_at(chain, "field_expression", "field"):
            return self._field(tree, chain)
        if any(is_at(chain, kind, field) for kind, field in _KEYS):
            return self._key(tree, chain)
        if above.type == "token_tree":
            return self._in_macro(tree, chain)
        meaning = self._plain(tree, chain)
        # These names are also the name of a field.
        if above.type == "shorthand_field_initializer" or node.type == "shorthand_field_identifier":
            return meaning.or_role("key")
        return meaning

    def _scoped(self, tree: Tree, chain: Chain) -> Meaning:
        name = text_of(chain[-1])
        if chain[-3].type == "macro_invocation":
            return self._macro(tree, name)
        # `<T as Trait>::name`: the trait may be implemented anywhere.
        path = chain[-2].child_by_field_name("path")
        if path is not None and path.type == "bracketed_type":
            return may_be("any")
        return self._path(tree, chain, [*split_path(text_of(path)), name])

    # ---- names alone, and paths

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        name = text_of(chain[-1])
        module = self._modules.around(tree, chain)
        local = []
        for binding in look_up(tree, chain):
            # The items of the module itself are resolved as a path, with those of its files.
            above = binding.chain[-3]
            is_item = binding.kind == "definition" and above.id == module.node.id
            if not is_item and not _is_member(binding.chain):
                local.append(binding)
        if local:
            return of_bindings(local, self._definitions(name))
        for path in self._uses_in_blocks(tree, chain, name):
            if path != [name]:
                things = self._modules.resolve(module, path)
                return self._meaning_of(things, module, path)
        return self._path(tree, chain, [name])

    def _uses_in_blocks(self, tree: Tree, chain: Chain, name: str) -> Iterator[list[str]]:
        """Yield the paths of the imports of a name in the blocks around it."""
        for node in reversed(chain[:-1]):
            if node.type == "block":
                yield from self._modules.uses(tree, node, name)

    def _path(self, tree: Tree, chain: Chain, parts: list[str]) -> Meaning:
        """Return the meaning of a path at the end of a chain."""
        if not parts:
            return may_be("any")
        if parts == ["Self"]:
            return may_be("name")
        if parts[0] == "Self":
            around = _class_around(chain)
            member = self._of_type(parts[-1], around, tree.path, is_field=False)
            return member or may_be("any")
        module = self._modules.around(tree, chain)
        things = self._resolve(module, chain, parts)
        return self._meaning_of(things, module, parts, chain)

    def _resolve(self, module: Module, chain: Chain, parts: list[str]) -> list[Thing]:
        """Resolve a path, whose first name may be imported in a block around."""
        for path in self._uses_in_blocks(module.tree, chain, parts[0]):
            if path[0] != parts[0]:
                return self._modules.resolve(module, [*path, *parts[1:]])
        return self._modules.resolve(module, parts)

    def _meaning_of(
        self, things: list[Thing], module: Module, parts: list[str], chain: Chain = ()
    ) -> Meaning:
        """Return the meaning of a path from its resolution; without one, of a member of a type."""
        places = [place_of(thing.tree, thing.chain) for thing in things if isinstance(thing, Item)]
        if places:
            return surely(places)
        for thing in things:
            if isinstance(thing, Foreign):
                return outside(thing.name)
        if len(parts) > 1:
            holders = self._resolve(module, chain, parts[:-1])
            return self._of_path(holders, parts)
        return self._by_stars(module, parts[0])

    def _of_path(self, holders: list[Thing], parts: list[str]) -> Meaning:
        """Return the meaning of the last name of a path by the things that the others mean."""
        name, around = parts[-1], parts[-2]
        for holder in holders:
            if isinstance(holder, Foreign):
                return outside(holder.name)
            if isinstance(holder, Item) and holder.chain[-2].type in _TYPES:
                owner = text_of(holder.chain[-1])
                if member := self._of_type(name, owner, holder.tree.path, is_field=False):
                    return member
                # The type does not define it: a trait may, or a macro that derives it.
                perhaps = tuple(self._in_traits(name))
                path, line, _ = place_of(holder.tree, holder.chain)
                type_place = Elsewhere("definition", f"{path}:{line}")
                return Meaning(perhaps=perhaps, instead=type_place)
        if around in _STD_TYPES and not holders and not self._definitions(around):
            return outside(f"{around} of std")
        return may_be("any")

    def _of_type(
        self, name: str, around: str, path: str, *, is_field: bool | None = None
    ) -> Meaning | None:
        """Return the meaning of a member of a type, anywhere in its crate.

        Args:
            name: The name of the member.
            around: The name of the type.
            path: A file of the crate.
            is_field: Whether it is a field; None if it may be one.
        """
        crate = self._home(path)
        places = []
        for member in self._of_rust(name) if around else ():
            is_kind = is_field is None or is_field == (member.kind == "field")
            # An `impl` may be in another file than its type, but not in another crate.
            is_here = member.around == around and self._home(member.path) == crate
            if is_kind and is_here:
                places.append(member.place)
        if not places:
            return None
        types = set()
        for definition in self._of_rust(around):
            is_type = definition.kind not in MEMBERS
            if is_type and self._home(definition.path) == crate:
                types.add(definition.place)
        meaning = surely(places)
        # Several traits may define it, and several types may have this name.
        if len(types) < 2 and len(places) == 1:
            return meaning
        return meaning.as_possible()

    def _of_rust(self, name: str) -> list[Sought]:
        return [
            definition for definition in self._definitions(name) if definition.path.endswith(".rs")
        ]

    def _in_traits(self, name: str) -> Iterator[Place]:
        for member in self._definitions(name):
            kinds = {definition.kind for definition in self._of_rust(member.around)}
            if kinds & {"trait", "type"}:
                yield member.place

    def _by_stars(self, module: Module, name: str) -> Meaning:
        """Return the meaning of a name without a definition: a variant of an imported enum."""
        for thing in self._modules.stars(module):
            if isinstance(thing, Item) and thing.chain[-2].type == "enum_item":
                enum = text_of(thing.chain[-1])
                if variant := self._of_type(name, enum, thing.tree.path):
                    return variant
        return may_be("variant")

    # ---- members and macros

    def _field(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of a member of a value."""
        around = _class_around(chain)
        if not around or text_of(chain[-2].child_by_field_name("value")) != "self":
            return may_be("key")
        # A method and a field may have one name: a call means the method.
        is_called = any(is_at(chain[:-1], kind, "function") for kind in _CALLS)
        name = text_of(chain[-1])
        member = self._of_type(name, around, tree.path, is_field=not is_called)
        return member or may_be("key")

    def _key(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of a field in a literal or a pattern."""
        literal = innermost(chain[:-2], ("struct_expression", "struct_pattern"))
        if literal is None:
            return may_be("key")
        struct = literal.child_by_field_name("name") or literal.child_by_field_name("type")
        parts = split_path(text_of(struct))
        around = ""
        path = tree.path
        if parts == ["Self"]:
            around = _class_around(chain)
        else:
            module = self._modules.around(tree, chain)
            for thing in self._resolve(module, chain, parts):
                if isinstance(thing, Item):
                    around = parts[-1]
                    path = thing.tree.path
                    break
        field = self._of_type(text_of(chain[-1]), around, path, is_field=True)
        return field or may_be("key")

    def _macro(self, tree: Tree, name: str) -> Meaning:
        macros = [macro for macro in self._definitions(name) if macro.kind == "macro"]
        in_file = [macro.place for macro in macros if macro.path == tree.path]
        if in_file:
            return surely(in_file)
        # A macro is visible in the lines after it, in all modules of its crate.
        crate = self._home(tree.path)
        in_crate = [macro.place for macro in macros if self._home(macro.path) == crate]
        if len(in_crate) == 1:
            return surely(in_crate)
        return may_be("macro")

    def _in_macro(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of a name in the arguments of a macro, which are not parsed."""
        words = chain[-2].children
        index = [word.id for word in words].index(chain[-1].id)
        parts = [text_of(chain[-1])]
        while index > 1 and text_of(words[index - 1]) == "::":
            parts.insert(0, text_of(words[index - 2]))
            index -= 2
        before = text_of(words[index - 1]) if index else ""
        if before == "::":
            return may_be("any")
        if before in (".", "$"):
            return may_be("key")
        is_plain = len(parts) == 1
        meaning = self._plain(tree, chain) if is_plain else self._path(tree, chain, parts)
        if meaning.open:
            return meaning._replace(open="any")
        return meaning


def _class_around(chain: Chain) -> str:
    owner = innermost(chain, _OWNERS)
    if owner is None:
        return ""
    return class_name(owner)


def _is_member(chain: Chain) -> bool:
    """Return whether a binding is an item of an `impl` or a trait: no name alone means it."""
    return len(chain) > 3 and chain[-4].type in _OWNERS and chain[-2].type in DEFINES
