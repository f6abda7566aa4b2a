"""Read the manifests of an index: JSON with comments and TOML, each once."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from posixpath import basename, dirname, join, normpath
from typing import Any, Final

from .modules import Modules

# A manifest, or the language, says that an import leads out of the folder. No path has this text,
# because paths are relative and have no empty part.
OUT: Final = "//"

# Strings are matched first and kept, so that `"http://x"` loses nothing.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


class Manifests:
    """The manifests of an index.

    Args:
        modules: The files of the index.
        read: Returns the bytes of a path.
    """

    def __init__(self, modules: Modules, read: Callable[[str], bytes | None]) -> None:
        self.modules, self._read = modules, read
        self._tables: dict[str, dict[str, Any]] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(modules.paths):
            self._by_name.setdefault(basename(path), []).append(path)

    def named(self, name: str) -> list[str]:
        """Return the paths of the manifests of a name, sorted."""
        return self._by_name.get(name, [])

    def above(self, path: str, *names: str) -> Iterator[str]:
        """Yield the manifests beside a file and in the folders above it, the nearest first."""
        folder = path
        while folder:
            folder = dirname(folder)
            for name in names:
                place = join(folder, name)
                if place in self.modules.paths:
                    yield place

    def text(self, path: str) -> str:
        """Return the text of a file; empty if it cannot be read."""
        data = self._read(path) if path in self.modules.paths else None
        return (data or b"").decode("utf-8", "replace")

    def table(self, path: str) -> dict[str, Any]:
        """Return the object or table in a manifest; an empty one if its text is invalid."""
        if path not in self._tables:
            self._tables[path] = self._parse(path)
        return self._tables[path]

    def _parse(self, path: str) -> dict[str, Any]:
        text = self.text(path)
        try:
            if path.endswith(".toml"):
                return tomllib.loads(text)
            plain = _COMMENT.sub(_keep_string, text)
            value = json.loads(_LAST_COMMA.sub(_keep_string, plain))
        except (ValueError, RecursionError):
            return {}
        if isinstance(value, dict):
            return value
        return {}


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or ""


def part(table: Any, *names: str) -> dict[str, Any]:
    """Return a table inside another one; an empty one if it is missing or has another type."""
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    if isinstance(table, dict):
        return table
    return {}


def inside(folder: str, target: str) -> str:
    """Return the path of a target in a folder; empty for the root."""
    place = normpath(join(folder, target))
    if place == ".":
        return ""
    return place
