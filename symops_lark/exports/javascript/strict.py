"""Write the strict parser of the npm package: a readable runtime, and the tables of a dialect."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect
from ..headers import header
from ..portable.characters import find_edges, is_narrow, is_wide
from ..portable.tables import portable_tables

_RUNTIME = Path(__file__).parent / "runtime"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# What package.json offers beside the main module.
SUBPATHS: dict[str, Any] = {
    "./strict": {"types": "./strict.d.ts", "default": "./strict.js"},
    "./stream": {"types": "./stream.d.ts", "default": "./stream.js"},
    "./runtime": {"types": "./runtime.d.ts", "default": "./runtime.js"},
    "./tables.json": "./tables.json",
}


def write_strict(dialect: WrittenDialect) -> dict[str, str]:
    """Return the files of the strict parser, by their names in the package.

    Args:
        dialect: The dialect.

    Raises:
        ExportError: A terminal of the dialect is not a regular language.
    """
    comment = header(dialect, "javascript", "// ")
    tables = portable_tables(dialect)
    # Users read and debug the files of the runtime, so they stay as they are.
    files = {}
    for path in sorted(_RUNTIME.iterdir()):
        files[path.name] = comment + path.read_text(encoding="utf-8")
    files["data.js"] = f"{comment}export default {show_tables(tables)};\n"
    files["widths.js"] = comment + _write_widths()
    files["tables.json"] = json.dumps(tables, separators=(",", ":")) + "\n"
    return dict(sorted(files.items()))


def show_tables(tables: dict[str, Any]) -> str:
    """Return tables as JSON with a line for each row, so that a diff shows what changed."""
    members = []
    for name, value in tables.items():
        members.append(f"{json.dumps(name)}: {_show(value)}")
    joined = ",\n".join(members)
    return f"{{\n{joined}\n}}"


def _show(value: Any) -> str:
    # Rows of numbers are short: they stay on one line.
    if isinstance(value, list) and value and not isinstance(value[0], int):
        rows = ",\n ".join(map(json.dumps, value))
        return f"[\n {rows}\n]"
    if isinstance(value, dict) and "rows" in value:
        members = []
        for name, member in value.items():
            members.append(f"{json.dumps(name)}: {_show(member)}")
        joined = ",\n".join(members)
        return f"{{\n{joined}\n}}"
    return json.dumps(value)


@cache
def _write_widths() -> str:
    """Return the module of the code points that need no column of a terminal, or two."""
    return (
        f"// Columns of characters in Unicode {unicodedata.unidata_version},"
        " that of the Python that wrote this.\n"
        "// Each number, in base 36, is a distance from the number before it:"
        " to the first code point of a\n"
        "// range, to the first one after it, and so on.\n"
        f'export const NARROW =\n  "{_show_edges(is_narrow)}";\n'
        f'export const WIDE =\n  "{_show_edges(is_wide)}";\n'
    )


def _show_edges(test: Callable[[str], bool]) -> str:
    """Return the distances between the code points at which a test changes its answer."""
    distances = []
    last = 0
    for point in find_edges(test):
        distances.append(_in_base_36(point - last))
        last = point
    return " ".join(distances)


def _in_base_36(number: int) -> str:
    digits = _DIGITS[number % 36]
    while number >= 36:
        number //= 36
        digits = _DIGITS[number % 36] + digits
    return digits
