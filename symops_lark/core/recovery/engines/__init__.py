"""Minimum-cost parsing over kinds of lines: automaton (min-plus) and Earley, compiled from the recovery grammar."""

from typing import Any

_FORMER = ("ENGINES", "Engine", "MOST_LINES", "choose_engine", "load_engine", "read_kinds")


def __getattr__(name: str) -> Any:
    """Return what the module `choice` gave when it stood in the place of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...former_names import give_former

    return give_former(f"{__name__}.choice", name)
