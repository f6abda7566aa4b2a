"""Modules that do not know Sym-Ops: errors, numbers, JSON, locks, processes, folders.

They import the standard library and each other, and nothing else of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def load_lazily(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    Args:
        package: The full name of the package.
        homes: The names that each of its modules gives, by the module's relative name.
    """

    def find(name: str) -> Any:
        for module, names in homes.items():
            if name in names:
                return getattr(import_module(f".{module}", package), name)
        # Python needs this error for names that do not exist: `hasattr` returns False for it.
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
