"""Follow the imports of Python to the modules of the index, and to their bindings."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any

from ..packages.modules import Modules
from ..trees import Binding, Chain, Load, Tree, innermost, text_of
from .scopes import IMPORTS, bindings_of, look_up
from .things import ONLY_OUTSIDE, ONLY_UNKNOWN, Module, Things, only, stars

Once = Callable[[tuple[Any, ...], Callable[[], Things]], Things]


class Imports:
    """Follows imports.

    Args:
        modules: The modules of the index.
        load: Returns the tree of a path.
        once: Returns a cached answer, or computes it.
    """

    def __init__(self, modules: Modules, load: Load, once: Once) -> None:
        self._modules = modules
        self._load = load
        self._once = once

    def named(self, tree: Tree, chain: Chain, name: str) -> Things:
        """Return the things that a name means at a place.

        Args:
            tree: The file.
            chain: The chain to the place.
            name: The name.
        """
        if bindings := look_up(tree, chain, name):
            return self.follow(bindings)
        if things := self._by_stars(tree, name):
            return things
        if hasattr(builtins, name):
            return ONLY_OUTSIDE
        return ONLY_UNKNOWN

    def follow(self, bindings: Iterable[Binding]) -> Things:
        """Return the things that bindings import; of other bindings, themselves."""
        return frozenset[Any]().union(*map(self._follow_one, bindings))

    def _follow_one(self, binding: Binding) -> Things:
        if binding.kind != "import":
            return only(binding)
        # Modules that import each other are common: `once` ends such circles.
        key = ("import", *binding.place)
        return self._once(key, lambda: self._import(binding))

    def _import(self, binding: Binding) -> Things:
        tree, source = binding.tree, binding.source
        statement = innermost(binding.chain, IMPORTS)
        is_from = statement.type == "import_from_statement"
        if source.type == "aliased_import":
            name = text_of(source.child_by_field_name("name"))
        else:
            # `import a.b` binds `a`.
            name = text_of(source if is_from else binding.chain[-1])
        if is_from:
            return self.exported_by(tree, statement, name)
        return self.module(tree, name)

    def module(self, tree: Tree, text: str) -> Things:
        """Return the module that a file imports by a name."""
        path = self._path_of(tree, text)
        if path:
            return only(Module(path))
        return ONLY_OUTSIDE

    def exported_by(self, tree: Tree, statement: Any, name: str) -> Things:
        """Return the things that a name in an import means.

        Args:
            tree: The file.
            statement: Its statement `from … import …`.
            name: The name in the module of that statement.
        """
        path = self._source_of(tree, statement)
        if path:
            return self.exports(path, name)
        return ONLY_OUTSIDE

    def _source_of(self, tree: Tree, statement: Any) -> str:
        """Return the path of the module of an import; empty if it is outside."""
        return self._path_of(tree, text_of(statement.child_by_field_name("module_name")))

    def _path_of(self, tree: Tree, text: str) -> str:
        """Return the path of a module by its name in an import, which may begin with dots."""
        text = text.replace(" ", "")
        name = text.lstrip(".")
        return self._modules.python(name, len(text) - len(name), tree.path)

    def exports(self, path: str, name: str) -> Things:
        """Return the things that a name of a module means."""
        key = ("exports", path, name)
        return self._once(key, lambda: self._find_export(path, name))

    def _find_export(self, path: str, name: str) -> Things:
        tree = None if path.endswith("/") else self._load(path)
        if tree is not None:
            # A name of the module hides a submodule with the same name.
            bindings = bindings_of(tree, name).get(tree.root.id, ())
            things = self.follow(bindings) if bindings else self._by_stars(tree, name)
            if bindings or things:
                return things
        # `from package import module` imports a module that the package does not name.
        below = self._modules.below(path, name)
        if below:
            return only(Module(below))
        return ONLY_UNKNOWN

    def _by_stars(self, tree: Tree, name: str) -> Things:
        """Return the thing that a file imports with all others; empty if there is none."""
        is_outside = False
        for statement in stars(tree):
            path = self._source_of(tree, statement)
            if not path:
                is_outside = True
            # `import *` leaves out names that begin with an underscore.
            elif not name.startswith("_"):
                things = self.exports(path, name)
                if things - ONLY_UNKNOWN - ONLY_OUTSIDE:
                    return things
        if is_outside:
            return ONLY_UNKNOWN
        return frozenset()
