"""Whether a name in JavaScript, TypeScript, Go, Rust or Java can mean a definition: by scopes, imports and packages.

True: it does. False: it does not. None: types of values would have to be known.
"""

from __future__ import annotations

from collections.abc import Callable
from posixpath import basename, dirname, splitext
from typing import Any

from .block_scopes import DEFINES, bindings_at_root, look_up
from .modules import Modules
from .trees import Binding, Chain, Sought, Tree, is_field, place_of, text_of

_HELD = {  # what holds a name, and the fields of the holder and of the name
    "member_expression": ("object", "property"), "nested_type_identifier": ("module", "name"),
    "selector_expression": ("operand", "field"), "qualified_type": ("package", "name"),
    "method_invocation": ("object", "name"), "field_access": ("object", "field"),
    "field_expression": ("value", "field"), "scoped_identifier": ("path", "name"),
    "scoped_type_identifier": ("path", "name"),
}  # fmt: skip
_KEYS = frozenset(
    ("pair", "keyed_element", "literal_element", "field_initializer", "labeled_statement", "field_pattern")
)
_OF_OBJECTS = frozenset(("method", "field", "variable", "variant", "function"))
SCRIPTS = frozenset(("javascript", "typescript", "tsx"))
_SUFFIXES = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
_CLASSES = frozenset((
    "class_declaration", "abstract_class_declaration", "class", "interface_declaration", "enum_declaration",
    "record_declaration", "impl_item", "trait_item",
))  # fmt: skip


class BlockNames:
    """Judges names; `load` gives the tree of a path, or None."""

    def __init__(self, modules: Modules, load: Callable[[str], Tree | None]) -> None:
        self._modules, self._load = modules, load

    def judge(self, tree: Tree, chain: Chain, one: Sought) -> bool | None:
        """Return whether the name at the end of a way means a definition."""
        node, above = chain[-1], chain[-2]
        if place_of(tree, chain) == one[:3]:
            return True
        if above.type in DEFINES and is_field(above, "name", node):
            return False
        if above.type in _KEYS and above.named_children[0].id == node.id and node.type != "type_identifier":
            return None if one.kind in _OF_OBJECTS and one.within else False
        held = _HELD.get(above.type)
        if held and is_field(above, held[1], node):
            holder = above.child_by_field_name(held[0])
            if holder is not None:
                return self._held(tree, chain, holder, one)
        found = [] if above.type == "import_specifier" else look_up(tree, chain)
        plain = [binding for binding in found if binding.kind != "import"]
        if plain and not any(_requires(binding) for binding in plain):
            return any(place_of(tree, binding.chain) == one[:3] for binding in plain)
        return _WAYS[tree.language](self, tree, chain, one, found)

    def _held(self, tree: Tree, chain: Chain, holder: Any, one: Sought) -> bool | None:
        name, around = text_of(holder), one.within.rpartition(".")[2]
        perhaps = None if one.kind in _OF_OBJECTS and (one.within or tree.language in SCRIPTS) else False
        if name in ("this", "self", "Self"):
            return self._own(tree, chain, one, perhaps)
        if tree.language in ("go", "rust", "java"):
            return {"go": _held_go, "rust": _held_rust, "java": _held_java}[tree.language](tree, chain, holder, one)
        if name in ("exports", "module.exports"):
            return tree.path == one.path and not one.within
        bound = look_up(tree, tree.chain_to(holder)) if holder.type == "identifier" else []
        if around and name == around:
            if any(self._leads(binding, around, one) for binding in bound):
                return True
        elif bound and all(each.source.type == "namespace_import" or _requires(each) for each in bound):
            return self._by_source(tree, bound[0].chain, text_of(chain[-1]), one)
        return perhaps

    def _own(self, tree: Tree, chain: Chain, one: Sought, perhaps: bool | None) -> bool | None:
        """Return whether what an object has by a name in its own class is a definition."""
        classes, around = [each for each in chain if each.type in _CLASSES], one.within.rpartition(".")[2]
        if not classes or not around:
            return False
        if _class_name(classes[-1]) == around:
            return True if tree.path == one.path else perhaps
        named = (each for each in tree.chains(text_of(chain[-1])) if classes[-1] in each)
        is_own = any(each[-2].type in DEFINES and is_field(each[-2], "name", each[-1]) for each in named)
        return False if is_own else perhaps

    # ---- JavaScript and TypeScript

    def _script(self, tree: Tree, chain: Chain, one: Sought, found: list[Binding]) -> bool | None:
        if one.within and one.kind in ("method", "field"):
            return False
        above = chain[-2]
        if above.type == "import_specifier" or (above.type == "export_specifier" and _source_of(chain)):
            is_name = above.type == "import_specifier" or is_field(above, "name", chain[-1])
            return self._by_source(tree, chain, text_of(chain[-1]), one) if is_name else False
        if found:
            return self._by_source(tree, found[0].chain, _imported_name(found[0]), one)
        is_module = any(node.type in ("import_statement", "export_statement") for node in tree.root.named_children)
        return False if is_module else None

    def _leads(self, binding: Binding, name: str, one: Sought) -> bool:
        if binding.kind == "definition":
            return binding.tree.path == one.path
        return self._by_source(binding.tree, binding.chain, name, one._replace(within="")) is True

    def _by_source(self, tree: Tree, chain: Chain, name: str, one: Sought) -> bool | None:
        """Return whether a name of the module that a statement names is the definition."""
        source = _source_of(chain)
        target = self._modules.relative(source, tree.path, _SUFFIXES) if source.startswith(".") else ""
        if target:
            return self._exports(target, name, one, frozenset())
        tail = source.lstrip("@~./")
        return None if source.startswith(".") or ("/" in tail and splitext(one.path)[0].endswith(tail)) else False

    def _exports(self, path: str, name: str, one: Sought, seen: frozenset[str]) -> bool | None:
        tree = self._load(path) if path not in seen else None
        if tree is None:
            return False if path in seen else None
        here = tree.path == one.path and not one.within
        bound = bindings_at_root(tree, name)
        if here and (name == "default" or any(place_of(tree, each.chain) == one[:3] for each in bound)):
            return True if name != "default" or b"default" in tree.data else None
        for each in bound:
            if each.kind == "import":
                return self._by_source(tree, each.chain, _imported_name(each), one)
        found: bool | None = None if here and not bound else False  # exports.name = …
        for chain in tree.chains(name):
            if chain[-2].type == "export_specifier" and chain[-1].id == chain[-2].named_children[-1].id:
                original = text_of(chain[-2].named_children[0])
                return self._by_source(tree, chain, original, one) if _source_of(chain) else False
        for node in tree.root.named_children:
            if node.type == "export_statement" and any(child.type == "*" for child in node.children):
                target = self._modules.relative(_text_in(node), tree.path, _SUFFIXES)
                there = self._exports(target, name, one, seen | {path}) if target else False
                if there is not False:
                    return there
        return True if here and not bound and f"exports.{name}".encode() in tree.data else found


# ---- Go: a folder is a package


def _go(_: BlockNames, tree: Tree, chain: Chain, one: Sought, __: list[Binding]) -> bool | None:
    if one.within or one.kind in ("method", "field"):
        return None if chain[-1].type == "field_identifier" else False
    if dirname(tree.path) == dirname(one.path):
        return True
    return None if any(_leads_to(path, one) for alias, path in _imports_of_go(tree) if alias == ".") else False


def _held_go(tree: Tree, chain: Chain, holder: Any, one: Sought) -> bool | None:
    name = text_of(holder)
    if not look_up(tree, tree.chain_to(holder)):
        paths = [path for alias, path in _imports_of_go(tree) if (alias or path.rpartition("/")[2]) == name]
        if paths:
            return not one.within and one.kind not in ("method", "field") and any(_leads_to(p, one) for p in paths)
    return None if one.kind in ("method", "field") else False


def _leads_to(path: str, one: Sought) -> bool:
    folder = dirname(one.path)
    return bool(folder) and (f"/{path}".endswith(f"/{folder}") or f"/{folder}".endswith(f"/{path}"))


def _imports_of_go(tree: Tree) -> list[tuple[str, str]]:
    """Return the imports of a file: the name that is given to each, and its path."""
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


# ---- Java: a folder is a package, and a file a class


def _java(_: BlockNames, tree: Tree, chain: Chain, one: Sought, __: list[Binding]) -> bool | None:
    name, around = text_of(chain[-1]), one.within.rpartition(".")[2]
    if chain[-2].type == "method_invocation" or one.kind in ("method", "field", "variant", "variable"):
        fits = (chain[-2].type == "method_invocation") is (one.kind == "method")
        if not fits or chain[-1].type == "type_identifier":
            return False
        own = {_class_name(node) for node in chain if node.type in _CLASSES}
        if tree.path == one.path and around in own:
            return True
        named = [path for path in _imports_of_java(tree) if path.endswith(f".{name}")]
        return any(path.endswith(f".{around}.{name}") for path in named) if named else None
    return _sees_class(tree, name, one)


def _sees_class(tree: Tree, name: str, one: Sought) -> bool | None:
    """Return whether a file means a class by a name: of its package, or imported."""
    whole = splitext(one.path)[0]
    named = [path.replace(".", "/") for path in _imports_of_java(tree) if path.endswith(f".{name}")]
    if named:
        return any(f"/{whole}".endswith(f"/{path}") for path in named) or (None if one.within else False)
    folders = [path[:-2].replace(".", "/") for path in _imports_of_java(tree) if path.endswith(".*")]
    if tree.path == one.path or (not one.within and dirname(tree.path) == dirname(one.path)):
        return True
    if any(f"/{dirname(one.path)}".endswith(f"/{folder}") for folder in folders):
        return True
    return None if one.within else False


def _held_java(tree: Tree, chain: Chain, holder: Any, one: Sought) -> bool | None:
    name, around = text_of(holder), one.within.rpartition(".")[2]
    if chain[-2].type == "scoped_identifier":  # of an import or a package: is it the class's file?
        return f"/{splitext(one.path)[0]}".endswith("/" + text_of(chain[-2]).replace(".", "/"))
    if around and name == around and not look_up(tree, tree.chain_to(holder)):
        return _sees_class(tree, name, one._replace(within="", path=one.path))
    return None if one.kind in ("method", "field", "variant", "variable") else False


def _imports_of_java(tree: Tree) -> list[str]:
    found = []
    for node in tree.root.named_children:
        if node.type == "import_declaration":
            names = [text_of(child) for child in node.named_children if "identifier" in child.type]
            found += [names[0] + (".*" if any(child.type == "asterisk" for child in node.children) else "")]
    return found


# ---- Rust: a path ends with the module, or the type


def _rust(_: BlockNames, tree: Tree, chain: Chain, one: Sought, __: list[Binding]) -> bool | None:
    around = one.within.rpartition(".")[2]
    used = next((node for node in chain if node.type == "use_declaration"), None)
    if used is not None:
        lists = [node for node in chain if node.type == "scoped_use_list"]
        path = lists[-1].child_by_field_name("path") if lists else None
        return _is_module(tree, text_of(path).split("::"), one) if path is not None else False
    if chain[-2].type == "macro_invocation" or one.kind == "macro":
        return (True if tree.path == one.path else None) if one.kind == "macro" else False
    if around and one.kind in ("method", "field", "variant"):
        return None if one.kind == "variant" and b"::*" in tree.data else False
    paths = [path[:-1] for path in _imports_of_rust(tree) if path[-1] == text_of(chain[-1])]
    if paths:
        return any(_is_module(tree, path, one) for path in paths)
    stars = [path[:-1] for path in _imports_of_rust(tree) if path[-1] == "*"]
    return None if any(_is_module(tree, path, one) is not False for path in stars) else False


def _held_rust(tree: Tree, chain: Chain, holder: Any, one: Sought) -> bool | None:
    if chain[-2].type == "field_expression":
        return None if one.kind in ("method", "field") else False
    return _is_module(tree, text_of(holder).split("::"), one)


def _is_module(tree: Tree, path: list[str], one: Sought) -> bool | None:
    """Return whether what a path of modules and types ends with is what a definition stands in."""
    last, around = path[-1].partition("<")[0], one.within.rpartition(".")[2]
    if around:
        return last == around or (None if last in ("self", "super", "crate") else False)
    stem = splitext(basename(one.path))[0]
    module = basename(dirname(one.path)) if stem in ("mod", "lib", "main") else stem
    if last == "self":
        return tree.path == one.path
    if last in ("crate", "super"):
        return (True if stem in ("lib", "main") else None) if last == "crate" else None
    return last == module


def _imports_of_rust(tree: Tree) -> list[list[str]]:
    """Return what a file uses, each as its path; `*` ends those that use all."""
    found: list[list[str]] = []

    def enter(node: Any, lead: list[str]) -> None:
        if node.type in ("use_list", "use_declaration"):
            for child in node.named_children:
                enter(child, lead)
        elif node.type == "scoped_use_list":
            path = node.child_by_field_name("path")
            enter(node.child_by_field_name("list"), lead + (text_of(path).split("::") if path is not None else []))
        elif node.type == "use_wildcard":
            found.append([*lead, *filter(None, text_of(node).removesuffix("*").removesuffix("::").split("::")), "*"])
        elif node.type != "visibility_modifier":
            path = node.child_by_field_name("path") if node.type == "use_as_clause" else node
            found.append([*lead, *text_of(path).split("::")])

    for node in tree.root.named_children:
        if node.type == "use_declaration":
            enter(node, [])
    return found


_WAYS: dict[str, Callable[[BlockNames, Tree, Chain, Sought, list[Binding]], bool | None]] = {
    **dict.fromkeys(SCRIPTS, BlockNames._script), "go": _go, "java": _java, "rust": _rust
}  # fmt: skip


def _class_name(node: Any) -> str:
    name = node.child_by_field_name("name") or node.child_by_field_name("type")
    return text_of(name).partition("<")[0]


def _requires(binding: Binding) -> bool:
    value = binding.source.child_by_field_name("value") if binding.source.type == "variable_declarator" else None
    is_call = value is not None and value.type == "call_expression"
    return is_call and text_of(value).startswith(("require(", "require ("))


def _imported_name(binding: Binding) -> str:
    if binding.source.type == "import_specifier":
        return text_of(binding.source.child_by_field_name("name"))
    if binding.source.type == "import_clause":
        return "default"
    return text_of(binding.chain[-1])


def _source_of(chain: Chain) -> str:
    """Return the module that the statement around a name imports from; empty if it does not."""
    for node in reversed(chain):
        if node.type in ("import_statement", "export_statement"):
            return _text_in(node)
        if node.type == "variable_declarator":
            value = node.child_by_field_name("value")
            return text_of(value).partition("(")[2].strip("'\"`) ") if value is not None else ""
    return ""


def _text_in(statement: Any) -> str:
    return text_of(statement.child_by_field_name("source")).strip("'\"`")
