"""Python to JavaScript, for the subset that the modules keep to which read replies.

Law: what is not understood is an error, with its place; nothing is left out silently. Values: texts, numbers, booleans
and functions are JavaScript's own; lists and tuples are arrays; dicts, sets and members of enums have classes in
`javascript/runtime.js`, which also has what stands behind each name that begins with `$`.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from ...errors import SymOpsError
from .classes import Classes
from .scopes import bound_names, local_names, parameter_names

RESERVED = frozenset(
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends "
    "false finally for function if implements import in instanceof interface let new null package private protected "
    "public return static super switch this throw true try typeof var void while with yield Map Set Array String "
    "Error Object Symbol Number Math JSON RegExp undefined".split()
)
_BUILTINS = frozenset(
    "abs all any bool chr dict enumerate filter float frozenset getattr hasattr hash int isinstance iter len list map "
    "max min next ord range repr reversed round set slice sorted str sum tuple type zip bisect_left bisect_right "
    "Counter pairwise takewhile escape Exception ValueError KeyError RecursionError UnicodeEncodeError object "
    "rounded whole quoted grouped short draw_finding compile_pattern compile_linear LinearSet is_encodable deque".split()
)
# Methods of texts, lists, dicts, sets and matches: found by what the value is when it is called.
_METHODS = frozenset(
    "append extend pop index count clear insert remove sort get keys values items update setdefault add discard find "
    "rfind split rsplit strip lstrip rstrip startswith endswith join replace partition rpartition lower upper "
    "removesuffix removeprefix isalnum isdigit isalpha isspace isascii islower isupper translate encode format rindex "
    "isdisjoint intersection issuperset union casefold splitlines popleft".split()
)
_PATTERN_METHODS = frozenset("match fullmatch search sub finditer findall group start span expand".split())
_OPERATORS = {
    ast.Add: "$add",
    ast.Sub: "$sub",
    ast.Mult: "$mul",
    ast.BitOr: "$or",
    ast.BitAnd: "$and",
    ast.Mod: "$mod",
}
_BOOLEAN = ("$isinstance(", "$some(", "$every(", "$any(", "$all(", "$hasattr(", "$bool(")  # they give true or false
_ORDERS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Untranslated(SymOpsError):
    """A piece of Python is not in the subset; the message shows it."""


def name_of(name: str) -> str:
    """Return a name as JavaScript takes it."""
    return f"{name}_" if name in RESERVED else name


class Translator:
    """Translates the statements of a bundle, whose classes and functions it knows by name."""

    def __init__(self, statements: list[ast.stmt], renamed: dict[str, str] | None = None) -> None:
        """`renamed` are functions that have another name outside."""
        self._renamed = renamed or {}
        self.classes = Classes(statements)
        self.functions = {node.name: node for node in statements if isinstance(node, ast.FunctionDef)}
        self._scopes: list[dict[str, str]] = []  # local names of the functions around the place, and their short forms
        self._temporary = 0
        self._added: list[set[str]] = []  # temporaries of the functions around the place
        self._lists: list[set[str]] = []  # names that begin as lists in the functions around the place
        self.inside = ""  # the class around the place
        self.class_parameter = ""  # what a method of the class calls it

    def module(self, statements: list[ast.stmt]) -> str:
        """Return the statements in JavaScript."""
        return "\n".join(filter(None, map(self._top, statements))) + "\n"

    def _top(self, node: ast.stmt) -> str:
        if isinstance(node, ast.FunctionDef):
            return self._function(node)
        if isinstance(node, ast.ClassDef):
            return self.classes.write(node, self)
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            raise self._refuse(node)
        if isinstance(node.value, ast.Subscript) and ast.unparse(node.value.value) in ("tuple", "dict", "Callable"):
            return ""  # an alias of a type
        self._added.append(set())
        value = self.expression(node.value)
        declared = "".join(f"let {name};\n" for name in sorted(self._added.pop()))
        target = node.targets[0]
        if isinstance(target, ast.Name):
            return f"{declared}const {self.name(target.id)} = {value};"
        return f"{declared}const {self._pattern(target)} = {value};"

    def _refuse(self, node: ast.AST) -> Untranslated:
        return Untranslated(f"no part of the subset: {ast.unparse(node)[:200]}")

    # ---- functions

    def _function(self, node: ast.FunctionDef) -> str:
        memory = any(ast.unparse(each).split("(")[0] in ("cache", "lru_cache") for each in node.decorator_list)
        name = self.name(node.name)
        if memory:
            return f"const {name} = $memo({self.function(node, 'function')});"
        return self.function(node, f"function{'*' if _yields(node) else ''} {name}")

    def function(self, node: ast.FunctionDef | ast.Lambda, head: str, *, method: str = "", begin: str = "") -> str:
        """Return a function; `method` is how it calls what it belongs to."""
        if not self._scopes:
            self._temporary = 0
        keeps = method and any(isinstance(each, ast.FunctionDef) and each is not node for each in ast.walk(node))
        self._enter(local_names(node), this="" if keeps else method)
        self._lists.append(set(_begun_as_lists(node)))
        self._added.append(set())
        parameters = self.parameters(node, method=bool(method))
        if isinstance(node, ast.Lambda):
            body = f"return {self.expression(node.body)};"
            own = set(parameter_names(node.args))
        else:
            body = self.block(node.body)
            own = set(parameter_names(node.args))
        added = self._added.pop()
        self._lists.pop()
        scope = self._scopes.pop()
        declared = sorted(({scope[name] for name in scope.keys() - own - _inner_functions(node)} | added) - {"this"})
        let = f"let {', '.join(declared)};\n" if declared else ""
        this = f"const {scope[method]} = this;\n" if method and scope[method] != "this" else ""
        return f"{head}({parameters}) {{\n{begin}{this}{let}{body}}}"

    def _enter(self, names: set[str], *, this: str = "") -> None:
        """Begin a scope: its names get short forms that no scope around has."""
        taken = sum(map(len, self._scopes))
        scope = {name: _short(taken + at) for at, name in enumerate(sorted(names))}
        if this:
            scope[this] = "this"
        self._scopes.append(scope)

    def name(self, name: str) -> str:
        """Return a name as it is written at the place."""
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), self._outer(name))

    def _outer(self, name: str) -> str:
        return self._renamed.get(name) or name_of(name)

    def parameters(self, node: ast.FunctionDef | ast.Lambda, *, method: bool = False) -> str:
        """Return the parameters of a function: those that have a name, in their order."""
        shown = []
        for name, default in parameter_list(node, method=method):
            shown.append(self.name(name) if default is None else f"{self.name(name)} = {self.expression(default)}")
        arguments = node.args
        if arguments.vararg is not None and not arguments.kwonlyargs:
            shown.append(f"...{self.name(arguments.vararg.arg)}")
        return ", ".join(shown)

    # ---- statements

    def block(self, nodes: Iterable[ast.stmt]) -> str:
        """Return statements, a line each."""
        return "".join(f"{line}\n" for node in nodes if (line := self.statement(node)))

    def statement(self, node: ast.stmt) -> str:
        """Return one statement."""
        make = getattr(self, f"_do_{type(node).__name__}", None)
        if make is None:
            raise self._refuse(node)
        return str(make(node))

    def _do_Pass(self, node: ast.Pass) -> str:
        return ""

    def _do_Break(self, node: ast.Break) -> str:
        return "break;"

    def _do_Continue(self, node: ast.Continue) -> str:
        return "continue;"

    def _do_FunctionDef(self, node: ast.FunctionDef) -> str:
        return self._function(node)

    def _do_Expr(self, node: ast.Expr) -> str:
        return f"{self.expression(node.value)};"

    def _do_Return(self, node: ast.Return) -> str:
        return f"return {self.expression(node.value) if node.value else 'null'};"

    def _do_Assign(self, node: ast.Assign) -> str:
        value = self.expression(node.value)
        if len(node.targets) == 1:
            return self._assign(node.targets[0], value)
        kept = self._new_name()
        return f"{kept} = {value}; " + " ".join(self._assign(target, kept) for target in node.targets)

    def _do_AugAssign(self, node: ast.AugAssign) -> str:
        left, right = self.expression(_loaded(node.target)), self.expression(node.value)
        # A list grows in place; of a tuple, which is an array as well, there may be other holders.
        if isinstance(node.op, ast.Add) and (isinstance(node.value, ast.List | ast.ListComp) or self._is_list(node.target)):
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
        raise self._refuse(target)

    def _unpack(self, target: ast.Tuple | ast.List, value: str) -> str:
        kept = self._new_name()
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
            raise self._refuse(node)
        return f"$drop({self.expression(target.value)}, {self.expression(target.slice)});"

    def _do_If(self, node: ast.If) -> str:
        otherwise = f" else {{\n{self.block(node.orelse)}}}" if node.orelse else ""
        return f"if ({self.test(node.test)}) {{\n{self.block(node.body)}}}{otherwise}"

    def _do_While(self, node: ast.While) -> str:
        return f"while ({self.test(node.test)}) {{\n{self.block(node.body)}}}"

    def _do_For(self, node: ast.For) -> str:
        each = self._new_name(declared=False)
        begin = self._assign(node.target, each)
        return f"for (const {each} of {self.expression(node.iter)}) {{\n{begin}\n{self.block(node.body)}}}"

    def _do_Raise(self, node: ast.Raise) -> str:
        return f"throw {self.expression(node.exc)};" if node.exc else "throw $error;"

    def _do_With(self, node: ast.With) -> str:
        if any("collector_paused" not in ast.unparse(item.context_expr) for item in node.items):
            raise self._refuse(node)
        return self.block(node.body)

    def _do_Try(self, node: ast.Try) -> str:
        if node.finalbody or node.orelse:
            raise self._refuse(node)
        handlers = ""
        for handler in node.handlers:
            kinds = self._kinds(handler.type) if handler.type else "$Exception"
            named = f"{self.name(handler.name)} = $error;\n" if handler.name else ""
            handlers += f"if ($isinstance($error, {kinds})) {{\n{named}{self.block(handler.body)}}} else "
        return f"try {{\n{self.block(node.body)}}} catch ($error) {{\n{handlers}throw $error;\n}}"

    def _do_Match(self, node: ast.Match) -> str:
        kept = self._new_name()
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
            tests = [f"$isinstance({kept}, {self._kinds(pattern.cls)})"]
            for name, part in zip(self.classes.parameters(ast.unparse(pattern.cls)), pattern.patterns, strict=False):
                if ast.unparse(part) != "_":
                    tests.append(self._matches(part, f"{kept}.{name}"))
            return f"({' && '.join(tests)})"
        raise self._refuse(pattern)

    # ---- expressions

    def expression(self, node: ast.expr) -> str:
        """Return one expression."""
        make = getattr(self, f"_of_{type(node).__name__}", None)
        if make is None:
            raise self._refuse(node)
        return str(make(node))

    def test(self, node: ast.expr) -> str:
        """Return an expression as a condition."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + sign.join(map(self.test, node.values)) + ")"
        if isinstance(node, ast.Compare):
            return self.expression(node)
        made = self.expression(node)
        return made if made.startswith(_BOOLEAN) else f"$true({made})"

    def _list(self, nodes: Iterable[ast.expr]) -> str:
        return ", ".join(self._item(node) for node in nodes)

    def _item(self, node: ast.expr) -> str:
        if isinstance(node, ast.Starred):
            return f"...{self.expression(node.value)}"
        return self.value(node)

    def value(self, node: ast.expr) -> str:
        """Return an expression that is handed on: a class is something to call there."""
        if isinstance(node, ast.Name) and not self._is_local(node.id) and node.id in self.classes.made:
            return f"$maker({self.name(node.id)})"
        if isinstance(node, ast.Attribute) and self._may_be_method(node, handed_on=True):
            return f"$bound({self.expression(node.value)}, {json.dumps(node.attr)})"
        return self.expression(node)

    def _of_Constant(self, node: ast.Constant) -> str:
        if node.value is None or node.value is Ellipsis:
            return "null"
        if isinstance(node.value, bool | str):
            return json.dumps(node.value)
        if isinstance(node.value, int | float):
            return repr(node.value)
        raise self._refuse(node)

    def _of_Name(self, node: ast.Name) -> str:
        if not self._is_local(node.id) and node.id in _BUILTINS and node.id not in self.functions:
            return f"${node.id}"
        return self.name(node.id)

    def _of_Attribute(self, node: ast.Attribute) -> str:
        if ast.unparse(node.value) == "str":
            return f"$strings.{node.attr}"
        owner = self.expression(node.value)
        if self._may_be_method(node):
            return f"$bound({owner}, {json.dumps(node.attr)})"
        return f"{owner}.{node.attr}"

    def _may_be_method(self, node: ast.Attribute, *, handed_on: bool = False) -> bool:
        """Return whether an attribute that is not called may be a method.

        What has the name of a field as well is taken for one, unless it is handed on.
        """
        if ast.unparse(node.value) == "str":
            return False
        if node.attr not in self.classes.methods and node.attr not in _METHODS and node.attr not in _PATTERN_METHODS:
            return False
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self.classes.has_method(self.inside, node.attr)
        return handed_on or node.attr not in self.classes.fields

    def _of_Tuple(self, node: ast.Tuple | ast.List) -> str:
        return f"[{self._list(node.elts)}]"

    _of_List = _of_Tuple

    def _of_Set(self, node: ast.Set) -> str:
        return f"$set([{self._list(node.elts)}])"

    def _of_Dict(self, node: ast.Dict) -> str:
        rows = [
            f"...$items({self.expression(value)})" if key is None else f"[{self.expression(key)}, {self.value(value)}]"
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return f"$dict([{', '.join(rows)}])"

    def _of_BinOp(self, node: ast.BinOp) -> str:
        return self._binary(node.op, self.expression(node.left), self.expression(node.right), node)

    def _binary(self, operator: ast.operator, left: str, right: str, node: ast.AST) -> str:
        if isinstance(operator, ast.FloorDiv):
            return f"Math.floor({left} / {right})"
        if isinstance(operator, ast.Div | ast.Pow):
            return f"({left} {'/' if isinstance(operator, ast.Div) else '**'} {right})"
        if isinstance(operator, ast.LShift):
            return f"({left} * 2 ** {right})"
        if type(operator) not in _OPERATORS:
            raise self._refuse(node)
        if isinstance(operator, ast.Add | ast.Sub) and (_is_number(left) or _is_number(right)):
            return f"({left} {'+' if isinstance(operator, ast.Add) else '-'} {right})"
        return f"{_OPERATORS[type(operator)]}({left}, {right})"

    def _of_UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        if isinstance(node.op, ast.USub):
            return f"(-{self.expression(node.operand)})"
        raise self._refuse(node)

    def _of_BoolOp(self, node: ast.BoolOp) -> str:
        made = self.value(node.values[-1])
        for value in reversed(node.values[:-1]):
            kept = self._new_name()
            first, other = (made, kept) if isinstance(node.op, ast.And) else (kept, made)
            made = f"($true({kept} = {self.value(value)}) ? {first} : {other})"
        return made

    def _of_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.test(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})"

    def _of_NamedExpr(self, node: ast.NamedExpr) -> str:
        return f"({self.name(node.target.id)} = {self.expression(node.value)})"

    def _of_Compare(self, node: ast.Compare) -> str:
        parts, left = [], self._operand(node.left)
        for at, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            last = at + 1 == len(node.ops)
            kept = "" if last else self._new_name()
            shown = self._operand(right)
            parts.append(self._compare(left, operator, shown if last else f"({kept} = {shown})", node))
            left = kept
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _operand(self, node: ast.expr) -> str:
        return self.value(node)

    def _compare(self, left: str, operator: ast.cmpop, right: str, node: ast.Compare) -> str:
        if isinstance(operator, ast.Is | ast.IsNot):
            same = "==" if isinstance(operator, ast.Is) else "!="
            return f"({left} {same if 'null' in (left, right) else same + '='} {right})"
        if isinstance(operator, ast.Eq | ast.NotEq):
            return f"{'' if isinstance(operator, ast.Eq) else '!'}$eq({left}, {right})"
        if isinstance(operator, ast.In | ast.NotIn):
            return f"{'' if isinstance(operator, ast.In) else '!'}$in({left}, {right})"
        if _is_number(left) or _is_number(right):
            return f"({left} {_ORDERS[type(operator)]} {right})"
        return f"($order({left}, {right}) {_ORDERS[type(operator)]} 0)"

    def _of_Subscript(self, node: ast.Subscript) -> str:
        owner = self.expression(node.value)
        if isinstance(node.slice, ast.Slice):
            if node.slice.step is not None and ast.unparse(node.slice) == "::-1":
                return f"$reversed({owner})"
            if node.slice.step is not None:
                raise self._refuse(node)
            ends = (self.expression(end) if end else "null" for end in (node.slice.lower, node.slice.upper))
            return f"$slice({owner}, {', '.join(ends)})"
        return f"$get({owner}, {self.expression(node.slice)})"

    def _of_Lambda(self, node: ast.Lambda) -> str:
        return f"({self.function(node, '').replace(') {', ') => {', 1)})"

    def _of_JoinedStr(self, node: ast.JoinedStr) -> str:
        parts = [
            json.dumps(part.value) if isinstance(part, ast.Constant) else self.expression(part) for part in node.values
        ]
        return "(" + " + ".join(['""', *parts]) + ")"

    def _of_FormattedValue(self, node: ast.FormattedValue) -> str:
        if node.format_spec is not None:
            raise self._refuse(node)
        show = "$quoted" if node.conversion == ord("r") else "$str"
        return f"{show}({self.expression(node.value)})"

    def _of_Yield(self, node: ast.Yield) -> str:
        return f"(yield {self.value(node.value) if node.value else 'null'})"

    # ---- comprehensions

    def _of_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> str:
        return self._gather(node, lambda: self.value(node.elt))

    _of_GeneratorExp = _of_ListComp  # what reads it reads all of it; `any`, `all` and `next` are told apart

    def _gather(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, inner: Callable[[], str]) -> str:
        """Return the array of all that a comprehension makes."""
        (first, *more) = node.generators
        source = self.expression(first.iter)
        if more or len(first.ifs) > 1:
            begin, end = "const $made = [];", "return $made;"
            return self._loops(node, source, lambda: f"$made.push({inner()});", begin, end)
        self._enter(local_names(node))
        target = self._pattern(first.target)
        target = target if target[0] not in "[" else f"{target}"
        test = f", ({target}) => {self.test(first.ifs[0])}" if first.ifs else ""
        made = inner()
        self._scopes.pop()
        body = f"({made})" if made.startswith("{") else made
        return f"$each({source}, ({target}) => {body}{test})"

    def _of_SetComp(self, node: ast.SetComp) -> str:
        return f"$set({self._of_ListComp(node)})"  # type: ignore[arg-type]

    def _of_DictComp(self, node: ast.DictComp) -> str:
        return f"$dict({self._gather(node, lambda: f'[{self.expression(node.key)}, {self.value(node.value)}]')})"

    def _collect(self, node: ast.GeneratorExp, inner: Callable[[], str], begin: str, end: str) -> str:
        return self._loops(node, self.expression(node.generators[0].iter), inner, begin, end)

    def _loops(
        self,
        node: ast.ListComp | ast.GeneratorExp | ast.DictComp,
        first: str,
        inner: Callable[[], str],
        begin: str,
        end: str,
    ) -> str:
        """Return loops in a function of their own, around what is done with each value."""
        self._enter(local_names(node))
        lines, closing = "", ""
        for at, part in enumerate(node.generators):
            source = "$first" if at == 0 else self.expression(part.iter)
            lines += f"for (const {self._pattern(part.target)} of {source}) {{ "
            closing += " }"
            for condition in part.ifs:
                lines += f"if ({self.test(condition)}) {{ "
                closing += " }"
        body = inner()
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
            return self._collect(made, lambda: f"return {self.value(made.elt)};", "", f"return {default};")
        wanted = name == "any"
        sign = "" if wanted else "!"
        return self._collect(
            made,
            lambda: f"if ({sign}{self.test(made.elt)}) return {json.dumps(wanted)};",
            "",
            f"return {json.dumps(not wanted)};",
        )

    def _quick_helper(self, name: str, node: ast.Call, made: ast.GeneratorExp) -> str:
        part = made.generators[0]
        source = self.expression(part.iter)
        default = f", () => {self.value(node.args[1])}" if len(node.args) > 1 else ", $stop"
        self._enter(local_names(made))
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
            if target.id == "_":
                return self._new_name(declared=False)
            return self.name(target.id)
        if isinstance(target, ast.Starred):
            return f"...{self._pattern(target.value)}"
        if isinstance(target, ast.Tuple | ast.List):
            return f"[{', '.join(map(self._pattern, target.elts))}]"
        raise self._refuse(target)

    def _of_Call(self, node: ast.Call) -> str:
        from .calls import translate_call

        return self.quick(node) or translate_call(node, self)

    # ---- names

    def _is_local(self, name: str) -> bool:
        return any(name in scope for scope in self._scopes)

    is_local = _is_local
    item = _item
    refuse = _refuse

    def is_builtin_method(self, name: str) -> bool:
        """Return whether texts, lists, dicts or sets have a method of this name."""
        return name in _METHODS

    def yields(self, node: ast.FunctionDef) -> bool:
        """Return whether a function is a generator."""
        return _yields(node)

    def _kinds(self, node: ast.expr) -> str:
        """Return classes that something may be an instance of."""
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(map(self._kinds, node.elts))}]"
        if isinstance(node, ast.BinOp):
            return f"[{self._kinds(node.left)}, {self._kinds(node.right)}]"
        return self.expression(node)

    kinds = _kinds

    def _new_name(self, *, declared: bool = True) -> str:
        self._temporary += 1
        name = f"${self._temporary}"
        if declared:
            self._added[-1].add(name)
        return name


_PRIVATE = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*")(?P<joined>\+)?|(?<![\w$])(?P<name>_(?!_)\w+)')


def shorten(text: str) -> str:
    """Return translated code whose private names are short: no name outside of it begins with an underscore.

    Texts that are such a name are the name of a method or a field, unless they are a part of a longer text.
    """
    counts = Counter(found["name"] for found in _PRIVATE.finditer(text) if found["name"])
    order = sorted(counts, key=lambda name: (-counts[name], name))
    short = {name: f"_{_short(at)}" for at, name in enumerate(order)}

    def replaced(found: re.Match[str]) -> str:
        if found["name"]:
            return short[found["name"]]
        name = found["text"][1:-1]
        part = found["joined"] or text[found.start() - 1] == "+"
        return f'"{short[name]}"' if name in short and not part else found[0]

    return _PRIVATE.sub(replaced, text)


def shorter_names(statements: list[ast.stmt], kept: Iterable[str]) -> dict[str, str]:
    """Return a short name for each name that statements define, but for those that are kept."""
    names = [
        name
        for node in statements
        for name in ([node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else _targets(node))
        if name not in kept
    ]
    return {name: _short(at).upper() for at, name in enumerate(names)}


def _targets(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from bound_names(target)


_SPACES = re.compile(r'("(?:[^"\\]|\\.)*")|[ \n]*([{}()\[\],;=?:<>&|!+*/])[ \n]*')


def squeeze(text: str) -> str:
    """Return translated code without the blanks that it does not need; what stands in quotes is kept."""
    return _SPACES.sub(lambda found: found[1] or found[2], text)


def _short(number: int) -> str:
    """Return the n-th of the short names."""
    letters, turn = "abcdefghijklmnopqrstuvwxyz", number // 26
    return letters[number % 26] + (str(turn) if turn else "")


def parameter_list(
    node: ast.FunctionDef | ast.Lambda, *, method: bool = False
) -> list[tuple[str, ast.expr | None]]:
    """Return the parameters that have a name and a default, without that of a method for its object.

    One that takes all further arguments has a place of its own, before those that are given by name.
    """
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    rows: list[tuple[str, ast.expr | None]] = [(a.arg, d) for a, d in zip(plain, defaults, strict=True)][method:]
    if arguments.vararg is not None and arguments.kwonlyargs:
        rows.append((arguments.vararg.arg, None))
    rows += [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return rows


def _is_number(code: str) -> bool:
    """Return whether a piece of code is certainly a number: then what it is compared with is one."""
    return code.strip("()-").replace(".", "").isdigit() or (code.startswith("$len(") and code.find(")") == len(code) - 1)


def _loaded(target: ast.expr) -> ast.expr:
    return ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target


def _begun_as_lists(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.List | ast.ListComp):
            for target in each.targets:
                yield from bound_names(target)


def _inner_functions(node: ast.AST) -> set[str]:
    return {each.name for each in ast.walk(node) if isinstance(each, ast.FunctionDef) and each is not node}


def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Yield) for part in node.body for each in _own(part))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that belong to a function itself."""
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _own(child)

