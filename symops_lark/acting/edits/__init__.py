"""New contents from edits: SEARCH/REPLACE, unified diffs."""

from typing import Any

_FORMER = (
    "MAX_BLOCKS",
    "Shape",
    "apply_blocks",
    "edit",
    "encode",
    "other_name",
    "read_text",
    "shape_of",
    "write_whole",
)


def __getattr__(name: str) -> Any:
    """Return what the module `edits` gave when it stood in the place of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...core.former_names import give_former

    return give_former(f"{__name__}.edits", name)
