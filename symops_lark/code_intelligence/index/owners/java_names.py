"""What names of Java mean: imports name classes by the packages that files say of themselves."""

from __future__ import annotations

import re
from typing import Any

from .block_scopes import DEFINES, look_up
from .classes import CLASSES, Classes, Known, class_name, names_in_heading
from .meaning import MEMBERS, Elsewhere, Meaning, may_be, of_bindings, outside, role, surely
from .packages.manifests import Manifests
from .trees import Binding, Chain, Place, Sought, Tree, is_field, place_of, text_of

_HELD = {"method_invocation": ("object", "name"), "field_access": ("object", "field")}
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_CLASS_LIKE = re.compile(r"[A-Z]\w*[a-z]\w*")
_VALUES = frozenset(("field", "variant", "variable"))


class JavaNames:
    """Says what names mean; `known` gives the definitions of a name."""

    def __init__(self, known: Known, manifests: Manifests, classes: Classes) -> None:
        self._known, self._manifests, self._classes = known, manifests, classes
        self._packages: dict[str, str] = {}

    def mean(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what the name at the end of a way means."""
        node, above = chain[-1], chain[-2]
        name, here = text_of(node), place_of(tree, chain)
        if any(one[:3] == here for one in self._known(name)):
            return surely([here])
        if above.type in DEFINES and is_field(above, "name", node):
            return of_bindings([Binding(tree, chain, "definition", above)], ())
        if any(each.type == "import_declaration" for each in chain):
            return self._whole(text_of(above) if is_field(above, "name", node) else name, is_import=True)
        if above.type == "labeled_statement" or above.type in ("break_statement", "continue_statement"):
            return role("a label")
        if above.type == "element_value_pair" and is_field(above, "key", node):
            return may_be("call")
        is_call = above.type == "method_invocation" and is_field(above, "name", node)
        if above.type == "method_reference" and above.named_children[0].id != node.id:
            return self._held(tree, chain, above.named_children[0], is_call=True)
        held = _HELD.get(above.type)
        holder = above.child_by_field_name(held[0]) if held and is_field(above, held[1], node) else None
        if holder is not None:
            return self._held(tree, chain, holder, is_call=is_call)
        if above.type in ("scoped_type_identifier", "scoped_identifier") and above.named_children[-1].id == node.id:
            return self._scoped(tree, above)
        if is_call:
            return self._called(tree, chain)
        return self._plain(tree, chain)

    # ---- names alone

    def _plain(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what a name alone means: a variable, a field, or a class."""
        node, name = chain[-1], text_of(chain[-1])
        is_type = node.type == "type_identifier"
        bound = [each for each in look_up(tree, chain) if each.source.type != "method_declaration"]
        if bound and not is_type:
            return of_bindings(bound, self._known(name))
        if is_type:
            types = [each for each in bound if each.source.type in CLASSES or each.source.type == "type_parameter"]
            found = of_bindings(types, self._known(name)) if types else self._class(tree, name)
            return self._made(found, name) if chain[-2].type == "object_creation_expression" else found
        if statics := self._static_imports(tree, name, _VALUES):
            return statics
        found = self._class(tree, name)
        if found.places:
            return found
        return (
            found._replace(open="nested" if not self._may_inherit(chain) else "any")
            if found.open
            else (may_be("any") if self._may_inherit(chain) or chain[-2].type == "switch_label" else found)
        )

    def _may_inherit(self, chain: Chain) -> bool:
        return any(node.type in CLASSES and names_in_heading(node) for node in chain)

    def _called(self, tree: Tree, chain: Chain) -> Meaning:
        """Return what is called by a name alone: a method of a class around, one that is imported, or inherited."""
        name = text_of(chain[-1])
        for node in reversed(chain):
            if node.type in CLASSES and (own := self._methods(name, tree.path, class_name(node))):
                return surely(own, class_name(node))._replace(hidden=True)
        if statics := self._static_imports(tree, name, frozenset(("method",))):
            return statics
        if not any(node.type == "object_creation_expression" for node in chain) and not self._may_inherit(chain):
            stars = [path for path in imports_of(tree) if path.endswith(".*")]
            return may_be("call") if stars else role("a method of no class around")
        return may_be("call")

    def _methods(self, name: str, path: str, around: str) -> list[Place]:
        return [
            one[:3] for one in self._known(name) if one.path == path and one.around == around and one.kind == "method"
        ]

    def _static_imports(self, tree: Tree, name: str, kinds: frozenset[str]) -> Meaning | None:
        for path in imports_of(tree):
            if path.rpartition(".")[2] not in (name, "*"):
                continue
            whole = path if path.endswith(f".{name}") else f"{path[:-1]}{name}"
            found = [one[:3] for one in self._known(name) if one.kind in kinds and self._whole_name(one) == whole]
            if found:
                return surely(found)
            if path.endswith(f".{name}") and path.split(".")[-2][:1].isupper():
                return self._inherited(path.rpartition(".")[0].rpartition(".")[2], path)
        return None

    def _inherited(self, around: str, path: str) -> Meaning:
        """Return what a member that a class does not define means: one of a class above, or of a package outside."""
        if any(one.kind not in MEMBERS and one.path.endswith(".java") for one in self._known(around)):
            return may_be("member")
        return outside(path)

    # ---- classes

    def _class(self, tree: Tree, name: str) -> Meaning:
        """Return the class that a file means by a name: imported, of its package, or nested in what it inherits."""
        for path in imports_of(tree):
            if path.endswith(f".{name}"):
                return self._whole(path, is_import=True)
        package = self._package(tree.path)
        types = [one for one in self._known(name) if one.kind not in MEMBERS and one.path.endswith(".java")]
        own = [one[:3] for one in types if one.path == tree.path or self._whole_name(one) == _join(package, name)]
        if own:
            return surely(own)
        for path in imports_of(tree):
            if path.endswith(".*"):
                found = [one[:3] for one in types if self._whole_name(one) == path[:-1] + name]
                if found:
                    return surely(found)
        nested = any(one.within for one in types)
        missing = Elsewhere("role", f"a class that {tree.path} does not import")
        return Meaning(open="nested" if nested else "", instead=missing)

    def _made(self, found: Meaning, name: str) -> Meaning:
        """Return a class that an object is made of, with its constructors."""
        makers: list[Place] = []
        for place in found.places:
            makers += self._methods(name, place[0], name)
        return found._replace(places=(*found.places, *makers))

    def _whole(self, whole: str, *, is_import: bool = False) -> Meaning:
        """Return what a whole name means, with package and class."""
        name = whole.rpartition(".")[2]
        found = [one[:3] for one in self._known(name) if self._whole_name(one) == whole]
        if found:
            return surely(found)
        around = whole.rpartition(".")[0].rpartition(".")[2]
        return self._inherited(around, whole) if is_import and around[:1].isupper() else outside(whole)

    def _scoped(self, tree: Tree, node: Any) -> Meaning:
        """Return the class that a name with dots means."""
        whole = re.sub(r"<[^<>]*>|\s", "", text_of(node))
        found = self._whole(whole)
        head = whole.partition(".")[0]
        if found.places or not head[:1].isupper():
            return found
        around, name = whole.rpartition(".")[0].rpartition(".")[2], whole.rpartition(".")[2]
        outer = self._class(tree, head)
        paths = {place[0] for place in outer.places}
        inner = [one[:3] for one in self._known(name) if one.path in paths and one.around == around]
        if inner:
            return surely(inner)
        return may_be("any") if outer.places or outer.open else outer

    # ---- members

    def _held(self, tree: Tree, chain: Chain, holder: Any, *, is_call: bool) -> Meaning:
        """Return what a name behind a dot means: of an object, or of a class."""
        name, asked = text_of(chain[-1]), "call" if is_call else "any"
        if holder.type in ("this", "super"):
            return self._own(tree, chain, asked) if holder.type == "this" else may_be(asked)
        if holder.type not in ("identifier", "type_identifier", "field_access", "scoped_identifier"):
            return may_be("call" if is_call else "value")
        head = re.split(r"\W", text_of(holder), maxsplit=1)[0]
        first = holder
        while first.named_children:
            first = first.named_children[0]
        bound = [each for each in look_up(tree, tree.chain_to(first)) if each.source.type != "method_declaration"]
        if any(each.source.type not in CLASSES for each in bound):
            return may_be("call" if is_call else "value")
        whole = re.sub(r"\s", "", f"{text_of(holder)}.{name}")
        if (found := self._whole(whole)).places:
            return found
        around = text_of(holder).rpartition(".")[2].strip()
        outer = self._class(tree, around if head == text_of(holder) else head)
        for place in outer.places:
            inner = [one[:3] for one in self._known(name) if one.path == place[0] and one.around == around]
            if inner:
                return surely(inner)
        if outer.places or outer.open:
            return may_be(asked)
        is_class = outer.instead is not None and (outer.instead.kind == "outside" or _CLASS_LIKE.fullmatch(head))
        if is_class and not any(one.kind not in MEMBERS for one in self._known(head)):
            return outside(outer.instead.what if outer.instead and outer.instead.kind == "outside" else head)
        return may_be("call" if is_call else "any")

    def _own(self, tree: Tree, chain: Chain, asked: str) -> Meaning:
        for node in reversed(chain):
            if node.type in CLASSES:
                around = class_name(node)
                own = [one[:3] for one in self._known(text_of(chain[-1])) if one.path == tree.path]
                mine = [place for place in own if place in self._classes.members(text_of(chain[-1]), tree.path, around)]
                return surely(mine, around)._replace(hidden=True) if mine else may_be(asked)
        return may_be(asked)

    # ---- packages

    def _package(self, path: str) -> str:
        if path not in self._packages:
            said = _PACKAGE.search(_COMMENTS.sub("", self._manifests.text(path)))
            self._packages[path] = said[1] if said else ""
        return self._packages[path]

    def _whole_name(self, one: Sought) -> str:
        tail = self._name_at(one)
        return _join(self._package(one.path), one.within, tail) if one.path.endswith(".java") else ""

    def _name_at(self, one: Sought) -> str:
        lines = self._manifests.text(one.path).split("\n")
        line = lines[one.line - 1] if one.line <= len(lines) else ""
        return re.split(r"[^\w$]", line[one.column - 1 :], maxsplit=1)[0]


def _join(*names: str) -> str:
    return ".".join(filter(None, names))


def imports_of(tree: Tree) -> list[str]:
    """Return what a file imports, with `.*` at the end of what it imports all of."""
    if "imports" not in tree.noted:
        found = []
        for node in tree.root.named_children:
            if node.type == "import_declaration":
                names = [text_of(child) for child in node.named_children if "identifier" in child.type]
                is_star = any(child.type == "asterisk" for child in node.children)
                found += [names[0] + ".*" if is_star else names[0]] if names else []
        tree.noted["imports"] = found
    imported: list[str] = tree.noted["imports"]
    return imported
