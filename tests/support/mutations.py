"""The changes of a module that a test should notice, and those of which it is told why none can.

A change is told by the function it is in and by the source of what it changes, so that the list stays true while lines
move.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import CodeType
from typing import Any

import yaml
from repository import ROOT

EXPLAINED = Path(__file__).with_name("explained_mutants.yaml")

_EXCHANGED: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Break: (ast.Continue,),
    ast.Continue: (ast.Break,),
    ast.AugAssign: (ast.Pass,),
}
_CALLED = {"any": "all", "all": "any", "min": "max", "max": "min"}


class Mutant:
    """One change of a module: the field of a node, what stands in it, what is put there, in which line and function."""

    def __init__(self, node: ast.AST, field: str, new: object, line: int, place: _Place) -> None:
        self.node, self.field, self.old, self.new, self.line = node, field, getattr(node, field), new, line
        self._place = place

    def __str__(self) -> str:
        inside = f" in {self.function}" if self.function else ""
        return f"{self.line}:{inside} {self.was}\n    -> {self.becomes}"

    @property
    def function(self) -> str:
        """The name of the function or class, with those around it; empty outside of all."""
        return self._place.name

    @property
    def was(self) -> str:
        """The source of what is changed, its first line."""
        return self._show_changed()[0]

    @property
    def becomes(self) -> str:
        """The source of what is put there, its first line."""
        return self._show_changed()[1]

    def _show_changed(self) -> tuple[str, str]:
        old, new = self.old, self.new
        if isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and isinstance(old[0], ast.stmt):
            return next(
                (_show(first), _show(second)) for first, second in zip(old, new, strict=True) if first is not second
            )
        changed = copy.copy(self.node)
        setattr(changed, self.field, new)
        return _show(self.node), _show(changed)

    def is_entered(self, first_lines: Collection[int]) -> bool:
        """Return whether what begins on these lines includes the function that is changed."""
        lines = self._place.lines
        return any(first in lines for first in first_lines)

    def compile(self, tree: ast.Module, path: Path) -> CodeType:
        """Return the code of the module with the change in it."""
        setattr(self.node, self.field, self.new)
        try:
            return compile(ast.fix_missing_locations(tree), str(path), "exec")
        finally:
            setattr(self.node, self.field, self.old)


@dataclass(frozen=True)
class _Place:
    """A function, or a class outside of functions, by its name, and the lines of the function."""

    name: str
    lines: range

    def enter(self, node: ast.AST) -> _Place:
        """Return the place of what is inside a node."""
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            return self
        name = f"{self.name}.{node.name}".lstrip(".")
        if isinstance(node, ast.ClassDef):
            return _Place(name, self.lines)
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        return _Place(name, range(first, (node.end_lineno or first) + 1))


_OUTSIDE = _Place("", range(0))


def _show(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
    return text.partition("\n")[0][:160]


def find_mutants(tree: ast.Module) -> Iterator[Mutant]:
    """Return every change that is worth a test: of conditions, numbers, tables, and statements that are left out."""
    todo: list[tuple[ast.AST, int, _Place]] = [(tree, 0, _OUTSIDE)]
    while todo:
        node, line, place = todo.pop()
        line, place = getattr(node, "lineno", line), place.enter(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_ignores") or _is_check(node):
                continue
            yield from (Mutant(node, name, new, line, place) for new in _changes(node, name, value))
            inside = value if isinstance(value, list) else [value]
            todo += [(child, line, place) for child in inside if _is_code(child)]


def _is_check(node: ast.AST) -> bool:
    """Return whether a node only says that sequences are equally long."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _is_code(node: object) -> bool:
    """Return whether a node is not only for type checkers, nor a text for people, nor settled by loading the module."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return False
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__slots__":
        return False
    return isinstance(node, ast.AST) and not isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom)


def _changes(node: ast.AST, name: str, value: Any) -> Iterator[object]:
    """Return what else may stand in a field of a node."""
    if isinstance(value, list):
        for at, child in enumerate(value):
            before, part = value[:at], value[at + 1 :]
            if isinstance(node, ast.Set) or name == "ifs" or (isinstance(node, ast.Tuple) and _is_name(child)):
                yield [*before, *part]
            yield from ([*before, new, *part] for new in _replacements(child))
    elif isinstance(value, ast.AST):
        yield from _replacements(value)
    if isinstance(node, ast.If | ast.IfExp) and name == "test":
        yield from (ast.Constant(True), ast.Constant(False))
    if isinstance(node, ast.Call) and isinstance(value, ast.Name) and value.id in _CALLED:
        yield ast.Name(_CALLED[value.id], ast.Load())


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Return what may stand in place of a node."""
    if type(node) in _EXCHANGED:
        yield from (new() for new in _EXCHANGED[type(node)])
    elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        yield ast.Pass()
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield from (ast.Constant(node.value + step) for step in (1, -1))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            parts = [*node.values[:at], *node.values[at + 1 :]]
            yield parts[0] if len(parts) == 1 else ast.BoolOp(node.op, parts)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.Sub | ast.BitAnd):
        yield from (node.left, node.right)


def _is_name(node: ast.AST) -> bool:
    """Return whether an element of a tuple looks like one of a table: a text, or a member of an enum."""
    return isinstance(node, ast.Attribute) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


@dataclass(frozen=True)
class Explanation:
    """Why no test can notice a change: of which module and function, what stands there, and what else may.

    Without what else, it speaks of all changes of what stands there.
    """

    module: PurePath
    function: str
    was: str
    becomes: str
    why: str

    def speaks_of(self, module: PurePath, mutant: Mutant) -> bool:
        """Return whether this explains a mutant of a module."""
        if (module, mutant.function) != (self.module, self.function):
            return False  # the source of a mutant takes time to write
        return mutant.was == self.was and self.becomes in ("", mutant.becomes)


def read_explanations() -> list[Explanation]:
    """Return what `explained_mutants.yaml` says."""
    rows = yaml.safe_load(EXPLAINED.read_text(encoding="utf-8"))
    return [
        Explanation(PurePath("symops_lark", module), row["in"], row["was"], row.get("becomes", ""), row["why"])
        for module, value in rows.items()
        for row in value
    ]


def find_stale(explained: Collection[Explanation]) -> list[Explanation]:
    """Return the explanations of changes that cannot be made any more."""
    mutants = {
        module: list(find_mutants(ast.parse((ROOT / module).read_text(encoding="utf-8"))))
        for module in {item.module for item in explained}
    }
    return [
        element
        for element in explained
        if not any(element.speaks_of(element.module, entry) for entry in mutants[element.module])
    ]
