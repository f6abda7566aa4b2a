"""Remove the branches for custom sections from the parser of a dialect without any.

Those branches test `own_sections`, or whether the kind of a line is in `OWN`.
"""

from __future__ import annotations

import ast
from ast import (
    AST,
    And,
    Attribute,
    BoolOp,
    Compare,
    If,
    IfExp,
    In,
    Match,
    Name,
    NodeTransformer,
    Or,
    Pass,
    While,
)

_NAMES = ("own_sections", "_own_sections")
_KINDS = "OWN"


class LeaveOut(NodeTransformer):
    """Removes the branches that are never taken in a dialect without custom sections."""

    def visit_If(self, node: If) -> AST | list[ast.stmt]:
        self.generic_visit(node)
        if is_absent(node.test):
            # A block must not become empty.
            return node.orelse or Pass()
        return node

    def visit_While(self, node: While) -> AST:
        self.generic_visit(node)
        return Pass() if is_absent(node.test) else node

    def visit_IfExp(self, node: IfExp) -> AST:
        self.generic_visit(node)
        return node.orelse if is_absent(node.test) else node

    def visit_BoolOp(self, node: BoolOp) -> AST:
        self.generic_visit(node)
        # `or` with a false value is the other value.
        if isinstance(node.op, Or):
            node.values = [value for value in node.values if not is_absent(value)]
            if len(node.values) == 1:
                return node.values[0]
        return node

    def visit_Match(self, node: Match) -> AST:
        self.generic_visit(node)
        node.cases = [
            case for case in node.cases if case.guard is None or not is_absent(case.guard)
        ]
        return node


def is_absent(test: ast.expr) -> bool:
    """Return whether a test is always false in a dialect without custom sections."""
    match test:
        case Attribute(attr=name) | Name(id=name):
            return name in _NAMES
        case Compare(ops=[In()], comparators=[Name(id=name)]):
            return name == _KINDS
        case BoolOp(op=And(), values=values):
            return any(map(is_absent, values))
    return False
