"""Commands of code intelligence: code, gate, serve."""

from typing import Any

_FORMER = ("code_group",)


def __getattr__(name: str) -> Any:
    """Return what the module `code` gave when it stood in the place of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ....core.former_names import give_former

    return give_former(f"{__name__}.code", name)
