"""Folders in which every public function of a module is one of a kind: to add one is to write one more."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def find_functions(package: str, path: Iterable[str]) -> dict[str, Any]:
    """Return the public functions of a package's modules by name, in the order of the modules and of their places."""
    found: dict[str, Any] = {}
    for module in iter_modules(path):
        room = import_module(f"{package}.{module.name}")
        functions = [item for name, item in vars(room).items() if inspect.isfunction(item) and name[0] != "_"]
        found |= {item.__name__: item for item in functions if item.__module__ == room.__name__}
    return found
