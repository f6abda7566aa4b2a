"""Edits of files in every notation, and comparisons of new texts with old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .editing import apply_replacements, edit_text
    from .hunks import Edited, Refusal
    from .line_anchors import show_anchors
    from .reading import kind_of
    from .splitting import split_patch

# Loaded when they are used: the validator imports one module of this folder alone.
_HOMES = {
    "Edited": "hunks",
    "Refusal": "hunks",
    "apply_replacements": "editing",
    "edit_text": "editing",
    "kind_of": "reading",
    "show_anchors": "line_anchors",
    "split_patch": "splitting",
}
__all__ = [
    "Edited",
    "Refusal",
    "apply_replacements",
    "edit_text",
    "kind_of",
    "show_anchors",
    "split_patch",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
