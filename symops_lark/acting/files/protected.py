"""Decide by their names which files may hold secrets.

Plans refuse such files and no tool shows their text, unless a glob allows them by name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...core.ground.resources import read_words
from ...core.patterns.regexes import compile_linear, escape
from .paths import fold

REASON = "protected"  # the code for a text that is not shown
# Globs of files that are refused unless the policy allows them by name.
PROTECTED = read_words(Path(__file__).with_suffix(".txt"))
# Templates of such files, which hold no secrets.
HARMLESS = (
    *(".env.example", ".env.sample", ".env.template", ".env.dist"),
    *("*.env.example", "*.env.sample"),
)
_GLOB = {"**": ".*", "*": "[^/]*", "?": "[^/]"}


def is_protected(
    path: str, allow: tuple[str, ...] = (), protected: tuple[str, ...] = PROTECTED
) -> bool:
    """Return whether a file may hold secrets and is not allowed by name.

    Args:
        path: The file, relative to the root.
        allow: Globs of files that are allowed. Templates of such files always are.
        protected: Globs of the files that may hold secrets.
    """
    if not matches(path, protected):
        return False
    # Templates are files: a folder of such a name allows nothing below it.
    name = path.rpartition("/")[2]
    return not (matches(name, HARMLESS) or matches(path, allow))


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Return whether a path matches one of some globs.

    Case and the form of characters are ignored, as some file systems do: `.ENV` is `.env` there.

    Args:
        path: The file, relative to the root.
        globs: Patterns. `*` stays within a name, `**` does not. A glob without a slash matches at
            any depth, and everything below a folder that it names.
    """
    return bool(globs) and _pattern(globs).search(fold(path)) is not None


# One entry for each tuple of globs in use: `protected`, `allow` and `sensitive` of a few policies.
@lru_cache(maxsize=32)
def _pattern(globs: tuple[str, ...]) -> Any:
    """Return one pattern for all globs.

    It takes linear time, because users write the globs and models write the paths. `pathspec` reads
    globs as lines of `.gitignore`, which differ: `!` removes protection, `#` is a comment, brackets
    are classes, and a slash binds the glob to the root.
    """
    rows = []
    for glob in globs:
        # `replace` also turns half of a surrogate pair, which RE2 refuses, into a question mark.
        plain = fold(glob).encode("utf-8", "replace").decode()
        pieces = re.split(r"(\*\*|\*|[?])", plain)
        row = "".join(_GLOB.get(piece, escape(piece)) for piece in pieces)
        if "/" in glob:
            rows.append(rf"(?:.*/)?{row.removeprefix('/')}")
        else:
            rows.append(rf"(?:.*/)?{row}(?:/.*)?")
    return compile_linear(rf"(?s)\A(?:{'|'.join(rows)})\z")
