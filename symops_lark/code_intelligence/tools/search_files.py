"""Find files by their names."""

from __future__ import annotations

from ...core.ground.file_types import language_of
from ..index import Index
from ..index.walking import compile_globs
from .answers import Answer, Item, fail, give_items, is_asked

_LONGEST = 500  # characters of a pattern


def run(index: Index, pattern: str, limit: int | None = None) -> Answer:
    """Return the files with a path that contains a text, or fits a glob.

    Args:
        index: The index.
        pattern: The text, or a glob as in `.gitignore`: `*.py`, `src/**/test_*`.
        limit: The most items.
    """
    if not is_asked(pattern) or len(pattern) > _LONGEST or "\n" in pattern:
        expected = f"a part of a path or a glob is expected, of {_LONGEST} characters at most"
        return fail("bad_arguments", f"pattern: {expected}")
    part = pattern.removeprefix("./")
    with index.reading():
        files = list(index.files.values())
    # As in `.gitignore`: a text without these signs cannot be a glob.
    if any(sign in part for sign in "*?["):
        globs = compile_globs((part,))
        if globs is None:
            return fail("bad_pattern", f"{pattern}: it is not a glob")
        files = [file for file in files if globs.check_file(file.path).include]
    else:
        part = part.lower()
        files = [file for file in files if part in file.path.lower()]
    items = []
    for file in files:
        item: Item = {
            "path": file.path,
            "line": 1,
            "lines": file.lines,
            "bytes": file.size,
            "language": language_of(file.path),
        }
        # The name of a file is shown even if its text is not.
        if file.left_out:
            item["left_out"] = file.left_out
        items.append(item)
    return give_items(index, items, limit=limit, text=True)
