"""Python to JavaScript, for the subset that the modules keep to which read replies.

Law: what is not understood is an error, with its place; nothing is left out silently. Values: texts, numbers, booleans
and functions are JavaScript's own; lists and tuples are arrays; dicts, sets and members of enums have classes in
`javascript/runtime.js`, which also has what stands behind each name that begins with `$`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .classes import write_class
from .expressions import Expressions
from .names import parameter_list, yields
from .scopes import bound_names, local_names, parameter_names

_ALIKE = {ast.Pass: "", ast.Break: "break;", ast.Continue: "continue;"}  # statements that say the same in both


class Translator(Expressions):
    """Translates the statements of a bundle, whose classes and functions it knows by name."""

    def module(self, statements: list[ast.stmt]) -> str:
        """Return the statements in JavaScript."""
        return "\n".join(filter(None, map(self._top, statements))) + "\n"

    def _top(self, node: ast.stmt) -> str:
        if isinstance(node, ast.FunctionDef):
            return self._do_FunctionDef(node)
        if isinstance(node, ast.ClassDef):
            return write_class(node, self)
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            raise self.refuse(node)
        if isinstance(node.value, ast.Subscript) and ast.unparse(node.value.value) in ("tuple", "dict", "Callable"):
            return ""  # an alias of a type
        self._added.append(set())
        value = self.expression(node.value)
        declared = "".join(f"let {name};\n" for name in sorted(self._added.pop()))
        return f"{declared}const {self._pattern(node.targets[0])} = {value};"

    def _do_FunctionDef(self, node: ast.FunctionDef) -> str:
        name = self.name(node.name)
        if any(ast.unparse(each).split("(")[0] in ("cache", "lru_cache") for each in node.decorator_list):
            return f"const {name} = $memo({self.function(node, 'function')});"
        return self.function(node, f"function{'*' if yields(node) else ''} {name}")

    def function(self, node: ast.FunctionDef | ast.Lambda, head: str, *, method: str = "", begin: str = "") -> str:
        """Return a function; `method` is how it calls what it belongs to."""
        if not self._scopes:
            self._temporary = 0
        keeps = method and any(isinstance(each, ast.FunctionDef) and each is not node for each in ast.walk(node))
        self.enter(local_names(node), this="" if keeps else method)
        self._lists.append(set(_begun_as_lists(node)))
        self._added.append(set())
        parameters = self.parameters(node, method=bool(method))
        own = set(parameter_names(node.args))
        body = f"return {self.expression(node.body)};" if isinstance(node, ast.Lambda) else self.block(node.body)
        added = self._added.pop()
        self._lists.pop()
        scope = self._scopes.pop()
        declared = sorted(({scope[name] for name in scope.keys() - own - _inner_functions(node)} | added) - {"this"})
        let = f"let {', '.join(declared)};\n" if declared else ""
        this = f"const {scope[method]} = this;\n" if method and scope[method] != "this" else ""
        return f"{head}({parameters}) {{\n{begin}{this}{let}{body}}}"

    def parameters(self, node: ast.FunctionDef | ast.Lambda, *, method: bool = False) -> str:
        """Return the parameters of a function: those that have a name, in their order."""
        shown = [
            self.name(name) if default is None else f"{self.name(name)} = {self.expression(default)}"
            for name, default in parameter_list(node, method=method)
        ]
        if node.args.vararg is not None and not node.args.kwonlyargs:
            shown.append(f"...{self.name(node.args.vararg.arg)}")
        return ", ".join(shown)

    def block(self, nodes: Iterable[ast.stmt]) -> str:
        """Return statements, a line each."""
        return "".join(f"{line}\n" for node in nodes if (line := self.statement(node)))

    def statement(self, node: ast.stmt) -> str:
        """Return one statement."""
        if type(node) in _ALIKE:
            return _ALIKE[type(node)]
        make = getattr(self, f"_do_{type(node).__name__}", None)
        if make is None:
            raise self.refuse(node)
        return str(make(node))

    def _do_Expr(self, node: ast.Expr) -> str:
        return f"{self.expression(node.value)};"

    def _do_Return(self, node: ast.Return) -> str:
        return f"return {self.expression(node.value) if node.value else 'null'};"

    def _do_Assign(self, node: ast.Assign) -> str:
        if pairs := list(_pairs(node)):
            return " ".join(self._assign(target, self.expression(value)) for target, value in pairs)
        value = self.expression(node.value)
        if len(node.targets) == 1:
            return self._assign(node.targets[0], value)
        kept = self.new_name()
        return f"{kept} = {value}; " + " ".join(self._assign(target, kept) for target in node.targets)

    def _do_AugAssign(self, node: ast.AugAssign) -> str:
        left, right = self.expression(node.target), self.expression(node.value)
        # A list grows in place; of a tuple, which is an array as well, there may be other holders.
        if isinstance(node.op, ast.Add) and (
            isinstance(node.value, ast.List | ast.ListComp) or self._is_list(node.target)
        ):
            return self._assign(node.target, f"$extend({left}, {right})")
        return self._assign(node.target, self._binary(node.op, left, right, node))

    def _is_list(self, target: ast.expr) -> bool:
        return isinstance(target, ast.Name) and bool(self._lists) and target.id in self._lists[-1]

    def _assign(self, target: ast.expr, value: str) -> str:
        if isinstance(target, ast.Name):
            return f"{self.name(target.id)} = {value};"
        if isinstance(target, ast.Attribute):
            return f"{self.expression(target.value)}.{target.attr} = {value};"
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
            return f"$put({self.expression(target.value)}, {self.expression(target.slice)}, {value});"
        if isinstance(target, ast.Tuple | ast.List):
            return self._unpack(target, value)
        raise self.refuse(target)

    def _unpack(self, target: ast.Tuple | ast.List, value: str) -> str:
        if _is_plain(target):
            return f"{self.expression(target)} = {value};"
        kept = self.new_name()
        star = next((at for at, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
        lines = [f"{kept} = $array({value});"]
        behind = len(target.elts)
        for at, part in enumerate(target.elts):
            if star is None or at < star:
                lines.append(self._assign(part, f"{kept}[{at}]"))
            elif isinstance(part, ast.Starred):
                lines.append(self._assign(part.value, f"{kept}.slice({at}, {kept}.length - {behind - 1 - at})"))
            else:
                lines.append(self._assign(part, f"{kept}[{kept}.length - {behind - at}]"))
        return " ".join(lines)

    def _do_Delete(self, node: ast.Delete) -> str:
        (target,) = node.targets
        if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Slice):
            raise self.refuse(node)
        return f"$drop({self.expression(target.value)}, {self.expression(target.slice)});"

    def _do_If(self, node: ast.If) -> str:
        otherwise = f" else {{\n{self.block(node.orelse)}}}" if node.orelse else ""
        return f"if ({self.test(node.test)}) {{\n{self.block(node.body)}}}{otherwise}"

    def _do_While(self, node: ast.While) -> str:
        if node.orelse:
            raise self.refuse(node)
        return f"while ({self.test(node.test)}) {{\n{self.block(node.body)}}}"

    def _do_For(self, node: ast.For) -> str:
        if node.orelse:
            raise self.refuse(node)
        if _is_plain(node.target):
            each, begin = self.expression(node.target), ""
        else:
            name = self.new_name(declared=False)
            each, begin = f"const {name}", self._assign(node.target, name) + "\n"
        return f"for ({each} of {self.expression(node.iter)}) {{\n{begin}{self.block(node.body)}}}"

    def _do_Raise(self, node: ast.Raise) -> str:
        return f"throw {self.expression(node.exc)};" if node.exc else "throw $error;"

    def _do_With(self, node: ast.With) -> str:
        if any("collector_paused" not in ast.unparse(item.context_expr) for item in node.items):
            raise self.refuse(node)
        return self.block(node.body)

    def _do_Try(self, node: ast.Try) -> str:
        if node.finalbody or node.orelse:
            raise self.refuse(node)
        handlers = ""
        for handler in node.handlers:
            kinds = self.kinds(handler.type) if handler.type else "$Exception"
            named = f"{self.name(handler.name)} = $error;\n" if handler.name else ""
            handlers += f"if ($isinstance($error, {kinds})) {{\n{named}{self.block(handler.body)}}} else "
        return f"try {{\n{self.block(node.body)}}} catch ($error) {{\n{handlers}throw $error;\n}}"

    def _do_Match(self, node: ast.Match) -> str:
        kept = self.new_name()
        lines = f"{kept} = {self.expression(node.subject)};\n"
        for case in node.cases:
            guard = f" && {self.test(case.guard)}" if case.guard else ""
            lines += f"if ({self._matches(case.pattern, kept)}{guard}) {{\n{self.block(case.body)}}} else "
        return f"{lines}{{}}"

    def _matches(self, pattern: ast.pattern, kept: str) -> str:
        if isinstance(pattern, ast.MatchValue):
            return f"$eq({kept}, {self.expression(pattern.value)})"
        if isinstance(pattern, ast.MatchOr):
            return "(" + " || ".join(self._matches(each, kept) for each in pattern.patterns) + ")"
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            return f"({self.name(pattern.name)} = {kept}, true)" if pattern.name else "true"
        if isinstance(pattern, ast.MatchClass) and not pattern.kwd_patterns:
            tests = [f"$isinstance({kept}, {self.kinds(pattern.cls)})"]
            for name, part in zip(self.classes.parameters(ast.unparse(pattern.cls)), pattern.patterns, strict=False):
                if ast.unparse(part) != "_":
                    tests.append(self._matches(part, f"{kept}.{name}"))
            return f"({' && '.join(tests)})"
        raise self.refuse(pattern)


def _begun_as_lists(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.List | ast.ListComp):
            for target in each.targets:
                yield from bound_names(target)


def _inner_functions(node: ast.AST) -> set[str]:
    return {each.name for each in ast.walk(node) if isinstance(each, ast.FunctionDef) and each is not node}


def _is_plain(target: ast.expr) -> bool:
    """Return whether only names are assigned to."""
    return all(map(_is_plain, target.elts)) if isinstance(target, ast.Tuple) else isinstance(target, ast.Name)


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of `a, b = x, y` with their values, if no value can depend on what is assigned before it."""
    [target, *others] = node.targets
    if others or not isinstance(target, ast.Tuple) or not isinstance(node.value, ast.Tuple):
        return
    names = {part.id if isinstance(part, ast.Name) else "." + getattr(part, "attr", "") for part in target.elts}
    is_known = "." not in names and len(target.elts) == len(node.value.elts)
    if is_known and all(_is_fixed(each, names) for each in node.value.elts):
        yield from zip(target.elts, node.value.elts, strict=True)


def _is_fixed(value: ast.expr, names: set[str]) -> bool:
    """Return whether a value is the same before and after something is assigned to these names."""
    if isinstance(value, ast.Attribute):
        return "." + value.attr not in names and _is_fixed(value.value, names)
    if isinstance(value, ast.List | ast.Dict):
        return not ast.unparse(value).strip("[]{}")
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id not in names)
