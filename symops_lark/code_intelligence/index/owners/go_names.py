"""Find the meaning of names of Go: a folder is a package, and imports name folders."""

from __future__ import annotations

from posixpath import dirname
from typing import Any

from .block_scopes import is_defined, look_up
from .meaning import MEMBERS, Meaning, may_be, of_bindings, outside, role, surely
from .packages.go_modules import GoModules
from .packages.manifests import OUT
from .trees import (
    Binding,
    Chain,
    Definitions,
    Place,
    Sought,
    Tree,
    holder_of,
    innermost,
    place_of,
    text_of,
)

_SELECTIONS = {"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")}
_ELEMENTS = {
    "slice_type": "element",
    "array_type": "element",
    "implicit_length_array_type": "element",
    "map_type": "value",
    "pointer_type": "",
}
_INNER = frozenset(("block", "func_literal", "parameter_list", "type_parameter_list"))


class GoNames:
    """Finds meanings in all files of Go."""

    def __init__(self, definitions: Definitions, modules: GoModules) -> None:
        self._definitions = definitions
        self._modules = modules

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of the name at the end of a chain."""
        *_, above, node = chain
        if is_defined(chain):
            here = place_of(tree, chain)
            # A definition in a package may have others: files for different systems repeat it.
            for definition in self._definitions(text_of(node)):
                if definition.place == here and definition.kind not in MEMBERS:
                    return self._of_package(tree, chain)
            return surely([here])
        if node.type == "label_name" or above.type == "labeled_statement":
            return role("a label")
        if above.type == "package_clause":
            return role("the name of a package")
        if innermost(chain, ("import_spec",)) is not None:
            return role("the name of an import")
        holder = holder_of(chain, _SELECTIONS)
        if holder is not None:
            return self._selected(tree, chain, holder)
        literal = _literal_of_key(chain)
        if literal is not None and node.type != "type_identifier":
            return self._key(tree, chain, literal)
        return self._plain(tree, chain)

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        local = [binding for binding in look_up(tree, chain) if not _is_at_root(binding)]
        if local:
            return of_bindings(local, ())
        return self._of_package(tree, chain)

    def _of_package(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of a name in a package, with the packages imported by a dot."""
        name = text_of(chain[-1])
        folder = dirname(tree.path)
        package = self._modules.package(tree.path)
        places = self._in_folder(name, folder, package)
        if places:
            # A package has a name twice only in files for different systems: each means its own.
            in_file = [place for place in places if place[0] == tree.path]
            return surely(in_file or places)
        bindings = look_up(tree, chain)
        if bindings:
            # The binding is at the root, but not in the index.
            return of_bindings(bindings, ())
        is_open = False
        for alias, source in imports_of(tree):
            if alias == ".":
                target = self._modules.folder(source)
                if target is None:
                    is_open = True
                elif target != OUT:
                    places = self._in_folder(name, target, None)
                    if places:
                        return surely(places)
            elif (alias or self._modules.name(source)) == name:
                return role(f"the name of the package {source}")
        if is_open:
            return may_be("name")
        where = folder or "the root"
        return role(f"a name of the package {package} in {where}")

    def _in_folder(self, name: str, folder: str, package: str | None) -> list[Place]:
        """Return the definitions of a name in a package.

        A folder may have a package and its tests. Without the name of the package, it is the one
        that other packages import.
        """
        places = []
        for definition in self._definitions(name):
            path = definition.path
            is_plain = not definition.within and definition.kind not in MEMBERS
            if is_plain and path.endswith(".go") and dirname(path) == folder:
                actual = self._modules.package(path)
                is_importable = package is None and not actual.endswith("_test")
                if actual == package or is_importable:
                    places.append(definition.place)
        return places

    def _selected(self, tree: Tree, chain: Chain, holder: Any) -> Meaning:
        """Return the meaning of a name after a dot: of a package, a type, or a value."""
        # A selected name may be an embedded type too: it is a field of its struct.
        if holder.type not in ("identifier", "package_identifier"):
            return may_be("selected")
        bindings = look_up(tree, tree.chain_to(holder))
        if not all(map(_is_at_root, bindings)):
            return may_be("selected")
        name = text_of(chain[-1])
        package = text_of(holder)
        if source := self._source_of(tree, package):
            return self._of_import(name, source)
        own = self._modules.package(tree.path)
        if self._in_folder(package, dirname(tree.path), own):
            return may_be("selected")  # a variable or type of the same package
        # The name of a package outside is unknown, but its path usually has it.
        for _, source in imports_of(tree):
            parts = source.replace("-", "").replace(".", "/").split("/")
            if package in parts and self._modules.folder(source) == OUT:
                return outside(source)
        return may_be("any")

    def _source_of(self, tree: Tree, package: str) -> str:
        """Return the import that has a name in a file; empty if there is none."""
        for alias, source in imports_of(tree):
            if (alias or self._modules.name(source)) == package:
                return source
        return ""

    def _of_import(self, name: str, source: str) -> Meaning:
        folder = self._modules.folder(source)
        if folder == OUT:
            return outside(source)
        if folder is not None:
            places = self._in_folder(name, folder, None)
            if places:
                return surely(places)
            return role(f"a name of the package {source}")
        # No go.mod names the module: folders with a similar path may be the package.
        guesses = []
        for guess in self._modules.guesses(source):
            guesses += self._in_folder(name, guess, None)
        if guesses:
            return surely(guesses).as_possible()
        return may_be("name")

    def _key(self, tree: Tree, chain: Chain, literal: Any) -> Meaning:
        """Return the meaning of the key of a literal: a field, or a value as the key of a map."""
        # A literal inside of another one has no type: it is an element of the outer type.
        kind = literal.child_by_field_name("type")
        below = chain[chain.index(literal) :]
        depth = [node.type for node in below].count("literal_value")
        for _ in range(depth - 1):
            kind = _element_of(kind)
        kind = _without(kind, ("pointer_type", "parenthesized_type"))
        if kind is not None and kind.type in _ELEMENTS:
            return self._plain(tree, chain)
        if kind is None or kind.type == "struct_type":
            return may_be("key")
        struct = text_of(kind).partition("[")[0].rpartition(".")[2]
        places = []
        for field in self._definitions(text_of(chain[-1])):
            is_field = field.kind == "field" and field.path.endswith(".go")
            if is_field and field.around == struct and self._is_visible(tree, kind, field):
                places.append(field.place)
        if places:
            return surely(places)
        value = self._plain(tree, chain)
        return value.as_possible().or_role("key")

    def _is_visible(self, tree: Tree, kind: Any, field: Sought) -> bool:
        """Return whether a type in a file may be of the package in which a field is defined."""
        folder = dirname(field.path)
        package = ""
        if kind.type == "qualified_type":
            package = text_of(kind.child_by_field_name("package"))
        if not package:
            return folder == dirname(tree.path)
        source = self._source_of(tree, package)
        if not source:
            return False
        target = self._modules.folder(source)
        if target is None:
            return folder in self._modules.guesses(source)
        return folder == target


def _is_at_root(binding: Binding) -> bool:
    return innermost(binding.chain, _INNER) is None


def imports_of(tree: Tree) -> list[tuple[str, str]]:
    """Return the imports of a file: the alias of each, or an empty text, and its path."""
    return tree.once("imports", lambda: _read_imports(tree))


def _read_imports(tree: Tree) -> list[tuple[str, str]]:
    nodes = [node for node in tree.root.named_children if node.type == "import_declaration"]
    imports = []
    while nodes:
        node = nodes.pop()
        if node.type == "import_spec":
            path = text_of(node.child_by_field_name("path")).strip('"`')
            imports.append((text_of(node.child_by_field_name("name")), path))
        elif node.type in ("import_declaration", "import_spec_list"):
            nodes += node.named_children
    return imports


def _literal_of_key(chain: Chain) -> Any:
    """Return the literal that has a name as a key; None if there is none."""
    if len(chain) < 5:
        return None
    if chain[-2].type != "literal_element" or chain[-3].type != "keyed_element":
        return None
    # The value of a pair has the same types of nodes around it.
    is_key = chain[-3].named_children[0].id == chain[-2].id
    if is_key:
        return innermost(chain, ("composite_literal",))
    return None


def _without(kind: Any, wrappers: tuple[str, ...]) -> Any:
    """Return a type without the types around it; None if there is nothing inside."""
    while kind is not None and kind.type in wrappers:
        kind = kind.named_children[0] if kind.named_children else None
    return kind


def _element_of(kind: Any) -> Any:
    """Return the type of the elements of a type; None if it is in another place."""
    kind = _without(kind, ("pointer_type",))
    field = "" if kind is None else _ELEMENTS.get(kind.type)
    if field:
        return kind.child_by_field_name(field)
    return None
