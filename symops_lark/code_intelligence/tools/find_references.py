"""Where a symbol is used: by name, as an identifier, not in comments and strings of languages that are parsed."""

from __future__ import annotations

import time
from typing import Any

from ...numbers import counted
from ..index import Index
from ..index.languages import load_language
from ..index.symbols import find_uses
from ..index.words import split_word, terms_of
from .answers import SECONDS, choose_files, fail, find_missing, give_items, is_asked
from .find_definitions import split_symbol

_ENOUGH = 10_000


def run(
    index: Index, symbol: str, path: str | None = None, limit: int | None = None, definitions: bool = False
) -> dict[str, Any]:
    """Return the uses of a name in the order of paths, those in code first; its definitions only if asked for."""
    if not is_asked(symbol):
        return fail("bad_arguments", "symbol: the name of a symbol is expected")
    name, _ = split_symbol(symbol)
    end = time.monotonic() + SECONDS
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        word = split_word(name)[0] if split_word(name) else ""
        parts = [word] if name.replace("$", "").isidentifier() and word else terms_of(name)
        if not parts:
            return fail("bad_arguments", f"symbol: {symbol!r} is no name")
        asked = " AND ".join(f'"{part}"' for part in parts)
        holders = {row[0] for row in database.execute("SELECT rowid FROM words WHERE words MATCH ?", (asked,))}
        sql = "SELECT f.path, s.line, s.column FROM symbols s JOIN files f ON f.id = s.file WHERE s.name = ?"
        defined = set(database.execute(sql, (name,)))
        missing = find_missing(index)
    items: list[dict[str, Any]] = []
    late = unread = 0
    for file in files:
        if file.id not in holders:
            continue
        if time.monotonic() > end or len(items) >= _ENOUGH:
            late += 1
            continue
        data = index.data(file.path)
        if data is None:
            unread += 1
            continue
        language = load_language(file.language) if file.language else None
        for use in find_uses(data, name, language):
            if definitions or (file.path, use.line, use.column) not in defined:
                by = "syntax" if language else "text"
                items.append({"path": file.path, "line": use.line, "column": use.column, "text": use.text, "by": by})
    notes = [*missing, "uses are found by name: other things of the same name are among them"] if defined else missing
    notes += [f"{counted(late, 'file was', 'files were')} not looked into: there was no time"] if late else []
    notes += [f"{counted(unread, 'file')} could not be read"] if unread else []
    items.sort(key=lambda item: item["by"] == "text")  # code first, then what is written about it
    incomplete = bool(late or unread or missing)
    return give_items(index, items, limit=limit, incomplete=incomplete, notes=notes)
