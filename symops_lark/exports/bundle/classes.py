"""How classes are translated: records, named tuples, enums, errors, and plain ones."""

from __future__ import annotations

import ast
import json

from .classes_known import bases_of, tuple_fields
from .names import Names, yields

_NOT_CARRIED = frozenset(("__slots__", "__hash__", "__eq__", "__repr__", "__reduce__"))


def write_class(node: ast.ClassDef, to: Names) -> str:
    """Return a class, and behind it what its instances share."""
    to.inside = node.name
    if node.name in to.classes.enums:
        return _enum(node, to)
    base = _base(node, to)
    members, shared = [], []
    fields = tuple_fields(node)
    if fields is not None:
        members.append(_constructor_of_tuple(node, fields, to))
        shared.append(f"FIELDS: {json.dumps(fields)}")
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            if member.name not in _NOT_CARRIED:
                members.append(_method(node, member, base, to))
        elif isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
            if member.targets[0].id not in _NOT_CARRIED:
                shared.append(f"{member.targets[0].id}: {to.expression(member.value)}")
        elif not isinstance(member, ast.Pass):
            raise to.refuse(member)
    extends = f" extends {base}" if base else ""
    name = to.name(node.name)
    text = f"class {name}{extends} {{\n" + "\n".join(members) + "\n}"
    return text + (f"\n$share({name}, {{{', '.join(shared)}}});" if shared else "")


def _base(node: ast.ClassDef, to: Names) -> str:
    if tuple_fields(node) is not None:
        return "$Tuple"
    known = {"Exception": "$Exception", "str": "$Text"}
    bases = [ast.unparse(base).split("[")[0] for base in node.bases]
    bases = [known.get(base) or to.name(base) for base in bases if base in to.classes.nodes or base in known]
    return bases[0] if bases else ""


def _method(node: ast.ClassDef, member: ast.FunctionDef, base: str, to: Names) -> str:
    decorators = {ast.unparse(each) for each in member.decorator_list}
    name = member.name
    first = member.args.args[0].arg
    if "classmethod" in decorators:
        to.class_parameter = first
        made = to.function(member, f"static {name}", method=first)
        to.class_parameter = ""
        return made
    if "property" in decorators:
        return to.function(member, f"get {name}", method=first)
    if "cached_property" in decorators:
        made = to.function(member, "function", method=first)
        return f"get {name}() {{ return $keep(this, {json.dumps(name)}, {made}); }}"
    if member.name == "__init__" and not _is_error(node, to):
        return to.function(member, "constructor", method=first, begin="super();\n" if base else "")
    if member.name == "__new__":
        return _text_constructor(member, to)
    star = "*" if yields(member) else ""
    written = to.function(member, f"{star}{name}", method=first)
    if name != "__iter__":
        return written
    return "[Symbol.iterator]() { return this.__iter__()[Symbol.iterator](); }\n" + written


def _text_constructor(member: ast.FunctionDef, to: Names) -> str:
    """A text with further fields: `self = super().__new__(cls, text)` is the text itself."""
    body = [
        each for each in member.body if not isinstance(each, ast.Return) and "super().__new__" not in ast.unparse(each)
    ]
    made = ast.FunctionDef("constructor", member.args, body, [])
    written = to.function(made, "constructor", method="self", begin="super(arguments[0]);\n")
    return written.replace("let self;\n", "").replace("let self, ", "let ")


def _is_error(node: ast.ClassDef, to: Names) -> bool:
    bases = bases_of(node)
    return "Exception" in bases or any(
        _is_error(to.classes.nodes[base], to) for base in bases if base in to.classes.nodes
    )


def _enum(node: ast.ClassDef, to: Names) -> str:
    members, methods, make = [], [], "null"
    for member in node.body:
        if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
            value = "null" if ast.unparse(member.value) == "auto()" else to.expression(member.value)
            members.append(f"[{json.dumps(member.targets[0].id)}, () => {value}]")
        elif isinstance(member, ast.FunctionDef) and member.name == "__new__":
            make = to.function(member, "function")
        elif isinstance(member, ast.FunctionDef):
            methods.append(_method(node, member, "$Member", to))
        elif not isinstance(member, ast.Pass):
            raise to.refuse(member)
    body = "\n".join(methods)
    name = to.name(node.name)
    return f"class {name} extends $Member {{\n{body}\n}}\n$enum({name}, [{', '.join(members)}], {make});"


def _constructor_of_tuple(node: ast.ClassDef, fields: list[str], to: Names) -> str:
    (base,) = (each for each in node.bases if isinstance(each, ast.Call))
    given = base.keywords[0].value
    assert isinstance(given, ast.List)
    plain = len(fields) - len(given.elts)
    defaults = (f"{name}={ast.unparse(value)}" for name, value in zip(fields[plain:], given.elts, strict=True))
    sets = "".join(f"    self.{name} = {name}\n" for name in fields)
    (made,) = ast.parse(f"def __init__(self, {', '.join([*fields[:plain], *defaults])}):\n{sets}").body
    assert isinstance(made, ast.FunctionDef)
    return to.function(made, "constructor", method="self", begin="super();\n")
