"""Count the files of a corpus in which a line is a delimiter of a dialect.

The report also shows which longer fence could hold such a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...core.grammar.loading import dialects, load_dialect
from ...core.ground.errors import SymOpsError
from ..workbench.check import Survey, delimiters_of, survey
from .formats import known_formats

USUAL = ("v1", "v2", "plain")
CARRIER = "v2_1"  # the dialect whose longer fences are tried
# Predictions of the original notes, for generated files.
CLAIMS = {"v1": "15 %", "v2": "less than 1 %", "plain": "0 %"}
CAUTION = (
    "Intervals take files for independent, but those of one project resemble each other: "
    "they hold for files like these."
)


def find_collisions(
    folders: Sequence[Path], formats: Sequence[str] = (), examples: int = 3
) -> Survey:
    """Count the files in which a delimiter of a dialect is alone on a line.

    Args:
        folders: The folders, which are searched with all their subfolders.
        formats: Dialects by name or by the path of their grammar. Empty: `USUAL`.
        examples: The number of examples for each dialect.

    Raises:
        SymOpsError: A format has no dialect, so that its delimiters are not lines.
        OSError: A folder does not exist.
    """
    for name in formats:
        if name not in dialects() and name in known_formats():
            raise SymOpsError(
                f"{name} is not a dialect, so no line ends its contents; there are "
                f"{', '.join(dialects())}, and .lark files"
            )
    chosen = [delimiters_of(load_dialect(name)) for name in formats or USUAL]
    return survey(folders, chosen, delimiters_of(load_dialect(CARRIER)), examples)
