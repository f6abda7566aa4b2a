"""Keep results that depend only on the modules of this package, until a module changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ...core.ground.kept_tables import KeptTables


@cache
def remember(make: Callable[..., Any], *settings: object) -> Any:
    """Return the result of a function, which is kept on disk as JSON.

    Args:
        make: The function. Its result depends only on the settings and on the package.
        settings: Its arguments.
    """
    name = f"{make.__module__}.{make.__qualname__}{settings!r}"
    tables = KeptTables("bundle", (), [name, _digest_package()])
    return tables.remember(lambda: make(*settings))


@cache
def _digest_package() -> bytes:
    """Return a hash of all modules, because the result shows only later which modules it needs."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[2]
    for path in sorted(root.rglob("*.py")):
        code = path.read_bytes()
        # The length separates the code from the next name.
        digest.update(f"{path.relative_to(root).as_posix()}:{len(code)}:".encode() + code)
    return digest.digest()
