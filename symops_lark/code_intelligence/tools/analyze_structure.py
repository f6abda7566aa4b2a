"""Describe the structure of a folder or file: parts, sizes, languages, definitions and imports."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from ...core.ground.file_types import language_of
from ..index import Index
from ..index.index import IndexedFile
from .answers import Answer, Item, choose_files, clean_path, give_items

_MAX_IMPORTS = 200
_MAX_LANGUAGES = 5  # of a part
_DEFINITIONS = "SELECT file, count(*) FROM symbols GROUP BY file"
_IMPORTS = "FROM files f JOIN imports i ON i.file = f.id WHERE f.path >= ? AND f.path < ?"
_LISTED_IMPORTS = f"SELECT f.path, i.line, i.name {_IMPORTS} ORDER BY f.path, i.line LIMIT ?"
_MOST_IMPORTED = (
    f"SELECT i.name, count(*) AS n {_IMPORTS} GROUP BY i.name ORDER BY n DESC, i.name LIMIT 10"
)
# In the order of the text, as a reader meets them.
_OUTLINE = (
    "SELECT line, end_line, name, kind, within, head FROM symbols WHERE file = ?"
    " ORDER BY line, column"
)


def run(
    index: Index, path: str | None = None, limit: int | None = None, imports: bool = False
) -> Answer:
    """Return the parts of a folder or file, with the totals of all of it.

    Args:
        index: The index.
        path: The folder or file. None: the whole folder of the index.
        limit: The most items.
        imports: Whether to list the imports, besides their number.
    """
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        base = clean_path(path)
        is_file = base in index.files
        definitions = dict(database.execute(_DEFINITIONS).fetchall())
        folder = f"{base}/" if base else ""
        if is_file:
            items = _outline(database, files[0])
            # No path has this character: the file alone is within the bounds.
            bounds = (base, base + "\1")
        else:
            items = _parts(files, folder, definitions)
            # The paths below a folder are those between its name with a slash and the next text:
            # 0 comes after the slash.
            bounds = (folder, f"{base}0" if base else "\U0010ffff")
        row = database.execute(f"SELECT count(*) {_IMPORTS}", bounds).fetchone()
        most_imported = database.execute(_MOST_IMPORTED, bounds).fetchall()
        sums = _sums(files, definitions)
        sums["bytes"] = sum(file.size for file in files)
        summary: Item = {
            "whole": sums,
            "imports_total": row[0],
            "most_imported": dict(most_imported),
        }
        shown_paths = [base] if is_file else []
        if imports:
            rows = database.execute(_LISTED_IMPORTS, (*bounds, _MAX_IMPORTS))
            names = ("path", "line", "imports")
            summary["imports"] = [dict(zip(names, row, strict=True)) for row in rows]
            shown_paths += [row["path"] for row in summary["imports"]]
    answer = give_items(index, items, limit=limit, **summary)
    shown_paths = answer["files"] + shown_paths
    return answer | {"files": list(dict.fromkeys(shown_paths))}


def _outline(database: sqlite3.Connection, file: IndexedFile) -> list[Item]:
    names = ("line", "end_line", "name", "kind", "container", "text")
    items = []
    for row in database.execute(_OUTLINE, (file.id,)):
        values = dict(zip(names, row, strict=True))
        items.append({"path": file.path, **values})
    return items


def _parts(files: list[IndexedFile], folder: str, definitions: dict[int, int]) -> list[Item]:
    """Return the folders and files directly in a folder, with the sums of what they contain."""
    parts: dict[str, list[IndexedFile]] = {}
    for file in files:
        name, slash, _ = file.path.removeprefix(folder).partition("/")
        part = parts.setdefault(name + slash, [])
        part.append(file)
    items = []
    for name in sorted(parts):
        sums = _sums(parts[name], definitions, _MAX_LANGUAGES)
        item = {
            "path": folder + name.rstrip("/"),
            "kind": "folder" if name.endswith("/") else "file",
        }
        items.append(item | sums)
    return items


def _sums(
    files: Sequence[IndexedFile], definitions: dict[int, int], max_languages: int | None = None
) -> Item:
    lines = 0
    definition_count = 0
    languages: Counter[str] = Counter()
    for file in files:
        lines += file.lines
        definition_count += definitions.get(file.id, 0)
        languages[language_of(file.path) or "other"] += 1
    return {
        "files": len(files),
        "lines": lines,
        "definitions": definition_count,
        "languages": dict(languages.most_common(max_languages)),
    }
