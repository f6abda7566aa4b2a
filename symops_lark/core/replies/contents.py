"""The text in what servers send as the content of a reply: a text, parts of which some are texts, or anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")  # halves of characters, which JSON can escape and no file can hold
_TEXTS = ("text", "output_text", "input_text")
_WORDS = ((bool, "true or false"), (int | float, "a number"), (Mapping, "an object"), (list, "a list"))


class ContentError(Exception):
    """The content of a reply is no text; the message says what it is."""


def read_text(content: object) -> str:
    """Return the text of a content; null is none, and of a list the parts that are texts count.

    Raises `ContentError` for anything else, and for a list without a text in which there is something.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return _LONE.sub("\ufffd", content)
    if not isinstance(content, list | tuple):
        raise ContentError(f"{_describe(content)} for its content, where a text is expected")
    texts = [text for part in content if (text := _read_part(part)) is not None]
    if content and not texts and not all(_kind(part) in _SILENT for part in content):
        kinds = ", ".join(sorted({_kind(part) for part in content}))
        raise ContentError(f"a list for its content that has no text ({kinds})")
    return "".join(texts)


def read_count(value: object) -> int | None:
    """Return a number of tokens; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def read_name(value: object) -> str | None:
    """Return a name; None for what is none."""
    return _LONE.sub("\ufffd", value) if isinstance(value, str) and value else None


_THINKING = ("thinking", "redacted_thinking", "reasoning")
_SILENT = (*_THINKING, "tool_use")  # what models do beside answering


def unsendable(content: object) -> list[str]:
    """Return the kinds of a content's parts that are neither text nor thinking."""
    parts = content if isinstance(content, list | tuple) else ()
    return sorted({_kind(part) for part in parts if _kind(part) not in _THINKING and _read_part(part) is None})


def _read_part(part: object) -> str | None:
    if isinstance(part, str):
        return read_text(part)
    text = read_member(part, "text")
    if read_member(part, "type") not in (*_TEXTS, None) or text is None:
        return None
    if not isinstance(text, str):
        raise ContentError(f"{_describe(text)} for the text of a part")
    return read_text(text)


def _kind(part: object) -> str:
    kind = read_member(part, "type")
    return kind if isinstance(kind, str) else _describe(part)


def read_member(part: object, name: str) -> Any:
    """Return a member of what may be an object of JSON, or of an SDK; None if it has none."""
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def _describe(value: object) -> str:
    return next((words for kind, words in _WORDS if isinstance(value, kind)), f"something ({type(value).__name__})")
