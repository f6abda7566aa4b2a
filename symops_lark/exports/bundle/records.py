"""Dataclasses written out as plain classes, which start fast and which every language has."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A field of a dataclass: its default as code, whether it takes part in comparisons, what it is in JSON."""

    name: str
    default: ast.expr | None
    factory: ast.expr | None
    compare: bool
    json: str
    pairs: bool


def _read_fields(node: ast.ClassDef) -> list[FieldOf]:
    """Return the fields of a dataclass or a named tuple, in order."""
    return [_read_field(each) for each in node.body if isinstance(each, ast.AnnAssign)]


def _read_field(node: ast.AnnAssign) -> FieldOf:
    assert isinstance(node.target, ast.Name)
    name, default, factory, compare, json = node.target.id, node.value, None, True, node.target.id
    if isinstance(default, ast.Call) and ast.unparse(default.func) == "field":
        given = {str(keyword.arg): keyword.value for keyword in default.keywords}
        default, factory = given.get("default"), given.get("default_factory")
        compare = ast.unparse(given["compare"]) != "False" if "compare" in given else True
        if "metadata" in given:
            json = ast.literal_eval(given["metadata"]).get("json", name)
    pairs = ast.unparse(node.annotation).startswith("tuple[tuple[str,")
    return FieldOf(name, default, factory, compare, json, pairs)


def is_dataclass(node: ast.ClassDef) -> ast.expr | None:
    """Return the decorator that makes a class a dataclass; None if it is none."""
    return next((each for each in node.decorator_list if ast.unparse(each).startswith("dataclass")), None)


def expand(node: ast.ClassDef, record: str) -> ast.ClassDef:
    """Return a dataclass as a class on the base `record`, which compares, hashes and shows by the fields."""
    if [ast.unparse(base) for base in node.bases] == ["NamedTuple"]:
        _expand_tuple(node)
    decorator = is_dataclass(node)
    if decorator is None:
        return node
    options = ast.unparse(decorator)
    fields = _read_fields(node)
    body = [each for each in node.body if not isinstance(each, ast.AnnAssign | ast.Pass)]
    cached = any(isinstance(each, ast.FunctionDef) and _is_cached(each) for each in body)
    slots = "" if cached else f"__slots__ = {tuple(field.name for field in fields)!r}\n"
    compared = tuple(field.name for field in fields if field.compare)
    rows = tuple((field.name, field.json, field.pairs) for field in fields)
    table = f"JSON = {rows!r}\n" if any(name != json or pairs for name, json, pairs in rows) else ""
    names = tuple(field.name for field in fields)
    own = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    is_record = "eq=False" not in options and "__eq__" not in own
    shown = "" if is_record and compared == names else f"COMPARED = {compared!r}\n"
    made = ast.parse(f"{slots}FIELDS = {names!r}\n{shown}{table}" + _init(fields)).body
    if is_record:
        node.bases.append(ast.Name(record, ast.Load()))
    if "order=True" in options:
        made += ast.parse("def __lt__(self, other):\n    return self.key() < other.key()\n").body
    node.decorator_list.remove(decorator)
    node.body = [*made, *body]
    return node


def _expand_tuple(node: ast.ClassDef) -> None:
    """Make a named tuple by the function that needs no annotations."""
    fields = _read_fields(node)
    defaults = ", ".join(ast.unparse(field.default) for field in fields if field.default is not None)
    names = tuple(field.name for field in fields)
    made = ast.parse(f"namedtuple({node.name!r}, {names!r}, defaults=[{defaults}])", mode="eval").body
    node.bases = [made]
    body = [each for each in node.body if not isinstance(each, ast.AnnAssign | ast.Pass)]
    node.body = [*ast.parse("__slots__ = ()").body, *body]


def _is_cached(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(each) == "cached_property" for each in node.decorator_list)


def _init(fields: list[FieldOf]) -> str:
    parameters, lines = ["self"], []
    for field in fields:
        default = "None" if field.factory is not None else field.default and ast.unparse(field.default)
        parameters.append(field.name if default is None else f"{field.name}={default}")
        made = "" if field.factory is None else f"{ast.unparse(field.factory)}() if {field.name} is None else "
        lines.append(f"    self.{field.name} = {made}{field.name}")
    return f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines) + "\n"
