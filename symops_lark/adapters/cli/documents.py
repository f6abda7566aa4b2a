"""Read JSON, and the documents that `symops parse`, `recover` and `process` print as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.ground.errors import SymOpsError
from ...core.text.diagnostics import Diagnostic, Severity
from .texts import InputError, InputText

if TYPE_CHECKING:
    from pathlib import Path

    from ...core.document import Document
    from ...core.grammar.dialect import Dialect
    from ...core.processor import SymOpsProcessor


def read_json(text: InputText) -> Any:
    """Return the value of a JSON text.

    Raises:
        InputError: It is not JSON, or Python cannot read it.
    """
    try:
        # Editors of Windows begin files with a byte order mark, which `json` refuses.
        return json.loads(text.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = f"{text.name}:{error.lineno}:{error.colno}"
        raise InputError(f"{place}: not JSON: {error.msg}") from None
    # A number of thousands of digits, or thousands of brackets.
    except (ValueError, RecursionError) as error:
        raise InputError(f"{text.name}: not JSON that can be read: {error}") from None


def dialect_of(document: Document, processor: SymOpsProcessor) -> str | Path | Dialect | None:
    """Return the dialect in which a processor reads a document; None: the one that it names."""
    if processor.format != "auto":
        return processor.format
    # A dialect of `auto:FILE` is not installed, so its name alone does not find it.
    for dialect in processor.dialects:
        if dialect.name == document.dialect:
            return dialect
    return None


def find_errors(document: Document) -> list[Diagnostic]:
    """Return the diagnostics for which a document is not applied."""
    return [item for item in document.diagnostics if item.severity is Severity.ERROR]


def read_document(text: InputText, *, or_calls: bool = False) -> Document | None:
    """Read a document, or a result that has one, from JSON.

    Args:
        text: The text.
        or_calls: Whether the text may also be a reply of calls in JSON, which have no `sections`.

    Returns:
        The document with its diagnostics. None if the text does not look like JSON (no section of
        any dialect begins with a brace), or may be a reply.

    Raises:
        InputError: The text is not JSON, or not a document.
    """
    from ...core.document import Document

    if not text.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return None
    # A reply may have several objects, or text after them, so it need not be JSON as a whole.
    if or_calls and '"sections"' not in text.text:
        return None
    data = read_json(text)
    # A result has the document and its diagnostics side by side.
    items: Any = ()
    if "sections" not in data and isinstance(data.get("document"), dict):
        items = data.get("diagnostics", ())
        data = data["document"]
    if not isinstance(items, list | tuple):
        raise InputError(f"{text.name}: not a document: `diagnostics` is not a list")
    try:
        document = Document.from_dict(data)
        # The planner asks about the findings, as it does for a text.
        return replace(document, diagnostics=tuple(map(Diagnostic.from_dict, items)))
    except SymOpsError as error:
        raise InputError(f"{text.name}: not a document: {error}") from None
