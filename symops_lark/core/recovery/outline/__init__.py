"""The roles of lines, grouped to sections; what a block holds."""

from typing import Any

_FORMER = ("Group", "Outline", "Part", "group_parts", "make_part")


def __getattr__(name: str) -> Any:
    """Return what the module `outline` gave when it stood in the place of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...former_names import give_former

    return give_former(f"{__name__}.outline", name)
