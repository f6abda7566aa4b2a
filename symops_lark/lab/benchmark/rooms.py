"""Folders whose modules have things of one kind, functions or a mapping of them: to add one is to write one more."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def find_functions(package: str, path: Iterable[str]) -> dict[str, Any]:
    """Return the public functions of a package's modules by name, in the order of the modules and of their places."""
    rooms = [import_module(f"{package}.{module.name}") for module in iter_modules(path)]
    functions = [(room, item) for room in rooms for item in vars(room).values() if inspect.isfunction(item)]
    own = (item for room, item in functions if item.__module__ == room.__name__)
    return {item.__name__: item for item in own if item.__name__[0] != "_"}


def find_named(package: str, path: Iterable[str], name: str) -> dict[str, Any]:
    """Return what the mappings of one name in a package's modules hold, in the order of the modules."""
    rooms = [import_module(f"{package}.{module.name}") for module in iter_modules(path)]
    return {key: item for room in rooms for key, item in getattr(room, name, {}).items()}
