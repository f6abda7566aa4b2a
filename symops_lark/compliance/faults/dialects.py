"""Dialects by name or by file, and dialects derived from them with marks that nobody has seen before.

Only the marks, the family and the forms are asked of the package; what they look like in a text, the encoder knows.
"""

from __future__ import annotations

from functools import cache

from ...grammar import dialect as grammar
from ...grammar.dialect import load_dialect
from .marks import KNOWN, Dialect, Marks

_LETTERS = {"c": "confidence", "m": "mood", "f": "focus", "s": "stamina"}


@cache
def load(name: str) -> Dialect:
    """Give an installed dialect, or the one of a .lark file."""
    if name in KNOWN:
        return KNOWN[name]
    known = load_dialect(name)
    spelt = known.marks
    tags = tuple((letter, spelt[word]) for letter, word in _LETTERS.items() if word in spelt)
    pattern = KNOWN.get(known.family, KNOWN["v2"]).marks
    lines = "lines" in known.forms
    marks = Marks(
        spelt["thought"],
        spelt.get("vital", ""),
        spelt["action"],
        " " if lines else pattern.after_action,
        " " if lines else pattern.after_at,
        " " if lines else pattern.after_arrow,
        spelt["open"],
        spelt["close"],
        spelt["target"],
        spelt["depends"],
        spelt["question"],
        spelt["error"],
        spelt.get("end_close", ""),
        spelt.get("path_key", ""),
        spelt.get("depends_key", ""),
        tags,
    )
    root = "v1" if known.family == "v1" else "v2"
    spared: frozenset[str] = frozenset() if "fences" in known.forms else KNOWN[root].marks.delimiters
    return Dialect(known.name, name, known.family, root, marks, known.forms, spared)


@cache
def handle(dialect: Dialect) -> grammar.Dialect:
    """The package's own object for a dialect, made once in each process."""
    return load_dialect(dialect.format)


def every() -> tuple[str, ...]:
    """The names of all installed dialects."""
    return grammar.dialects()
