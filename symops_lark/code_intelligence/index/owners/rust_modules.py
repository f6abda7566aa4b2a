"""Find the meaning of a path of Rust: by the items of modules, their imports, and crates."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from posixpath import basename, dirname, join, splitext
from typing import Any, NamedTuple

from .block_scopes import is_defined
from .packages.cargo import Cargo
from .packages.manifests import OUT
from .trees import Chain, Load, Tree, is_at, text_of

_MAX_DEPTH = 12  # imports of imports; deeper ones have no meaning
_OUTER = frozenset(("scoped_identifier", "scoped_use_list", "use_as_clause", "use_wildcard"))
_INITS = ("mod", "lib", "main")


class Module(NamedTuple):
    """A file, or a module inside of one: the node that has its items.

    `parts` are the names of the modules inside the file that lead to it.
    """

    tree: Tree
    node: Any
    parts: tuple[str, ...] = ()


class Item(NamedTuple):
    """An item of a module, by the chain to its name."""

    tree: Tree
    chain: Chain


class Foreign(NamedTuple):
    """An item of a crate that is not in the folder."""

    name: str


Thing = Module | Item | Foreign


class RustModules:
    """Follows paths from module to module; circular imports have no meaning."""

    def __init__(self, load: Load, cargo: Cargo, paths: frozenset[str]) -> None:
        self._load = load
        self.cargo = cargo
        self._paths = paths
        self._members: dict[tuple[str, int, str], list[Thing]] = {}

    def around(self, tree: Tree, chain: Chain) -> Module:
        """Return the module that has the end of a chain."""
        module = Module(tree, tree.root)
        for node, below in pairwise(chain):
            if node.type == "mod_item" and below.type == "declaration_list":
                name = text_of(node.child_by_field_name("name"))
                module = Module(tree, below, (*module.parts, name))
        return module

    def resolve(self, module: Module, parts: list[str], depth: int = 0) -> list[Thing]:
        """Return the meanings of a path in a module.

        Args:
            module: The module.
            parts: The names of the path.
            depth: The number of imports that have led to it.
        """
        if depth > _MAX_DEPTH or not parts:
            return []
        head, *below = parts
        things: list[Thing]
        if head in ("crate", "$crate"):
            things = self._root_of(module.tree)
        elif head == "self":
            things = [module]
        elif head == "super":
            things = self._parent(module)
        else:
            things = self._look_up(module, head, depth)
        return self._descend(things, below, depth + 1)

    def _root_of(self, tree: Tree) -> list[Thing]:
        # A package may have several roots: a library and programs.
        if self.cargo.is_root(tree.path):
            return [Module(tree, tree.root)]
        return self._crate(self.cargo.home(tree.path))

    def _descend(self, things: list[Thing], parts: list[str], depth: int) -> list[Thing]:
        for name in parts:
            members: list[Thing] = []
            for thing in things:
                if isinstance(thing, Foreign):
                    members.append(thing)  # everything in it is outside too
                elif isinstance(thing, Module) and name == "super":
                    members += self._parent(thing)
                elif isinstance(thing, Module):
                    members += self._member(thing, name, depth)
            things = members
        return things

    def _look_up(self, module: Module, name: str, depth: int) -> list[Thing]:
        """Return the meanings of a name alone: an item, an import, or a crate."""
        return self._member(module, name, depth) or self._by_crate(module, name)

    def _by_crate(self, module: Module, name: str) -> list[Thing]:
        crate = self.cargo.find(name, module.tree.path)
        if crate == OUT:
            return [Foreign(name)]
        if crate is None:
            return []
        return self._crate(crate)

    def _crate(self, crate: str) -> list[Thing]:
        return self._file(self.cargo.root(crate))

    def _member(self, module: Module, name: str, depth: int) -> list[Thing]:
        key = (module.tree.path, module.node.id, name)
        if key not in self._members:
            self._members[key] = []  # for an import that leads back to this module
            self._members[key] = self._find_member(module, name, depth)
        return self._members[key]

    def _find_member(self, module: Module, name: str, depth: int) -> list[Thing]:
        things = []
        for chain in module.tree.chains(name):
            if not is_defined(chain):
                continue
            *_, around, item, _ = chain
            if around.id == module.node.id:
                if item.type == "mod_item":
                    things += self._inner(module, item, name)
                things.append(Item(module.tree, chain))
        if things:
            return things
        for path in self.uses(module.tree, module.node, name):
            # A path that begins with its own last name begins with a crate.
            if path[0] == name:
                crates = self._by_crate(module, name)
                things += self._descend(crates, path[1:], depth + 1)
            else:
                things += self.resolve(module, path, depth + 1)
        if things:
            return things
        for thing in self.stars(module, depth):
            if isinstance(thing, Module):
                things += self._member(thing, name, depth + 1)
        # The module may be declared by another root.
        return things or self._files_below(module, name)

    def uses(self, tree: Tree, holder: Any, name: str) -> Iterator[list[str]]:
        """Yield the paths of the imports of a name.

        Args:
            tree: The file.
            holder: The node with the imports: a module or a block.
            name: The name.
        """
        for chain in tree.chains(name):
            for above, node in pairwise(chain):
                is_here = node.type == "use_declaration" and above.id == holder.id
                if is_here and _is_bound(chain):
                    yield use_path(chain)
        # The name of `use a::{self}` is that of the module before the braces.
        for path, alias in tree.once(f"selves {holder.id}", lambda: _read_selves(holder)):
            if (alias or path[-1]) == name:
                yield path

    def stars(self, module: Module, depth: int = 0) -> list[Thing]:
        """Return the modules and types with all names imported in a module."""
        things = []
        node = module.node
        for path in module.tree.once(f"stars {node.id}", lambda: _read_stars(node)):
            things += self.resolve(module, path, depth + 1)
        return things

    # ---- files

    def _parent(self, module: Module) -> list[Thing]:
        """Return the module around another; a list with one module at most."""
        if module.parts:
            around = module.node.parent.parent
            return [Module(module.tree, around, module.parts[:-1])]
        path = module.tree.path
        if self.cargo.is_root(path):
            return []
        # `a/mod.rs` is the module `a` itself.
        folder = dirname(path)
        if basename(path) == "mod.rs":
            folder = dirname(folder)
        names = ("mod.rs", "lib.rs", "main.rs")
        mod, *roots = [join(folder, name) for name in names]
        for file in (mod, f"{folder}.rs", *roots):
            if file in self._paths and file != path:
                return self._file(file)
        return []

    def _inner(self, module: Module, item: Any, name: str) -> list[Thing]:
        """Return the module of an item: its own block, or a file."""
        body = item.child_by_field_name("body")
        if body is not None:
            return [Module(module.tree, body, (*module.parts, name))]
        return self._files_below(module, name)

    def _files_below(self, module: Module, name: str) -> list[Thing]:
        path = module.tree.path
        base, _ = splitext(path)
        # The modules of `a.rs` are in `a`, those of `mod.rs` and of a root are beside it.
        if basename(base) in _INITS or self.cargo.is_root(path):
            base = dirname(path)
        folder = join(base, *module.parts)
        files = []
        for file in (join(folder, name + ".rs"), join(folder, name, "mod.rs")):
            if file in self._paths:
                files += self._file(file)
        return files

    def _file(self, path: str) -> list[Thing]:
        tree = self._load(path) if path else None
        if tree is None:
            return []
        return [Module(tree, tree.root)]


def use_path(chain: Chain) -> list[str]:
    """Return the full path to a name in a `use`."""
    parts = []
    is_begun = False
    for node, below in pairwise(chain):
        is_begun = is_begun or node.type == "use_declaration"
        if is_begun and node.type.startswith("scoped_"):
            path = node.child_by_field_name("path")
            # Inside of the path itself, the rest of it comes with the name.
            if path is not None and path.id != below.id:
                parts += split_path(text_of(path))
    if is_at(chain, "use_as_clause", "alias"):
        return [*parts, *split_path(text_of(chain[-2].child_by_field_name("path")))]
    return [*parts, text_of(chain[-1])]


def split_path(text: str) -> list[str]:
    """Return the names of a path, without its type arguments."""
    characters = []
    depth = 0
    for character in text:
        # Type arguments may be nested: `Vec<Option<T>>`.
        depth += (character == "<") - (character == ">")
        if depth == 0 and character not in "> \n\t":
            characters.append(character)
    return [part for part in "".join(characters).split("::") if part]


def _is_bound(chain: Chain) -> bool:
    """Return whether a `use` binds a name: the last of its path, or the new one."""
    *_, around, above, _ = chain
    if above.type == "use_as_clause":
        return is_at(chain, "use_as_clause", "alias")
    if above.type == "scoped_identifier":
        is_last = is_at(chain, "scoped_identifier", "name")
        return is_last and around.type not in _OUTER
    return above.type in ("use_list", "use_declaration")


def _joined(prefix: list[str], node: Any) -> list[str]:
    """Return a path with the path of a list in braces after it."""
    path = node.child_by_field_name("path")
    if path is None:
        return prefix
    return [*prefix, *split_path(text_of(path))]


def _read_stars(holder: Any) -> list[list[str]]:
    """Return the paths of the imports of all names right inside a node."""
    paths: list[list[str]] = []
    for node in holder.named_children:
        if node.type == "use_declaration":
            paths += _stars_in(node, [])
    return paths


def _stars_in(node: Any, prefix: list[str]) -> Iterator[list[str]]:
    if node.type == "use_wildcard":
        path = text_of(node.named_children[0]) if node.named_children else ""
        yield [*prefix, *split_path(path)]
        return
    if node.type == "scoped_use_list":
        prefix = _joined(prefix, node)
    for child in node.named_children:
        yield from _stars_in(child, prefix)


def _read_selves(holder: Any) -> list[tuple[list[str], str]]:
    """Return the modules imported as `a::{self}` right inside a node, and their new names."""
    selves: list[tuple[list[str], str]] = []
    for node in holder.named_children:
        if node.type == "use_declaration" and b"self" in (node.text or b""):
            selves += _selves_in(node, [])
    return selves


def _selves_in(node: Any, prefix: list[str]) -> Iterator[tuple[list[str], str]]:
    if node.type == "self" and prefix:
        yield prefix, ""
    elif node.type == "use_as_clause":
        path = node.child_by_field_name("path")
        if path is not None and path.type == "self" and prefix:
            yield prefix, text_of(node.child_by_field_name("alias"))
    elif node.type == "scoped_use_list":
        names = node.child_by_field_name("list")
        if names is not None:
            yield from _selves_in(names, _joined(prefix, node))
    elif node.type in ("use_declaration", "use_list"):
        for child in node.named_children:
            yield from _selves_in(child, prefix)
