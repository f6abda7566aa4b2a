"""Which model is trusted for what: events, promotion."""

from typing import Any

_FORMER = ("MIGRATIONS", "Registry")


def __getattr__(name: str) -> Any:
    """Return what the module `registry` gave when it stood in the place of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...core.former_names import give_former

    return give_former(f"{__name__}.registry", name)
