"""Find the packages of Go: their folders by go.mod files, their names by what their files say."""

from __future__ import annotations

import re
from functools import cached_property
from posixpath import dirname

from .manifests import OUT, Manifests, inside

_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)', re.MULTILINE)
# `replace example.org/a v1.2.3 => ../a`. A target without dots is another module of the network.
# Matches `a.org/b => ./c`; must not match `a.org/b => d.org/e v2.0.0`.
_REPLACED = re.compile(
    r"^\s*(?:replace\s+)?"
    r"([^\s()]+)(?:\s+v\S+)?"  # the module, and which version of it
    r"\s+=>\s+(\.{1,2}/\S*)",
    re.MULTILINE,
)
_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_VERSION = re.compile(r"v[0-9]+")
# Parts of an import path that the name of a package usually leaves out: `go-redis`, `yaml.v3`.
_DECORATION = re.compile(r"^go-|\.v[0-9]+$|-go$")


class GoModules:
    """Resolves the imports of Go, and names packages."""

    def __init__(self, manifests: Manifests) -> None:
        self._manifests = manifests
        self._packages: dict[str, str] = {}
        self._names: dict[str, str] = {}

    @cached_property
    def _modules(self) -> list[tuple[str, str]]:
        """The modules of the index with their folders, the longest name first."""
        modules = []
        for path in self._manifests.named("go.mod"):
            text = self._manifests.text(path)
            module = _MODULE.search(text)
            if module:
                modules.append((module[1], dirname(path)))
            for name, target in _REPLACED.findall(text):
                folder = inside(dirname(path), target)
                modules.append((name, folder))
        # A module may be in a folder of another one: the longer name is the nearer module.
        modules.sort(key=_length_of_name, reverse=True)
        return modules

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        """The files of Go by their folders, sorted."""
        files: dict[str, list[str]] = {}
        for path in sorted(self._manifests.modules.paths):
            if path.endswith(".go"):
                files.setdefault(dirname(path), []).append(path)
        return files

    def folder(self, source: str) -> str | None:
        """Return the folder that an import means, `OUT`, or None if no go.mod answers."""
        for module, folder in self._modules:
            if source == module:
                return folder
            if source.startswith(module + "/"):
                subpath = source.removeprefix(module + "/")
                return inside(folder, subpath)
        if self._modules:
            return OUT
        # Only the paths of the standard library have no dot in their first part.
        host = source.partition("/")[0]
        if "." in host or self.guesses(source):
            return None
        return OUT

    def guesses(self, source: str) -> list[str]:
        """Return the folders that an import may mean without a go.mod: the ends of paths agree."""
        guesses = []
        end_of_source = "/" + source
        for folder in sorted(self._files):
            end_of_folder = "/" + folder
            if not folder:
                continue
            # Either may be the longer one: the import has a host, the folder has `vendor/`.
            is_longer = end_of_source.endswith(end_of_folder)
            if is_longer or end_of_folder.endswith(end_of_source):
                guesses.append(folder)
        return guesses

    def package(self, path: str) -> str:
        """Return the name in the package clause of a file; empty without one."""
        if path not in self._packages:
            # A comment above the clause may contain the word too.
            code = _COMMENTS.sub("", self._manifests.text(path))
            clause = _PACKAGE.search(code)
            self._packages[path] = clause[1] if clause else ""
        return self._packages[path]

    def name(self, source: str) -> str:
        """Return the name of an import in code: that of the package, else the end of its path."""
        if source not in self._names:
            self._names[source] = self._name(source)
        return self._names[source]

    def _name(self, source: str) -> str:
        folder = self.folder(source)
        is_guess = folder is None or folder == OUT
        folders = self.guesses(source) if is_guess else [folder or ""]
        for candidate in folders:
            for path in self._files.get(candidate, ()):
                if not path.endswith("_test.go"):
                    return self.package(path)
        # The package is not in the folder, so its name is a guess.
        parts = source.split("/")
        if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
            parts.pop()
        plain = _DECORATION.sub("", parts[-1])
        return plain.replace("-", "_")


def _length_of_name(module: tuple[str, str]) -> int:
    return len(module[0])
