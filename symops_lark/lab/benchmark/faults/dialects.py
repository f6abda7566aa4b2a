"""Dialects by name or by file, also derived dialects with marks that no module knows.

The package is asked only for the marks, the family and the forms; the encoder knows the syntax.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ....core.document import VITAL_NAMES
from ....core.grammar import dialect as grammar
from ....core.grammar.loading import load_dialect
from .marks import KNOWN, Dialect

_NAMES = (
    "thought",
    "vital",
    "action",
    "open",
    "close",
    "question",
    "error",
    # Only some dialects have these.
    "end_close",
    "path_key",
    "depends_key",
)


@cache
def load(name: str) -> Dialect:
    """Return an installed dialect, or that of a .lark file."""
    if name in KNOWN:
        return KNOWN[name]
    return describe(load_dialect(name), name)


def describe(dialect: grammar.Dialect, format: str = "") -> Dialect:
    """Return the entry of a dialect in the fault model.

    Args:
        dialect: The dialect.
        format: The name or file by which the package is asked for it.
    """
    spelling = dialect.marks
    changes = {name: spelling.get(name, "") for name in _NAMES}
    if "lines" in dialect.forms:
        changes |= dict.fromkeys(("after_action", "after_at", "after_arrow"), " ")
    tags = [(letter, spelling[word]) for letter, word in VITAL_NAMES.items() if word in spelling]
    marks = replace(
        KNOWN.get(dialect.family, KNOWN["v2"]).marks,
        **changes,
        at=spelling["target"],
        arrow=spelling["depends"],
        tags=tuple(tags),
    )
    root = "v1" if dialect.family == "v1" else "v2"
    spared: frozenset[str] = frozenset()
    # Without longer fences, it carries only contents that its root can carry, too.
    if "fences" not in dialect.forms:
        spared = KNOWN[root].marks.delimiters
    return Dialect(dialect.name, format, dialect.family, root, marks, dialect.forms, spared)
