"""Translate comprehensions, and the functions that read them up to the first decisive value."""

from __future__ import annotations

import ast
from ast import (
    Attribute,
    Call,
    DictComp,
    GeneratorExp,
    Lambda,
    List,
    ListComp,
    Load,
    Name,
    SetComp,
    Starred,
    Tuple,
)
from collections.abc import Callable

from ..scopes import local_names
from .names import Names, call

# Functions and methods that read all values of their argument at once.
_EAGER = frozenset(
    (
        "tuple",
        "list",
        "set",
        "frozenset",
        "dict",
        "sum",
        "sorted",
        "min",
        "max",
        "Counter",
        "join",
        "extend",
        "update",
    )
)
_Comprehension = ListComp | SetComp | DictComp | GeneratorExp


def read_eagerly(node: Call) -> Call:
    """Return a call with lists in place of generators if the function reads all values at once."""
    match node.func:
        case Name(id=name) | Attribute(attr=name) if name in _EAGER:
            arguments = []
            for argument in node.args:
                if isinstance(argument, GeneratorExp):
                    argument = ListComp(argument.elt, argument.generators)
                arguments.append(argument)
            return ast.copy_location(Call(node.func, arguments, node.keywords), node)
    return node


def wrap_method(node: Call) -> Call:
    """Return a call of `map` with a function around a method, which would lose its object."""
    match node:
        case Call(func=Name(id="map"), args=[Attribute() as method, *sources]):
            if ast.unparse(method.value) == "str":
                return node
        case _:
            return node
    names = [f"each_{index}" for index, _ in enumerate(sources)]
    values: list[ast.expr] = [Name(name, Load()) for name in names]
    parameters = [ast.arg(name) for name in names]
    function = Lambda(
        ast.arguments([], parameters, None, [], [], None, []), Call(method, values, [])
    )
    return ast.copy_location(Call(node.func, [function, *sources], []), node)


def _is_simple(node: _Comprehension) -> bool:
    """Return whether a comprehension has one loop and at most one condition."""
    return len(node.generators) == 1 and len(node.generators[0].ifs) <= 1


class Comprehensions(Names):
    """Translates comprehensions."""

    def _of_ListComp(self, node: ListComp | SetComp | GeneratorExp) -> str:
        return self._gather(node, lambda: self.value(node.elt))

    def _of_GeneratorExp(self, node: GeneratorExp) -> str:
        if not _is_simple(node):
            raise self.refuse(node)
        # Both helpers of the runtime take the same arguments.
        return "$lazily" + self._of_ListComp(node).removeprefix("$each")

    def _of_SetComp(self, node: SetComp) -> str:
        return call("$set", self._of_ListComp(node))

    def _of_DictComp(self, node: DictComp) -> str:
        def write_pair() -> str:
            key = self.expression(node.key)
            return f"[{key}, {self.value(node.value)}]"

        return call("$dict", self._gather(node, write_pair))

    def _gather(self, node: _Comprehension, write_item: Callable[[], str]) -> str:
        """Return the array of all values of a comprehension."""
        if not _is_simple(node):
            return self._loops(
                node,
                lambda: f"$made.push({write_item()});",
                begin="const $made = [];",
                end="return $made;",
            )
        part = node.generators[0]
        source = self.expression(part.iter)
        self.enter(local_names(node))
        target = self._pattern(part.target)
        tests = [f"({target}) => {self.test(test)}" for test in part.ifs]
        body = write_item()
        self._scopes.pop()
        # Without brackets, an object would be a block.
        if body.startswith("{"):
            body = f"({body})"
        return call("$each", source, f"({target}) => {body}", *tests)

    def _loops(
        self, node: _Comprehension, write_body: Callable[[], str], begin: str, end: str
    ) -> str:
        """Return loops in a function that is called at once.

        Args:
            node: The comprehension.
            write_body: Returns the statement for each value.
            begin: The statement before the loops.
            end: The statement after them.
        """
        first = self.expression(node.generators[0].iter)
        self.enter(local_names(node))
        code = ""
        depth = 0
        for part in node.generators:
            source = "$first" if not code else self.expression(part.iter)
            code += f"for (const {self._pattern(part.target)} of {source}) {{ "
            for test in part.ifs:
                code += f"if ({self.test(test)}) {{ "
            depth += 1 + len(part.ifs)
        # The value is translated inside the scope of the loops.
        code += write_body() + " }" * depth
        self._scopes.pop()
        return f"(($first) => {{ {begin} {code} {end} }})({first})"

    def short_circuit(self, node: Call) -> str:
        """Return `any`, `all` or `next` of a generator as a loop that ends early.

        Returns:
            The code; empty for other calls.
        """
        match node:
            case Call(
                func=Name(id="any" | "all" | "next" as name),
                args=[GeneratorExp() as generator, *defaults],
            ):
                pass
            case _:
                return ""
        if _is_simple(generator):
            return self._short_circuit_helper(name, generator, defaults)
        if name == "next":
            default = self.value(defaults[0]) if defaults else "$stop()"
            return self._loops(
                generator,
                lambda: f"return {self.value(generator.elt)};",
                begin="",
                end=f"return {default};",
            )
        # `any` ends at the first true value, and `all` at the first false one.
        sign, decisive, otherwise = ("", "true", "false")
        if name == "all":
            sign, decisive, otherwise = ("!", "false", "true")
        return self._loops(
            generator,
            lambda: f"if ({sign}{self.test(generator.elt)}) return {decisive};",
            begin="",
            end=f"return {otherwise};",
        )

    def _short_circuit_helper(
        self, name: str, generator: GeneratorExp, defaults: list[ast.expr]
    ) -> str:
        """Return a call of a helper of the runtime, for a generator with one loop."""
        part = generator.generators[0]
        source = self.expression(part.iter)
        default = f"() => {self.value(defaults[0])}" if defaults else "$stop"
        self.enter(local_names(generator))
        parameter = f"({self._pattern(part.target)})"
        tests = list(map(self.test, part.ifs))
        if name == "next":
            # The default is a function, because it is evaluated only if no value is found.
            value = f"{parameter} => {self.value(generator.elt)}"
            test = f"{parameter} => {tests[0]}" if tests else "null"
            code = call("$first_of", source, value, test, default)
        elif name == "any":
            condition = " && ".join([*tests, self.test(generator.elt)])
            code = call("$some", source, f"{parameter} => {condition}")
        else:
            tests = [f"!{test}" for test in tests]
            condition = " || ".join([*tests, self.test(generator.elt)])
            code = call("$every", source, f"{parameter} => {condition}")
        self._scopes.pop()
        return code

    def _pattern(self, target: ast.expr) -> str:
        """Return the target of a loop or of an assignment as a pattern of JavaScript."""
        match target:
            case Name(id="_"):
                # JavaScript allows no name twice in a pattern.
                return self.new_name(is_declared=False)
            case Name(id=name):
                return self.name(name)
            case Starred(value=inner):
                return f"...{self._pattern(inner)}"
            case Tuple(elts=parts) | List(elts=parts):
                return f"[{', '.join(map(self._pattern, parts))}]"
        raise self.refuse(target)
