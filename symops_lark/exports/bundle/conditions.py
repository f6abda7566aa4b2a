"""Which expressions JavaScript takes as conditions as Python does: what gives booleans, texts, numbers or nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from .classes_known import ClassesKnown
from .names import METHODS, own_nodes, yields
from .scopes import local_names

_FUNCTIONS = frozenset(["any", "all", "isinstance", "hasattr", "bool", "len", "str", "cut", "size"])
_METHODS = frozenset(
    [
        *("startswith", "endswith", "isdisjoint", "issuperset", "isalnum", "isascii", "isdigit", "isspace", "isupper"),
        *("strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "lower", "upper", "join", "count", "find"),
    ]
)
_METHOD, _PROPERTY = ".", "@"  # begin the names of these, which functions may have as well


class Conditions:
    """Knows of the functions, methods and properties of a bundle whether all that they return is a condition."""

    def __init__(self, classes: ClassesKnown, functions: dict[str, ast.FunctionDef]) -> None:
        self._classes = classes
        made = {name: [node] for name, node in functions.items()}
        made |= {_METHOD + name: nodes for name, nodes in classes.methods.items()}
        read = {name: nodes for name, nodes in classes.properties.items() if name not in classes.stored}
        made |= {_PROPERTY + name: nodes for name, nodes in read.items()}
        self._known = {name for name, nodes in made.items() if not any(map(yields, nodes))}
        while wrong := {name for name in self._known if not all(map(self._returns_conditions, made[name]))}:
            self._known -= wrong

    def _returns_conditions(self, function: ast.FunctionDef) -> bool:
        names = local_names(function)
        nodes = (each for part in function.body for each in own_nodes(part))
        given = (each.value for each in nodes if isinstance(each, ast.Return) and each.value is not None)
        return self.are_conditions(given, names.__contains__)

    def are_conditions(self, nodes: Iterable[ast.expr], is_local: Callable[[str], bool]) -> bool:
        """Return whether all of these are conditions; `is_local` tells which names are no functions of the bundle."""
        return all(self._is_condition(node, is_local) for node in nodes)

    def _is_condition(self, node: ast.expr, is_local: Callable[[str], bool]) -> bool:
        if isinstance(node, ast.Compare | ast.JoinedStr):
            return True
        if isinstance(node, ast.Constant):
            return node.value is not Ellipsis
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not)
        if isinstance(node, ast.BoolOp):
            return self.are_conditions(node.values, is_local)
        if isinstance(node, ast.IfExp):
            return self.are_conditions((node.body, node.orelse), is_local)
        if isinstance(node, ast.NamedExpr):
            return self._is_condition(node.value, is_local)
        if isinstance(node, ast.Attribute):
            return _PROPERTY + node.attr in self._known
        return isinstance(node, ast.Call) and self._gives_condition(node.func, is_local)

    def _gives_condition(self, called: ast.expr, is_local: Callable[[str], bool]) -> bool:
        if isinstance(called, ast.Name):
            return not is_local(called.id) and (called.id in self._known or called.id in _FUNCTIONS)
        if not isinstance(called, ast.Attribute):
            return False
        own = called.attr in self._classes.methods
        if own and _METHOD + called.attr not in self._known:
            return False
        return called.attr in _METHODS or (own and called.attr not in METHODS)
