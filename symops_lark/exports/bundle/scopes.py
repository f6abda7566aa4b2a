"""Find the names that a piece of Python binds, and those that it takes from its module."""

from __future__ import annotations

import ast
from ast import (
    AST,
    AnnAssign,
    Assign,
    AugAssign,
    ClassDef,
    DictComp,
    ExceptHandler,
    For,
    FunctionDef,
    GeneratorExp,
    Lambda,
    List,
    ListComp,
    MatchAs,
    MatchStar,
    Name,
    NamedExpr,
    NodeTransformer,
    SetComp,
    Starred,
    Tuple,
)
from collections.abc import Collection, Iterable, Iterator
from typing import Any

_COMPREHENSIONS = (ListComp, SetComp, DictComp, GeneratorExp)


def bound_names(target: AST) -> Iterator[str]:
    """Yield the names that an assignment to a target binds."""
    match target:
        case Name(id=name):
            yield name
        case Tuple(elts=parts) | List(elts=parts):
            for part in parts:
                yield from bound_names(part)
        case Starred(value=inner):
            yield from bound_names(inner)


def local_names(node: AST) -> dict[str, None]:
    """Return the names in the scope of a function, a lambda or a comprehension, in order.

    The scopes inside it are not included.
    """
    # The order decides the short names of an export, so a set is not enough.
    names: list[str] = []
    if isinstance(node, _COMPREHENSIONS):
        for part in node.generators:
            names += bound_names(part.target)
    elif isinstance(node, Lambda):
        names += parameter_names(node.args)
    else:
        assert isinstance(node, FunctionDef)
        names += parameter_names(node.args)
        names += _assigned(node.body)
    return dict.fromkeys(names)


def parameter_names(arguments: ast.arguments) -> Iterator[str]:
    """Yield the names of all parameters, in order."""
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for parameter in (*parameters, arguments.vararg, arguments.kwarg):
        if parameter is not None:
            yield parameter.arg


def _assigned(nodes: Iterable[AST]) -> Iterator[str]:
    """Yield the names that some nodes bind in the scope around them."""
    for node in nodes:
        match node:
            case FunctionDef(name=name) | ClassDef(name=name):
                yield name
            case ListComp() | SetComp() | DictComp() | GeneratorExp():
                # A walrus in a comprehension binds its name outside of the comprehension.
                for part in ast.walk(node):
                    if isinstance(part, NamedExpr):
                        yield from _assigned([part])
            case Lambda():
                pass
            case _:
                yield from _bound_by(node)
                yield from _assigned(ast.iter_child_nodes(node))


def _bound_by(node: AST) -> Iterator[str]:
    """Yield the names that a node binds, without those of the nodes in it."""
    match node:
        case Assign(targets=targets):
            for target in targets:
                yield from bound_names(target)
        case NamedExpr() | AnnAssign() | AugAssign() | For():
            yield from bound_names(node.target)
        case ExceptHandler(name=name) | MatchAs(name=name) | MatchStar(name=name):
            if name:
                yield name


def defined_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module defines."""
    match node:
        case FunctionDef(name=name) | ClassDef(name=name):
            yield name
        case Assign():
            yield from _bound_by(node)
        # A declaration without a value defines nothing.
        case AnnAssign(value=ast.expr()):
            yield from bound_names(node.target)


class ScopedVisitor(NodeTransformer):
    """Walks a tree and calls `on_global` for each name that is not local.

    Attributes:
        scopes: The local names of the functions around the current node.
    """

    def __init__(self) -> None:
        # Comprehensions are scopes too.
        self.scopes: list[Collection[str]] = []

    def is_local(self, name: str) -> bool:
        """Return whether a scope around the current node binds a name."""
        return any(name in scope for scope in self.scopes)

    def on_global(self, node: Name) -> ast.expr:
        """Return the replacement of a name that is not local."""
        return node

    def visit_Name(self, node: Name) -> ast.expr:
        return node if self.is_local(node.id) else self.on_global(node)

    def visit_FunctionDef(self, node: FunctionDef) -> AST:
        # Decorators and defaults are evaluated outside of the function.
        node.decorator_list = self._visit_all(node.decorator_list)
        self._visit_defaults(node.args)
        node.body = self._visit_all(node.body, local_names(node))
        return node

    def visit_Lambda(self, node: Lambda) -> AST:
        self._visit_defaults(node.args)
        [node.body] = self._visit_all([node.body], local_names(node))
        return node

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = self._visit_all(arguments.defaults)
        for index, default in enumerate(arguments.kw_defaults):
            if default is not None:
                arguments.kw_defaults[index] = self.visit(default)

    def _visit_all(self, nodes: Iterable[AST], scope: Collection[str] = ()) -> list[Any]:
        self.scopes.append(scope)
        results = [self.visit(node) for node in nodes]
        self.scopes.pop()
        return results

    def visit_ClassDef(self, node: ClassDef) -> AST:
        node.decorator_list = self._visit_all(node.decorator_list)
        node.bases = self._visit_all(node.bases)
        methods = [member for member in node.body if isinstance(member, FunctionDef)]
        attributes = set(_assigned(member for member in node.body if member not in methods))
        for index, member in enumerate(node.body):
            # Methods do not see the attributes of their class as names.
            scope: Collection[str] = () if member in methods else attributes
            [node.body[index]] = self._visit_all([member], scope)
        return node

    def _visit_comprehension(self, node: AST) -> AST:
        assert isinstance(node, _COMPREHENSIONS)
        first = node.generators[0]
        # The first source is evaluated outside of the comprehension.
        first.iter = self.visit(first.iter)
        self.scopes.append(local_names(node))
        for part in node.generators:
            if part is not first:
                part.iter = self.visit(part.iter)
            part.ifs = self._visit_all(part.ifs)
        if isinstance(node, DictComp):
            node.key = self.visit(node.key)
            node.value = self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        self.scopes.pop()
        return node

    visit_ListComp = _visit_comprehension
    visit_SetComp = _visit_comprehension
    visit_DictComp = _visit_comprehension
    visit_GeneratorExp = _visit_comprehension
