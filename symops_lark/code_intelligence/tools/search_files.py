"""Files by their names."""

from __future__ import annotations

from typing import Any

from ...core.ground.file_types import language_of
from ..index import Index
from ..index.walking import compile_globs
from .answers import fail, give_items, is_asked

_MOST = 500  # characters of a pattern


def run(index: Index, pattern: str, limit: int | None = None) -> dict[str, Any]:
    """Return the files whose path holds a text, or fits a glob as `.gitignore` has them (`*.py`, `src/**/test_*`)."""
    if not is_asked(pattern) or len(pattern) > _MOST or "\n" in pattern:
        return fail("bad_arguments", f"pattern: a part of a path or a glob is expected, of {_MOST} characters at most")
    wanted = pattern.removeprefix("./")
    with index.reading():
        files = list(index.files.values())
    if any(sign in wanted for sign in "*?["):
        globs = compile_globs((wanted,))
        if globs is None:
            return fail("bad_pattern", f"{pattern}: it is no glob")
        found = [file for file in files if globs.check_file(file.path).include]
    else:
        found = [file for file in files if wanted.lower() in file.path.lower()]
    items = [
        {"path": file.path, "line": 1, "lines": file.lines, "bytes": file.size, "language": language_of(file.path)}
        | ({"left_out": file.left_out} if file.left_out else {})
        for file in found
    ]
    return give_items(index, items, limit=limit, text=True)
