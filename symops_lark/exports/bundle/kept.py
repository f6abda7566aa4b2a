"""What is made of this package's modules alone: the same for every dialect, so it is kept until a module changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ...core.ground.kept_tables import KeptTables


@cache
def remember(make: Callable[..., Any], *settings: object) -> Any:
    """Return what is made with some settings, as JSON values: from before, where no module of this package changed."""
    kept = KeptTables("bundle", (), [f"{make.__module__}.{make.__qualname__}{settings!r}", _digest_package()])
    return kept.remember(lambda: make(*settings))


@cache
def _digest_package() -> bytes:
    """Return a hash of the modules: which of them are needed is only known when it is made."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[2]
    for path in sorted(root.rglob("*.py")):
        code = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}:{len(code)}:".encode() + code)
    return digest.digest()
