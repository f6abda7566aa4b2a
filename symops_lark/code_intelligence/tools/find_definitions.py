"""Find the definitions of a symbol."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from ..index import Index
from ..index.words import split_word, terms_of
from .answers import Answer, Item, choose_files, fail, give_items, is_asked, tell_broken

COLUMNS = "f.path, s.name, s.kind, s.line, s.column, s.end_line, s.within, s.head, f.language"
SYMBOLS = f"SELECT {COLUMNS} FROM symbols s JOIN files f ON f.id = s.file"


def run(index: Index, symbol: str, path: str | None = None, limit: int | None = None) -> Answer:
    """Return the definitions of a name, in the order of their paths.

    Args:
        index: The index.
        symbol: The name, alone or qualified: `Class.method`.
        path: The folder or file. None: the whole folder of the index.
        limit: The most items.
    """
    if not is_asked(symbol):
        return fail("bad_arguments", "symbol: the name of a symbol is expected")
    name, within = split_symbol(symbol)
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        paths = {file.path for file in files}
        sql = f"{SYMBOLS} WHERE s.name = ? ORDER BY f.path, s.line"
        items = []
        in_modules = []
        for row in database.execute(sql, (name,)):
            place = row[0]
            if place not in paths:
                continue
            module, _, _ = place.rpartition(".")
            if is_within(row[6], within):
                items.append(give_symbol(row))
            elif module.endswith(within):
                in_modules.append(give_symbol(row))
        # A module contains a definition, too: `module.name`.
        items = items or in_modules
        is_guessed = any(item["by"] == "text" for item in items)
        holders = holders_of(database, name) or set()
        # A line that cannot be parsed may hold another definition.
        broken = tell_broken(file for file in files if file.id in holders)
        is_incomplete = is_guessed or bool(broken)
        return give_items(index, items, limit=limit, incomplete=is_incomplete, notes=broken)


def holders_of(database: sqlite3.Connection, name: str) -> set[int] | None:
    """Return the numbers of the files that may contain a name; None if it is not a name."""
    word = split_word(name)[:1]
    is_name = name.replace("$", "").isidentifier()
    # The first word of an identifier is all of it.
    parts = word if is_name and word else terms_of(name)
    if not parts:
        return None
    # In quotes, no part is an operator of the search.
    match = '"' + '" AND "'.join(parts) + '"'
    rows = database.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,))
    return {row[0] for row in rows}


def split_symbol(symbol: str) -> tuple[str, str]:
    """Return the last name of a qualified symbol, and the names before it, with dots."""
    plain = symbol.strip().removesuffix("()").replace("::", ".").strip(".")
    # `Class#method` is a method. `Class.#field` is a private field: its name begins with the mark.
    plain = re.sub(r"(?<=\w)#", ".", plain)
    within, _, name = plain.rpartition(".")
    return name or plain, within


def give_symbol(row: Sequence[Any]) -> Item:
    """Return a definition as an item; `by` names how it was found."""
    path, name, kind, line, column, end_line, within, head, language = row
    return {
        "path": path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "name": name,
        "kind": kind,
        "qualified_name": f"{within}.{name}" if within else name,
        "text": head,
        "by": "syntax" if language else "text",
    }


def is_within(container: str, within: str) -> bool:
    """Return whether the container of a definition ends with a qualified name."""
    return not within or container == within or container.endswith("." + within)
