"""Write a parser in one file of Python without dependencies.

The file has the modules of this package that read replies, and the tables of the dialect.
"""

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
_STRICT = [(_ENTRY, "parse")]
_ALL = [
    (_ENTRY, "parse"),
    (_ENTRY, "repair"),
    (_ENTRY, "recover"),
    (_ENTRY, "process"),
    (_STREAM, "StreamParser"),
    (_STREAM, "NEED_TEXT"),
]
# The functions that `_write_module` defines.
_RUNTIME = frozenset(
    ["exports.standalone.tables.read_tables", "exports.standalone.tables.read_data"]
)
_PARSE_ERROR = ("symops_lark.core.text.diagnostics", "ParseError")
_PROTOCOL_ERROR = ("symops_lark.core.result", "ProtocolError")
# Patterns of a dialect have possessive repetitions, which older versions do not know.
_REQUIRES = "It requires Python 3.11 or later, and nothing else."
# Methods and properties that only callers use.
_OFFERED = (
    "actions",
    "thoughts",
    "vitals",
    "questions",
    "errors",
    "skipped",
    "depends_on",
    "valid",
    "changed",
    "part",
    "to_dict",
    "draw",
    "receive",
    "next_event",
    "events",
    "close",
)


def module_name(dialect: WrittenDialect) -> str:
    """Return the name of the module of a dialect."""
    signs = [sign if sign.isalnum() else "_" for sign in dialect.name]
    return f"symops_{''.join(signs)}"


def write(
    dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None
) -> dict[str, str]:
    """Return the module and its stub, by their names.

    Args:
        dialect: The dialect.
        tolerant: Whether the parser also repairs and recovers. Then a second, larger module reads
            the formats of other agents too.
        rules: Custom repair rules; None: the installed ones.
    """
    name = module_name(dialect)
    files = _write_module(dialect, name, tolerant, rules, formats=False)
    if tolerant:
        files |= _write_module(dialect, f"{name}_formats", tolerant, rules, formats=True)
    return files


def _write_module(
    dialect: WrittenDialect,
    name: str,
    tolerant: bool,
    rules: Sequence[Rule] | None,
    *,
    formats: bool,
) -> dict[str, str]:
    """Return a module and its stub."""
    # Gathering takes seconds, and depends only on the modules of this package.
    imports, code, stub = remember(_gather, tolerant, bool(dialect.own), formats)
    public = [entry for _, entry in _entries(tolerant, formats)]
    # The bundle has only the errors that its code raises.
    for _, error in (_PARSE_ERROR, _PROTOCOL_ERROR):
        if f"class {error}(" in code:
            public.append(error)
    constants = []
    if formats:
        public.append("FORMATS")
        constants = [f"FORMATS = {tuple(sorted(installed_formats()))!r}"]
        stub += "FORMATS: tuple[str, ...]\n"
    command = "python" + " --tolerant" * tolerant + " --rules" * bool(rules)
    docstring = "\n".join([*header_lines(dialect, command), _REQUIRES])
    parts = [
        f'"""{docstring}\n"""',
        imports,
        f"__all__ = {public!r}",
        *constants,
        f"_TABLES = {write_tables(dialect, tolerant=tolerant, rules=rules)!r}",
        "def read_tables():\n    return json.loads(_TABLES)",
    ]
    if tolerant:
        parts += _data_files(formats)
    parts.append(code)
    return {
        f"{name}.py": "\n\n".join(parts) + "\n",
        f"{name}.pyi": header(dialect, "python") + _declare_words(dialect) + stub,
    }


def _declare_words(dialect: WrittenDialect) -> str:
    """Return the types of a stub that depend on the dialect."""
    types = read_types(dialect)
    verbs: list[str] = []
    for group in types.verbs.values():
        verbs += group
    sections = [section.name for section in types.sections]
    # A literal beside `str`: editors complete it, and the parser accepts other verbs too.
    verb = f"Literal[{', '.join(map(repr, verbs))}] | str" if verbs else "str"
    section = f"Literal[{', '.join(map(repr, sections))}]" if sections else "str"
    number = "int | None" if types.has_numbers else "None"
    lines = [
        "from typing import Literal, TypeAlias",
        f"_Verb: TypeAlias = {verb}",
        f"_Number: TypeAlias = {number}",
        f"_SectionName: TypeAlias = {section}",
    ]
    return "\n".join(lines) + "\n"


def _data_files(formats: bool) -> list[str]:
    """Return the data files, and the function that reads one."""
    data = {name: write_data(name) for name in DATA_FILES}
    if formats:
        data["formats"] = write_formats()
    rows = [f"    {name!r}: {text!r}" for name, text in data.items()]
    # Each file is parsed when it is read.
    joined = ",\n".join(rows)
    return [f"_DATA = {{\n{joined}\n}}", "def read_data(name):\n    return json.loads(_DATA[name])"]


def _entries(tolerant: bool, formats: bool) -> list[Name]:
    entries = _ALL if tolerant else _STRICT
    return [*entries, READ_FORMAT] if formats else entries


def _gather(tolerant: bool, own: bool, formats: bool) -> list[str]:
    """Return the imports, the code, and its stub.

    They are the same in all dialects with custom sections, and in all others.

    Args:
        tolerant: Whether the parser also repairs and recovers.
        own: Whether the dialect has custom sections.
        formats: Whether to add the reader of the formats of other agents.
    """
    entries = _entries(tolerant, formats)
    included = INCLUDED if formats else frozenset()
    bundle = Bundle(entries, _RUNTIME, _OFFERED, own=own, included=included)
    # The strict parser raises only the first of the two errors.
    errors = [_PARSE_ERROR, _PROTOCOL_ERROR] if tolerant else [_PARSE_ERROR]
    stubs = Stubs(bundle, [*entries, *errors])
    stubs.add_docstrings()
    statements = bundle.statements()
    for node in statements:
        _add_match_args(node)
    code = "\n\n".join(map(ast.unparse, statements))
    return [_imports(bundle), code, stubs.show()]


def _add_match_args(node: ast.stmt) -> None:
    """Let patterns of `match` list the fields of a record by position, as those of a dataclass."""
    if not isinstance(node, ast.ClassDef):
        return
    for index, member in enumerate(node.body):
        if ast.unparse(member).startswith("FIELDS = "):
            [statement] = ast.parse("__match_args__ = FIELDS").body
            node.body.insert(index + 1, statement)
            return


def _imports(bundle: Bundle) -> str:
    # The tables are JSON.
    lines = {"import json"}
    for module, name in bundle.outside:
        # Dataclasses are plain classes now, and the file defines the runtime.
        if module in ("dataclasses", "typing", "runtime") and name:
            continue
        if not name:
            lines.add(f"import {module}")
            continue
        line = f"from {module} import {name}"
        alias = bundle.names[module, name]
        lines.add(line if alias == name else f"{line} as {alias}")
    return "\n".join(sorted(lines))
