"""The files that a grammar may be made of: what tells whether tables that were kept are still its own."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from ...ground import resources
from .bounds import MOST_FILES, read_grammar

_IMPORT = re.compile(r"^%import[ \t]+\.?[ \t]*([\w.]+)", re.MULTILINE)


def gather(path: Path, text: str) -> list[tuple[Path, str]]:
    """Return the files that a grammar may be made of, itself first, as far as they can be read: path and text.

    Whatever `%import` may mean to `flatten`, to Lark and to `mistakes` is among them.
    """
    files = {path: text}
    waiting = [(path, text)]
    for importer, importing in waiting:
        folders = {importer.parent: 1, path.parent: 1, resources.find_folder("grammars"): 1}
        parts = [name.split(".") for name in _IMPORT.findall(importing)]
        named = ["/".join(names[:end]) for names in parts for end in (len(names), len(names) - 1) if end]
        for found in (folder / f"{name}.lark" for name in named for folder in folders):
            if found not in files and len(files) < MOST_FILES:
                with suppress(OSError, UnicodeDecodeError, ValueError):
                    files[found] = read_grammar(found)
                    waiting.append((found, files[found]))
    return list(files.items())


def find_base(path: Path, name: str) -> tuple[Path, str]:
    """Read the grammar that a file builds on: the one beside it, or the installed one."""
    beside = path.with_name(f"{name}.lark")
    found = beside if beside.is_file() else resources.find_folder("grammars") / f"{name}.lark"
    return found, read_grammar(found)
