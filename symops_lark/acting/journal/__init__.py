"""What was done, durable before it is done, so that it can be undone after a crash."""

from typing import Any

_FORMER = ("CarriedOut", "Journal", "KEEP", "Undone", "carry_out", "recover", "undo")


def __getattr__(name: str) -> Any:
    """Return what the module `journal` gave when it stood in the place of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...core.former_names import give_former

    return give_former(f"{__name__}.journal", name)
