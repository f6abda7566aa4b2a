"""A parser in one file of Python, without dependencies: the modules of this package that read, and tables."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..core.formats.loading import formats as installed_formats
from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.repairs.rule import Rule
from .bundle.data_files import DATA_FILES, write_data
from .bundle.format_tables import INCLUDED, READ_FORMAT, write_formats
from .bundle.gathering import Bundle
from .bundle.kept import remember
from .bundle.modules import Name
from .bundle.stubs import Stubs
from .bundle.tables import write_tables
from .headers import header, header_lines
from .portable.types import read_types

SUMMARY = "one file of Python without dependencies"
KIND = "parser"
ENGINE = "python"
TOLERANT = True
_ENTRY = f"{__package__}.standalone.entry"
_STREAM = f"{__package__}.standalone.stream"
_STRICT = ((_ENTRY, "parse"),)
_ALL = (
    *((_ENTRY, name) for name in ("parse", "repair", "recover", "process")),
    *((_STREAM, name) for name in ("StreamParser", "NEED_TEXT")),
)
# What is written here.
_RUNTIME = frozenset(["exports.standalone.tables.read_tables", "exports.standalone.tables.read_data"])
_SHOWN = ("ParseError", "ProtocolError")
_ERRORS = (("symops_lark.core.text.diagnostics", "ParseError"), ("symops_lark.core.result", "ProtocolError"))
# Patterns of a dialect have possessive repetitions, which older versions do not know.
_REQUIRES = "It requires Python 3.11 or later, and nothing else."
_OFFERED = (
    *("actions", "thoughts", "vitals", "questions", "errors", "skipped", "depends_on", "valid", "changed", "part"),
    *("to_dict", "draw", "receive", "next_event", "events", "close"),
)


def module_name(dialect: WrittenDialect) -> str:
    """Return the name of the module of a dialect."""
    return "symops_" + "".join(sign if sign.isalnum() else "_" for sign in dialect.name)


def write(dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None) -> dict[str, str]:
    """Return the module, and a larger one that reads the formats of other agents as well."""
    files = _write_module(dialect, module_name(dialect), tolerant, rules, formats=False)
    if tolerant:
        files |= _write_module(dialect, f"{module_name(dialect)}_formats", tolerant, rules, formats=True)
    return files


def _write_module(
    dialect: WrittenDialect, name: str, tolerant: bool, rules: Sequence[Rule] | None, *, formats: bool
) -> dict[str, str]:
    """Return a module and its stub."""
    imports, code, stub = remember(_gather, tolerant, bool(dialect.own), formats)
    shown = [
        *(entry for _, entry in _entries(tolerant, formats)),
        *(error for error in _SHOWN if f"class {error}(" in code),
    ]
    said = "\n".join(header_lines(dialect, f"python{' --tolerant' if tolerant else ''}{' --rules' if rules else ''}"))
    names = f"FORMATS = {tuple(sorted(installed_formats()))!r}" if formats else ""
    parts = (
        f'"""{said}\n{_REQUIRES}\n"""',
        imports,
        f"__all__ = {[*shown, 'FORMATS'] if formats else shown!r}",
        *([names] if formats else ()),
        f"_TABLES = {write_tables(dialect, tolerant=tolerant, rules=rules)!r}",
        "def read_tables():\n    return json.loads(_TABLES)",
        *(_data_files(formats) if tolerant else ()),
        code,
    )
    types = header(dialect, "python") + _declare_words(dialect) + stub
    if formats:
        types += "FORMATS: tuple[str, ...]\n"
    return {f"{name}.py": "\n\n".join(parts) + "\n", f"{name}.pyi": types}


def _declare_words(dialect: WrittenDialect) -> str:
    """Return the types of a stub that depend on the dialect."""
    types = read_types(dialect)
    verbs = [verb for group in types.verbs.values() for verb in group]
    sections = [section.name for section in types.sections]
    # A literal beside `str`: editors complete it, and the parser accepts other verbs too.
    verb = f"Literal[{', '.join(map(repr, verbs))}] | str" if verbs else "str"
    section = f"Literal[{', '.join(map(repr, sections))}]" if sections else "str"
    number = "int | None" if types.has_numbers else "None"
    lines = (
        "from typing import Literal, TypeAlias",
        f"_Verb: TypeAlias = {verb}",
        f"_Number: TypeAlias = {number}",
        f"_SectionName: TypeAlias = {section}",
    )
    return "\n".join(lines) + "\n"


def _data_files(formats: bool) -> tuple[str, str]:
    """Return the data files, and the function that reads one."""
    data = {name: write_data(name) for name in DATA_FILES}
    if formats:
        data["formats"] = write_formats()
    rows = ",\n".join(f"    {name!r}: {text!r}" for name, text in data.items())
    return f"_DATA = {{\n{rows}\n}}", "def read_data(name):\n    return json.loads(_DATA[name])"


def _entries(tolerant: bool, formats: bool) -> list[Name]:
    entries = [*(_ALL if tolerant else _STRICT)]
    return [*entries, READ_FORMAT] if formats else entries


def _gather(tolerant: bool, own: bool, formats: bool) -> list[str]:
    """Return the imports, the code, and its stub: the same for every dialect, but for custom sections."""
    entries = _entries(tolerant, formats)
    included = INCLUDED if formats else frozenset()
    bundle = Bundle(entries, _RUNTIME, _OFFERED, own=own, included=included)
    stubs = Stubs(bundle, [*entries, *_ERRORS[: 1 + tolerant]])
    stubs.add_docstrings()
    statements = bundle.statements()
    for node in statements:
        _let_match(node)
    code = "\n\n".join(map(ast.unparse, statements))
    return [_imports(bundle), code, stubs.show()]


def _let_match(node: ast.stmt) -> None:
    """Let a `match` name the fields of a record by their places, as it can those of a dataclass."""
    if isinstance(node, ast.ClassDef):
        for place, member in enumerate(node.body):
            if ast.unparse(member).startswith("FIELDS = "):
                node.body.insert(place + 1, ast.parse("__match_args__ = FIELDS").body[0])
                return


def _imports(bundle: Bundle) -> str:
    lines = {"import json"}
    for module, name in bundle.outside:
        if not name:
            lines.add(f"import {module}")
        elif module not in ("dataclasses", "typing", "runtime"):  # what made the classes, and what is written here
            chosen = bundle.names[module, name]
            lines.add(f"from {module} import {name}" + (f" as {chosen}" if chosen != name else ""))
    return "\n".join(sorted(lines))
