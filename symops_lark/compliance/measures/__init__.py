"""The measures: every public function of a module of this folder is one; to add one is to write one more.

A measure takes records of one provenance, all of which have a reply, and gives figures. Its name is what plots and
findings know it by; the first line of its docstring is its title, the rest says exactly how it is computed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..figures import Measure


@cache
def find_measures() -> Mapping[str, Measure]:
    """Give the measures by name, in the order of their modules and, in each, of their places."""
    found: dict[str, Measure] = {}
    for module in iter_modules(__path__):
        room = import_module(f"{__name__}.{module.name}")
        functions = [item for name, item in vars(room).items() if inspect.isfunction(item) and name[0] != "_"]
        found |= {item.__name__: item for item in functions if item.__module__ == room.__name__}
    return found


def describe(measure: Measure) -> tuple[str, str]:
    """Give the title of a measure and the text that says how it is computed."""
    title, _, text = (inspect.getdoc(measure) or "").partition("\n")
    return title.removesuffix("."), " ".join(text.split())
