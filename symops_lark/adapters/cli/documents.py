"""Documents from JSON: what `symops parse`, `recover` and `process` print can be read again, after checking it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.ground.errors import SymOpsError
from .texts import InputError, InputText

if TYPE_CHECKING:
    from pathlib import Path

    from ...core.document import Document
    from ...core.grammar.dialect import Dialect
    from ...core.processor import SymOpsProcessor


def dialect_of(document: Document, processor: SymOpsProcessor) -> str | Path | Dialect | None:
    """Return the dialect in which a processor reads such a document; None for an installed one, which it names."""
    if processor.format != "auto":
        return processor.format
    return next((dialect for dialect in processor.dialects if dialect.name == document.dialect), None)


def read_document(text: InputText) -> Document | None:
    """Read a document, or a result that has one, from JSON; give None if the text does not look like JSON.

    No section of any dialect begins with a brace.
    """
    from ...core.document import Document
    from ...core.text.diagnostics import Diagnostic

    if not text.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return None
    try:
        data = json.loads(text.text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        raise InputError(f"{text.name}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"{text.name}: not JSON that can be read: {error}") from None
    except RecursionError:
        raise InputError(f"{text.name}: this JSON is nested too deeply to be a document") from None
    found: Any = ()
    if "sections" not in data and isinstance(data.get("document"), dict):
        data, found = data["document"], data.get("diagnostics", ())
    try:
        if not isinstance(found, list | tuple):
            raise SymOpsError("`diagnostics` is no list")
        # The planner asks about what was found, as it does of the text.
        return replace(Document.from_dict(data), diagnostics=tuple(map(Diagnostic.from_dict, found)))
    except SymOpsError as error:
        raise InputError(f"{text.name}: not a document: {error}") from None
