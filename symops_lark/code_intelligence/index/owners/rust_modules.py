"""Modules of Rust: what a name means in one, by its items, by what it uses, and by the crates that it depends on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from posixpath import basename, dirname, join, splitext
from typing import Any, NamedTuple

from .block_scopes import DEFINES
from .classes import Load
from .packages.cargo import Cargo
from .packages.manifests import OUT
from .trees import Chain, Tree, is_field, text_of

_DEEPEST = 12  # names that are names of names
_OUTER = frozenset(("scoped_identifier", "scoped_use_list", "use_as_clause", "use_wildcard"))
_INITS = ("mod", "lib", "main")


class Module(NamedTuple):
    """A file, or a module inside of one: the node that holds its items."""

    tree: Tree
    node: Any
    parts: tuple[str, ...] = ()  # names of the modules inside the file that lead to it


class Item(NamedTuple):
    """What a name means: an item of a module, by the way to its name."""

    tree: Tree
    chain: Chain


class Foreign(NamedTuple):
    """What a name means: something of a crate that is not in the folder."""

    name: str


Thing = Module | Item | Foreign


class RustModules:
    """Follows paths from module to module; circles lead nowhere."""

    def __init__(self, load: Load, cargo: Cargo, paths: frozenset[str]) -> None:
        self._load, self.cargo, self._paths = load, cargo, paths
        self._found: dict[tuple[str, int, str], list[Thing]] = {}

    def around(self, tree: Tree, chain: Chain) -> Module:
        """Return the module that the end of a way stands in."""
        module = Module(tree, tree.root)
        for node, below in pairwise(chain):
            if node.type == "mod_item" and below.type == "declaration_list":
                module = Module(tree, below, (*module.parts, text_of(node.child_by_field_name("name"))))
        return module

    def resolve(self, module: Module, parts: list[str], depth: int = 0) -> list[Thing]:
        """Return what a path means in a module; nothing if nobody says."""
        if depth > _DEEPEST or not parts:
            return []
        head, rest = parts[0], parts[1:]
        things: list[Thing]
        if head in ("crate", "$crate"):
            things = list(self._file(self.cargo.root(self.cargo.home(module.tree.path))))
            if self.cargo.is_root(module.tree.path):
                things = [Module(module.tree, module.tree.root)]
        elif head == "self":
            things = [module]
        elif head == "super":
            things = list(self.parent(module))
        else:
            things = self.look_up(module, head, depth)
        for name in rest:
            above, things = things, []
            for thing in above:
                if isinstance(thing, Module):
                    things += self.parent(thing) if name == "super" else self._member(thing, name, depth + 1)
                elif isinstance(thing, Foreign):
                    things.append(thing)
        return things

    def look_up(self, module: Module, name: str, depth: int = 0) -> list[Thing]:
        """Return what a name alone means in a module: its own, what it uses, or a crate."""
        if found := self._member(module, name, depth):
            return found
        crate = self.cargo.find(name, module.tree.path)
        if crate == OUT:
            return [Foreign(name)]
        return list(self._file(self.cargo.root(crate))) if crate is not None else []

    def _member(self, module: Module, name: str, depth: int) -> list[Thing]:
        key = (module.tree.path, module.node.id, name)
        if key not in self._found:
            self._found[key] = []
            self._found[key] = self._find_member(module, name, depth)
        return self._found[key]

    def _find_member(self, module: Module, name: str, depth: int) -> list[Thing]:
        own: list[Thing] = []
        for chain in module.tree.chains(name):
            above = chain[-2]
            if above.type not in DEFINES or not is_field(above, "name", chain[-1]):
                continue
            if chain[-3].id != module.node.id:
                continue
            if above.type != "mod_item":
                own.append(Item(module.tree, chain))
                continue
            own += self._inner(module, above, name)
            own.append(Item(module.tree, chain))
        if own:
            return own
        found: list[Thing] = []
        for chain, path in self.uses(module.tree, module.node, name):
            if path != [name] or chain:
                found += self._used(module, path, name, depth + 1)
        if found:
            return found
        for path in self._stars(module):
            for thing in self.resolve(module, path, depth + 1):
                if isinstance(thing, Module):
                    found += self._member(thing, name, depth + 1)
        return found or self._files_below(module, name)  # of a module that another root declares

    def _used(self, module: Module, path: list[str], name: str, depth: int) -> list[Thing]:
        """Return what a `use` means; one that begins with its own name is of a crate."""
        if path[0] == name:
            crate = self.cargo.find(name, module.tree.path)
            if crate == OUT:
                return [Foreign(name)]
            files: list[Thing] = list(self._file(self.cargo.root(crate))) if crate is not None else []
            return self._walk(files, path[1:], depth)
        return self.resolve(module, path, depth)

    def _walk(self, things: list[Thing], parts: list[str], depth: int) -> list[Thing]:
        for name in parts:
            above, things = things, []
            for thing in above:
                things += self._member(thing, name, depth) if isinstance(thing, Module) else []
        return things

    def uses(self, tree: Tree, holder: Any, name: str) -> Iterator[tuple[Chain, list[str]]]:
        """Yield the paths of what is used by a name right inside of a node."""
        for chain in tree.chains(name):
            for place, node in enumerate(chain):
                if node.type == "use_declaration" and chain[place - 1].id == holder.id and _is_bound(chain):
                    yield chain, use_path(chain)
        for path, alias in self._used_selves(tree, holder):
            if (alias or path[-1]) == name:
                yield (), path

    def _used_selves(self, tree: Tree, holder: Any) -> list[tuple[list[str], str]]:
        """Return the modules that are used as `a::{self}` right inside of a node."""
        key = f"selves {holder.id}"
        if key not in tree.noted:
            found: list[tuple[list[str], str]] = []
            for node in holder.named_children:
                if node.type == "use_declaration" and b"self" in (node.text or b""):
                    found += _selves(node, [])
            tree.noted[key] = found
        kept: list[tuple[list[str], str]] = tree.noted[key]
        return kept

    def _stars(self, module: Module) -> list[list[str]]:
        key = f"stars {module.node.id}"
        if key not in module.tree.noted:
            found: list[list[str]] = []
            for node in module.node.named_children:
                if node.type == "use_declaration":
                    found += stars_in(node, [])
            module.tree.noted[key] = found
        kept: list[list[str]] = module.tree.noted[key]
        return kept

    def stars(self, module: Module, depth: int = 0) -> list[Thing]:
        """Return what a module uses all of."""
        found: list[Thing] = []
        for path in self._stars(module):
            found += self.resolve(module, path, depth + 1)
        return found

    # ---- files

    def parent(self, module: Module) -> Iterator[Module]:
        """Yield the module around another."""
        if module.parts:
            above = module.node.parent.parent
            yield Module(module.tree, above, module.parts[:-1])
            return
        path = module.tree.path
        if self.cargo.is_root(path):
            return
        folder = dirname(path)
        if splitext(basename(path))[0] == "mod":
            folder = dirname(folder)
        files = (join(folder, "mod.rs"), f"{folder}.rs", join(folder, "lib.rs"), join(folder, "main.rs"))
        for each in files:
            if each in self._paths and each != path:
                yield from self._file(each)
                return

    def _inner(self, module: Module, item: Any, name: str) -> list[Thing]:
        """Return the module that an item names: its own block, or a file."""
        body = item.child_by_field_name("body")
        if body is not None:
            return [Module(module.tree, body, (*module.parts, name))]
        return self._files_below(module, name)

    def _files_below(self, module: Module, name: str) -> list[Thing]:
        path = module.tree.path
        stem = splitext(basename(path))[0]
        is_first = stem in _INITS or self.cargo.is_root(path)
        folder = join(dirname(path) if is_first else splitext(path)[0], *module.parts)
        found: list[Thing] = []
        for each in (join(folder, name + ".rs"), join(folder, name, "mod.rs")):
            if each in self._paths:
                found += self._file(each)
        return found

    def _file(self, path: str) -> Iterator[Module]:
        tree = self._load(path) if path else None
        if tree is not None:
            yield Module(tree, tree.root)


def use_path(chain: Chain) -> list[str]:
    """Return the whole path to a name in a `use`."""
    parts: list[str] = []
    is_begun = False
    for node, below in pairwise(chain):
        is_begun |= node.type == "use_declaration"
        path = node.child_by_field_name("path") if is_begun and node.type.startswith("scoped_") else None
        if path is not None and path.id != below.id:
            parts += split_path(text_of(path))
    holder = chain[-2]
    if holder.type == "use_as_clause" and is_field(holder, "alias", chain[-1]):
        return [*parts, *split_path(text_of(holder.child_by_field_name("path")))]
    return [*parts, text_of(chain[-1])]


def split_path(text: str) -> list[str]:
    """Return the names of a path, without its generic arguments."""
    plain, depth = [], 0
    for char in text:
        depth += (char == "<") - (char == ">")
        if depth == 0 and char not in "> \n\t":
            plain.append(char)
    return [part for part in "".join(plain).split("::") if part]


def _is_bound(chain: Chain) -> bool:
    """Return whether a name in a `use` is the one that the file then has: the last of its path, or the new one."""
    last, node = chain[-2], chain[-1]
    if last.type == "use_as_clause":
        return is_field(last, "alias", node)
    if last.type == "scoped_identifier":
        return is_field(last, "name", node) and chain[-3].type not in _OUTER
    return last.type in ("use_list", "use_declaration")


def stars_in(node: Any, lead: list[str]) -> Iterator[list[str]]:
    """Yield the paths of what a `use` uses all of."""
    if node.type == "use_wildcard":
        yield [*lead, *(split_path(text_of(node.named_children[0])) if node.named_children else ())]
        return
    if node.type == "scoped_use_list":
        path = node.child_by_field_name("path")
        lead = [*lead, *split_path(text_of(path))] if path is not None else lead
    for child in node.named_children:
        yield from stars_in(child, lead)


def _selves(node: Any, lead: list[str]) -> Iterator[tuple[list[str], str]]:
    if node.type == "self" and lead:
        yield lead, ""
    if node.type == "use_as_clause":
        path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
        if path is not None and path.type == "self" and lead:
            yield lead, text_of(alias)
        return
    if node.type == "scoped_use_list":
        path = node.child_by_field_name("path")
        inner = node.child_by_field_name("list")
        whole = [*lead, *split_path(text_of(path))] if path is not None else lead
        for child in inner.named_children if inner is not None else ():
            yield from _selves(child, whole)
        return
    for child in node.named_children if node.type in ("use_declaration", "use_list") else ():
        yield from _selves(child, lead)
