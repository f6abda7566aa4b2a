"""Warnings about written texts whose actions are not all whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .texts import complain
from .visibility import visible_line

if TYPE_CHECKING:
    from ..document import Document


def warn_unfinished(name: str, document: Document | None) -> bool:
    """Say on standard error which actions of a written text are not whole; return whether there are any."""
    from ..unfinished import find_unfinished

    unfinished = find_unfinished(document) if document is not None else ()
    for action in unfinished:
        target = f"{action.type} {visible_line(action.path)}"
        complain(f"{name}: warning: {target} is {action.completeness}; an error section in the text says so")
    return bool(unfinished)
