"""Find the expressions that JavaScript and Python judge alike as conditions.

These are expressions whose values are booleans, texts, numbers or None. An empty list is false in
Python and true in JavaScript, so other expressions need a function of the runtime.
"""

from __future__ import annotations

import ast
from ast import (
    Attribute,
    BoolOp,
    Call,
    Compare,
    Constant,
    FunctionDef,
    IfExp,
    JoinedStr,
    Name,
    NamedExpr,
    Not,
    Return,
    UnaryOp,
)
from collections.abc import Callable, Iterable

from ..scopes import local_names
from .known_classes import KnownClasses
from .names import METHODS, own_nodes, yields

# Functions and methods of Python that return such values.
_FUNCTIONS = frozenset(("any", "all", "isinstance", "hasattr", "bool", "len", "str", "cut", "size"))
_METHODS = frozenset(
    (
        "startswith",
        "endswith",
        "isdisjoint",
        "issuperset",
        "isalnum",
        "isascii",
        "isdigit",
        "isspace",
        "isupper",
        "strip",
        "lstrip",
        "rstrip",
        "removeprefix",
        "removesuffix",
        "lower",
        "upper",
        "join",
        "count",
        "find",
    )
)
# Methods and properties may have the names of functions, so theirs get one of these in front.
_METHOD = "."
_PROPERTY = "@"
IsLocal = Callable[[str], bool]


class Conditions:
    """Knows which definitions of a bundle return only values that both languages judge alike."""

    def __init__(self, classes: KnownClasses, functions: dict[str, FunctionDef]) -> None:
        self._classes = classes
        definitions = {}
        for name, node in functions.items():
            definitions[name] = [node]
        for name, nodes in classes.methods.items():
            definitions[_METHOD + name] = nodes
        for name, nodes in classes.properties.items():
            if name not in classes.stored:
                definitions[_PROPERTY + name] = nodes
        self._known: set[str] = set()
        for name, nodes in definitions.items():
            if not any(map(yields, nodes)):
                self._known.add(name)
        # Definitions call each other, so all are assumed first, and wrong ones are removed until
        # nothing changes.
        count = -1
        while len(self._known) != count:
            count = len(self._known)
            for name in [*self._known]:
                if not all(map(self._returns_conditions, definitions[name])):
                    self._known.remove(name)

    def _returns_conditions(self, function: FunctionDef) -> bool:
        names = local_names(function)
        returns = [node for node in own_nodes(function.body) if isinstance(node, Return)]
        # `return` alone gives None.
        values = [node.value for node in returns if node.value is not None]
        return self.are_conditions(values, names.__contains__)

    def are_conditions(self, nodes: Iterable[ast.expr], is_local: IsLocal) -> bool:
        """Return whether both languages judge all of some expressions alike.

        Args:
            nodes: The expressions.
            is_local: Returns whether a name is local, and so not a function of the bundle.
        """
        return all(self._is_condition(node, is_local) for node in nodes)

    def _is_condition(self, node: ast.expr, is_local: IsLocal) -> bool:
        match node:
            case Compare() | JoinedStr() | UnaryOp(op=Not()):
                return True
            case Constant(value=value):
                return value is not Ellipsis
            case BoolOp(values=values):
                return self.are_conditions(values, is_local)
            case IfExp(body=body, orelse=otherwise):
                return self.are_conditions((body, otherwise), is_local)
            case NamedExpr(value=inner):
                return self._is_condition(inner, is_local)
            case Attribute(attr=name):
                return _PROPERTY + name in self._known
            case Call(func=Name(id=name)):
                is_known = name in self._known or name in _FUNCTIONS
                return is_known and not is_local(name)
            case Call(func=Attribute(attr=name)):
                return self._is_method(name)
        return False

    def _is_method(self, name: str) -> bool:
        """Return whether all methods of a name return such values."""
        if name not in self._classes.methods:
            return name in _METHODS
        if _METHOD + name not in self._known:
            return False
        # A method of the runtime with the same name may return something else.
        return name in _METHODS or name not in METHODS
