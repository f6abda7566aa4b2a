"""Documents from JSON: what `symops parse`, `recover` and `process` print can be read again, after checking it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..errors import SymOpsError
from .texts import InputError, InputText

if TYPE_CHECKING:
    from ..document import Document


def read_document(text: InputText) -> Document | None:
    """Read a document, or a result that has one, from JSON; give None if the text does not look like JSON.

    No section of any dialect begins with a brace.
    """
    from ..document import Document

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
    if "sections" not in data and isinstance(data.get("document"), dict):
        data = data["document"]
    try:
        return Document.from_dict(data)
    except SymOpsError as error:
        raise InputError(f"{text.name}: not a document: {error}") from None
