"""Apply changes to files all or none, and undo them, even after a crash."""

from typing import Any

_FORMER = ("CarriedOut", "Journal", "KEEP", "Undone", "carry_out", "recover", "undo")


def __getattr__(name: str) -> Any:
    """Return a public name of the former module `journal`, whose path this folder has now."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Imported here: the folder itself must stay cheap to import.
    from ...core.former_names import give_former

    return give_former(f"{__name__}.journal", name)
