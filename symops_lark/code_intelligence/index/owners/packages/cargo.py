"""Find the crates of Rust: by name, by a file in them, and the file that each begins with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from posixpath import basename, dirname, join
from typing import Any

from .manifests import OUT, Manifests, part

_LANGUAGE = frozenset(("std", "core", "alloc", "proc_macro", "test"))
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")
# Each file in these folders is a separate crate. See "Package Layout" in the book of Cargo.
_FOLDERS_OF_CRATES = ("tests", "benches", "examples", "src/bin")
_ROOTS = ("src/lib.rs", "src/main.rs", "lib.rs")
_PROGRAMS = ("build.rs", "main.rs")


class Cargo:
    """Resolves the names of crates."""

    def __init__(self, manifests: Manifests) -> None:
        self._manifests, self._paths = manifests, manifests.modules.paths
        self._targets: dict[tuple[str, str], str | None] = {}
        self._homes: dict[str, str] = {}

    @cached_property
    def _crates(self) -> dict[str, str]:
        """The folders of the crates, by the names that code uses."""
        crates: dict[str, str] = {}
        for path in self._manifests.named("Cargo.toml"):
            table = self._manifests.table(path)
            library, package = part(table, "lib"), part(table, "package")
            name = library.get("name") or package.get("name")
            if isinstance(name, str):
                crates.setdefault(_in_code(name), dirname(path))
        return crates

    @cached_property
    def _folders(self) -> frozenset[str]:
        if self._crates:
            return frozenset(self._crates.values())
        # Without manifests, the usual layout shows where crates are.
        folders = set()
        for path in self._paths:
            if path.endswith(("/src/lib.rs", "/src/main.rs")):
                source = dirname(path)
                folders.add(dirname(source))
        return frozenset(folders)

    def home(self, path: str) -> str:
        """Return the folder of the crate that a file belongs to."""
        start = dirname(path)
        if start not in self._homes:
            folder = start
            while folder and folder not in self._folders:
                folder = dirname(folder)
            self._homes[start] = folder
        return self._homes[start]

    def root(self, crate: str) -> str:
        """Return the file that a library begins with, or else the program; empty if unknown."""
        table = self._manifests.table(join(crate, "Cargo.toml"))
        path = part(table, "lib").get("path")
        candidates = [join(crate, root) for root in _ROOTS]
        if isinstance(path, str):
            candidates.insert(0, join(crate, path))
        for candidate in candidates:
            if candidate in self._paths:
                return candidate
        return ""

    def is_root(self, path: str) -> bool:
        """Return whether a file begins a crate, so that no other file declares it as a module."""
        crate = self.home(path)
        if path == self.root(crate):
            return True
        inner = path.removeprefix(crate + "/") if crate else path
        if inner in _ROOTS or inner in _PROGRAMS:
            return True
        folder = dirname(inner)
        if folder in _FOLDERS_OF_CRATES:
            return True
        # `src/bin/name/main.rs` is a program of several files.
        is_main = basename(inner) == "main.rs"
        return is_main and dirname(folder) in _FOLDERS_OF_CRATES

    def find(self, name: str, path: str) -> str | None:
        """Return the folder of a crate.

        Args:
            name: The name that code uses.
            path: The file that uses it.

        Returns:
            A folder of the index, `OUT`, or None if no manifest answers.
        """
        key = (name, dirname(path))
        if key not in self._targets:
            self._targets[key] = self._find(name, path)
        return self._targets[key]

    def _find(self, name: str, path: str) -> str | None:
        # A dependency may have the name `core` too: `core = { package = "our-core" }`.
        for manifest in self._manifests.above(path, "Cargo.toml"):
            for key, source in self._declared(manifest):
                if _in_code(key) == name:
                    return self._depended(name, source, manifest)
        if name in _LANGUAGE:
            return OUT
        return self._crates.get(name)

    def _declared(self, manifest: str) -> Iterator[tuple[str, Any]]:
        """Yield the dependencies of a manifest, also those of one target system."""
        table = self._manifests.table(manifest)
        for owner in (table, *part(table, "target").values()):
            for kind in _DEPENDENCIES:
                yield from part(owner, kind).items()

    def _depended(self, name: str, source: Any, manifest: str) -> str | None:
        """Return the crate that a declared dependency means."""
        if not isinstance(source, dict):
            return self._crates.get(name, OUT)
        package = source.get("package")
        actual = _in_code(package) if isinstance(package, str) else name
        if actual in self._crates:
            return self._crates[actual]
        if source.get("workspace") is not True:
            if "path" in source:
                return None
            return OUT
        return self._of_workspace(name, manifest)

    def _of_workspace(self, name: str, manifest: str) -> str | None:
        """Return a crate that a workspace declares for its members."""
        for root in self._manifests.above(manifest, "Cargo.toml"):
            declared = part(self._manifests.table(root), "workspace", "dependencies")
            for key, source in declared.items():
                if _in_code(key) == name:
                    # At the root `workspace = true` would lead here again, for ever.
                    plain = source
                    if isinstance(source, dict):
                        plain = source | {"workspace": False}
                    return self._depended(name, plain, root)
        return None


def _in_code(name: str) -> str:
    return name.replace("-", "_")
