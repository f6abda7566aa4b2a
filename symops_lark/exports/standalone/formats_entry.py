"""What exported readers of formats offer: one function over tables that are at hand."""

from __future__ import annotations

from ...core.document import Document
from ...core.formats.documents import read_format as read_in


def read_format(text: str, name: str | None = None) -> Document:
    """Return the document of a reply in the formats of other agents."""
    return read_in(text, name)
