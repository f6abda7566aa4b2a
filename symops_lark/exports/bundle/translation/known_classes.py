"""Collect facts about the classes of a bundle: their methods, fields and parameters."""

from __future__ import annotations

import ast
from ast import Attribute, Call, ClassDef, FunctionDef, Name, Store
from collections.abc import Iterator

_PROPERTIES = ("property", "cached_property")


class KnownClasses:
    """The classes of a bundle.

    Attributes:
        nodes: The definitions, by name.
        enums: The names of the enums.
        made: The names of the other classes.
        methods: The methods of all classes, by name.
        properties: The properties of all classes, by name.
        stored: The names of the attributes that objects have.
    """

    def __init__(self, statements: list[ast.stmt]) -> None:
        self.nodes: dict[str, ClassDef] = {}
        self.enums: set[str] = set()
        self.methods: dict[str, list[FunctionDef]] = {}
        self.properties: dict[str, list[FunctionDef]] = {}
        self.stored: set[str] = set()
        for node in statements:
            if isinstance(node, ClassDef):
                self._add(node)
        # A member of an enum is not made by `new`.
        self.made = self.nodes.keys() - self.enums

    def _add(self, node: ClassDef) -> None:
        self.nodes[node.name] = node
        if bases_of(node) & {"Enum", "StrEnum"}:
            self.enums.add(node.name)
        self.stored.update(_stored_in(node))
        for member in node.body:
            if isinstance(member, FunctionDef):
                table = self.properties if is_property(member) else self.methods
                table.setdefault(member.name, []).append(member)

    def has_method(self, name: str, method: str) -> bool:
        """Return whether a class or one of its bases has a method."""
        if name not in self.nodes:
            return False
        node = self.nodes[name]
        for member in node.body:
            match member:
                case FunctionDef(name=defined) if defined == method:
                    if not is_property(member):
                        return True
        return any(self.has_method(base, method) for base in bases_of(node))

    def parameters(self, name: str) -> list[str]:
        """Return the parameters of the constructor of a class."""
        node = self.nodes[name]
        fields = tuple_fields(node)
        if fields is not None:
            return fields
        # Dataclasses have a constructor by now.
        for member in node.body:
            match member:
                case FunctionDef(name="__init__" | "__new__", args=arguments):
                    parameters = [*arguments.args[1:], *arguments.kwonlyargs]
                    return [parameter.arg for parameter in parameters]
        for base in bases_of(node):
            if base in self.nodes:
                return self.parameters(base)
        return []


def _stored_in(node: ClassDef) -> Iterator[str]:
    # No statement assigns the fields of a named tuple.
    yield from tuple_fields(node) or ()
    for part in ast.walk(node):
        match part:
            case Attribute(attr=name, ctx=Store()):
                yield name


def bases_of(node: ClassDef) -> set[str]:
    """Return the names of the bases of a class, without type arguments."""
    return {ast.unparse(base).split("[")[0] for base in node.bases}


def tuple_fields(node: ClassDef) -> list[str] | None:
    """Return the fields of a named tuple; None for other classes."""
    for base in node.bases:
        match base:
            case Call(func=Name(id="namedtuple"), args=[_, fields]):
                return list(ast.literal_eval(fields))
    return None


def is_property(node: FunctionDef) -> bool:
    """Return whether a method is a property."""
    return any(ast.unparse(decorator) in _PROPERTIES for decorator in node.decorator_list)
