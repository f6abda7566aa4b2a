"""Which models are trusted: a registry with events, and promotion."""

from typing import Any

_FORMER = ("MIGRATIONS", "Registry")


def __getattr__(name: str) -> Any:
    """Return a name of the module `registry`, which had the name of this folder before."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...core.former_names import give_former

    return give_former(f"{__name__}.registry", name)
