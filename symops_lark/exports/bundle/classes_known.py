"""What is known of the classes of a bundle: their methods, their fields, what they are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator


class ClassesKnown:
    """The classes of a bundle by name, and what their methods and fields are called."""

    def __init__(self, statements: list[ast.stmt]) -> None:
        self.nodes = {node.name: node for node in statements if isinstance(node, ast.ClassDef)}
        self.enums = {name for name, node in self.nodes.items() if bases_of(node) & {"Enum", "StrEnum"}}
        self.made = set(self.nodes) - self.enums
        self.methods: dict[str, list[ast.FunctionDef]] = {}
        self.properties: dict[str, list[ast.FunctionDef]] = {}
        for member in (each for node in self.nodes.values() for each in node.body):
            if isinstance(member, ast.FunctionDef):
                known = self.properties if is_property(member) else self.methods
                known.setdefault(member.name, []).append(member)
        self.stored = {name for node in self.nodes.values() for name in _stored_in(node)}  # what instances are given

    def has_method(self, name: str, method: str) -> bool:
        """Return whether a class has a method, of its own or of what it builds on."""
        if name not in self.nodes:
            return False
        node = self.nodes[name]
        own = any(isinstance(m, ast.FunctionDef) and m.name == method and not is_property(m) for m in node.body)
        return own or any(self.has_method(base, method) for base in bases_of(node))

    def parameters(self, name: str) -> list[str]:
        """Return what a class is made of."""
        node = self.nodes[name]
        if (fields := tuple_fields(node)) is not None:
            return fields
        made = next(
            (m for m in node.body if isinstance(m, ast.FunctionDef) and m.name in ("__init__", "__new__")), None
        )
        if made is not None:
            return [each.arg for each in (*made.args.args[1:], *made.args.kwonlyargs)]
        base = next((base for base in bases_of(node) if base in self.nodes), None)
        return self.parameters(base) if base else []


def _stored_in(node: ast.ClassDef) -> Iterator[str]:
    yield from tuple_fields(node) or ()
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            yield each.attr


def bases_of(node: ast.ClassDef) -> set[str]:
    """Return the names of what a class builds on."""
    return {ast.unparse(base).split("[")[0] for base in node.bases}


def tuple_fields(node: ast.ClassDef) -> list[str] | None:
    """Return the fields of a named tuple."""
    for base in node.bases:
        if isinstance(base, ast.Call) and ast.unparse(base.func) == "namedtuple":
            return list(ast.literal_eval(base.args[1]))
    return None


def is_property(node: ast.FunctionDef) -> bool:
    """Return whether a method is read as a field."""
    return any(ast.unparse(each) in ("property", "cached_property") for each in node.decorator_list)
