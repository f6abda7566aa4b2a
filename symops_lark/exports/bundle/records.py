"""Write dataclasses and named tuples as plain classes.

Such classes start fast, and every language has them.
"""

from __future__ import annotations

import ast
from ast import AnnAssign, Call, ClassDef, FunctionDef, Load, Name, Pass
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a dataclass.

    Attributes:
        name: The name.
        default: The code of its default.
        factory: The code of the function that makes its default.
        is_compared: Whether comparisons use the field.
        json: Its name in JSON.
        is_pairs: Whether it is a tuple of names and values, which is an object in JSON.
    """

    name: str
    default: ast.expr | None
    factory: ast.expr | None
    is_compared: bool
    json: str
    is_pairs: bool


def _read_fields(node: ClassDef) -> list[Field]:
    """Return the fields of a dataclass or a named tuple, in order."""
    return [_read_field(member) for member in node.body if isinstance(member, AnnAssign)]


def _read_field(node: AnnAssign) -> Field:
    name = ast.unparse(node.target)
    default = node.value
    options = {}
    match default:
        case Call(func=Name(id="field"), keywords=keywords):
            options = {str(keyword.arg): keyword.value for keyword in keywords}
            default = options.get("default")
    # Everything else in the call of `field` is about Python alone.
    is_compared = True
    if "compare" in options:
        is_compared = ast.unparse(options["compare"]) != "False"
    json = name
    if "metadata" in options:
        metadata = ast.literal_eval(options["metadata"])
        json = metadata.get("json", name)
    is_pairs = ast.unparse(node.annotation).startswith("tuple[tuple[str,")
    factory = options.get("default_factory")
    return Field(name, default, factory, is_compared, json, is_pairs)


def find_dataclass(node: ClassDef) -> ast.expr | None:
    """Return the decorator that makes a class a dataclass; None for other classes."""
    for decorator in node.decorator_list:
        if ast.unparse(decorator).startswith("dataclass"):
            return decorator
    return None


def expand(node: ClassDef, record: str) -> None:
    """Change a dataclass or a named tuple to a plain class.

    Args:
        node: The class. Other classes stay as they are.
        record: The name of the base that compares and shows dataclasses by their fields.
    """
    if [ast.unparse(base) for base in node.bases] == ["NamedTuple"]:
        _expand_tuple(node)
    decorator = find_dataclass(node)
    if decorator is None:
        return
    fields = _read_fields(node)
    body = _without_fields(node)
    methods = [member for member in body if isinstance(member, FunctionDef)]
    options = ast.unparse(decorator)
    has_method = "__eq__" in [method.name for method in methods]
    is_record = not has_method and "eq=False" not in options
    if is_record:
        node.bases.append(Name(record, Load()))
    # The base reads the tables.
    code = [*_write_tables(fields, methods, is_record), *_write_constructor(fields)]
    if "order=True" in options:
        code += ["def __lt__(self, other):", "    return self.key() < other.key()"]
    node.decorator_list.remove(decorator)
    node.body = [*ast.parse("\n".join(code)).body, *body]


def _without_fields(node: ClassDef) -> list[ast.stmt]:
    return [member for member in node.body if not isinstance(member, AnnAssign | Pass)]


def _write_tables(
    fields: list[Field], methods: Sequence[FunctionDef], is_record: bool
) -> list[str]:
    """Return the lines that describe the fields of a class."""
    names = tuple(_names(fields))
    compared = tuple(field.name for field in fields if field.is_compared)
    rows = [(field.name, field.json, field.is_pairs) for field in fields]
    lines = []
    # A property that keeps its value needs a dictionary, which slots would take away.
    if not any(map(_is_cached, methods)):
        lines.append(f"__slots__ = {names!r}")
    lines.append(f"FIELDS = {names!r}")
    if not is_record or compared != names:
        lines.append(f"COMPARED = {compared!r}")
    # Without this table, the fields have their names in JSON.
    if any(row != (row[0], row[0], False) for row in rows):
        lines.append(f"JSON = {tuple(rows)!r}")
    return lines


def _names(fields: list[Field]) -> list[str]:
    return [field.name for field in fields]


def _expand_tuple(node: ClassDef) -> None:
    """Use the function `namedtuple`, which needs no annotations."""
    fields = _read_fields(node)
    names = tuple(_names(fields))
    defaults = [ast.unparse(field.default) for field in fields if field.default is not None]
    code = f"namedtuple({node.name!r}, {names!r}, defaults=[{', '.join(defaults)}])"
    node.bases = [ast.parse(code, mode="eval").body]
    node.body = [*ast.parse("__slots__ = ()").body, *_without_fields(node)]


def _is_cached(node: FunctionDef) -> bool:
    return "cached_property" in map(ast.unparse, node.decorator_list)


def _write_constructor(fields: list[Field]) -> list[str]:
    parameters = ["self"]
    lines = []
    for field in fields:
        name = field.name
        value = name
        # Each object needs a new list or dictionary.
        if field.factory is not None:
            parameters.append(f"{name}=None")
            value = f"{ast.unparse(field.factory)}() if {name} is None else {name}"
        elif field.default is not None:
            parameters.append(f"{name}={ast.unparse(field.default)}")
        else:
            parameters.append(name)
        lines.append(f"    self.{name} = {value}")
    return [f"def __init__({', '.join(parameters)}):", *lines]
