"""A parser in one file of Python, without dependencies: the modules of this package that read, and tables."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.repairs.rule import Rule
from .bundle.data_files import DATA_FILES, write_data
from .bundle.kept import remember
from .bundle.modules import Bundle
from .bundle.tables import write_tables
from .headers import header_lines

SUMMARY = "one file of Python without dependencies"
KIND = "parser"
ENGINE = "python"
TOLERANT = True
_ENTRY = f"{__package__}.standalone.entry"
_STRICT = ("parse",)
_ALL = ("parse", "repair", "recover", "process")
# What is written here.
_RUNTIME = frozenset(["exports.standalone.tables.read_tables", "exports.standalone.tables.read_data"])
_SHOWN = ("ParseError", "ProtocolError")
_OFFERED = ("actions", "thoughts", "vitals", "questions", "errors", "skipped", "depends_on", "valid", "to_dict", "draw")


def module_name(dialect: WrittenDialect) -> str:
    """Return the name of the module of a dialect."""
    return "symops_" + "".join(sign if sign.isalnum() else "_" for sign in dialect.name)


def write(dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None) -> dict[str, str]:
    """Return the module."""
    entries = _ALL if tolerant else _STRICT
    imports, code = remember(_gather, entries, bool(dialect.own))
    shown = [*entries, *(name for name in _SHOWN if f"class {name}(" in code)]
    said = "\n".join(header_lines(dialect, f"python{' --tolerant' if tolerant else ''}{' --rules' if rules else ''}"))
    parts = (
        f'"""{said}\n"""',
        imports,
        f"__all__ = {shown!r}",
        f"_TABLES = {write_tables(dialect, tolerant=tolerant, rules=rules)!r}",
        "def read_tables():\n    return json.loads(_TABLES)",
        *(_data_files() if tolerant else ()),
        code,
    )
    return {f"{module_name(dialect)}.py": "\n\n".join(parts) + "\n"}


def _data_files() -> tuple[str, str]:
    """Return the data files, and the function that reads one."""
    rows = ",\n".join(f"    {name!r}: {write_data(name)!r}" for name in DATA_FILES)
    return f"_DATA = {{\n{rows}\n}}", "def read_data(name):\n    return json.loads(_DATA[name])"


def _gather(entries: tuple[str, ...], own: bool) -> list[str]:
    """Return the imports and the code that reads, the same for every dialect but for what it says of its own."""
    bundle = Bundle([(_ENTRY, name) for name in entries], _RUNTIME, _OFFERED, own=own)
    return [_imports(bundle), "\n\n".join(ast.unparse(node) for node in bundle.statements())]


def _imports(bundle: Bundle) -> str:
    lines = {"import json"}
    for module, name in bundle.outside:
        if not name:
            lines.add(f"import {module}")
        elif module not in ("dataclasses", "typing", "runtime"):  # what made the classes, and what is written here
            chosen = bundle.names[module, name]
            lines.add(f"from {module} import {name}" + (f" as {chosen}" if chosen != name else ""))
    return "\n".join(sorted(lines))
