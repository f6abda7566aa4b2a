"""Documents from JSON: what `symops parse`, `recover` and `process` print can be read again, after checking it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .texts import InputError, InputText

if TYPE_CHECKING:
    from ..document import Document

_TEXTS = frozenset(("text", "type", "path", "code"))
_OPTIONAL_TEXTS = frozenset(("content", "target", "message"))
_LISTS = frozenset(("dependencies", "choices"))


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
    except RecursionError:
        raise InputError(f"{text.name}: this JSON is nested too deeply to be a document") from None
    if "sections" not in data and isinstance(data.get("document"), dict):
        data = data["document"]
    sections = data.get("sections")
    if not isinstance(sections, list) or not isinstance(data.get("dialect", ""), str):
        raise InputError(f"{text.name}: not a document: it needs a list `sections` and a text `dialect`")
    for number, section in enumerate(sections, 1):
        try:
            _check(section)
            Document.from_dict({"sections": [section]})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(f"{text.name}: not a document: section {number}: {reason}") from None
    return Document.from_dict(data)


def _check(section: Any) -> None:
    """Check the types that `from_dict` takes on trust."""
    if not isinstance(section, dict):
        raise TypeError("not an object")
    for key, value in section.items():
        if key in _TEXTS and not isinstance(value, str):
            raise TypeError(f"`{key}` is not a text")
        if key in _OPTIONAL_TEXTS and not isinstance(value, str | None):
            raise TypeError(f"`{key}` is neither a text nor null")
        if key in _LISTS and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise TypeError(f"`{key}` is not a list of texts")
        if key == "values" and not isinstance(value, dict):
            raise TypeError("`values` is not an object")
        if key == "confidence" and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise TypeError("`confidence` is not a number")
