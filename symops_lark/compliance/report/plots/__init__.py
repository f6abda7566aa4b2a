"""The plots: every public function of a module of this folder is one, drawn above the table of the measure of its name.

It takes the figures of every measure of a section, by name, and gives a sheet, or None if there is nothing to see.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ...figures import Figure
from ..drawing import Sheet

Plot = Callable[[Mapping[str, Sequence[Figure]]], Sheet | None]


@cache
def find_plots() -> Mapping[str, Plot]:
    """Give the plots by the name of their measure."""
    found: dict[str, Plot] = {}
    for module in iter_modules(__path__):
        room = import_module(f"{__name__}.{module.name}")
        functions = [item for name, item in vars(room).items() if inspect.isfunction(item) and name[0] != "_"]
        found |= {item.__name__: item for item in functions if item.__module__ == room.__name__}
    return found
