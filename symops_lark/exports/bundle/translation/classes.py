"""Translate classes: records, named tuples, enums, errors, and plain classes."""

from __future__ import annotations

import ast
import json
from ast import Assign, Call, ClassDef, FunctionDef, List, Name, Pass, Return

from .known_classes import bases_of, tuple_fields
from .names import Names, call, yields

# Members that the runtime defines for all classes.
_LEFT_OUT = frozenset(("__slots__", "__hash__", "__eq__", "__repr__", "__reduce__"))
_RUNTIME_BASES = {"Exception": "$Exception", "str": "$Text"}


def write_class(node: ClassDef, translator: Names) -> str:
    """Return a class in JavaScript, and after it the values that its objects share."""
    translator.inside = node.name
    if node.name in translator.classes.enums:
        return _write_enum(node, translator)
    base = _find_base(node, translator)
    members = []
    shared = []
    fields = tuple_fields(node)
    if fields is not None:
        # A constructor of JavaScript takes the place of the call of `namedtuple`.
        members.append(_write_tuple_constructor(node, fields, translator))
        shared.append(f"FIELDS: {json.dumps(fields)}")
    for member in node.body:
        match member:
            case FunctionDef(name=name) | Assign(targets=[Name(id=name)]):
                if name in _LEFT_OUT:
                    continue
                if isinstance(member, FunctionDef):
                    members.append(_write_method(node, member, base, translator))
                else:
                    shared.append(f"{name}: {translator.expression(member.value)}")
            case Pass():
                pass
            case _:
                raise translator.refuse(member)
    name = translator.name(node.name)
    head = f"{name} extends {base}" if base else name
    code = _write_body(head, members)
    # Values are set on the prototype: fields of a class would be set for each object.
    if shared:
        values = call("$share", name, f"{{{', '.join(shared)}}}")
        code += f"\n{values};"
    return code


def _write_body(head: str, members: list[str]) -> str:
    body = "\n".join(members)
    return f"class {head} {{\n{body}\n}}"


def _find_base(node: ClassDef, translator: Names) -> str:
    """Return the first base that JavaScript needs; empty: none."""
    if tuple_fields(node) is not None:
        return "$Tuple"
    for base in node.bases:
        name = ast.unparse(base).split("[")[0]
        if name in _RUNTIME_BASES:
            return _RUNTIME_BASES[name]
        if name in translator.classes.nodes:
            return translator.name(name)
    return ""


def _write_method(node: ClassDef, member: FunctionDef, base: str, translator: Names) -> str:
    """Return a method in JavaScript.

    Args:
        node: The class.
        member: The method.
        base: The name of the base in JavaScript; empty: none.
        translator: Translates the body.
    """
    name = member.name
    this = member.args.args[0].arg
    for decorator in map(ast.unparse, member.decorator_list):
        # A class method calls its class by the name of its first parameter.
        if decorator == "classmethod":
            translator.class_parameter = this
            code = translator.function(member, f"static {name}", method=this)
            translator.class_parameter = ""
            return code
        if decorator == "property":
            return translator.function(member, f"get {name}", method=this)
        if decorator == "cached_property":
            function = translator.function(member, "function", method=this)
            keep = call("$keep", "this", json.dumps(name), function)
            return f"get {name}() {{ return {keep}; }}"
    if name == "__init__" and not _is_error(node, translator):
        # JavaScript has no `this` before the call of `super`.
        begin = "super();\n" if base else ""
        return translator.function(member, "constructor", method=this, begin=begin)
    if name == "__new__":
        return _write_text_constructor(member, translator)
    star = "*" if yields(member) else ""
    code = translator.function(member, f"{star}{name}", method=this)
    if name == "__iter__":
        # `for` of JavaScript calls this method.
        iterator = "[Symbol.iterator]() { return this.__iter__()[Symbol.iterator](); }"
        code = f"{iterator}\n{code}"
    return code


def _write_text_constructor(member: FunctionDef, translator: Names) -> str:
    """Return the constructor of a subclass of `str` with more fields.

    `self = super().__new__(cls, text)` becomes a call of `super`.
    """
    body = []
    for statement in member.body:
        is_return = isinstance(statement, Return)
        if not is_return and "super().__new__" not in ast.unparse(statement):
            body.append(statement)
    function = FunctionDef("constructor", member.args, body, [])
    begin = "super(arguments[0]);\n"
    code = translator.function(function, "constructor", method="self", begin=begin)
    # `self` is `this`, so it is not a variable.
    return code.replace("let self;\n", "").replace("let self, ", "let ")


def _is_error(node: ClassDef, translator: Names) -> bool:
    """Return whether a class is an exception."""
    nodes = translator.classes.nodes
    for base in bases_of(node):
        if base == "Exception" or (base in nodes and _is_error(nodes[base], translator)):
            return True
    return False


def _write_enum(node: ClassDef, translator: Names) -> str:
    members = []
    methods = []
    make = "null"
    for member in node.body:
        match member:
            case Assign(targets=[Name(id=name)], value=value):
                # The values of `auto` are never read.
                code = "null"
                if ast.unparse(value) != "auto()":
                    code = translator.expression(value)
                members.append(f"[{json.dumps(name)}, () => {code}]")
            case FunctionDef(name="__new__"):
                # It makes members with more fields than a value.
                make = translator.function(member, "function")
            case FunctionDef():
                methods.append(_write_method(node, member, "$Member", translator))
            case Pass():
                pass
            case _:
                raise translator.refuse(member)
    name = translator.name(node.name)
    code = _write_body(f"{name} extends $Member", methods)
    values = call("$enum", name, f"[{', '.join(members)}]", make)
    return f"{code}\n{values};"


def _write_tuple_constructor(node: ClassDef, fields: list[str], translator: Names) -> str:
    """Return the constructor of a named tuple, whose base is a call of `namedtuple`."""
    [base] = [base for base in node.bases if isinstance(base, Call)]
    defaults = base.keywords[0].value
    assert isinstance(defaults, List)
    count = len(fields) - len(defaults.elts)
    parameters = ["self", *fields[:count]]
    for name, value in zip(fields[count:], defaults.elts, strict=True):
        parameters.append(f"{name}={ast.unparse(value)}")
    lines = [f"def __init__({', '.join(parameters)}):"]
    lines += [f"    self.{name} = {name}" for name in fields]
    [function] = ast.parse("\n".join(lines)).body
    assert isinstance(function, FunctionDef)
    return translator.function(function, "constructor", method="self", begin="super();\n")
