"""How a folder or a file is made: its parts, their sizes and languages, what they define, and what imports what."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...core.ground.file_types import language_of
from ..index import Index
from ..index.index import IndexedFile
from .answers import choose_files, give_items

_MOST_IMPORTS = 200
_IMPORTS = "FROM files f JOIN imports i ON i.file = f.id WHERE f.path >= ? AND f.path < ?"


def run(index: Index, path: str | None = None, limit: int | None = None, imports: bool = False) -> dict[str, Any]:
    """Return the parts of a folder, or of a file, with the totals of the whole; the `imports` only if asked for."""
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        base = "" if path in (None, "", ".", "./") else str(path).removeprefix("./").rstrip("/")
        one = len(files) == 1 and files[0].path == base
        defined = dict(database.execute("SELECT file, count(*) FROM symbols GROUP BY file").fetchall())
        last = "\1" if one else "0"  # 0 is what comes after a slash
        below = (base if one else f"{base}/", base + last) if base else ("", "\U0010ffff")
        count = _MOST_IMPORTS if imports else 0
        rows = database.execute(
            f"SELECT f.path, i.line, i.name {_IMPORTS} ORDER BY f.path, i.line LIMIT ?", (*below, count)
        )
        listed = [{"path": place, "line": line, "imports": name} for place, line, name in rows]
        [(total,)] = database.execute(f"SELECT count(*) {_IMPORTS}", below)
        most = f"SELECT i.name, count(*) AS n {_IMPORTS} GROUP BY i.name ORDER BY n DESC, i.name LIMIT 10"
        most_imported = dict(database.execute(most, below).fetchall())
        items = _outline(database, files[0]) if one else _parts(files, f"{base}/" if base else "", defined)
    languages = Counter(language_of(file.path) or "other" for file in files)
    whole = {
        "files": len(files),
        "lines": sum(file.lines for file in files),
        "bytes": sum(file.size for file in files),
        "definitions": sum(defined.get(file.id, 0) for file in files),
        "languages": dict(languages.most_common()),
    }
    summary: dict[str, Any] = {"whole": whole, "imports_total": total, "most_imported": most_imported}
    if imports:
        summary["imports"] = listed
    answer = give_items(index, items, limit=limit, **summary)
    seen = [files[0].path] if one else [row["path"] for row in listed]
    return answer | {"files": list(dict.fromkeys([*answer["files"], *seen]))}


def _outline(database: Any, file: IndexedFile) -> list[dict[str, Any]]:
    sql = "SELECT line, end_line, name, kind, within, head FROM symbols WHERE file = ? ORDER BY line, column"
    names = ("line", "end_line", "name", "kind", "container", "text")
    rows = database.execute(sql, (file.id,))
    return [{"path": file.path, **dict(zip(names, row, strict=True))} for row in rows]


def _parts(files: list[IndexedFile], lead: str, defined: dict[int, int]) -> list[dict[str, Any]]:
    """Return the folders and files directly in a folder; a folder has the sums of what is below it."""
    parts: dict[str, list[IndexedFile]] = {}
    for file in files:
        name, slash, _ = file.path[len(lead) :].partition("/")
        parts.setdefault(lead + name + slash, []).append(file)
    items = []
    for name, group in sorted(parts.items()):
        languages = Counter(language_of(file.path) or "other" for file in group)
        sizes = {"files": len(group), "lines": sum(file.lines for file in group)}
        definitions = sum(defined.get(file.id, 0) for file in group)
        kind = "folder" if name.endswith("/") else "file"
        sums = {**sizes, "definitions": definitions, "languages": dict(languages.most_common(5))}
        items.append({"path": name.rstrip("/"), "kind": kind, **sums})
    return items
