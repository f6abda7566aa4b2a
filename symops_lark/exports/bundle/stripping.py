"""Remove code without effect in an export: docstrings, annotations, some methods."""

from __future__ import annotations

import ast
from ast import (
    AST,
    AnnAssign,
    Assert,
    Assign,
    Call,
    ClassDef,
    Constant,
    Expr,
    FunctionDef,
    ImportFrom,
    Name,
    NodeTransformer,
    Pass,
    Subscript,
)

from .records import find_dataclass

# Methods for files, for other processes, for terminals, and for the checks of callers.
_METHODS = ("from_dict", "__reduce__", "Rule.error", "__post_init__")
_TYPES = ("dict", "list", "set", "tuple")


class Strip(NodeTransformer):
    """Removes code without effect from a definition."""

    _in_function = False

    def visit_FunctionDef(self, node: FunctionDef) -> AST:
        node.returns = None
        # The decorator of a check saves time only in Python: an export runs every check.
        node.decorator_list = [
            decorator
            for decorator in node.decorator_list
            if not ast.unparse(decorator).startswith("check(")
        ]
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        outer = self._in_function
        self._in_function = True
        node.body = self._strip_body(node.body)
        self._in_function = outer
        return node

    def visit_ClassDef(self, node: ClassDef) -> AST:
        methods = {name.removeprefix(f"{node.name}.") for name in _METHODS}
        bases = map(ast.unparse, node.bases)
        has_fields = find_dataclass(node) is not None or "NamedTuple" in bases
        body = []
        for member in node.body:
            match member:
                case FunctionDef(name=name) if name in methods:
                    pass
                # Declarations of fields are needed to make a constructor.
                case AnnAssign(value=None) if not has_fields:
                    pass
                case _:
                    body.append(member)
        node.body = self._strip_body(body)
        return node

    def _strip_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        match body:
            case [Expr(value=Constant()), *others]:
                body = others
        return list(map(self.visit, body)) or [Pass()]

    def visit_Assert(self, node: Assert) -> AST:
        return Pass()

    def visit_ImportFrom(self, node: ImportFrom) -> AST:
        # It is in a function: `Module` has read it.
        return Pass()

    def visit_Call(self, node: Call) -> AST:
        match node.func:
            case Name(id="cast"):
                value: AST = self.visit(node.args[1])
                return value
            # `list[Any]()` becomes `list()`.
            case Subscript(value=Name(id=name)) if name in _TYPES:
                node.func = node.func.value
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: AnnAssign) -> AST:
        if not self._in_function:
            return node
        return Pass() if node.value is None else Assign([node.target], node.value)
