"""What a dialect is: its grammar file, and the marks, verbs and patterns that are read out of it."""

from typing import Any

__all__ = ["Dialect", "derive", "dialects", "load_dialect", "load_grammar"]


def __getattr__(name: str) -> Any:
    """Return a name of `grammar.loading`, which is loaded only then."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import loading

    return getattr(loading, name)
