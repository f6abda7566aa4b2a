"""Write what npm needs of a package: its name, version, modules, license and page."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.errors import ExportError
from ...core.ground.version import __version__
from ..headers import header_lines, markdown_header, slug
from .strict import SUBPATHS

# npm's rules for new packages: lower case, at most 214 characters, with a scope or without.
# It matches "@acme/symops" and "symops-v2", but not "Symops" or ".symops".
_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*")
_LONGEST_NAME = 214
# https://semver.org, without the rule on zeros: "1.2.0-rc.1+build" but not "1.2".
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_REPOSITORY = "https://github.com/symops-lark/symops-lark"
_STRICT = "strict"
_DIGITS = 8  # of a hash: enough for the dialects of one program


def write_package(
    dialect: WrittenDialect, modules: dict[str, str], tolerant: bool, name: str, version: str
) -> dict[str, str]:
    """Return the files of a package.

    Args:
        dialect: The dialect.
        modules: The texts of its modules and declarations, by their names.
        tolerant: Whether the package also repairs and recovers.
        name: Its name on npm; empty: one of the dialect.
        version: Its version; empty: that of symops-lark.

    Raises:
        ExportError: The name or the version is not one that npm accepts.
    """
    name = name or _choose_name(dialect, tolerant)
    version = version or __version__
    if len(name) > _LONGEST_NAME or _NAME.fullmatch(name) is None:
        raise ExportError(
            f"--name: expected a name that npm accepts, such as @acme/symops, got {name!r}"
        )
    if _VERSION.fullmatch(version) is None:
        raise ExportError(f"--version: expected a semantic version, such as 1.2.0, got {version!r}")
    described = _describe(dialect, name, version, modules)
    return {
        **modules,
        "package.json": json.dumps(described, indent=2) + "\n",
        "README.md": _write_page(dialect, tolerant, name) + markdown_header(dialect, "javascript"),
        "LICENSE": "\n".join(header_lines(dialect, "javascript")) + "\n",
    }


def _choose_name(dialect: WrittenDialect, tolerant: bool) -> str:
    """Return a name that no other dialect has; the two forms of one may be installed together."""
    words = slug(dialect)
    # `v2_1` and `v2-1`, and the strict form of `a` and the tolerant one of `a_strict`, would clash.
    if words.replace("-", "_") != dialect.name or words.endswith(_STRICT):
        digest = sha256(dialect.name.encode()).hexdigest()
        words = f"{words}-{digest[:_DIGITS]}"
    return f"symops-{words}" if tolerant else f"symops-{words}-{_STRICT}"


def _describe(
    dialect: WrittenDialect, name: str, version: str, modules: dict[str, str]
) -> dict[str, Any]:
    exports: dict[str, Any] = {".": {"types": "./index.d.ts", "default": "./index.js"}}
    if "strict.js" in modules:
        exports |= SUBPATHS
    if "formats.js" in modules:
        exports["./formats"] = {"types": "./formats.d.ts", "default": "./formats.js"}
    return {
        "//": header_lines(dialect, "javascript"),
        "name": name,
        "version": version,
        "description": f"A parser of Sym-Ops replies in the dialect {dialect.name}",
        "keywords": ["symops", "parser", dialect.name],
        "license": "MIT",
        "homepage": _REPOSITORY,
        # npm compares it with the repository of the workflow that publishes.
        "repository": {"type": "git", "url": f"git+{_REPOSITORY}.git"},
        "publishConfig": {"access": "public", "provenance": True},
        "type": "module",
        "main": "index.js",
        "types": "index.d.ts",
        "exports": exports,
        "files": sorted(modules),
        "sideEffects": False,
        "engines": {"node": ">=18"},
    }


def _write_page(dialect: WrittenDialect, tolerant: bool, name: str) -> str:
    verb = "process" if tolerant else "parse"
    return f"""# {name}

A parser of Sym-Ops replies in the dialect {dialect.name}.

```js
import {{ {verb} }} from "{name}";

console.log({verb}(reply){".document" if tolerant else ""}.sections);
```

Offsets and columns count UTF-16 units, as JavaScript's texts do.
"""
