"""Which files of the index the imports of a file lead to."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from posixpath import commonpath, dirname, join, normpath

_INITS = ("__init__.py", "__init__.pyi")


class Modules:
    """The files of an index, as modules; a folder without a file of its own ends with a slash."""

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = frozenset(paths)
        self.folders: set[str] = {""}
        self._by_name: dict[str, list[str]] = {}
        for path in self.paths:
            folder = dirname(path)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = dirname(folder)
        for path in (*self.paths, *(folder + "/" for folder in self.folders if folder)):
            name = path.rstrip("/").rpartition("/")[2].partition(".")[0]
            self._by_name.setdefault(name, []).append(path)

    def python(self, name: str, level: int, path: str) -> str:
        """Return the module that a file imports; empty if it is none of the index. `level` counts the dots before."""
        parts = name.replace(".", "/")
        if level:
            base = dirname(path)
            for _ in range(level - 1):
                base = dirname(base)
            return self._python_at(join(base, parts) if parts else base)
        if found := self._python_at(parts) or self._python_at(f"src/{parts}"):
            return found
        if name.partition(".")[0] in sys.stdlib_module_names:
            return ""
        return self._python_at(join(dirname(path), parts)) or self._nearest(parts, path)

    def below(self, module: str, name: str) -> str:
        """Return the module of a name in a package; empty if there is none."""
        if module.endswith("/"):
            return self._python_at(module + name)
        return self._python_at(join(dirname(module), name)) if module.endswith(_INITS) else ""

    def _python_at(self, place: str) -> str:
        return next((each for each in _python_files(place) if each in self.paths), "") or (
            place + "/" if place in self.folders and place else ""
        )

    def _nearest(self, parts: str, path: str) -> str:
        """Return the module of that name that is nearest to a file, wherever imports may begin."""
        first = parts.partition("/")[0]
        bases = {dirname(each.rstrip("/")) for each in self._by_name.get(first, ()) if each.endswith((".py", "/"))}
        found = {self._python_at(join(base, parts)) for base in bases} - {""}
        files = {each for each in found if not each.endswith("/")} or found
        return min(files, key=lambda each: (-_common(each, path), len(each), each), default="")

    def relative(self, target: str, path: str, suffixes: tuple[str, ...]) -> str:
        """Return the file that a relative path means beside a file, also without its suffix; empty if none."""
        place = normpath(join(dirname(path), target))
        stem = place.rpartition(".")[0] if place.endswith((".js", ".mjs", ".cjs", ".jsx")) else ""
        for base in filter(None, (place, stem)):
            for each in (base, *(base + suffix for suffix in suffixes), *(f"{base}/index{s}" for s in suffixes)):
                if each in self.paths:
                    return each
        return ""


def _python_files(place: str) -> Iterator[str]:
    yield f"{place}.py"
    yield from (f"{place}/{name}" if place else name for name in _INITS)
    yield f"{place}.pyi"


def _common(one: str, other: str) -> int:
    return len(commonpath([dirname(one), dirname(other)]).split("/")) if dirname(one) and dirname(other) else 0
