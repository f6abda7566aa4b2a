"""Dialects as tables: marks, verbs, patterns and parse tables, read from grammar files.

A grammar file is the only definition of a dialect's syntax. `loading` finds it, `compiling` turns
it into tables, and everything else asks a `dialect.Dialect`. Texts are read by these tables alone:
`section_patterns` is fast, and `lalr` decides what is valid.
"""

from typing import Any

__all__ = ["Dialect", "derive", "dialects", "load_dialect", "load_grammar"]


def __getattr__(name: str) -> Any:
    """Return a name of `grammar.loading`, which is imported on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import loading

    return getattr(loading, name)
