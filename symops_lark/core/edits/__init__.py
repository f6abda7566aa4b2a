"""Edits of files in every notation, and comparisons of new texts with old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ground import load_lazily

if TYPE_CHECKING:
    from .editing import apply_replacements, edit_text
    from .hunks import Edited, Refusal
    from .line_anchors import show_anchors
    from .reading import kind_of
    from .splitting import split_patch

# Loaded when they are used: the validator imports one module of this folder alone.
_HOMES = {
    "editing": ("apply_replacements", "edit_text"),
    "hunks": ("Edited", "Refusal"),
    "line_anchors": ("show_anchors",),
    "reading": ("kind_of",),
    "splitting": ("split_patch",),
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
__getattr__ = load_lazily(__name__, _HOMES)
