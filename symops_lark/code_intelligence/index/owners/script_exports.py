"""What a module of JavaScript or TypeScript exports by a name: through barrels, packages, and other names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .block_scopes import bindings_at_root, look_up
from .classes import Known, Load
from .meaning import Meaning, may_be, of_bindings, outside, role, surely
from .packages.manifests import OUT
from .packages.npm import Npm
from .trees import Binding, Chain, Tree, is_field, place_of, text_of

_CALLED = re.compile(r"(?:await\s+)?(?:require|import)\s*\(\s*['\"`]([^'\"`]*)['\"`]\s*\)$")
_PARAMETERS = frozenset(("arrow_function", "formal_parameters", "required_parameter"))
_WHOLE = frozenset(("namespace_import", "import_require_clause", "variable_declarator", *_PARAMETERS))
_STATEMENTS = frozenset(("import_statement", "export_statement"))


class Exports:
    """Follows imports from module to module; circles lead nowhere."""

    def __init__(self, load: Load, known: Known, npm: Npm) -> None:
        self._load, self._known, self._npm = load, known, npm
        self._found: dict[tuple[str, str], Meaning] = {}

    def imported(self, tree: Tree, source: str, name: str) -> Meaning:
        """Return what a file imports by a name."""
        target = self._npm.find(source, tree.path)
        if target == OUT:
            return outside(source)
        return self.find(target, name) if target else may_be("name")

    def follow(self, binding: Binding) -> Meaning:
        """Return what a name that a file imports, or asks a module for, means."""
        source = source_of(binding)
        if binding.source.type in _WHOLE and binding.chain[-2].id == binding.source.id:
            return may_be("name")  # the module itself
        return self.imported(binding.tree, source, _original(binding))

    def is_module(self, binding: Binding) -> bool:
        """Return whether a binding stands for a whole module."""
        is_whole = binding.source.type in _WHOLE and binding.chain[-2].id == binding.source.id
        return is_whole and bool(source_of(binding))

    def find(self, path: str, name: str) -> Meaning:
        """Return what a module exports by a name."""
        key = (path, name)
        if key not in self._found:
            self._found[key] = may_be("name")
            self._found[key] = self._find(path, name)
        return self._found[key]

    def _find(self, path: str, name: str) -> Meaning:
        tree = self._load(path)
        if tree is None:
            return may_be("name")
        for meaning in self._by_specifiers(tree, name):
            return meaning
        if name == "default":
            return self._default(tree)
        if found := self._at_root(tree, name):
            return found
        assigned = [one[:3] for one in self._known(name) if one.path == path and not one.within]
        if assigned:  # exports.name = …
            return surely(assigned)
        return self._by_stars(tree, name)

    def _by_specifiers(self, tree: Tree, name: str) -> Iterator[Meaning]:
        for chain in tree.chains(name):
            above = chain[-2]
            if above.type == "namespace_export":
                yield may_be("name")
            if above.type != "export_specifier" or chain[-1].id != above.named_children[-1].id:
                continue
            original = text_of(above.named_children[0])
            if source := _source_around(chain):
                yield self.imported(tree, source, original)
            elif original != name:
                yield self._at_root(tree, original) or may_be("name")

    def _default(self, tree: Tree) -> Meaning:
        for node in tree.root.named_children:
            if node.type != "export_statement" or all(child.type != "default" for child in node.children):
                continue
            value = node.child_by_field_name("value")
            declared = node.child_by_field_name("declaration")
            if value is not None and value.type == "identifier":
                return self._at_root(tree, text_of(value)) or may_be("name")
            named = declared.child_by_field_name("name") if declared is not None else None
            if named is not None:
                return surely([place_of(tree, tree.chain_to(named))])
        return may_be("name")

    def _at_root(self, tree: Tree, name: str) -> Meaning | None:
        bound = bindings_at_root(tree, name)
        for each in bound:
            if each.kind == "import" or source_of(each):
                return self.follow(each)
        return of_bindings(bound, self._known(name)) if bound else None

    def _by_stars(self, tree: Tree, name: str) -> Meaning:
        """Look where `export *` leads: an answer that is sure wins over one that is not."""
        for node in tree.root.named_children:
            is_star = node.type == "export_statement" and any(child.type == "*" for child in node.children)
            if is_star and (found := self.imported(tree, _source_in(node), name)).places:
                return found
        return may_be("name")


def source_of(binding: Binding) -> str:
    """Return the module that a binding is taken from; empty if it is of the file itself."""
    if binding.source.type == "variable_declarator":
        return _called_by(binding.tree, binding.source)
    if binding.source.type in _PARAMETERS:
        return _awaited_by(binding.chain)
    return _source_around(binding.chain) if binding.kind == "import" else ""


def _called_by(tree: Tree, declarator: Any) -> str:
    """Return the module that the value of a variable is; empty if it is another value."""
    value = declarator.child_by_field_name("value")
    if called := _CALLED.match(text_of(value)):
        return called[1]
    if value is None or value.type != "identifier":
        return ""
    for bound in look_up(tree, tree.chain_to(value)):
        if bound.source.type == "namespace_import":
            return _source_around(bound.chain)
    return ""


def _awaited_by(chain: Chain) -> str:
    """Return the module of `import("…").then(…)` where a name is a parameter of the function; empty elsewhere."""
    for place in range(len(chain) - 1, 2, -1):
        if chain[place].type in ("arrow_function", "function_expression"):
            waiting = chain[place - 2].child_by_field_name("function")
            if waiting is None or text_of(waiting.child_by_field_name("property")) != "then":
                return ""
            called = _CALLED.match(text_of(waiting.child_by_field_name("object")))
            return called[1] if called else ""
    return ""


def specifier(tree: Tree, chain: Chain, exports: Exports) -> Meaning | None:
    """Return what a name in the braces of an import or an export means; None if the file itself says."""
    above = chain[-2]
    if above.type == "pair_pattern" and above.named_children[0].id == chain[-1].id:
        declared = [_called_by(tree, node) for node in chain if node.type == "variable_declarator"]
        is_taken = bool(declared) and bool(declared[-1]) and chain[-4].type == "variable_declarator"
        return exports.imported(tree, declared[-1], text_of(chain[-1])) if is_taken else may_be("member")
    source = _source_around(chain)
    if above.type in ("import_specifier", "export_specifier") and (source or above.type == "import_specifier"):
        if not is_field(above, "name", chain[-1]):
            return _renamed(exports.imported(tree, source, text_of(above.named_children[0])))
        return exports.imported(tree, source, text_of(chain[-1]))
    if above.type == "namespace_export" or (above.type == "export_specifier" and is_field(above, "alias", chain[-1])):
        return role("a new name of what is exported")
    return None


def _renamed(original: Meaning) -> Meaning:
    """Return what a new name means: a definition of that name is meant by `default as Name` alone."""
    return original if original.places else role("a new name of what is imported or exported")


def _original(binding: Binding) -> str:
    """Return the name that something has in the module that it comes from."""
    holder = binding.chain[-2]
    if binding.source.type == "import_specifier":
        return text_of(binding.source.child_by_field_name("name"))
    if binding.source.type == "import_clause":
        return "default"
    if holder.type == "pair_pattern":
        return text_of(holder.child_by_field_name("key"))
    return text_of(binding.chain[-1])


def _source_around(chain: Chain) -> str:
    for node in reversed(chain):
        if node.type in _STATEMENTS:
            return _source_in(node)
    return ""


def _source_in(statement: Any) -> str:
    source = statement.child_by_field_name("source")
    for child in statement.named_children if source is None else ():
        source = child.child_by_field_name("source") if child.type == "import_require_clause" else source
    return text_of(source).strip("'\"`")
