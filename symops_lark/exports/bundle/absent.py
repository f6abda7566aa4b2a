"""What a dialect has none of is left out of its parser: the branches for sections of a dialect's own.

They stand where `own_sections` is true, and where a line's kind is in `OWN`: elsewhere nothing of them is met.
"""

from __future__ import annotations

import ast

_NAMES, _KINDS = ("own_sections", "_own_sections"), "OWN"


class LeaveOut(ast.NodeTransformer):
    """Takes out the branches of statements that are never taken where a dialect has no sections of its own."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not is_absent(node.test):
            return node
        return node.orelse or ast.Pass()

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        return ast.Pass() if is_absent(node.test) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return node.orelse if is_absent(node.test) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Or):
            node.values = [value for value in node.values if not is_absent(value)]
            return node.values[0] if len(node.values) == 1 else node
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        self.generic_visit(node)
        node.cases = [case for case in node.cases if case.guard is None or not is_absent(case.guard)]
        return node


def is_absent(test: ast.expr) -> bool:
    """Return whether a test is never true without sections of a dialect's own."""
    match test:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in _NAMES
        case ast.Compare(ops=[ast.In()], comparators=[ast.Name(id=name)]):
            return name == _KINDS
        case ast.BoolOp(op=ast.And(), values=values):
            return any(map(is_absent, values))
    return False
