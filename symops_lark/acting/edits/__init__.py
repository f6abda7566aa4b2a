"""Compute new contents from edits: SEARCH/REPLACE blocks, unified diffs, whole texts."""

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
    """Return a name of the module `edits`, which once had the path of this folder."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...core.former_names import give_former

    return give_former(f"{__name__}.edits", name)
