"""Expressions. Arguments given by name are put in their places when the code is made."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable

from .conditions import Conditions
from .loops import Loops, call_methods, read_whole
from .names import METHODS, ONLY_KIND, parameter_list

_PATTERN_METHODS = frozenset(
    ["match", "fullmatch", "search", "sub", "finditer", "findall", "group", "start", "span", "expand"]
)
_OPERATORS = {ast.Add: "$add", ast.Sub: "$sub", ast.Mult: "$mul", ast.BitOr: "$or", ast.BitAnd: "$and", ast.Mod: "$mod"}
_ORDERS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}

_BY_NAME = {  # what built-in functions take by name, behind their other arguments
    "sorted": ("key", "reverse"),
    "min": ("key", "default"),
    "max": ("key", "default"),
    "bisect_right": ("key",),
    "bisect_left": ("key",),
    "sort": ("key", "reverse"),
    "sub": ("count",),
    "enumerate": ("start",),
}
_PYTHONS_OWN = {name for kind in (str, list, tuple, dict, set, int, float) for name in dir(kind)} - METHODS
_IGNORED = {"strict"}  # lengths that differ are an error in Python alone
_LIBRARY = {
    "json.loads": "$json_loads",
    "unicodedata.normalize": "$normalize",
    "unicodedata.combining": "$combining",
    "unicodedata.east_asian_width": "$width",
    "str.maketrans": "$maketrans",
    "dict.fromkeys": "$fromkeys",
}


class Expressions(Loops):
    """Translates expressions."""

    def __init__(self, statements: list[ast.stmt], renamed: dict[str, str] | None = None) -> None:
        super().__init__(statements, renamed)
        self._conditions = Conditions(self.classes, self.functions)

    def expression(self, node: ast.expr) -> str:
        """Return one expression."""
        make = getattr(self, f"_of_{type(node).__name__}", None)
        if make is None:
            raise self.refuse(node)
        return str(make(node))

    def test(self, node: ast.expr) -> str:
        """Return an expression as a condition."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + sign.join(map(self.test, node.values)) + ")"
        made = self.expression(node)
        return made if self._is_condition(node) else f"$true({made})"

    def _is_condition(self, node: ast.expr) -> bool:
        return self._conditions.are_conditions([node], self.is_local)

    def _list(self, nodes: Iterable[ast.expr]) -> str:
        return ", ".join(self.item(node) for node in nodes)

    def item(self, node: ast.expr) -> str:
        if isinstance(node, ast.Starred):
            return f"...{self.expression(node.value)}"
        return self.value(node)

    def value(self, node: ast.expr) -> str:
        """Return an expression that is handed on: a class is something to call there."""
        if isinstance(node, ast.Name) and not self.is_local(node.id) and node.id in self.classes.made:
            return f"$maker({self.name(node.id)})"
        return self.expression(node)

    def _of_Constant(self, node: ast.Constant) -> str:
        if node.value is None or node.value is Ellipsis:
            return "null"
        if isinstance(node.value, bool | str):
            return json.dumps(node.value)
        if isinstance(node.value, int | float):
            return repr(node.value)
        raise self.refuse(node)

    def _of_Name(self, node: ast.Name) -> str:
        if self.is_local(node.id) or node.id in self._defined:
            return self.name(node.id)
        return f"${node.id}"  # of the runtime: what Python has of its own

    def _of_Attribute(self, node: ast.Attribute) -> str:
        if ast.unparse(node.value) == "str":
            return f"$strings.{node.attr}"
        if node.attr in ("__getitem__", "format"):
            raise self.refuse(node)  # the runtime has it by another name
        owner = self.expression(node.value)
        if self._may_be_method(node):
            return f"$bound({owner}, {json.dumps(node.attr)})"
        return f"{owner}.{node.attr}"

    def _may_be_method(self, node: ast.Attribute) -> bool:
        """Return whether an attribute that is not called may be a method: one that is a field as well is that."""
        if node.attr not in self.classes.methods and node.attr not in METHODS and node.attr not in _PATTERN_METHODS:
            return False
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self.classes.has_method(self.inside, node.attr)
        return node.attr not in self.classes.stored | self.classes.properties.keys()

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
            raise self.refuse(node)
        if isinstance(operator, ast.Add | ast.Sub) and (_is_number(left) or _is_number(right)):
            return f"({left} {'+' if isinstance(operator, ast.Add) else '-'} {right})"
        return f"{_OPERATORS[type(operator)]}({left}, {right})"

    def _of_UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        if isinstance(node.op, ast.USub):
            return f"(-{self.expression(node.operand)})"
        raise self.refuse(node)

    def _of_BoolOp(self, node: ast.BoolOp) -> str:
        made = self.value(node.values[-1])
        for value in reversed(node.values[:-1]):
            is_and = isinstance(node.op, ast.And)
            if self._is_condition(value):
                made = f"({self.value(value)} {'&&' if is_and else '||'} {made})"
                continue
            kept = self.new_name()
            first, other = (made, kept) if is_and else (kept, made)
            made = f"($true({kept} = {self.value(value)}) ? {first} : {other})"
        return made

    def _of_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.test(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})"

    def _of_NamedExpr(self, node: ast.NamedExpr) -> str:
        return f"({self.name(node.target.id)} = {self.expression(node.value)})"

    def _of_Compare(self, node: ast.Compare) -> str:
        parts, left = [], self.value(node.left)
        for at, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            last = at + 1 == len(node.ops)
            kept = "" if last else self.new_name()
            shown = self.value(right)
            parts.append(self._compare(left, operator, shown if last else f"({kept} = {shown})", node))
            left = kept
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

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
            if _is_reversal(node.slice):
                return f"$list($reversed({owner}))"
            if node.slice.step is not None:
                raise self.refuse(node)
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
            raise self.refuse(node)
        show = "$quoted" if node.conversion == ord("r") else "$str"
        return f"{show}({self.expression(node.value)})"

    def _of_YieldFrom(self, node: ast.YieldFrom) -> str:
        return f"yield* {self.expression(node.value)}"

    def _of_Yield(self, node: ast.Yield) -> str:
        return f"(yield {self.value(node.value) if node.value else 'null'})"

    def _of_Call(self, node: ast.Call) -> str:
        return self.quick(node) or self._call(call_methods(read_whole(node)))

    def _call(self, node: ast.Call) -> str:
        """Return a call."""
        function = node.func
        if isinstance(function, ast.Name) and not self.is_local(function.id):
            return self._call_name(function.id, node)
        if isinstance(function, ast.Name) and self.class_parameter == function.id:
            if node.keywords and node.keywords[0].arg is None:
                return f"$make({self.name(function.id)}, {self.expression(node.keywords[0].value)})"
            return f"new {self.name(function.id)}({self._arguments(node)})"
        if isinstance(function, ast.Attribute):
            return self._call_method(function, node)
        if isinstance(function, ast.Call) and ast.unparse(function.func) == "type":
            return f"$make({self._list(function.args)}.constructor, {self.expression(node.keywords[0].value)})"
        return f"{self.expression(function)}({self._arguments(node)})"

    def _arguments(self, node: ast.Call) -> str:
        if node.keywords:
            raise self.refuse(node)
        return self._list(node.args)

    def _call_name(self, name: str, node: ast.Call) -> str:
        if name == "isinstance":
            return f"$isinstance({self.expression(node.args[0])}, {self.kinds(node.args[1])})"
        if name == "replace":
            return f"$replace({self._list(node.args)}, {self._named(node.keywords)})"
        if name in self.classes.enums:
            return f"$member({self.name(name)}, {self._arguments(node)})"
        if name in self.classes.made:
            return f"new {self.name(name)}({self._place(node, self.classes.parameters(name))})"
        if name in self.functions:
            return f"{self.name(name)}({self._place_function(node, self.functions[name], method=False)})"
        return f"{self.expression(node.func)}({self._by_name(name, node)})"

    def _by_name(self, name: str, node: ast.Call) -> str:
        given = [key for key in node.keywords if key.arg not in _IGNORED]
        if any(key.arg not in _BY_NAME.get(name, ()) for key in given):
            raise self.refuse(node)
        named = [f"new $Named({self._named(given)})"] if given else []
        return ", ".join([*map(self.item, node.args), *named])

    def _named(self, keywords: list[ast.keyword]) -> str:
        return "{" + ", ".join(f"{key.arg}: {self.value(key.value)}" for key in keywords) + "}"

    def _place(self, node: ast.Call, parameters: list[str]) -> str:
        """Return arguments in the places of their parameters; those that are left out in between are undefined."""
        if not node.keywords:
            return self._list(node.args)
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise self.refuse(node)
        given = {str(key.arg): self.value(key.value) for key in node.keywords}
        if set(given) - set(parameters):
            raise self.refuse(node)
        rest = parameters[len(node.args) :]
        last = max((at for at, name in enumerate(rest) if name in given), default=-1)
        placed = [given.get(name, "undefined") for name in rest[: last + 1]]
        return ", ".join([*map(self.item, node.args), *placed])

    def _place_function(self, node: ast.Call, function: ast.FunctionDef, *, method: bool) -> str:
        arguments = function.args
        if arguments.vararg is None or not arguments.kwonlyargs:
            return self._place(node, [name for name, _ in parameter_list(function, method=method)])
        before = len(arguments.args) - method
        rest = f"[{self._list(node.args[before:])}]"
        named = {str(key.arg): self.value(key.value) for key in node.keywords}
        values = [named.get(each.arg, "undefined") for each in arguments.kwonlyargs]
        return ", ".join([*map(self.item, node.args[:before]), rest, *values])

    def _call_method(self, function: ast.Attribute, node: ast.Call) -> str:
        name = function.attr
        shown = ast.unparse(function)
        if ast.unparse(function.value) == "super()":
            return f"super.{name}({self._arguments(node)})"
        if shown == "str.__new__":
            return f"$new_text({self._list(node.args)})"
        if shown in _LIBRARY:
            return f"{_LIBRARY[shown]}({self._arguments(node)})"
        owner = self.expression(function.value)
        if name == "_replace" and node.keywords and not node.args:
            return f"$replace({owner}, {self._named(node.keywords)})"
        if name == "format":
            names: list[ast.expr | None] = [ast.Constant(key.arg) if key.arg else None for key in node.keywords]
            return f"$format({owner}, {self._of_Dict(ast.Dict(names, [key.value for key in node.keywords]))})"
        methods = self.classes.methods.get(name, [])
        if name in METHODS:
            if node.keywords and methods:
                raise self.refuse(node)
            return self._call_known(owner, node, "" if methods else ONLY_KIND.get(name, ""))
        if (
            methods
            and not node.keywords
            and not any(method.args.kwonlyargs and method.args.vararg for method in methods)
        ):
            return f"{owner}.{name}({self._list(node.args)})"
        if methods:
            places = {self._place_function(node, method, method=True) for method in methods if _takes(method, node)}
            if len(places) != 1:
                raise self.refuse(node)
            return f"{owner}.{name}({places.pop()})"
        if name in _PYTHONS_OWN:
            raise self.refuse(node)  # the runtime lacks it, and would fail where it is run
        return f"{owner}.{name}({self._by_name(name, node)})"

    def _call_known(self, owner: str, node: ast.Call, kind: str) -> str:
        """Return a call of a method of the runtime; of which kind its owner is, if that is certain, or ""."""
        assert isinstance(node.func, ast.Attribute)
        name = node.func.attr
        arguments = self._by_name(name, node)
        given = [arguments] if arguments else []
        if not kind:
            return f"$call({', '.join([owner, json.dumps(name), *given])})"
        if kind == "text":
            return f"$strings.{name}({', '.join([f'$plain({owner})', *given])})"
        return f"${kind}s.{name}({', '.join([owner, *given])})"

    def kinds(self, node: ast.expr) -> str:
        """Return classes that something may be an instance of."""
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(map(self.kinds, node.elts))}]"
        if isinstance(node, ast.BinOp):
            return f"[{self.kinds(node.left)}, {self.kinds(node.right)}]"
        return self.expression(node)


def _takes(method: ast.FunctionDef, node: ast.Call) -> bool:
    names = {each.arg for each in (*method.args.args, *method.args.kwonlyargs)}
    return all(key.arg in names for key in node.keywords)


def _is_number(code: str) -> bool:
    """Return whether a piece of code is certainly a number: then what it is compared with is one."""
    return code.strip("()-").replace(".", "").isdigit() or (
        code.startswith("$len(") and code.find(")") == len(code) - 1
    )


def _is_reversal(node: ast.Slice) -> bool:
    return node.lower is None and node.upper is None and node.step is not None and ast.unparse(node.step) == "-1"
