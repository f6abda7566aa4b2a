"""Translate expressions, except calls and comprehensions."""

from __future__ import annotations

import ast
import json
from ast import (
    AST,
    Add,
    And,
    Attribute,
    BinOp,
    BitAnd,
    BitOr,
    BoolOp,
    Compare,
    Constant,
    Dict,
    Div,
    Eq,
    FloorDiv,
    FormattedValue,
    Gt,
    GtE,
    IfExp,
    In,
    Is,
    IsNot,
    JoinedStr,
    Lambda,
    List,
    LShift,
    Lt,
    LtE,
    Mod,
    Mult,
    Name,
    NamedExpr,
    Not,
    NotEq,
    NotIn,
    Pow,
    Set,
    Slice,
    Sub,
    Subscript,
    Tuple,
    UnaryOp,
    USub,
    Yield,
    YieldFrom,
)

from .calls import Calls
from .conditions import Conditions
from .names import METHODS, call

# Methods of patterns and matches, and those of the runtime.
_METHOD_NAMES = METHODS.union(
    ["match", "fullmatch", "search", "sub", "finditer", "findall", "group", "start", "span"],
    ["expand"],
)
# Functions of the runtime, and signs for numbers.
_OPERATORS: dict[type[ast.operator], str] = {
    Add: "$add",
    Sub: "$sub",
    Mult: "$mul",
    BitOr: "$or",
    BitAnd: "$and",
    Mod: "$mod",
}
_SIGNS: dict[type[ast.operator], str] = {Add: "+", Sub: "-", Div: "/", Pow: "**"}
_ORDERS: dict[type[ast.cmpop], str] = {Lt: "<", LtE: "<=", Gt: ">", GtE: ">="}


class Expressions(Calls):
    """Translates expressions."""

    def __init__(self, statements: list[ast.stmt], renamed: dict[str, str] | None = None) -> None:
        super().__init__(statements, renamed)
        self._conditions = Conditions(self.classes, self.functions)

    def expression(self, node: ast.expr) -> str:
        make = getattr(self, f"_of_{type(node).__name__}", None)
        if make is None:
            raise self.refuse(node)
        return str(make(node))

    def test(self, node: ast.expr) -> str:
        match node:
            case UnaryOp(op=Not(), operand=inner):
                return f"!{self.test(inner)}"
            case BoolOp(op=operator, values=values):
                sign = " && " if isinstance(operator, And) else " || "
                return f"({sign.join(map(self.test, values))})"
        # The runtime decides as Python does: an empty list is false.
        code = self.expression(node)
        return code if self._is_condition(node) else call("$true", code)

    def _is_condition(self, node: ast.expr) -> bool:
        return self._conditions.are_conditions([node], self.is_local)

    def value(self, node: ast.expr) -> str:
        match node:
            case Name(id=name) if name in self.classes.made and not self.is_local(name):
                return call("$maker", self.name(name))
        return self.expression(node)

    def _of_Constant(self, node: Constant) -> str:
        value = node.value
        if value is None or value is Ellipsis:
            return "null"
        if isinstance(value, bool | str):
            return json.dumps(value)
        if isinstance(value, int | float):
            return repr(value)
        raise self.refuse(node)

    def _of_Name(self, node: Name) -> str:
        if self.is_local(node.id) or node.id in self._defined:
            return self.name(node.id)
        # A built-in function: the runtime defines it with a dollar sign.
        return f"${node.id}"

    def _of_Attribute(self, node: Attribute) -> str:
        name = node.attr
        if ast.unparse(node.value) == "str":
            return f"$strings.{name}"
        # The runtime has these with other names.
        if name in ("__getitem__", "format"):
            raise self.refuse(node)
        owner = self.expression(node.value)
        if self._may_be_method(node):
            return call("$bound", owner, json.dumps(name))
        return f"{owner}.{name}"

    def _may_be_method(self, node: Attribute) -> bool:
        """Return whether an attribute that is not called may be a method.

        If a class has a field of this name, it is that field.
        """
        name = node.attr
        if name not in self.classes.methods and name not in _METHOD_NAMES:
            return False
        match node.value:
            case Name(id="self"):
                return self.classes.has_method(self.inside, name)
        return name not in self.classes.stored and name not in self.classes.properties

    def _of_Tuple(self, node: Tuple | List) -> str:
        return f"[{self.items(node.elts)}]"

    _of_List = _of_Tuple

    def _of_Set(self, node: Set) -> str:
        return call("$set", f"[{self.items(node.elts)}]")

    def _of_Dict(self, node: Dict) -> str:
        rows = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                rows.append("..." + call("$items", self.expression(value)))
            else:
                name = self.expression(key)
                rows.append(f"[{name}, {self.value(value)}]")
        return call("$dict", f"[{', '.join(rows)}]")

    def _of_BinOp(self, node: BinOp) -> str:
        left = self.expression(node.left)
        right = self.expression(node.right)
        return self._binary(node.op, left, right, node)

    def _binary(self, operator: ast.operator, left: str, right: str, node: AST) -> str:
        """Return the code of an operator.

        Args:
            operator: The operator.
            left: The code of its left operand.
            right: The code of its right operand.
            node: The node for the error.
        """
        kind = type(operator)
        if kind is FloorDiv:
            return call("Math.floor", f"{left} / {right}")
        # The operators of JavaScript for bits have 32 bits.
        if kind is LShift:
            return f"({left} * 2 ** {right})"
        # The runtime chooses by the values, which may be numbers, texts, lists or sets.
        is_number = _is_number(left) or _is_number(right)
        if kind in _SIGNS and (is_number or kind not in _OPERATORS):
            return f"({left} {_SIGNS[kind]} {right})"
        if kind not in _OPERATORS:
            raise self.refuse(node)
        return call(_OPERATORS[kind], left, right)

    def _of_UnaryOp(self, node: UnaryOp) -> str:
        match node.op:
            case Not():
                return f"!{self.test(node.operand)}"
            case USub():
                return f"(-{self.expression(node.operand)})"
        raise self.refuse(node)

    def _of_BoolOp(self, node: BoolOp) -> str:
        is_and = isinstance(node.op, And)
        code = self.value(node.values[-1])
        for value in reversed(node.values[:-1]):
            if self._is_condition(value):
                sign = "&&" if is_and else "||"
                code = f"({self.value(value)} {sign} {code})"
                continue
            # The first value is the result if it decides, so it is kept.
            name = self.new_name()
            test = call("$true", f"{name} = {self.value(value)}")
            choices = f"{code} : {name}" if is_and else f"{name} : {code}"
            code = f"({test} ? {choices})"
        return code

    def _of_IfExp(self, node: IfExp) -> str:
        test = self.test(node.test)
        value = self.value(node.body)
        return f"({test} ? {value} : {self.value(node.orelse)})"

    def _of_NamedExpr(self, node: NamedExpr) -> str:
        return f"({self.name(node.target.id)} = {self.expression(node.value)})"

    def _of_Compare(self, node: Compare) -> str:
        *operators, last = node.ops
        *middle, end = node.comparators
        tests = []
        left = self.value(node.left)
        # In `a < b < c`, b is evaluated once.
        for operator, operand in zip(operators, middle, strict=True):
            name = self.new_name()
            right = f"({name} = {self.value(operand)})"
            tests.append(self._compare(left, operator, right))
            left = name
        code = self._compare(left, last, self.value(end))
        return f"({' && '.join([*tests, code])})" if tests else code

    def _compare(self, left: str, operator: ast.cmpop, right: str) -> str:
        # Missing values of JavaScript are undefined, which `==` takes for null.
        is_null = "null" in (left, right)
        match operator:
            case Is():
                return f"({left} {'==' if is_null else '==='} {right})"
            case IsNot():
                return f"({left} {'!=' if is_null else '!=='} {right})"
            case Eq():
                return call("$eq", left, right)
            case NotEq():
                return call("!$eq", left, right)
            case In():
                return call("$in", left, right)
            case NotIn():
                return call("!$in", left, right)
        sign = _ORDERS[type(operator)]
        if _is_number(left) or _is_number(right):
            return f"({left} {sign} {right})"
        return f"({call('$order', left, right)} {sign} 0)"

    def _of_Subscript(self, node: Subscript) -> str:
        owner = self.expression(node.value)
        match node.slice:
            case Slice(lower=start, upper=end, step=None):
                ends = [self.expression(limit) if limit else "null" for limit in (start, end)]
                return call("$slice", owner, *ends)
            case Slice():
                if ast.unparse(node.slice) != "::-1":
                    raise self.refuse(node)
                return call("$list", call("$reversed", owner))
        return call("$get", owner, self.expression(node.slice))

    def _of_Lambda(self, node: Lambda) -> str:
        # An arrow function keeps the `this` around it.
        return f"({self.function(node, '').replace(') {', ') => {', 1)})"

    def _of_JoinedStr(self, node: JoinedStr) -> str:
        # The empty text makes all of it a text.
        parts = ['""', *map(self.expression, node.values)]
        return f"({' + '.join(parts)})"

    def _of_FormattedValue(self, node: FormattedValue) -> str:
        if node.format_spec is not None:
            raise self.refuse(node)
        # `!r` quotes texts as Python does.
        function = "$quoted" if node.conversion == ord("r") else "$str"
        return call(function, self.expression(node.value))

    def _of_YieldFrom(self, node: YieldFrom) -> str:
        return f"yield* {self.expression(node.value)}"

    def _of_Yield(self, node: Yield) -> str:
        return f"(yield {self.value(node.value) if node.value else 'null'})"


def _is_number(code: str) -> bool:
    """Return whether code is a number or a length; then the other operand is a number too."""
    if code.startswith("$len("):
        return code.find(")") == len(code) - 1
    return code.strip("()-").replace(".", "").isdigit()
