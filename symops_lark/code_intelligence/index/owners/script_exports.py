"""Find what a module of JavaScript or TypeScript exports by a name.

Exports are followed through modules that only export others, and through packages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from .block_scopes import bindings_at_root, look_up
from .meaning import Meaning, may_be, of_bindings, outside, role, surely
from .packages.manifests import OUT
from .packages.npm import Npm
from .trees import (
    Binding,
    Chain,
    Definitions,
    Load,
    Tree,
    innermost,
    is_at,
    is_field,
    place_of,
    text_of,
)

# `require("./a")`, `await import("./a")`; not `require(name)`.
_CALL = re.compile(r"(?:await\s+)?(?:require|import)\s*\(\s*['\"`]([^'\"`]*)['\"`]\s*\)$")
_PARAMETERS = frozenset(("arrow_function", "formal_parameters", "required_parameter"))
_MODULES = _PARAMETERS | {"namespace_import", "import_require_clause", "variable_declarator"}
_STATEMENTS = frozenset(("import_statement", "export_statement"))


class Exports:
    """Follows imports from module to module; circular ones have no meaning."""

    def __init__(self, load: Load, definitions: Definitions, npm: Npm) -> None:
        self._load = load
        self._definitions = definitions
        self._npm = npm
        self._meanings: dict[tuple[str, str], Meaning] = {}

    def imported(self, tree: Tree, source: str, name: str) -> Meaning:
        """Return the meaning of an import.

        Args:
            tree: The file that imports.
            source: The module, as the file names it.
            name: The name in that module.
        """
        target = self._npm.find(source, tree.path)
        if target == OUT:
            return outside(source)
        # Without a target the import leads nowhere: a file that a build would create.
        if target:
            return self.find(target, name)
        return may_be("name")

    def follow_first(self, bindings: Collection[Binding]) -> Meaning | None:
        """Return the meaning of the first binding that is imported; None if none is."""
        for binding in bindings:
            source = source_of(binding)
            if source or binding.kind == "import":
                if _is_whole(binding):
                    return may_be("name")  # the module itself
                return self.imported(binding.tree, source, _original(binding))
        return None

    def is_module(self, binding: Binding) -> bool:
        """Return whether the value of a binding is a module."""
        return _is_whole(binding) and bool(source_of(binding))

    def find(self, path: str, name: str) -> Meaning:
        """Return the meaning of a name that a module exports."""
        key = (path, name)
        if key not in self._meanings:
            self._meanings[key] = may_be("name")  # for a module that leads back to this one
            self._meanings[key] = self._find(path, name)
        return self._meanings[key]

    def _find(self, path: str, name: str) -> Meaning:
        tree = self._load(path)
        if tree is None:
            return may_be("name")
        for meaning in self._by_specifiers(tree, name):
            return meaning
        if name == "default":
            return self._default(tree)
        if bound := self._at_root(tree, name):
            return bound
        # `exports.name = …` binds no name.
        assigned = [
            definition.place
            for definition in self._definitions(name)
            if definition.path == path and not definition.within
        ]
        if assigned:
            return surely(assigned)
        return self._by_stars(tree, name)

    def _by_specifiers(self, tree: Tree, name: str) -> Iterator[Meaning]:
        """Yield the meanings of a name in the braces of exports."""
        for chain in tree.chains(name):
            above = chain[-2]
            if above.type == "namespace_export":
                yield may_be("name")  # `export * as name`: the module itself
            if above.type != "export_specifier" or chain[-1].id != above.named_children[-1].id:
                continue
            original = text_of(above.named_children[0])
            if source := _source_around(chain):
                yield self.imported(tree, source, original)
            elif original != name:
                yield self._at_root(tree, original) or may_be("name")

    def _default(self, tree: Tree) -> Meaning:
        for node in tree.root.named_children:
            if not _is_export(node, "default"):
                continue
            value = node.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                return self._at_root(tree, text_of(value)) or may_be("name")
            declaration = node.child_by_field_name("declaration")
            name = None if declaration is None else declaration.child_by_field_name("name")
            if name is not None:
                return surely([place_of(tree, tree.chain_to(name))])
        return may_be("name")

    def _at_root(self, tree: Tree, name: str) -> Meaning | None:
        bindings = bindings_at_root(tree, name)
        meaning = self.follow_first(bindings)
        if meaning is None and bindings:
            return of_bindings(bindings, self._definitions(name))
        return meaning

    def _by_stars(self, tree: Tree, name: str) -> Meaning:
        """Follow each `export *`: a certain answer is preferred."""
        for node in tree.root.named_children:
            if _is_export(node, "*"):
                meaning = self.imported(tree, _source_in(node), name)
                if meaning.places:
                    return meaning
        return may_be("name")


def _is_export(node: Any, token: str) -> bool:
    if node.type != "export_statement":
        return False
    return any(child.type == token for child in node.children)


def _is_whole(binding: Binding) -> bool:
    """Return whether a binding has the value of its source, not of a part of it."""
    source = binding.source
    return source.type in _MODULES and binding.chain[-2].id == source.id


def source_of(binding: Binding) -> str:
    """Return the module that a binding is imported from; empty if it is not imported."""
    if binding.source.type == "variable_declarator":
        return _module_of(binding.tree, binding.source)
    if binding.source.type in _PARAMETERS:
        return _awaited_by(binding.chain)
    if binding.kind == "import":
        return _source_around(binding.chain)
    return ""


def _module_of(tree: Tree, declarator: Any) -> str:
    """Return the module that is the value of a variable; empty if it has another value."""
    value = declarator.child_by_field_name("value")
    if call := _CALL.match(text_of(value)):
        return call[1]
    if value is None or value.type != "identifier":
        return ""
    # `const copy = ns`, where `ns` is a module.
    for binding in look_up(tree, tree.chain_to(value)):
        if binding.source.type == "namespace_import":
            return _source_around(binding.chain)
    return ""


def _awaited_by(chain: Chain) -> str:
    """Return the module of `import("…").then(…)` for a parameter of the function in it."""
    function = innermost(chain[3:], ("arrow_function", "function_expression"))
    if function is None:
        return ""
    # The function is in the arguments of the call of `then`.
    then = chain[chain.index(function) - 2].child_by_field_name("function")
    if then is None or text_of(then.child_by_field_name("property")) != "then":
        return ""
    call = _CALL.match(text_of(then.child_by_field_name("object")))
    if call:
        return call[1]
    return ""


def specifier(tree: Tree, chain: Chain, exports: Exports) -> Meaning | None:
    """Return the meaning of a name in the braces of an import or an export.

    Args:
        tree: The file.
        chain: The chain to the name.
        exports: The exports of all modules.

    Returns:
        The meaning; None if the name has one in the file itself.
    """
    *_, above, node = chain
    if above.type == "pair_pattern" and above.named_children[0].id == node.id:
        declarator = innermost(chain, ("variable_declarator",))
        module = "" if declarator is None else _module_of(tree, declarator)
        # `const { a: b } = require("…")`, and not a pattern in another one.
        if module and chain[-4].type == "variable_declarator":
            return exports.imported(tree, module, text_of(node))
        return may_be("member")
    source = _source_around(chain)
    is_import = above.type == "import_specifier"
    if is_import or (source and above.type == "export_specifier"):
        if is_field(above, "name", node):
            return exports.imported(tree, source, text_of(node))
        # The new name means a definition only if that has the same name, as in `default as Name`.
        original = exports.imported(tree, source, text_of(above.named_children[0]))
        new_name = role("a new name of what is imported or exported")
        if original.places:
            return original
        return new_name
    if above.type == "namespace_export" or is_at(chain, "export_specifier", "alias"):
        return role("a new name of what is exported")
    return None


def _original(binding: Binding) -> str:
    """Return the name of a binding in the module that it is imported from."""
    name = binding.chain[-1]
    if binding.source.type == "import_clause":
        return "default"
    if binding.source.type == "import_specifier":
        name = binding.source.child_by_field_name("name")
    elif binding.chain[-2].type == "pair_pattern":
        name = binding.chain[-2].child_by_field_name("key")
    return text_of(name)


def _source_around(chain: Chain) -> str:
    statement = innermost(chain, _STATEMENTS)
    if statement is None:
        return ""
    return _source_in(statement)


def _source_in(statement: Any) -> str:
    source = statement.child_by_field_name("source")
    for child in statement.named_children if source is None else ():
        if child.type == "import_require_clause":
            source = child.child_by_field_name("source")
    return text_of(source).strip("'\"`")
