"""Find the minimum-cost parse of kinds of lines: by an automaton, or by Lark's Earley parser.

`automaton` explains the theory, `choice` decides which engine runs a recovery grammar.
"""

from typing import Any

_FORMER = ("ENGINES", "Engine", "MOST_LINES", "choose_engine", "load_engine", "read_kinds")


def __getattr__(name: str) -> Any:
    """Return a name of `choice`, which was the module `engines` before this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...former_names import give_former

    return give_former(f"{__name__}.choice", name)
