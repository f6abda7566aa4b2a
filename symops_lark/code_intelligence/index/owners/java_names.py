"""Find the meaning of names of Java: imports name classes by the packages of their files."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from .block_scopes import is_defined, look_up
from .classes import CLASSES, Classes, class_name, names_in_heading
from .meaning import Elsewhere, Meaning, may_be, of_bindings, outside, role, surely
from .packages.manifests import Manifests
from .trees import (
    Binding,
    Chain,
    Definitions,
    Place,
    Sought,
    Tree,
    holder_of,
    innermost,
    is_at,
    is_field,
    is_place_of,
    place_of,
    text_of,
)

_SELECTIONS = {"method_invocation": ("object", "name"), "field_access": ("object", "field")}
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# `Cart`, not `MAX`: by convention a name in capital letters is a constant.
_CLASS_NAME = re.compile(r"[A-Z](?:(?![a-z])\w)*[a-z]\w*")
_VALUES = frozenset(("field", "variant", "variable"))
_JUMPS = frozenset(("labeled_statement", "break_statement", "continue_statement"))
_TYPES = CLASSES | {"type_parameter"}
_CREATION = "object_creation_expression"
_SCOPED = frozenset(("scoped_type_identifier", "scoped_identifier"))
_HOLDERS = frozenset(("identifier", "type_identifier", "field_access", "scoped_identifier"))


class JavaNames:
    """Finds meanings in all files of Java."""

    def __init__(self, definitions: Definitions, manifests: Manifests, classes: Classes) -> None:
        self._definitions = definitions
        self._manifests = manifests
        self._classes = classes
        self._packages: dict[str, str] = {}

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of the name at the end of a chain."""
        *_, above, node = chain
        name = text_of(node)
        here = place_of(tree, chain)
        if is_place_of(self._definitions(name), here):
            return surely([here])
        # Parameters and variables have a definition, but are not in the index.
        if is_defined(chain):
            binding = Binding(tree, chain, "definition", above)
            return of_bindings([binding], ())
        if innermost(chain, ("import_declaration",)) is not None:
            path = text_of(above) if is_field(above, "name", node) else name
            return self._at_path(path, is_import=True)
        if above.type in _JUMPS:
            return role("a label")
        # The name of a value of an annotation is a method of its type.
        if is_at(chain, "element_value_pair", "key"):
            return may_be("call")
        return self._use(tree, chain)

    def _use(self, tree: Tree, chain: Chain) -> Meaning:
        *_, above, node = chain
        is_call = is_at(chain, "method_invocation", "name")
        # `Item::price` passes a method without a call of it.
        if above.type == "method_reference" and above.named_children[0].id != node.id:
            return self._selected(tree, chain, above.named_children[0], "call")
        holder = holder_of(chain, _SELECTIONS)
        if holder is not None:
            return self._selected(tree, chain, holder, "call" if is_call else "value")
        if above.type in _SCOPED and above.named_children[-1].id == node.id:
            return self._scoped(tree, above)
        if is_call:
            return self._called(tree, chain)
        if node.type == "type_identifier":
            return self._type(tree, chain)
        return self._plain(tree, chain)

    # ---- names alone

    def _type(self, tree: Tree, chain: Chain) -> Meaning:
        name = text_of(chain[-1])
        bindings = look_up(tree, chain)
        types = [binding for binding in bindings if binding.source.type in _TYPES]
        meaning = self._class(tree, name)
        if types:
            meaning = of_bindings(types, self._definitions(name))
        if chain[-2].type != _CREATION:
            return meaning
        # `new Cart()` means the class and its constructors.
        constructors = []
        for path, _, _ in meaning.places:
            constructors += self._methods(name, path, name)
        return meaning._replace(places=(*meaning.places, *constructors))

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of a variable, a field, or a class before a dot."""
        name = text_of(chain[-1])
        bindings = _values_of(tree, chain)
        if bindings:
            return of_bindings(bindings, self._definitions(name))
        imported = self._static_imports(tree, name, _VALUES)
        if imported is not None:
            return imported
        meaning = self._class(tree, name)
        if meaning.places:
            return meaning
        may_inherit = _may_inherit(chain)
        if meaning.open:
            return meaning._replace(open="any" if may_inherit else "nested")
        # The label of a case is a constant of an enum, whose name is left out.
        if may_inherit or chain[-2].type == "switch_label":
            return may_be("any")
        return meaning

    def _called(self, tree: Tree, chain: Chain) -> Meaning:
        """Return the meaning of a call without a dot: a method of a class around, or imported."""
        name = text_of(chain[-1])
        for node in reversed(chain):
            if node.type in CLASSES:
                around = class_name(node)
                methods = self._methods(name, tree.path, around)
                if methods:
                    meaning = surely(methods, around)
                    return meaning._replace(hidden=True)
        imported = self._static_imports(tree, name, ("method",))
        if imported is not None:
            return imported
        # An object with its own methods inherits those of its class.
        if _may_inherit(chain) or innermost(chain, (_CREATION,)) is not None:
            return may_be("call")
        if any(path.endswith(".*") for path in imports_of(tree)):
            return may_be("call")
        return role("a method of no class around")

    def _methods(self, name: str, path: str, around: str) -> list[Place]:
        """Return the members of a class that are methods."""
        members = self._classes.members(name, path, around)
        methods = [method for method in self._definitions(name) if method.kind == "method"]
        return [method.place for method in methods if method.place in members]

    def _static_imports(self, tree: Tree, name: str, kinds: Collection[str]) -> Meaning | None:
        for path in imports_of(tree):
            base, _, last = path.rpartition(".")
            if last not in (name, "*"):
                continue
            places = self._defined_in(base, name, kinds)
            if places:
                return surely(places)
            # The class of the import may inherit the member.
            around = base.rpartition(".")[2]
            if last == name and around[:1].isupper():
                return self._inherited(around, path)
        return None

    def _inherited(self, around: str, path: str) -> Meaning:
        """Return the meaning of a member that a class does not define, from its full name."""
        if self._types(around):
            return may_be("member")
        return outside(path)

    # ---- classes

    def _class(self, tree: Tree, name: str) -> Meaning:
        """Return the class that has a name in a file: imported, of its package, or nested."""
        # The order is that of the language: imports of one name, the package, imports of all.
        packages = [self._package(tree.path)]
        for path in imports_of(tree):
            if path.endswith(f".{name}"):
                return self._at_path(path, is_import=True)
            if path.endswith(".*"):
                packages.append(path.removesuffix(".*"))
        types = self._types(name)
        for package in packages:
            places = []
            for cls in types:
                is_in_package = self._container(cls) == package
                if is_in_package or cls.path == tree.path:
                    places.append(cls.place)
            if places:
                return surely(places)
        # A nested class may be inherited with its outer one.
        nested = "nested" if any(cls.within for cls in types) else ""
        owner = Elsewhere("role", f"a class that {tree.path} does not import")
        return Meaning(open=nested, instead=owner)

    def _types(self, name: str) -> list[Sought]:
        return [cls for cls in self._classes.types(name) if cls.path.endswith(".java")]

    def _at_path(self, path: str, *, is_import: bool = False) -> Meaning:
        """Return the meaning of a full name, with package and class."""
        base, _, name = path.rpartition(".")
        places = self._defined_in(base, name)
        if places:
            return surely(places)
        around = base.rpartition(".")[2]
        if is_import and around[:1].isupper():
            return self._inherited(around, path)
        return outside(path)

    def _scoped(self, tree: Tree, node: Any) -> Meaning:
        """Return the class that a name with dots means."""
        path = re.sub(r"<[^<>]*>|\s", "", text_of(node))
        meaning = self._at_path(path)
        head = path.partition(".")[0]
        # By convention only the name of a class begins with a capital letter.
        if meaning.places or not head[:1].isupper():
            return meaning
        base, _, name = path.rpartition(".")
        outer = self._class(tree, head)
        places = []
        for file in sorted({place[0] for place in outer.places}):
            places += self._classes.members(name, file, base.rpartition(".")[2])
        if places:
            return surely(places)
        if outer.places or outer.open:
            return may_be("any")
        return outer

    # ---- members

    def _selected(self, tree: Tree, chain: Chain, holder: Any, role: str) -> Meaning:
        """Return the meaning of a name after a dot: of an object, or of a class."""
        role_of_member = "call" if role == "call" else "any"
        if holder.type == "this":
            return self._own(tree, chain, role_of_member)
        if holder.type == "super":
            return may_be(role_of_member)
        if holder.type not in _HOLDERS:
            return may_be(role)
        # In `a.b.c` the first name decides: a variable, or a package or class.
        first = holder
        while first.named_children:
            first = first.named_children[0]
        bindings = _values_of(tree, tree.chain_to(first))
        if any(binding.source.type not in CLASSES for binding in bindings):
            return may_be(role)
        text = text_of(holder)
        name = text_of(chain[-1])
        meaning = self._at_path(re.sub(r"\s", "", f"{text}.{name}"))
        if meaning.places:
            return meaning
        head = re.split(r"\W", text, maxsplit=1)[0]
        around = text.rpartition(".")[2].strip()
        outer = self._class(tree, around if head == text else head)
        for path, _, _ in outer.places:
            if members := self._classes.members(name, path, around):
                return surely(members)
        if outer.places or outer.open or self._classes.types(head):
            return may_be(role_of_member)
        if outer.instead is not None and outer.instead.kind == "outside":
            return outer
        # Without an import, a class can only be of `java.lang`.
        if _CLASS_NAME.fullmatch(head):
            return outside(head)
        return may_be(role_of_member)

    def _own(self, tree: Tree, chain: Chain, role: str) -> Meaning:
        """Return the meaning of a member of `this`."""
        cls = innermost(chain, CLASSES)
        if cls is None:
            return may_be(role)
        around = class_name(cls)
        members = self._classes.members(text_of(chain[-1]), tree.path, around)
        if members:
            meaning = surely(members, around)
            return meaning._replace(hidden=True)
        return may_be(role)

    # ---- packages

    def _package(self, path: str) -> str:
        if path not in self._packages:
            code = _COMMENTS.sub("", self._manifests.text(path))
            match = _PACKAGE.search(code)
            self._packages[path] = match[1] if match else ""
        return self._packages[path]

    def _defined_in(self, container: str, name: str, kinds: Collection[str] = ()) -> list[Place]:
        """Return the definitions of a name in a package or class, of any kind by default."""
        places = []
        for definition in self._definitions(name):
            is_kind = not kinds or definition.kind in kinds
            if is_kind and self._container(definition) == container:
                places.append(definition.place)
        return places

    def _container(self, definition: Sought) -> str | None:
        """Return the full name of the package or class that has a definition of Java."""
        if not definition.path.endswith(".java"):
            return None
        package = self._package(definition.path)
        return ".".join(filter(None, (package, definition.within)))


def _values_of(tree: Tree, chain: Chain) -> list[Binding]:
    """Return the bindings of a name that is not called: methods have separate names."""
    return [
        binding for binding in look_up(tree, chain) if binding.source.type != "method_declaration"
    ]


def _may_inherit(chain: Chain) -> bool:
    return any(node.type in CLASSES and names_in_heading(node) for node in chain)


def imports_of(tree: Tree) -> list[str]:
    """Return the imports of a file; those of all names of a package or class end with `.*`."""
    return tree.once("imports", lambda: _read_imports(tree))


def _read_imports(tree: Tree) -> list[str]:
    imports = []
    for node in tree.root.named_children:
        if node.type != "import_declaration":
            continue
        kinds = [child.type for child in node.children]
        star = ".*" if "asterisk" in kinds else ""
        for child in node.named_children:
            if "identifier" in child.type:
                imports.append(text_of(child) + star)
                break
    return imports
