"""Find the files of the index that the imports of a file lead to."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from posixpath import commonpath, dirname, join, normpath

_INITS = ("__init__.py", "__init__.pyi")
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx")


class Modules:
    """The files of an index, as modules. A folder without its own file ends with a slash."""

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = frozenset(paths)
        self.folders: set[str] = {""}
        self._by_name: dict[str, list[str]] = {}
        for path in self.paths:
            folder = dirname(path)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = dirname(folder)
        # Imports name folders too: packages need no `__init__.py`.
        folders = [folder + "/" for folder in self.folders if folder]
        for path in (*self.paths, *folders):
            name = path.rstrip("/").rpartition("/")[2].partition(".")[0]
            self._by_name.setdefault(name, []).append(path)

    def python(self, name: str, level: int, path: str) -> str:
        """Return the module that a file imports; empty if it is not in the index.

        Args:
            name: The name in the import, without dots before it.
            level: The number of these dots.
            path: The file.
        """
        parts = name.replace(".", "/")
        folder = dirname(path)
        if level:
            for _ in range(level - 1):
                folder = dirname(folder)
            return self._python_at(join(folder, parts) if parts else folder)
        # The folder is a root of imports, or has its code in `src`.
        for place in (parts, f"src/{parts}"):
            if module := self._python_at(place):
                return module
        # A file beside the importing one does not hide a module of the standard library.
        if name.partition(".")[0] in sys.stdlib_module_names:
            return ""
        return self._python_at(join(folder, parts)) or self._nearest(parts, path)

    def below(self, module: str, name: str) -> str:
        """Return the module of a name in a package; empty if there is none."""
        if module.endswith("/"):
            return self._python_at(module + name)
        if module.endswith(_INITS):
            return self._python_at(join(dirname(module), name))
        return ""

    def _python_at(self, place: str) -> str:
        for path in _python_files(place):
            if path in self.paths:
                return path
        if place in self.folders and place:
            return place + "/"
        return ""

    def _nearest(self, parts: str, path: str) -> str:
        """Return the module of a name that is nearest to a file, whatever its root is."""
        bases = set()
        for candidate in self._by_name.get(parts.partition("/")[0], ()):
            if candidate.endswith((".py", "/")):
                bases.add(dirname(candidate.rstrip("/")))
        candidates = []
        for base in bases:
            if module := self._python_at(join(base, parts)):
                # Files before folders, then those with most folders in common.
                shared = _shared_depth(module, path)
                candidates.append((module.endswith("/"), -shared, len(module), module))
        if candidates:
            return min(candidates)[-1]
        return ""

    def relative(self, target: str, path: str, suffixes: tuple[str, ...]) -> str:
        """Return the file that a relative path leads to; empty if there is none.

        Args:
            target: The relative path, also without its suffix, or of a folder with an index.
            path: The file that has it.
            suffixes: Suffixes to try, in order.
        """
        place = normpath(join(dirname(path), target))
        bases = [place]
        if place.endswith(_SCRIPTS):
            # TypeScript imports `a.ts` by the name that it has after compilation, `a.js`.
            bases.append(place.rpartition(".")[0])
        endings = ["", *suffixes, *(f"/index{suffix}" for suffix in suffixes)]
        for base in bases:
            for ending in endings:
                if base + ending in self.paths:
                    return base + ending
        return ""


def _python_files(place: str) -> Iterator[str]:
    yield f"{place}.py"
    for name in _INITS:
        yield f"{place}/{name}" if place else name
    yield f"{place}.pyi"


def _shared_depth(path: str, other: str) -> int:
    """Return the number of folders that two paths begin with."""
    folders = [dirname(path), dirname(other)]
    if all(folders):
        return len(commonpath(folders).split("/"))
    return 0
