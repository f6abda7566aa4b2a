"""Translate statements.

Code outside of the subset raises an error with the code; nothing is left out without one. Texts,
numbers, booleans and functions become those of JavaScript, and lists and tuples become arrays.
Dictionaries, sets and members of enums have classes in `javascript/runtime.js`, which also defines
the names that begin with a dollar sign.
"""

from __future__ import annotations

import ast
from ast import (
    AST,
    Add,
    Assign,
    Attribute,
    AugAssign,
    Break,
    ClassDef,
    Constant,
    Continue,
    Delete,
    Dict,
    ExceptHandler,
    Expr,
    For,
    FunctionDef,
    If,
    Lambda,
    List,
    ListComp,
    Match,
    MatchAs,
    MatchClass,
    MatchOr,
    MatchValue,
    Name,
    Pass,
    Raise,
    Return,
    Slice,
    Starred,
    Subscript,
    Try,
    Tuple,
    While,
    With,
)
from collections.abc import Iterable, Iterator

from ..scopes import bound_names, local_names, parameter_names
from .classes import write_class
from .expressions import Expressions
from .names import call, parameter_list, yields

_ALIASED_TYPES = ("tuple", "dict", "Callable")
_CACHES = ("cache", "lru_cache")


class Translator(Expressions):
    """Translates the statements of a bundle."""

    def module(self, statements: list[ast.stmt]) -> str:
        """Return the statements of a module in JavaScript."""
        return "\n".join(filter(None, map(self._definition, statements))) + "\n"

    def _definition(self, node: ast.stmt) -> str:
        match node:
            case FunctionDef():
                return self._do_FunctionDef(node)
            case ClassDef():
                return write_class(node, self)
            # An alias of a type, such as `Name = tuple[str, str]`.
            case Assign(value=Subscript(value=Name(id=name))) if name in _ALIASED_TYPES:
                return ""
            case Assign(targets=[target], value=value):
                self._added.append(set())
                code = self.expression(value)
                lines = [f"let {name};" for name in sorted(self._added.pop())]
                lines.append(f"const {self._pattern(target)} = {code};")
                return "\n".join(lines)
        raise self.refuse(node)

    def _do_FunctionDef(self, node: FunctionDef) -> str:
        name = self.name(node.name)
        for decorator in node.decorator_list:
            if ast.unparse(decorator).split("(")[0] in _CACHES:
                # The runtime keeps the results for all arguments.
                function = call("$memo", self.function(node, "function"))
                return f"const {name} = {function};"
        star = "*" if yields(node) else ""
        return self.function(node, f"function{star} {name}")

    def function(
        self, node: FunctionDef | Lambda, head: str, *, method: str = "", begin: str = ""
    ) -> str:
        if not self._scopes:
            self._temporary = 0
        inner = _inner_functions(node)
        # Inner functions have another `this`, so they need a name for the object.
        self.enter(local_names(node), this="" if inner else method)
        self._lists.append(set(_begun_as_lists(node)))
        self._added.append(set())
        parameters = self._parameters(node, is_method=bool(method))
        if isinstance(node, Lambda):
            body = f"return {self.expression(node.body)};"
        else:
            body = self._block(node.body)
        declared = self._added.pop()
        self._lists.pop()
        scope = self._scopes.pop()
        # Python does not declare variables, so all are declared at the beginning.
        for name in scope.keys() - set(parameter_names(node.args)) - inner:
            declared.add(scope[name])
        declared.discard("this")
        if declared:
            body = f"let {', '.join(sorted(declared))};\n{body}"
        if method and scope[method] != "this":
            body = f"const {scope[method]} = this;\n{body}"
        return f"{head}({parameters}) {{\n{begin}{body}}}"

    def _parameters(self, node: FunctionDef | Lambda, *, is_method: bool) -> str:
        """Return the parameters of a function that have a name, in order."""
        parameters = []
        for name, default in parameter_list(node, is_method=is_method):
            parameter = self.name(name)
            if default is not None:
                parameter += f" = {self.expression(default)}"
            parameters.append(parameter)
        further = node.args.vararg
        if further is not None and not node.args.kwonlyargs:
            parameters.append(f"...{self.name(further.arg)}")
        return ", ".join(parameters)

    def _block(self, nodes: Iterable[ast.stmt]) -> str:
        """Return statements, each on one line."""
        lines = filter(None, map(self._statement, nodes))
        return "".join(f"{line}\n" for line in lines)

    def _statement(self, node: ast.stmt) -> str:
        make = getattr(self, f"_do_{type(node).__name__}", None)
        if make is None:
            raise self.refuse(node)
        return str(make(node))

    def _do_Pass(self, node: Pass) -> str:
        return ""

    def _do_Break(self, node: Break) -> str:
        return "break;"

    def _do_Continue(self, node: Continue) -> str:
        return "continue;"

    def _do_Expr(self, node: Expr) -> str:
        return f"{self.expression(node.value)};"

    def _do_Return(self, node: Return) -> str:
        value = "null" if node.value is None else self.expression(node.value)
        return f"return {value};"

    def _do_Assign(self, node: Assign) -> str:
        # Without a tuple, the code is shorter and faster.
        pairs = list(_pairs(node))
        if pairs:
            return " ".join(self._assign(part, self.expression(value)) for part, value in pairs)
        value = self.expression(node.value)
        if len(node.targets) == 1:
            return self._assign(node.targets[0], value)
        name = self.new_name()
        code = " ".join(self._assign(target, name) for target in node.targets)
        return f"{name} = {value}; {code}"

    def _do_AugAssign(self, node: AugAssign) -> str:
        left = self.expression(node.target)
        right = self.expression(node.value)
        # A list grows in place. A tuple, which is an array too, may be shared.
        is_list = isinstance(node.value, List | ListComp) or self._is_list(node.target)
        if is_list and isinstance(node.op, Add):
            return self._assign(node.target, call("$extend", left, right))
        return self._assign(node.target, self._binary(node.op, left, right, node))

    def _is_list(self, target: ast.expr) -> bool:
        match target:
            case Name(id=name) if self._lists:
                return name in self._lists[-1]
        return False

    def _assign(self, target: ast.expr, value: str) -> str:
        match target:
            case Name(id=name):
                return f"{self.name(name)} = {value};"
            case Attribute(value=owner, attr=name):
                return f"{self.expression(owner)}.{name} = {value};"
            case Subscript(slice=Slice()):
                pass
            case Subscript(value=owner, slice=key):
                code = call("$put", self.expression(owner), self.expression(key), value)
                return f"{code};"
            case Tuple() | List():
                return self._unpack(target, value)
        raise self.refuse(target)

    def _unpack(self, target: Tuple | List, value: str) -> str:
        if _is_plain(target):
            return f"{self.expression(target)} = {value};"
        name = self.new_name()
        lines = [f"{name} = $array({value});"]
        has_star = False
        count = len(target.elts)
        for index, part in enumerate(target.elts):
            after = count - index
            if isinstance(part, Starred):
                has_star = True
                values = f"{name}.slice({index}, {name}.length - {after - 1})"
                lines.append(self._assign(part.value, values))
            # Items after the star are counted from the end.
            elif has_star:
                lines.append(self._assign(part, f"{name}[{name}.length - {after}]"))
            else:
                lines.append(self._assign(part, f"{name}[{index}]"))
        return " ".join(lines)

    def _do_Delete(self, node: Delete) -> str:
        match node.targets:
            case [Subscript(slice=Slice())]:
                pass
            case [Subscript(value=owner, slice=key)]:
                code = call("$drop", self.expression(owner), self.expression(key))
                return f"{code};"
        raise self.refuse(node)

    def _do_If(self, node: If) -> str:
        otherwise = f" else {{\n{self._block(node.orelse)}}}" if node.orelse else ""
        test = self.test(node.test)
        return f"if ({test}) {{\n{self._block(node.body)}}}{otherwise}"

    def _do_While(self, node: While) -> str:
        if node.orelse:
            raise self.refuse(node)
        test = self.test(node.test)
        return f"while ({test}) {{\n{self._block(node.body)}}}"

    def _do_For(self, node: For) -> str:
        if node.orelse:
            raise self.refuse(node)
        begin = ""
        if _is_plain(node.target):
            item = self.expression(node.target)
        else:
            name = self.new_name(is_declared=False)
            item = f"const {name}"
            begin = f"{self._assign(node.target, name)}\n"
        source = self.expression(node.iter)
        return f"for ({item} of {source}) {{\n{begin}{self._block(node.body)}}}"

    def _do_Raise(self, node: Raise) -> str:
        error = self.expression(node.exc) if node.exc else "$error"
        return f"throw {error};"

    def _do_With(self, node: With) -> str:
        for item in node.items:
            # This context saves time only in Python.
            if "collector_paused" not in ast.unparse(item):
                raise self.refuse(node)
        return self._block(node.body)

    def _do_Try(self, node: Try) -> str:
        if node.finalbody or node.orelse:
            raise self.refuse(node)
        # JavaScript has one handler, which tests the class of the error.
        handlers = "".join(map(self._handler, node.handlers))
        body = self._block(node.body)
        return f"try {{\n{body}}} catch ($error) {{\n{handlers}throw $error;\n}}"

    def _handler(self, handler: ExceptHandler) -> str:
        kinds = self.kinds(handler.type) if handler.type else "$Exception"
        begin = f"{self.name(handler.name)} = $error;\n" if handler.name else ""
        test = call("$isinstance", "$error", kinds)
        return f"if ({test}) {{\n{begin}{self._block(handler.body)}}} else "

    def _do_Match(self, node: Match) -> str:
        # `switch` of JavaScript has no patterns.
        name = self.new_name()
        code = f"{name} = {self.expression(node.subject)};\n"
        for case in node.cases:
            guard = f" && {self.test(case.guard)}" if case.guard else ""
            test = self._matches(case.pattern, name) + guard
            code += f"if ({test}) {{\n{self._block(case.body)}}} else "
        return f"{code}{{}}"

    def _matches(self, pattern: ast.pattern, subject: str) -> str:
        """Return the condition that a pattern matches a variable."""
        match pattern:
            case MatchValue(value=value):
                return call("$eq", subject, self.expression(value))
            case MatchOr(patterns=patterns):
                tests = [self._matches(choice, subject) for choice in patterns]
                return f"({' || '.join(tests)})"
            case MatchAs(pattern=None, name=None):
                return "true"
            case MatchAs(pattern=None, name=str(name)):
                return f"({self.name(name)} = {subject}, true)"
            case MatchClass(kwd_patterns=[], cls=kind, patterns=patterns):
                tests = [call("$isinstance", subject, self.kinds(kind))]
                fields = self.classes.parameters(ast.unparse(kind))
                for field, part in zip(fields, patterns, strict=False):
                    if ast.unparse(part) != "_":
                        tests.append(self._matches(part, f"{subject}.{field}"))
                return f"({' && '.join(tests)})"
        raise self.refuse(pattern)


def _begun_as_lists(node: AST) -> Iterator[str]:
    """Yield the variables that get a list."""
    for part in ast.walk(node):
        match part:
            case Assign(targets=targets, value=List() | ListComp()):
                for target in targets:
                    yield from bound_names(target)


def _inner_functions(node: AST) -> set[str]:
    functions = [part for part in ast.walk(node) if isinstance(part, FunctionDef)]
    return {function.name for function in functions if function is not node}


def _is_plain(target: ast.expr) -> bool:
    """Return whether a target has only names, also in nested tuples."""
    if isinstance(target, Tuple):
        return all(map(_is_plain, target.elts))
    return isinstance(target, Name)


def _pairs(node: Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of `a, b = x, y` with their values.

    There are none if a value may depend on a target before it: then a tuple is needed.
    """
    match node:
        case Assign(targets=[Tuple(elts=targets)], value=Tuple(elts=values)):
            pass
        case _:
            return
    names = set()
    for target in targets:
        match target:
            case Name(id=name):
                names.add(name)
            case Attribute(attr=name):
                names.add(f".{name}")
            case _:
                return
    is_independent = all(_is_fixed(value, names) for value in values)
    if is_independent and len(targets) == len(values):
        yield from zip(targets, values, strict=True)


def _is_fixed(value: ast.expr, names: set[str]) -> bool:
    """Return whether an assignment to some names leaves a value unchanged.

    Args:
        value: The value.
        names: The names. Those of attributes begin with a dot.
    """
    match value:
        case Attribute(attr=name, value=owner):
            return f".{name}" not in names and _is_fixed(owner, names)
        case Name(id=name):
            return name not in names
        case Constant() | List(elts=[]) | Dict(keys=[]):
            return True
    return False
