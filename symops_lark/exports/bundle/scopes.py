"""Which names a piece of Python binds, and which it takes from its module."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(target: ast.AST) -> Iterator[str]:
    """Yield the names that an assignment to a target binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from bound_names(part)
    elif isinstance(target, ast.Starred):
        yield from bound_names(target.value)


def local_names(node: ast.AST) -> dict[str, None]:
    """Return the names that are bound in the scope of a function, a lambda or a comprehension itself, in order."""
    if isinstance(node, _COMPREHENSIONS):
        return dict.fromkeys(name for part in node.generators for name in bound_names(part.target))
    if isinstance(node, ast.Lambda):
        return dict.fromkeys(parameter_names(node.args))
    assert isinstance(node, ast.FunctionDef)
    return dict.fromkeys((*parameter_names(node.args), *_assigned(node.body)))


def parameter_names(arguments: ast.arguments) -> Iterator[str]:
    """Yield the names of all parameters, in order."""
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        yield argument.arg
    for more in (arguments.vararg, arguments.kwarg):
        if more is not None:
            yield more.arg


def _assigned(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, _COMPREHENSIONS):  # a walrus in it binds outside of it
            yield from _assigned(part for part in ast.walk(node) if isinstance(part, ast.NamedExpr))
        elif not isinstance(node, ast.Lambda):
            yield from _bound_by(node)
            yield from _assigned(ast.iter_child_nodes(node))


def _bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds itself."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from bound_names(target)
    elif isinstance(node, ast.NamedExpr | ast.AnnAssign | ast.AugAssign | ast.For):
        yield from bound_names(node.target)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name


def defined_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from bound_names(target)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from bound_names(node.target)


class ScopedVisitor(ast.NodeTransformer):
    """Walks a tree and knows which names are local where it is; `on_global` is called for every other name."""

    def __init__(self) -> None:
        self.scopes: list[Collection[str]] = []

    def is_local(self, name: str) -> bool:
        """Return whether a name is bound in a scope around the place."""
        return any(name in scope for scope in self.scopes)

    def on_global(self, node: ast.Name) -> ast.expr:
        """Return what stands for a name that is not local."""
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return node if self.is_local(node.id) else self.on_global(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self._visit_defaults(node.args)
        self.scopes.append(local_names(node))
        node.body = [self.visit(each) for each in node.body]
        self.scopes.pop()
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._visit_defaults(node.args)
        self.scopes.append(local_names(node))
        node.body = self.visit(node.body)
        self.scopes.pop()
        return node

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(each) for each in arguments.defaults]
        arguments.kw_defaults = [each and self.visit(each) for each in arguments.kw_defaults]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        bound = set(_assigned(each for each in node.body if not isinstance(each, ast.FunctionDef)))
        for at, member in enumerate(node.body):  # outside of methods, what the class binds is local
            self.scopes.append(() if isinstance(member, ast.FunctionDef) else bound)
            node.body[at] = self.visit(member)
            self.scopes.pop()
        return node

    def _visit_comprehension(self, node: ast.AST) -> ast.AST:
        assert isinstance(node, _COMPREHENSIONS)
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        self.scopes.append(local_names(node))
        for index, part in enumerate(node.generators):
            part.iter = self.visit(part.iter) if index else part.iter
            part.ifs = [self.visit(each) for each in part.ifs]
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        self.scopes.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension
