"""What names of Go mean: a folder is a package, and imports name folders."""

from __future__ import annotations

from posixpath import dirname
from typing import Any

from .block_scopes import DEFINES, look_up
from .classes import Known
from .meaning import MEMBERS, Meaning, may_be, of_bindings, outside, role, surely
from .packages.go_modules import GoModules
from .packages.manifests import OUT
from .trees import Chain, Place, Sought, Tree, is_field, place_of, text_of

_HELD = {"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")}
_ELEMENTS = {"slice_type": "element", "array_type": "element", "implicit_length_array_type": "element",
             "map_type": "value", "pointer_type": ""}  # fmt: skip
_INNER = frozenset(("block", "func_literal", "parameter_list", "type_parameter_list"))


class GoNames:
    """Says what names mean; `known` gives the definitions of a name."""

    def __init__(self, known: Known, modules: GoModules) -> None:
        self._known, self._modules = known, modules

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what the name at the end of a way means."""
        node, above = chain[-1], chain[-2]
        here = place_of(tree, chain)
        known = self._known(text_of(node))
        if above.type in DEFINES and is_field(above, "name", node):
            is_plain = any(one[:3] == here and one.kind not in MEMBERS for one in known)
            return self._of_package(tree, chain) if is_plain else surely([here])
        if node.type == "label_name" or above.type == "labeled_statement":
            return role("a label")
        if above.type == "package_clause":
            return role("the name of a package")
        if any(each.type == "import_spec" for each in chain):
            return role("the name of an import")
        held = _HELD.get(above.type)
        holder = above.child_by_field_name(held[0]) if held and is_field(above, held[1], node) else None
        if holder is not None:
            return self._held(tree, chain, holder)
        literal = _literal_of_key(chain)
        if literal is not None and node.type != "type_identifier":
            return self._key(tree, chain, literal)
        return self._plain(tree, chain)

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        bound = look_up(tree, chain)
        local = [each for each in bound if each.chain[0].id != tree.root.id or not self._is_at_root(each.chain)]
        if local:
            return of_bindings(local, ())
        return self._of_package(tree, chain)

    @staticmethod
    def _is_at_root(chain: Chain) -> bool:
        return not any(
            node.type in ("block", "func_literal", "parameter_list", "type_parameter_list") for node in chain
        )

    def _of_package(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what a name means in a whole package, with those that it imports all of."""
        name, folder = text_of(chain[-1]), dirname(tree.path)
        package = self._modules.package(tree.path)
        if own := self._in_folder(name, folder, package):
            # A package has a name twice only in files for different systems: each means its own.
            return surely([place for place in own if place[0] == tree.path] or own)
        if here := look_up(tree, chain):  # the index knows it not: it is new
            return of_bindings(here, ())
        is_open = False
        for alias, source in imports_of(tree):
            if alias == ".":
                there = self._modules.folder(source)
                is_open |= there is None
                if there not in (None, OUT) and (found := self._in_folder(name, there or "", None)):
                    return surely(found)
            elif (alias or self._modules.name(source)) == name:
                return role(f"the name of the package {source}")
        return may_be("name") if is_open else role(f"a name of the package {package} in {folder or 'the root'}")

    def _in_folder(self, name: str, folder: str, package: str | None) -> list[Place]:
        """Return the definitions of a name that a package has; without its name, that of its users."""
        found = []
        for one in self._known(name):
            if one.within or one.kind in MEMBERS or dirname(one.path) != folder or not one.path.endswith(".go"):
                continue
            of = self._modules.package(one.path)
            if of == package or (package is None and not of.endswith("_test")):
                found.append(one[:3])
        return found

    def _held(self, tree: Tree, chain: Chain, holder: Any) -> Meaning:
        """Return what a name behind a dot means: of a package, a type, or a value; embedded types are fields too."""
        name, around = text_of(chain[-1]), text_of(holder)
        is_name = holder.type in ("identifier", "package_identifier")
        bound = look_up(tree, tree.chain_to(holder)) if is_name else []
        if not is_name or (bound and not all(self._is_at_root(each.chain) for each in bound)):
            return may_be("selected")
        for alias, source in imports_of(tree):
            if (alias or self._modules.name(source)) == around:
                return self._of_import(name, source)
        if self._in_folder(around, dirname(tree.path), self._modules.package(tree.path)):
            return may_be("selected")
        sources = [source for _, source in imports_of(tree) if self._modules.folder(source) == OUT]
        like = [source for source in sources if around in source.replace("-", "").replace(".", "/").split("/")]
        return outside(like[0]) if like else may_be("any")

    def _of_import(self, name: str, source: str) -> Meaning:
        folder = self._modules.folder(source)
        if folder == OUT:
            return outside(source)
        if folder is not None:
            found = self._in_folder(name, folder, None)
            return surely(found) if found else role(f"a name of the package {source}")
        guessed: list[Place] = []
        for guess in self._modules.guesses(source):
            guessed += self._in_folder(name, guess, None)
        if not guessed:
            return may_be("name")
        return surely(guessed)._replace(places=(), perhaps=tuple(guessed))

    def _key(self, tree: Tree, chain: Chain, literal: Any) -> Meaning:
        """Return what the key of a literal means: a field of a struct, or a value that keys a map."""
        made = literal.child_by_field_name("type")
        depth = sum(node.type == "literal_value" for node in chain[chain.index(literal) :])
        for _ in range(depth - 1):
            made = _element_of(made)
        while made is not None and made.type in ("pointer_type", "parenthesized_type"):
            made = made.named_children[0] if made.named_children else None
        if made is not None and made.type in _ELEMENTS:
            return self._plain(tree, chain)
        name = text_of(chain[-1])
        if made is None or made.type == "struct_type":
            return may_be("key")
        struct = text_of(made).partition("[")[0].rpartition(".")[2]
        fields = [one for one in self._known(name) if one.kind == "field" and one.path.endswith(".go")]
        of_it = [one[:3] for one in fields if one.around == struct and self._is_seen(tree, made, one)]
        if of_it:
            return surely(of_it)
        value = self._plain(tree, chain)
        return value._replace(places=(), perhaps=value.places, open="any" if value.open else "key")

    def _is_seen(self, tree: Tree, made: Any, one: Sought) -> bool:
        """Return whether a type of a literal may be of the package in which a field is defined."""
        package = text_of(made.child_by_field_name("package")) if made.type == "qualified_type" else ""
        if not package:
            return dirname(one.path) == dirname(tree.path)
        for alias, source in imports_of(tree):
            if (alias or self._modules.name(source)) == package:
                folder = self._modules.folder(source)
                return folder == dirname(one.path) or (
                    folder is None and dirname(one.path) in self._modules.guesses(source)
                )
        return False


def imports_of(tree: Tree) -> list[tuple[str, str]]:
    """Return the imports of a file: the name that is given to each, and its path."""
    if "imports" not in tree.noted:
        tree.noted["imports"] = _read_imports(tree)
    found: list[tuple[str, str]] = tree.noted["imports"]
    return found


def _read_imports(tree: Tree) -> list[tuple[str, str]]:
    waiting = [node for node in tree.root.named_children if node.type == "import_declaration"]
    found = []
    while waiting:
        node = waiting.pop()
        if node.type == "import_spec":
            path = text_of(node.child_by_field_name("path")).strip('"`')
            found.append((text_of(node.child_by_field_name("name")), path))
        elif node.type in ("import_declaration", "import_spec_list"):
            waiting += node.named_children
    return found


def _literal_of_key(chain: Chain) -> Any:
    """Return the literal that a name is a key in, if it is one."""
    if len(chain) < 5 or chain[-2].type != "literal_element" or chain[-3].type != "keyed_element":
        return None
    if chain[-3].named_children[0].id != chain[-2].id:
        return None
    return next((node for node in reversed(chain) if node.type == "composite_literal"), None)


def _element_of(made: Any) -> Any:
    """Return the type of the elements of a type; None if only its definition tells."""
    while made is not None and made.type == "pointer_type":
        made = made.named_children[0] if made.named_children else None
    field = _ELEMENTS.get(made.type) if made is not None else None
    return made.child_by_field_name(field) if field else None
