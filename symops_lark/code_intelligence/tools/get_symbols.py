"""What a file or a folder defines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..index import Index
from .answers import choose_files, give_items, read_limit
from .find_definitions import SYMBOLS, give_symbol


def run(index: Index, path: str = ".", limit: int | None = None, kind: str | None = None) -> dict[str, Any]:
    """Return the definitions in a file or below a folder, in the order of paths and lines."""
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        items: list[dict[str, Any]] = []
        total, most = 0, read_limit(limit)
        sql = f"{SYMBOLS} WHERE s.file = ? ORDER BY s.line, s.column"
        count = "SELECT count(*) FROM symbols WHERE file = ? AND (? IS NULL OR kind = ?)"
        for file in files:
            if len(items) >= most:
                total += database.execute(count, (file.id, kind, kind)).fetchone()[0]
                continue
            found = [give_symbol(row) for row in database.execute(sql, (file.id,)) if kind in (None, row[2])]
            items += found
            total += len(found)
        # Guesses are guesses, but to list what a folder defines they are not what is asked for.
        return give_items(index, items, total=total, limit=limit)


def list_names(index: Index, paths: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
    """Return the lines and names of what files define, by path; a file that the index has not is left out."""
    sql = "SELECT line, name FROM symbols WHERE file = ? ORDER BY line, column"
    with index.reading() as database:
        files = [index.files[path] for path in paths if path in index.files]
        return {file.path: database.execute(sql, (file.id,)).fetchall() for file in files}
