"""Dialects by name or by file, and dialects derived from them with marks that nobody has seen before.

Only the marks, the family and the forms are asked of the package; what they look like in a text, the encoder knows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ....core.grammar import dialect as grammar
from ....core.grammar.loading import load_dialect
from .documents import VITAL_NAMES
from .marks import KNOWN, Dialect

_NAMES = (
    *("thought", "vital", "action", "open", "close", "question", "error"),
    *("end_close", "path_key", "depends_key"),  # only of some dialects
)


@cache
def load(name: str) -> Dialect:
    """Return an installed dialect, or the one of a .lark file."""
    return KNOWN[name] if name in KNOWN else describe(load_dialect(name), name)


def describe(known: grammar.Dialect, format: str = "") -> Dialect:
    """Return what the encoder knows of a dialect, with the name or file that the package is asked for it by."""
    spelt = known.marks
    tags = tuple((letter, spelt[word]) for letter, word in VITAL_NAMES.items() if word in spelt)
    pattern = KNOWN.get(known.family, KNOWN["v2"]).marks
    blanks = dict.fromkeys(("after_action", "after_at", "after_arrow"), " ") if "lines" in known.forms else {}
    own = {name: spelt.get(name, "") for name in _NAMES}
    marks = replace(pattern, **own, **blanks, at=spelt["target"], arrow=spelt["depends"], tags=tags)
    root = "v1" if known.family == "v1" else "v2"
    spared: frozenset[str] = frozenset() if "fences" in known.forms else KNOWN[root].marks.delimiters
    return Dialect(known.name, format, known.family, root, marks, known.forms, spared)
