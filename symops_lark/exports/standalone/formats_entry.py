"""What exported readers of formats offer: one function over tables that are at hand."""

from __future__ import annotations

from ...core.document import Document
from ...core.formats.documents import read_format


def read_formats(text: str, name: str | None = None) -> Document:
    """Return the document of a reply in the formats of other agents."""
    return read_format(text, name)
