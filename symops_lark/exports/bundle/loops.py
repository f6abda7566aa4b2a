"""Comprehensions, and what reads them to the first value that decides."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable

from .names import Names
from .scopes import local_names

_READ_WHOLE = frozenset(  # functions and methods that read all of what they are given, at once
    ["tuple", "list", "set", "frozenset", "dict", "sum", "sorted", "min", "max", "Counter", "join", "extend", "update"]
)
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def read_whole(node: ast.Call) -> ast.Call:
    """Return a call whose generators are lists if what is called reads all of them at once."""
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name not in _READ_WHOLE:
        return node
    args = [ast.ListComp(arg.elt, arg.generators) if isinstance(arg, ast.GeneratorExp) else arg for arg in node.args]
    return ast.copy_location(ast.Call(node.func, args, node.keywords), node)


def call_methods(node: ast.Call) -> ast.Call:
    """Return a call of `map` with a function that calls the method, where it is given one of a value."""
    method = node.args[0] if ast.unparse(node.func) == "map" else None
    if not isinstance(method, ast.Attribute) or ast.unparse(method.value) == "str":
        return node
    sources = node.args[1:]
    names = [f"each_{at}" for at, _ in enumerate(sources)]
    called = ast.Call(method, [ast.Name(name, ast.Load()) for name in names], [])
    taken = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    return ast.copy_location(ast.Call(node.func, [ast.Lambda(taken, called), *sources], []), node)


class Loops(Names):
    """Translates comprehensions."""

    def _of_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> str:
        return self._gather(node, lambda: self.value(node.elt))

    def _of_GeneratorExp(self, node: ast.GeneratorExp) -> str:
        if len(node.generators) > 1 or len(node.generators[0].ifs) > 1:
            raise self.refuse(node)
        return "$lazily" + self._of_ListComp(node).removeprefix("$each")

    def _gather(self, node: _Comprehension, inner: Callable[[], str]) -> str:
        """Return the array of all that a comprehension makes."""
        (first, *more) = node.generators
        if more or len(first.ifs) > 1:
            return self._loops(node, lambda: f"$made.push({inner()});", "const $made = [];", "return $made;")
        source = self.expression(first.iter)
        self.enter(local_names(node))
        target = self._pattern(first.target)
        test = f", ({target}) => {self.test(first.ifs[0])}" if first.ifs else ""
        made = inner()
        self._scopes.pop()
        body = f"({made})" if made.startswith("{") else made
        return f"$each({source}, ({target}) => {body}{test})"

    def _of_SetComp(self, node: ast.SetComp) -> str:
        return f"$set({self._of_ListComp(node)})"

    def _of_DictComp(self, node: ast.DictComp) -> str:
        return f"$dict({self._gather(node, lambda: f'[{self.expression(node.key)}, {self.value(node.value)}]')})"

    def _loops(self, node: _Comprehension, inner: Callable[[], str], begin: str, end: str) -> str:
        """Return loops in a function of their own, around what is done with each value."""
        first = self.expression(node.generators[0].iter)
        self.enter(local_names(node))
        lines = ""
        for at, part in enumerate(node.generators):
            source = "$first" if at == 0 else self.expression(part.iter)
            lines += f"for (const {self._pattern(part.target)} of {source}) {{ "
            lines += "".join(f"if ({self.test(condition)}) {{ " for condition in part.ifs)
        body, closing = inner(), " }" * sum(1 + len(part.ifs) for part in node.generators)
        self._scopes.pop()
        return f"(($first) => {{ {begin} {lines}{body}{closing} {end} }})({first})"

    def quick(self, node: ast.Call) -> str:
        """Return `any`, `all` or `next` of a generator as loops that end early; "" for any other call."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in ("any", "all", "next") or not node.args or not isinstance(node.args[0], ast.GeneratorExp):
            return ""
        made = node.args[0]
        if len(made.generators) == 1 and len(made.generators[0].ifs) <= 1:
            return self._quick_helper(name, node, made)
        if name == "next":
            default = self.value(node.args[1]) if len(node.args) > 1 else "$stop()"
            return self._loops(made, lambda: f"return {self.value(made.elt)};", "", f"return {default};")
        wanted = name == "any"
        sign = "" if wanted else "!"
        return self._loops(
            made,
            lambda: f"if ({sign}{self.test(made.elt)}) return {json.dumps(wanted)};",
            "",
            f"return {json.dumps(not wanted)};",
        )

    def _quick_helper(self, name: str, node: ast.Call, made: ast.GeneratorExp) -> str:
        part = made.generators[0]
        source = self.expression(part.iter)
        default = f", () => {self.value(node.args[1])}" if len(node.args) > 1 else ", $stop"
        self.enter(local_names(made))
        target = self._pattern(part.target)
        tests = [self.test(each) for each in part.ifs]
        if name == "next":
            shown = f"$first_of({source}, ({target}) => {self.value(made.elt)}"
            shown += f", ({target}) => {tests[0]}" if tests else ", null"
            self._scopes.pop()
            return f"{shown}{default})"
        last = self.test(made.elt)
        test = last if not tests else f"{tests[0]} && {last}" if name == "any" else f"!{tests[0]} || {last}"
        self._scopes.pop()
        return f"${'some' if name == 'any' else 'every'}({source}, ({target}) => {test})"

    def _pattern(self, target: ast.expr) -> str:
        if isinstance(target, ast.Name):
            return self.new_name(declared=False) if target.id == "_" else self.name(target.id)
        if isinstance(target, ast.Starred):
            return f"...{self._pattern(target.value)}"
        if isinstance(target, ast.Tuple | ast.List):
            return f"[{', '.join(map(self._pattern, target.elts))}]"
        raise self.refuse(target)
