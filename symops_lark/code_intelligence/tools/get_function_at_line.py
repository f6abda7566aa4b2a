"""The function or class that a line belongs to."""

from __future__ import annotations

from typing import Any

from ...core.ground.numbers import counted
from ..index import Index
from .answers import choose_files, fail, give_items, tell_broken
from .find_definitions import SYMBOLS, give_symbol

_LARGEST = 20_000  # characters of a function that are shown
_FUNCTIONS = ("function", "method", "macro")


def run(index: Index, path: str, line: int) -> dict[str, Any]:
    """Return the functions and types around a line, the innermost first, with the text of that one."""
    if not isinstance(line, int) or isinstance(line, bool) or line < 1:
        return fail("bad_arguments", "line: a number from 1 is expected")
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        if path.removeprefix("./") != files[0].path:
            return fail("bad_arguments", f"{path}: a file is expected, not a folder")
        [file] = files
        if line > file.lines:
            return fail(
                "no_such_line", f"{file.path}: it has {counted(file.lines, 'line')}, so there is no line {line}"
            )
        sql = f"{SYMBOLS} WHERE s.file = ? AND s.line <= ? AND s.end_line >= ?"
        rows = database.execute(f"{sql} ORDER BY s.end_line - s.line, s.line DESC", (file.id, line, line)).fetchall()
    items = [give_symbol(row) for row in rows if row[2] not in ("variable", "field", "variant")]
    data = index.data(file.path)
    if data is None:
        return fail("file_left_out", f"{file.path}: it cannot be read")
    if items:
        chosen = next((item for item in items if item["kind"] in _FUNCTIONS), items[0])
        lines = data.decode(file.encoding, "replace").split("\n")[chosen["line"] - 1 : chosen["end_line"]]
        chosen["source"] = "\n".join(lines)[:_LARGEST]
        chosen["source_truncated"] = len("\n".join(lines)) > _LARGEST
    unparsed = not file.language
    notes = [f"{file.path}: its language is read by text alone"] if unparsed else []
    notes += tell_broken(files)
    answer = give_items(index, items, incomplete=bool(notes), notes=notes)
    return answer | {"files": [file.path]}
