"""Translate names, and share what all parts of the translation need: scopes and refusals."""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from ast import AST, ClassDef, FunctionDef, Lambda, Starred, Yield, YieldFrom
from collections.abc import Iterable, Iterator
from pathlib import Path

from ....core.ground.errors import SymOpsError
from ..scopes import defined_names
from ..shortening import short
from .known_classes import KnownClasses

_RUNTIME = Path(__file__).parents[2] / "javascript/methods.js"
# The methods of texts, lists, dictionaries and sets that the runtime defines, each with the kind of
# its owner: it chooses by the value when it is called.
_DEFINITIONS = re.findall(
    r"(?<![.$\w])(\w+)(?:[:] )?\((text|list|dict|set)\b", _RUNTIME.read_text(encoding="utf-8")
)
# A call of one of these cannot be translated to a call of a method of JavaScript.
METHODS = frozenset(name for name, _ in _DEFINITIONS)
# Patterns and sets of patterns have these methods too.
_SHARED = frozenset(["split", "find"])
Parameter = tuple[str, ast.expr | None]  # its name and its default


def _only_kinds() -> dict[str, str]:
    """Return the kind of the owner of each method that only one kind has."""
    kinds: dict[str, str] = {}
    for name, kind in _DEFINITIONS:
        is_unique = name not in _SHARED and kinds.get(name, kind) == kind
        kinds[name] = kind if is_unique else ""
    return {name: kind for name, kind in kinds.items() if kind}


ONLY_KIND = _only_kinds()


class Untranslated(SymOpsError):
    """A piece of Python is not in the subset; the message shows it."""


class Names(ABC):
    """Translates names in their scopes. The abstract methods translate the code around them.

    Args:
        statements: The statements of the bundle.
        renamed: The names of definitions in JavaScript, where they differ.

    Attributes:
        classes: The classes of the bundle.
        functions: The functions of the bundle, by name.
        inside: The class around the current node.
        class_parameter: The name of that class in a class method.
    """

    def __init__(self, statements: list[ast.stmt], renamed: dict[str, str] | None = None) -> None:
        self.classes = KnownClasses(statements)
        self.functions: dict[str, FunctionDef] = {}
        self._defined: set[str] = set()
        for node in statements:
            self._defined.update(defined_names(node))
            if isinstance(node, FunctionDef):
                self.functions[node.name] = node
        self._renamed = renamed or {}
        # The next three have one item for each function around the current node: the short forms of
        # its local names, its temporary variables, and its variables that begin as lists.
        self._scopes: list[dict[str, str]] = []
        self._added: list[set[str]] = []
        self._lists: list[set[str]] = []
        # Temporary variables are numbered within an outer function.
        self._temporary = 0
        self.inside = ""
        self.class_parameter = ""

    @abstractmethod
    def expression(self, node: ast.expr) -> str:
        """Return an expression in JavaScript."""

    @abstractmethod
    def value(self, node: ast.expr) -> str:
        """Return an expression that is passed on: a class becomes a function that makes objects."""

    @abstractmethod
    def test(self, node: ast.expr) -> str:
        """Return an expression as a condition."""

    @abstractmethod
    def function(
        self, node: FunctionDef | Lambda, head: str, *, method: str = "", begin: str = ""
    ) -> str:
        """Return a function in JavaScript.

        Args:
            node: The function.
            head: The code before its parameters.
            method: The name of the parameter for the object, such as "self"; empty: no method.
            begin: The first statements of its body.
        """

    def item(self, node: ast.expr) -> str:
        """Return an argument or an item of a list."""
        if isinstance(node, Starred):
            return f"...{self.expression(node.value)}"
        return self.value(node)

    def items(self, nodes: Iterable[ast.expr]) -> str:
        """Return arguments or items of a list, with commas."""
        return ", ".join(map(self.item, nodes))

    def refuse(self, node: AST) -> Untranslated:
        """Return the error for a node outside of the subset."""
        return Untranslated(f"no part of the subset: {ast.unparse(node)[:200]}")

    def enter(self, names: Iterable[str], *, this: str = "") -> None:
        """Begin a scope: its names get short forms that no scope around has.

        Args:
            names: The local names.
            this: The name that becomes `this`; empty: none.
        """
        count = sum(map(len, self._scopes))
        scope = {name: short(number) for number, name in enumerate(names, count)}
        if this:
            scope[this] = "this"
        self._scopes.append(scope)

    def name(self, name: str) -> str:
        """Return a name in JavaScript."""
        # The innermost scope wins.
        for scope in (*reversed(self._scopes), self._renamed):
            if name in scope:
                return scope[name]
        return name

    def is_local(self, name: str) -> bool:
        """Return whether a scope around the current node has a name."""
        return any(name in scope for scope in self._scopes)

    def new_name(self, *, is_declared: bool = True) -> str:
        """Return the name of a new temporary variable.

        Args:
            is_declared: Whether the function around the current node declares it.
        """
        self._temporary += 1
        name = f"${self._temporary}"
        if is_declared:
            self._added[-1].add(name)
        return name


def call(function: str, *arguments: str) -> str:
    """Return a call in JavaScript."""
    return f"{function}({', '.join(arguments)})"


def parameter_list(node: FunctionDef | Lambda, *, is_method: bool = False) -> list[Parameter]:
    """Return the parameters that have a name.

    Args:
        node: The function.
        is_method: Whether to leave out the first parameter.

    Returns:
        The parameters. One for all further arguments is before those that are passed by name.
    """
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    required = len(plain) - len(arguments.defaults)
    defaults = [None] * required + arguments.defaults
    # Without parameters after it, JavaScript has such a parameter too.
    if arguments.vararg is not None and arguments.kwonlyargs:
        plain.append(arguments.vararg)
        defaults.append(None)
    plain += arguments.kwonlyargs
    defaults += arguments.kw_defaults
    names = [argument.arg for argument in plain]
    return list(zip(names, defaults, strict=True))[is_method:]


def yields(node: FunctionDef) -> bool:
    """Return whether a function is a generator."""
    return any(isinstance(part, Yield | YieldFrom) for part in own_nodes(node.body))


def own_nodes(nodes: Iterable[AST]) -> Iterator[AST]:
    """Yield the nodes of statements, without those of the functions and classes in them."""
    for node in nodes:
        if not isinstance(node, FunctionDef | Lambda | ClassDef):
            yield node
            yield from own_nodes(ast.iter_child_nodes(node))
