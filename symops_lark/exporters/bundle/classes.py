"""How classes are translated: records, named tuples, enums, errors, and plain ones."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .javascript import Translator

_NOT_CARRIED = frozenset(("__slots__", "__hash__", "__eq__", "__repr__", "__reduce__"))
_NAMES = {"__iter__": "*[Symbol.iterator]"}


class Classes:
    """The classes of a bundle by name, and what their methods and fields are called."""

    def __init__(self, statements: list[ast.stmt]) -> None:
        self.nodes = {node.name: node for node in statements if isinstance(node, ast.ClassDef)}
        self.enums = {name for name, node in self.nodes.items() if _bases(node) & {"Enum", "StrEnum"}}
        self.made = set(self.nodes) - self.enums
        self.methods: dict[str, list[ast.FunctionDef]] = {}
        for node in self.nodes.values():
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not _is_property(member):
                    self.methods.setdefault(member.name, []).append(member)

        self.fields = {name for node in self.nodes.values() for name in _fields(node)}

    def has_method(self, name: str, method: str) -> bool:
        """Return whether a class has a method, of its own or of what it builds on."""
        if name not in self.nodes:
            return False
        node = self.nodes[name]
        own = any(isinstance(m, ast.FunctionDef) and m.name == method and not _is_property(m) for m in node.body)
        return own or any(self.has_method(base, method) for base in _bases(node))

    def parameters(self, name: str) -> list[str]:
        """Return what a class is made of."""
        node = self.nodes[name]
        if (fields := _tuple_fields(node)) is not None:
            return fields
        made = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name in ("__init__", "__new__")), None)
        if made is not None:
            return [each.arg for each in (*made.args.args[1:], *made.args.kwonlyargs)]
        base = next((base for base in _bases(node) if base in self.nodes), None)
        return self.parameters(base) if base else []

    def write(self, node: ast.ClassDef, to: Translator) -> str:
        """Return a class, and behind it what its instances share."""
        to.inside = node.name
        if node.name in self.enums:
            return self._enum(node, to)
        base = self._base(node, to)
        members, shared = [], []
        fields = _tuple_fields(node)
        if fields is not None:
            members.append(_constructor_of_tuple(node, fields, to))
            shared.append(f"FIELDS: {json.dumps(fields)}")
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                if member.name not in _NOT_CARRIED:
                    members.append(self._method(node, member, base, to))
            elif isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
                if member.targets[0].id not in _NOT_CARRIED:
                    shared.append(f"{member.targets[0].id}: {to.expression(member.value)}")
            elif not isinstance(member, ast.Pass):
                raise to.refuse(member)
        extends = f" extends {base}" if base else ""
        name = to.name(node.name)
        text = f"class {name}{extends} {{\n" + "\n".join(members) + "\n}"
        return text + (f"\n$share({name}, {{{', '.join(shared)}}});" if shared else "")

    def _base(self, node: ast.ClassDef, to: Translator) -> str:
        if _tuple_fields(node) is not None:
            return "$Tuple"
        known = {"Exception": "$Exception", "str": "$Text"}
        bases = [ast.unparse(base).split("[")[0] for base in node.bases]
        bases = [known.get(base) or to.name(base) for base in bases if base in self.nodes or base in known]
        return bases[0] if bases else ""

    def _method(self, node: ast.ClassDef, member: ast.FunctionDef, base: str, to: Translator) -> str:
        decorators = {ast.unparse(each) for each in member.decorator_list}
        name = member.name
        first = member.args.args[0].arg
        if "classmethod" in decorators:
            to.class_parameter = first
            made = to.function(member, f"static {name}", method=first)
            to.class_parameter = ""
            return made
        if "property" in decorators:
            return to.function(member, f"get {name}", method=first)
        if "cached_property" in decorators:
            made = to.function(member, "function", method=first)
            return f"get {name}() {{ return $keep(this, {json.dumps(name)}, {made}); }}"
        if member.name == "__init__" and not self._is_error(node):
            return to.function(member, "constructor", method=first, begin="super();\n" if base else "")
        if member.name == "__new__":
            return self._text_constructor(member, to)
        star = "*" if to.yields(member) else ""
        return to.function(member, _NAMES.get(member.name, f"{star}{name}"), method=first) if member.name != "__iter__" else (
            f"[Symbol.iterator]() {{ return this.__iter__()[Symbol.iterator](); }}\n"
            + to.function(member, f"{star}__iter__", method=first)
        )

    def _text_constructor(self, member: ast.FunctionDef, to: Translator) -> str:
        """A text with further fields: `self = super().__new__(cls, text)` is the text itself."""
        body = [
            each
            for each in member.body
            if not isinstance(each, ast.Return) and "super().__new__" not in ast.unparse(each)
        ]
        made = ast.FunctionDef("constructor", member.args, body, [])
        written = to.function(made, "constructor", method="self", begin="super(arguments[0]);\n")
        return written.replace("let self;\n", "").replace("let self, ", "let ")

    def _is_error(self, node: ast.ClassDef) -> bool:
        bases = _bases(node)
        return "Exception" in bases or any(self._is_error(self.nodes[base]) for base in bases if base in self.nodes)

    def _enum(self, node: ast.ClassDef, to: Translator) -> str:
        members, methods, make = [], [], "null"
        for member in node.body:
            if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
                value = "null" if ast.unparse(member.value) == "auto()" else to.expression(member.value)
                members.append(f"[{json.dumps(member.targets[0].id)}, () => {value}]")
            elif isinstance(member, ast.FunctionDef) and member.name == "__new__":
                make = to.function(member, "function")
            elif isinstance(member, ast.FunctionDef):
                methods.append(self._method(node, member, "$Member", to))
            elif not isinstance(member, ast.Pass):
                raise to.refuse(member)
        body = "\n".join(methods)
        name = to.name(node.name)
        return f"class {name} extends $Member {{\n{body}\n}}\n$enum({name}, [{', '.join(members)}], {make});"


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """Yield what instances of a class have besides methods."""
    yield from _tuple_fields(node) or ()
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and _is_property(member):
            yield member.name
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr


def _bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).split("[")[0] for base in node.bases}


def _tuple_fields(node: ast.ClassDef) -> list[str] | None:
    """Return the fields of a named tuple."""
    for base in node.bases:
        if isinstance(base, ast.Call) and ast.unparse(base.func) == "namedtuple":
            return list(ast.literal_eval(base.args[1]))
    return None


def _constructor_of_tuple(node: ast.ClassDef, fields: list[str], to: Translator) -> str:
    (base,) = (each for each in node.bases if isinstance(each, ast.Call))
    given = base.keywords[0].value
    assert isinstance(given, ast.List)
    plain = len(fields) - len(given.elts)
    parameters = [
        to.name(name) if at < plain else f"{to.name(name)} = {to.expression(given.elts[at - plain])}"
        for at, name in enumerate(fields)
    ]
    sets = "".join(f"this.{name} = {to.name(name)};\n" for name in fields)
    return f"constructor({', '.join(parameters)}) {{\nsuper();\n{sets}}}"


def _is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(each) in ("property", "cached_property") for each in node.decorator_list)
