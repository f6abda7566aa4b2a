"""List the definitions of a file or folder."""

from __future__ import annotations

from collections.abc import Sequence

from ..index import Index
from .answers import Answer, Item, choose_files, give_items, read_limit, tell_broken
from .find_definitions import SYMBOLS, give_symbol

_SELECTED = "file = ? AND (? IS NULL OR kind = ?)"
_COUNT = f"SELECT count(*) FROM symbols WHERE {_SELECTED}"
_LIST = f"{SYMBOLS} WHERE {_SELECTED} ORDER BY s.line, s.column"
_NAMES = "SELECT line, name FROM symbols WHERE file = ? ORDER BY line, column"


def run(index: Index, path: str = ".", limit: int | None = None, kind: str | None = None) -> Answer:
    """Return the definitions in a file or below a folder, in the order of paths and lines.

    Args:
        index: The index.
        path: The file or folder.
        limit: The most items.
        kind: The kind of the definitions. None: all kinds.
    """
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        items: list[Item] = []
        total = 0
        for file in files:
            selected = (file.id, kind, kind)
            [count] = database.execute(_COUNT, selected).fetchone()
            total += count
            # The other items would not be shown.
            if len(items) < read_limit(limit):
                items += map(give_symbol, database.execute(_LIST, selected))
        # That definitions are guessed is not a gap of this list: each item names it (`by`).
        broken = tell_broken(files)
        return give_items(
            index, items, total=total, limit=limit, incomplete=bool(broken), notes=broken
        )


def list_names(index: Index, paths: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
    """Return the lines and names of definitions, by path, for the files that the index has."""
    names = {}
    with index.reading() as database:
        for path in paths:
            file = index.files.get(path)
            if file is not None:
                names[path] = database.execute(_NAMES, (file.id,)).fetchall()
    return names
