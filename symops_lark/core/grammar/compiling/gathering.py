"""Find the files that a grammar is made of.

Tables that were compiled before are valid as long as all these files are the same. So the list must
have every file that an `%import` could mean to one of its readers: `statements.flatten`, Lark, or
`mistakes`. A file too many only makes the cache miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ...ground import resources
from .bounds import MOST_FILES, read_grammar

# "%import .v2", "%import common.WS" and "%import .base.rule -> name", but not "// %import .v2".
_IMPORT = re.compile(r"^%import[ \t]+(?:\.[ \t]*)?([\w.]+)", re.MULTILINE)


def gather(path: Path, text: str) -> list[tuple[Path, str]]:
    """Return the files that a grammar may be made of, as far as they can be read.

    Args:
        path: The file of the grammar.
        text: Its text.

    Returns:
        The path and the text of each file, the grammar first; at most `MOST_FILES`.
    """
    files = {path: text}
    waiting = [(path, text)]
    for importer, importer_text in waiting:  # grows while it is read
        for file in _find_imports(importer, path, importer_text):
            if file in files or len(files) >= MOST_FILES:
                continue
            with suppress(OSError, UnicodeDecodeError, ValueError):
                files[file] = read_grammar(file)
                waiting.append((file, files[file]))
    return list(files.items())


def _find_imports(importer: Path, path: Path, text: str) -> Iterator[Path]:
    """Yield the paths that the imports of a file may mean."""
    # Lark looks beside the file that imports; `flatten` also knows installed grammars.
    folders = dict.fromkeys((importer.parent, path.parent, resources.find_folder("grammars")))
    for name in _IMPORT.findall(text):
        parts = name.split(".")
        # `a.b` is the file a/b.lark, or the rule b of the file a.lark.
        stems = ["/".join(parts)]
        if len(parts) > 1:
            stems.append("/".join(parts[:-1]))
        for stem in stems:
            for folder in folders:
                yield folder / f"{stem}.lark"


def find_base(path: Path, name: str) -> tuple[Path, str]:
    """Return the path and the text of the grammar that a file builds on.

    Args:
        path: The file that has the `%import`.
        name: The name after the dot. A file beside `path` is preferred to an installed one.

    Raises:
        OSError: There is no such file, or it cannot be read.
        UnicodeDecodeError: It is not UTF-8.
    """
    base = path.with_name(f"{name}.lark")
    if not base.is_file():
        base = resources.find_folder("grammars") / f"{name}.lark"
    return base, read_grammar(base)
