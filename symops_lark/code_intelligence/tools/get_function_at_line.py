"""Find the function or class that contains a line."""

from __future__ import annotations

from ...core.ground.numbers import counted
from ..index import Index
from .answers import Answer, choose_files, fail, give_items, tell_broken
from .find_definitions import SYMBOLS, give_symbol

_LARGEST = 20_000  # characters of a function that are shown
_FUNCTIONS = ("function", "method", "macro")
_CONTAINERS = (
    f"{SYMBOLS} WHERE s.file = ? AND s.line <= ? AND s.end_line >= ?"
    " AND s.kind NOT IN ('variable', 'field', 'variant')"
    " ORDER BY s.end_line - s.line, s.line DESC"
)


def run(index: Index, path: str, line: int) -> Answer:
    """Return the functions and types around a line.

    Args:
        index: The index.
        path: The file.
        line: The line, from 1.

    Returns:
        The definitions, the innermost first. The innermost function has its `source`; without a
        function, the first item has.
    """
    if not isinstance(line, int) or isinstance(line, bool) or line < 1:
        return fail("bad_arguments", "line: a number from 1 is expected")
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        file = files[0]
        if path.removeprefix("./") != file.path:
            return fail("bad_arguments", f"{path}: a file is expected, not a folder")
        if line > file.lines:
            lines = counted(file.lines, "line")
            message = f"{file.path}: it has {lines}, so there is no line {line}"
            return fail("no_such_line", message)
        rows = database.execute(_CONTAINERS, (file.id, line, line)).fetchall()
    items = list(map(give_symbol, rows))
    data = index.data(file.path)
    if data is None:
        return fail("file_left_out", f"{file.path}: it cannot be read")
    if items:
        # A local class in a function is nearer than the function, but has less to show.
        functions = [item for item in items if item["kind"] in _FUNCTIONS]
        chosen = (functions or items)[0]
        all_lines = data.decode(file.encoding, "replace").split("\n")
        source = "\n".join(all_lines[chosen["line"] - 1 : chosen["end_line"]])
        chosen["source"] = source[:_LARGEST]
        chosen["source_truncated"] = len(source) > _LARGEST
    notes = tell_broken(files)
    if not file.language:
        notes.insert(0, f"{file.path}: its language is read by text alone")
    answer = give_items(index, items, incomplete=bool(notes), notes=notes)
    return answer | {"files": [file.path]}
