"""From a dialect to other runtimes: each module here that has a `write` is an export, named after its file.

To add one is to add a file: `SUMMARY` says what it is in a line, `write` returns its files.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from ..errors import SymOpsError
from ..grammar.compiler import WrittenDialect
from ..grammar.loading import load_grammar


class ExportError(SymOpsError):
    """A dialect cannot be exported so; the message says which of its features stands where, and why."""


class Export(Protocol):
    """What the module of an export has."""

    SUMMARY: str
    TOLERANT: bool  # whether there is a form of it that reads broken replies as well

    def write(self, dialect: WrittenDialect, *, tolerant: bool) -> dict[str, str]:
        """Return the files, by their names in the folder; raise `ExportError` for what cannot be kept."""


@cache
def load_exports() -> dict[str, Export]:
    """Return the exports by name."""
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = import_module(f"{__name__}.{module.name}")
        if hasattr(loaded, "write"):
            found[module.name] = loaded
    return found


def export(name: str, format: str | Path | WrittenDialect = "v2", *, tolerant: bool = False) -> dict[str, str]:
    """Return the files of an export, texts by name: a parser of a dialect for another runtime.

    `tolerant` asks for one that repairs and recovers as well, where there is such a form. Raises `ExportError` if there
    is no such export or the dialect has what it cannot keep, and `GrammarError` if there is no such dialect.
    """
    known = load_exports()
    if name not in known:
        raise ExportError(f"there is no export {name!r}; there are {', '.join(known)}")
    if tolerant and not known[name].TOLERANT:
        forms = ", ".join(other for other, each in known.items() if each.TOLERANT)
        raise ExportError(f"the export {name} has no tolerant form; the ones that have are {forms}")
    return known[name].write(load_grammar(format), tolerant=tolerant)
