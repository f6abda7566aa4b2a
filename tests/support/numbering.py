"""Documents without the numbers of their sections, which some dialects do not have."""

from __future__ import annotations

from dataclasses import replace

from symops_lark.core.document import Action, Document, Section


def unnumbered(document: Document) -> list[Section]:
    """Return the sections without the numbers of actions: a dialect may leave them out."""
    return [replace(s, number=None) if isinstance(s, Action) else s for s in document.sections]
