"""Commands of code intelligence: code, gate, serve."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return the group that a former module of this name had."""
    if name != "code_group":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ....core.former_names import give_former

    return give_former(f"{__name__}.code", name)
