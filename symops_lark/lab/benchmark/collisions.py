"""Collisions: in how many files of a corpus a line is a delimiter of a dialect, and which longer fence would do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...core.grammar.loading import dialects, load_dialect
from ...core.ground.errors import SymOpsError
from ..workbench.check import Survey, delimiters_of, survey
from .formats import known_formats

USUAL = ("v1", "v2", "plain")
CARRIER = "v2_1"  # the dialect with longer fences that is asked whether it could hold a file
CLAIMS = {"v1": "15 %", "v2": "less than 1 %", "plain": "0 %"}  # predicted by the original notes, of generated files
CAUTION = (
    "Intervals take files for independent, but those of one project resemble each other: they hold for files "
    "like these."
)


def find_collisions(folders: Sequence[Path], formats: Sequence[str] = (), examples: int = 3) -> Survey:
    """Count, below some folders, the files in which a delimiter of a dialect is alone on a line.

    Dialects by name or by the path of their grammar. Raises `SymOpsError` for formats that are no dialects, as their
    delimiters are no lines of their own, and `OSError` if a folder is not there.
    """
    for name in formats:
        if name not in dialects() and name in known_formats():
            raise SymOpsError(
                f"{name} is no dialect, so no line ends its contents; there are {', '.join(dialects())}, "
                "and .lark files"
            )
    chosen = [delimiters_of(load_dialect(name)) for name in formats or USUAL]
    return survey(folders, chosen, delimiters_of(load_dialect(CARRIER)), examples)
