"""Packages whose modules contain things of one kind: functions, or a mapping of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


def find_functions(package: str, path: Iterable[str]) -> dict[str, Any]:
    """Return the public functions of a package's modules by name, in the order of the source."""
    functions = {}
    for module in _load_modules(package, path):
        for name, item in vars(module).items():
            # Imported functions belong to another module.
            is_own = inspect.isfunction(item) and item.__module__ == module.__name__
            if is_own and not name.startswith("_"):
                functions[name] = item
    return functions


def find_named(package: str, path: Iterable[str], name: str) -> dict[str, Any]:
    """Return the items of all mappings with a name in the modules of a package.

    Args:
        package: The name of the package.
        path: Its `__path__`.
        name: The name of the mapping. A module may be without it.
    """
    items: dict[str, Any] = {}
    for module in _load_modules(package, path):
        items |= getattr(module, name, {})
    return items


def by_name(items: Iterable[Any]) -> dict[str, Any]:
    """Return items that have a name, by their names."""
    return {item.name: item for item in items}


def _load_modules(package: str, path: Iterable[str]) -> Iterator[ModuleType]:
    # In alphabetical order, on every file system.
    for module in iter_modules(path):
        yield import_module(f"{package}.{module.name}")
