"""Where a symbol is defined."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from ..index import Index
from ..index.words import split_word, terms_of
from .answers import choose_files, fail, give_items, is_asked, tell_broken

COLUMNS = "f.path, s.name, s.kind, s.line, s.column, s.end_line, s.within, s.head, f.language"
SYMBOLS = f"SELECT {COLUMNS} FROM symbols s JOIN files f ON f.id = s.file"


def run(index: Index, symbol: str, path: str | None = None, limit: int | None = None) -> dict[str, Any]:
    """Return the definitions of a name, or of a qualified one (`Class.method`), in the order of their paths."""
    if not is_asked(symbol):
        return fail("bad_arguments", "symbol: the name of a symbol is expected")
    name, within = split_symbol(symbol)
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        below = {file.path for file in files}
        rows = database.execute(f"{SYMBOLS} WHERE s.name = ? ORDER BY f.path, s.line", (name,)).fetchall()
        items = [give_symbol(row) for row in rows if row[0] in below and is_within(row[6], within)]
        if not items and within:
            items = [give_symbol(row) for row in rows if row[0] in below and row[0].rpartition(".")[0].endswith(within)]
        guessed = any(item["by"] == "text" for item in items)
        holders = holders_of(database, name) or set()
        broken = tell_broken(file for file in files if file.id in holders)
        return give_items(index, items, limit=limit, incomplete=guessed or bool(broken), notes=broken)


def holders_of(database: sqlite3.Connection, name: str) -> set[int] | None:
    """Return the files in which a name may stand; None if it is no name."""
    word = split_word(name)[0] if split_word(name) else ""
    parts = [word] if name.replace("$", "").isidentifier() and word else terms_of(name)
    if not parts:
        return None
    asked = " AND ".join(f'"{part}"' for part in parts)
    return {row[0] for row in database.execute("SELECT rowid FROM words WHERE words MATCH ?", (asked,))}


def split_symbol(symbol: str) -> tuple[str, str]:
    """Return the last name of a qualified symbol, and what it is in, with dots."""
    plain = symbol.strip().removesuffix("()").replace("::", ".").strip(".")
    # `Class#method` is a method; `Class.#field` is a private field, whose name begins with the mark.
    plain = re.sub(r"(?<=\w)#", ".", plain)
    within, _, name = plain.rpartition(".")
    return name or plain, within


def give_symbol(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a definition as an item; `by` says how it was found."""
    path, name, kind, line, column, end_line, within, head, language = row
    qualified = f"{within}.{name}" if within else name
    item = {"path": path, "line": line, "column": column, "end_line": end_line, "name": name, "kind": kind}
    return {**item, "qualified_name": qualified, "text": head, "by": "syntax" if language else "text"}


def is_within(actual: str, wanted: str) -> bool:
    """Return whether what a definition stands in ends with a qualified name."""
    return not wanted or actual == wanted or actual.endswith("." + wanted)
