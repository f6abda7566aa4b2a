"""The package once more, imported so that it counts its work: steps of loops, what is copied, what is searched.

`import_counted` rewrites the package's code as it is imported, under another name: each call of a function and each
round of a loop is a step, and so is each item (of a text: each character) of what a slice, a sum, a display with a
star, a test of membership or a built-in function copies or walks through, and each that a search passes over.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

import symops_lark

NAME = "counted_symops_lark"
_WALKING = frozenset(("all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"))
_LAZY = frozenset(("enumerate", "filter", "map", "zip"))  # what takes items one at a time
_SEARCHING = frozenset(("find", "index", "rfind", "rindex", "count"))
_COPYING = frozenset(("join", "replace", "strip", "lstrip", "rstrip", "split", "splitlines", "lower", "translate"))


class Work:
    """How many steps the counted package has made."""

    steps = 0


def count_steps(work: Callable[[], Any]) -> int:
    """Return how many steps some work of the counted package takes."""
    before = Work.steps
    work()
    return Work.steps - before


@cache
def import_counted() -> ModuleType:
    """Return the package that counts its steps."""
    sys.meta_path.insert(0, _Finder())
    counters = (_made, _cut, _each, _whole, _walked, _sought)
    vars(builtins).update({f"_{counter.__name__}__": counter for counter in counters})
    regexes = importlib.import_module(f"{NAME}.core.patterns.regexes")
    waiting: Any = regexes._Waiting
    compile_now = waiting.__getattr__

    def compile_counted(self: Any, name: str) -> Any:
        compile_now(self, name)
        self.search, self.finditer = _counted_search(self.search), _counted_finditer(self.finditer)
        return getattr(self, name)

    waiting.__getattr__ = compile_counted
    for name in ("may_occur", "lines"):
        setattr(regexes.Sieve, name, _counted_pass(getattr(regexes.Sieve, name)))
    return importlib.import_module(NAME)


def _counted_search(search: Callable[..., Any]) -> Callable[..., Any]:
    def find(text: str, start: int = 0, end: int = sys.maxsize) -> Any:
        match = search(text, start, end)
        Work.steps += max(0, (match.end() if match else min(len(text), end)) - start)
        return match

    return find


def _counted_finditer(finditer: Callable[..., Any]) -> Callable[..., Any]:
    def find(text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Any]:
        for item in finditer(text, start, end):
            Work.steps += item.end() - start
            start = item.end()
            yield item
        Work.steps += max(0, min(len(text), end) - start)

    return find


def _counted_pass(read: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    return lambda sieve, text: read(sieve, _whole(text))


def _cut(whole: Any, part: slice) -> Any:
    return _made(whole[part])


def _made(copied: Any) -> Any:
    """Count what was copied."""
    if isinstance(copied, str | bytes | list | tuple):
        Work.steps += len(copied)
    return copied


def _each(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        Work.steps += 1
        yield item


def _whole(items: Any) -> Any:
    """Count what is walked through, if it is all there."""
    if isinstance(items, Sequence) or (isinstance(items, set | frozenset | dict) and items):
        Work.steps += len(items)
    return items


def _walked(items: Any) -> Any:
    """Count what a test of membership walks through."""
    return items if isinstance(items, set | frozenset | dict) else _whole(items)


def _sought(whole: Any, method: str, *given: Any) -> Any:
    """Count what a text's search passes over: to its end if nothing is found; a method may be anything else's, too."""
    result = getattr(whole, method)(*given)
    if isinstance(whole, str | bytes) and given:
        first, last, _ = slice(*given[1:], *[None] * (3 - len(given))).indices(len(whole))
        if method != "count" and result >= 0:
            first, last = (first, result) if method in ("find", "index") else (result, last)
        Work.steps += max(0, last - first)
    elif isinstance(whole, Sequence):
        Work.steps += len(whole)
    return result


class _Finder(PathFinder):
    """Finds the modules of the counted package: those of the package, by another name."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        if fullname == NAME:
            origin, within = str(symops_lark.__file__), list(symops_lark.__path__)
            return importlib.util.spec_from_file_location(
                fullname, origin, loader=_Loader(fullname, origin), submodule_search_locations=within
            )
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin and spec.origin.endswith(".py"):
            spec.loader = _Loader(fullname, spec.origin)
        return spec


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        """Return the counting code, which is never kept: the package's own is kept under the same path."""
        path = self.get_filename(fullname)
        tree = _Counting().visit(ast.parse(self.get_data(path), path))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class _Counting(ast.NodeTransformer):
    """Rewrites code so that it counts."""

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Slice) or not isinstance(node.ctx, ast.Load):
            return node
        ends = [end or ast.Constant(None) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
        return _call("__cut__", node.value, ast.Call(ast.Name("slice", ast.Load()), ends, []))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.generic_visit(node)
        node.body.insert(1 if ast.get_docstring(node, clean=False) else 0, _step())
        return node

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        node.iter = _call("__each__", node.iter)
        return node

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        node.body.insert(0, _step())
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _call("__each__", node.iter)
        return node

    def visit_Starred(self, node: ast.Starred) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = _call("__whole__", node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        for at, (sign, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if isinstance(sign, ast.In | ast.NotIn) and not isinstance(right, ast.Tuple | ast.Set | ast.Constant):
                node.comparators[at] = _call("__walked__", right)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        return _call("__made__", node) if isinstance(node.op, ast.Add) else node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SEARCHING and not node.keywords:
            return _call("__sought__", node.func.value, ast.Constant(node.func.attr), *node.args)
        if isinstance(node.func, ast.Attribute):
            return _call("__made__", node) if node.func.attr in _COPYING else node
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        count = len(node.args) if name in ("filter", "map", "zip") else 1
        for at in range(1 if name in ("filter", "map") else 0, count):
            if name in _LAZY | _WALKING and at < len(node.args) and not isinstance(node.args[at], ast.Starred):
                node.args[at] = _call("__each__" if name in _LAZY else "__whole__", node.args[at])
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _step() -> ast.stmt:
    return ast.Expr(_call("__whole__", ast.Constant(".")))
