"""Find the file that an import of JavaScript or TypeScript leads to.

The order is that of the compilers: relative paths, names of the run time, the aliases of the
nearest tsconfig.json, packages of the workspace, packages of the registry. A package of the
workspace usually exports built files, which are not in the index, so its source is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from posixpath import basename, dirname
from typing import Any

from .manifests import OUT, Manifests, inside, part

_SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
# The modules of Node that need no prefix: https://nodejs.org/api/module.html#modulebuiltinmodules
_BUILTINS = frozenset(
    (
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "stream",
        "string_decoder",
        "sys",
        "timers",
        "tls",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
    )
)
_OUTSIDE = re.compile(r"(?:node|npm|jsr|https?|bun|deno|data|cloudflare|virtual):")
# A version with such a prefix means a folder, not a package of a registry.
_LOCAL_VERSION = re.compile(r"(?:workspace|file|link|portal|catalog):")
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_MAX_EXTENDS = 5  # configurations that extend each other: circles must end
_ENTRIES = ("source", "types", "module", "main")
_GUESSED_ENTRIES = ("src/index", "index", "lib/index", "src/main", "src/lib")


class Npm:
    """Resolves the imports of scripts."""

    def __init__(self, manifests: Manifests) -> None:
        self._manifests, self._modules = manifests, manifests.modules
        self._targets: dict[tuple[str, str], str | None] = {}

    def find(self, source: str, path: str) -> str | None:
        """Return the file that an import means.

        Args:
            source: The text between the quotes of the import.
            path: The file that imports.

        Returns:
            A path of the index, `OUT`, or None if no manifest answers.
        """
        key = (source, dirname(path))
        if key not in self._targets:
            self._targets[key] = self._find(source, path)
        return self._targets[key]

    def _find(self, source: str, path: str) -> str | None:
        if source.startswith("."):
            return self._modules.relative(source, path, _SUFFIXES) or None
        if _OUTSIDE.match(source):
            return OUT
        # An alias may hide a package of the same name, as in the compiler.
        for config in self._manifests.above(path, "tsconfig.json", "jsconfig.json"):
            target = self._by_config(config, source, 0)
            if target:
                return target
        # A scoped package, `@scope/name`, has two parts; what follows is a path in the package.
        parts = source.split("/")
        length = 2 if source.startswith("@") else 1
        name = "/".join(parts[:length])
        if name in self._packages:
            return self._in_package(self._packages[name], "/".join(parts[length:]))
        if name in _BUILTINS or self._is_outside(name, path):
            return OUT
        return None

    @cached_property
    def _packages(self) -> dict[str, str]:
        """The manifests of the packages of the index, by name."""
        packages: dict[str, str] = {}
        for path in self._manifests.named("package.json"):
            name = self._manifests.table(path).get("name")
            if isinstance(name, str) and name:
                packages.setdefault(name, path)
        return packages

    def _is_outside(self, name: str, path: str) -> bool:
        """Return whether the nearest manifest that declares a package takes it from a registry."""
        for manifest in self._manifests.above(path, "package.json"):
            for kind in _DEPENDENCIES:
                version = part(self._manifests.table(manifest), kind).get(name)
                if isinstance(version, str):
                    return _LOCAL_VERSION.match(version) is None
        return False

    def _by_config(self, config: str, source: str, depth: int) -> str:
        """Return the file by `paths`, `baseUrl` or an extended configuration; empty if missing."""
        table = self._manifests.table(config)
        options = part(table, "compilerOptions")
        base = inside(dirname(config), str(options.get("baseUrl", ".")))
        for pattern, targets in part(options, "paths").items():
            middle = _match(pattern, source)
            if middle is None or not isinstance(targets, list):
                continue
            for target in targets:
                file = self._at(inside(base, str(target).replace("*", middle)))
                if file:
                    return file
        file = self._at(inside(base, source)) if "baseUrl" in options else ""
        return file or self._by_extended(config, source, depth)

    def _by_extended(self, config: str, source: str, depth: int) -> str:
        extended = self._manifests.table(config).get("extends")
        targets = extended if isinstance(extended, list) else [extended]
        for target in targets:
            if not isinstance(target, str) or not target.startswith(".") or depth == _MAX_EXTENDS:
                continue
            place = inside(dirname(config), target)
            for name in (place, place + ".json"):
                file = ""
                if name in self._modules.paths:
                    file = self._by_config(name, source, depth + 1)
                if file:
                    return file
        return ""

    def _in_package(self, manifest: str, subpath: str) -> str | None:
        """Return a file of a package of the workspace."""
        table = self._manifests.table(manifest)
        targets = list(_exported(table.get("exports"), f"./{subpath}" if subpath else "."))
        if subpath:
            targets += [subpath, f"src/{subpath}", f"lib/{subpath}"]
        else:
            targets += [str(table[key]) for key in _ENTRIES if key in table]
            targets += _GUESSED_ENTRIES
        for target in targets:
            file = self._at(inside(dirname(manifest), target))
            if file:
                return file
        return None

    def _at(self, place: str) -> str:
        """Return the script at a place, also without its suffix, or the index of a folder."""
        if not place:
            return self._modules.relative("./index", "x", _SUFFIXES)
        return self._modules.relative("./" + basename(place), place, _SUFFIXES)


def _match(pattern: str, text: str) -> str | None:
    """Return the part of a text that the star of a pattern matches; None if they do not match."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if pattern == text else None
    # Head and tail must not overlap: `a*a` does not match `a`.
    end = len(text) - len(tail)
    if end < len(head):
        return None
    if not text.startswith(head):
        return None
    if not text.endswith(tail):
        return None
    return text[len(head) : end]


def _exported(exports: Any, subpath: str) -> Iterator[str]:
    """Yield the targets in `exports` for a subpath, under each condition in the order of the file.

    See https://nodejs.org/api/packages.html#exports.
    """
    if isinstance(exports, str) and subpath == ".":
        yield exports
    elif isinstance(exports, list):
        # Alternatives: the first that a loader understands.
        for item in exports:
            yield from _exported(item, subpath)
    elif isinstance(exports, dict):
        for key, value in exports.items():
            if not key.startswith("."):  # a condition, such as `import`
                yield from _exported(value, subpath)
                continue
            middle = _match(key, subpath)
            if middle is not None:
                for target in _exported(value, "."):
                    yield target.replace("*", middle)
