"""What all parts of the translation know: names and their short forms, scopes, and what is refused."""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...core.ground.errors import SymOpsError
from .classes_known import ClassesKnown
from .scopes import defined_names

_RUNTIME = Path(__file__).parents[1] / "javascript/methods.js"
# Methods of texts, lists, dicts and sets, as the runtime defines them: found by what the value is when it is called.
_DEFINED = re.findall(r"(?<![.$\w])(\w+)(?:[:] )?\((text|list|dict|set)\b", _RUNTIME.read_text(encoding="utf-8"))
METHODS = frozenset(name for name, _ in _DEFINED)
_SHARED = frozenset(["split", "find"])  # patterns and sets of them have these as well


def _only_kinds() -> dict[str, str]:
    """Return by method the one kind that has it; a method of several kinds is left out."""
    kinds: dict[str, set[str]] = {}
    for name, kind in _DEFINED:
        kinds.setdefault(name, set()).add(kind)
    return {name: min(each) for name, each in kinds.items() if len(each) == 1 and name not in _SHARED}


ONLY_KIND = _only_kinds()


class Untranslated(SymOpsError):
    """A piece of Python is not in the subset; the message shows it."""


class Names(ABC):
    """Names and scopes; what the parts of a translation ask of each other is abstract."""

    def __init__(self, statements: list[ast.stmt], renamed: dict[str, str] | None = None) -> None:
        """`renamed` are functions that have another name outside."""
        self.classes = ClassesKnown(statements)
        self.functions = {node.name: node for node in statements if isinstance(node, ast.FunctionDef)}
        self._defined = {name for node in statements for name in defined_names(node)}
        self._renamed = renamed or {}
        self._scopes: list[dict[str, str]] = []  # local names of the functions around the place, and their short forms
        self._temporary = 0
        self._added: list[set[str]] = []  # temporaries of the functions around the place
        self._lists: list[set[str]] = []  # names that begin as lists in the functions around the place
        self.inside = ""  # the class around the place
        self.class_parameter = ""  # what a method of the class calls it

    @abstractmethod
    def expression(self, node: ast.expr) -> str:
        """Return one expression."""

    @abstractmethod
    def value(self, node: ast.expr) -> str:
        """Return an expression that is handed on: a class is something to call there."""

    @abstractmethod
    def test(self, node: ast.expr) -> str:
        """Return an expression as a condition."""

    @abstractmethod
    def function(self, node: ast.FunctionDef | ast.Lambda, head: str, *, method: str = "", begin: str = "") -> str:
        """Return a function; `method` is how it calls what it belongs to."""

    def refuse(self, node: ast.AST) -> Untranslated:
        return Untranslated(f"no part of the subset: {ast.unparse(node)[:200]}")

    def enter(self, names: Iterable[str], *, this: str = "") -> None:
        """Begin a scope: its names get short forms that no scope around has."""
        taken = sum(map(len, self._scopes))
        scope = {name: short(taken + at) for at, name in enumerate(names)}
        if this:
            scope[this] = "this"
        self._scopes.append(scope)

    def name(self, name: str) -> str:
        """Return a name as it is written at the place: where names have no short forms, as it is."""
        scopes = (*reversed(self._scopes), self._renamed)
        return next((scope[name] for scope in scopes if name in scope), name)

    def is_local(self, name: str) -> bool:
        return any(name in scope for scope in self._scopes)

    def new_name(self, *, declared: bool = True) -> str:
        self._temporary += 1
        name = f"${self._temporary}"
        if declared:
            self._added[-1].add(name)
        return name


def short(number: int) -> str:
    """Return the n-th of the short names."""
    letters, turn = "abcdefghijklmnopqrstuvwxyz", number // 26
    return letters[number % 26] + (str(turn) if turn else "")


def parameter_list(node: ast.FunctionDef | ast.Lambda, *, method: bool = False) -> list[tuple[str, ast.expr | None]]:
    """Return the parameters that have a name and a default, without that of a method for its object.

    One that takes all further arguments has a place of its own, before those that are given by name.
    """
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    rows: list[tuple[str, ast.expr | None]] = [(a.arg, d) for a, d in zip(plain, defaults, strict=True)][method:]
    if arguments.vararg is not None and arguments.kwonlyargs:
        rows.append((arguments.vararg.arg, None))
    rows += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return rows


def yields(node: ast.FunctionDef) -> bool:
    """Return whether a function is a generator."""
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for part in node.body for each in own_nodes(part))


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that belong to the function around it."""
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from own_nodes(child)
