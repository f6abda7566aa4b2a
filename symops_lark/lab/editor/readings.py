"""Read a reply once for all requests about the same text."""

from __future__ import annotations

from functools import lru_cache

from ...core.document import Document
from ...core.grammar.dialect import Dialect
from ...core.grammar.loading import dialects, load_dialect
from ...core.processor import SymOpsProcessor


# An editor asks several things about each text, and each text is longer by a key than the last.
@lru_cache(maxsize=8)
def read_document(text: str, processor: SymOpsProcessor) -> Document:
    """Return the minimum-cost parse of a reply, which may be half written."""
    return processor.recover(text)


def dialect_of(text: str, processor: SymOpsProcessor) -> Dialect:
    """Return the dialect that the user chose, or the one that a reply is most likely in."""
    if processor.format != "auto":
        return load_dialect(processor.format)
    # The document names its dialect, so the text is not compared with all dialects again.
    name = read_document(text, processor).dialect
    for dialect in processor.dialects:
        if dialect.name == name:
            return dialect
    return load_dialect(name if name in dialects() else "v2")
