"""Text content of provider responses: a string, a list of parts, or an SDK object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# A surrogate is half of a character. JSON can escape one, but a file in UTF-8 cannot hold it.
_SURROGATE = re.compile("[\ud800-\udfff]")
# The types of parts with text: of Anthropic and chat completions, and of OpenAI's responses.
_TEXT_TYPES = ("text", "output_text", "input_text")
# The types of parts with thinking: of Anthropic, and of OpenAI's responses.
_THINKING_TYPES = ("thinking", "redacted_thinking", "reasoning")
# The types of parts with tool calls: of Anthropic, also those that its server runs, of LangChain,
# and of the pieces of Anthropic's calls in LangChain.
_CALL_TYPES = ("tool_use", "server_tool_use", "tool_call", "tool_call_chunk", "input_json_delta")
# Parts that a model sends beside its answer. They have no text, and that is not an error.
_SILENT_TYPES = (*_THINKING_TYPES, *_CALL_TYPES)
# The first kind that fits counts: a bool is an int, too.
_JSON_KINDS = (
    (bool, "true or false"),
    (int | float, "a number"),
    (Mapping, "an object"),
    (list, "a list"),
)


class ContentError(Exception):
    """The content of a reply is not text; the message says what it is."""


def read_text(content: object) -> str:
    """Return the text of a message's content.

    Args:
        content: A string, None, or a list of parts. Parts that are not text are left out.

    Returns:
        The text, with U+FFFD for each unpaired surrogate. None has the text "".

    Raises:
        ContentError: The content is of another kind, or a list of parts without any text.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return _SURROGATE.sub("\ufffd", content)
    if not isinstance(content, list | tuple):
        raise ContentError(f"{_describe(content)} for its content, where a text is expected")

    texts = []
    for part in content:
        text = _read_part(part)
        if text is not None:
            texts.append(text)

    # A reply of nothing but thinking and tool calls is empty. Anything else without text is
    # unreadable.
    if not texts and any(_type_of(part) not in _SILENT_TYPES for part in content):
        kinds = ", ".join(sorted({_type_of(part) for part in content}))
        raise ContentError(f"a list for its content that has no text ({kinds})")
    return "".join(texts)


def read_count(value: object) -> int | None:
    """Return a number of tokens, or None if the value is not a whole number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value >= 0 else None


def read_name(value: object) -> str | None:
    """Return a name, or None if the value is not a string, or is empty."""
    if not isinstance(value, str) or not value:
        return None
    return _SURROGATE.sub("\ufffd", value)


def unsendable(content: object) -> list[str]:
    """Return the types of the parts that cannot be sent as text, sorted.

    Args:
        content: The content of a message. Thinking is left out when a message is sent, so it does
            not count.
    """
    parts = content if isinstance(content, list | tuple) else ()
    types = set()
    for part in parts:
        part_type = _type_of(part)
        if part_type not in _THINKING_TYPES and _read_part(part) is None:
            types.add(part_type)
    return sorted(types)


def read_member(part: object, name: str) -> Any:
    """Return a member of a JSON object or an attribute of an SDK object.

    Args:
        part: The object.
        name: The name of the member or attribute.

    Returns:
        The value; None if it is missing, or null.
    """
    if isinstance(part, Mapping):
        return part.get(name)
    return getattr(part, name, None)


def _read_part(part: object) -> str | None:
    if isinstance(part, str):
        return read_text(part)
    text = read_member(part, "text")
    # None as a type: servers that are only compatible with OpenAI may leave it out.
    if text is None or read_member(part, "type") not in (*_TEXT_TYPES, None):
        return None
    if not isinstance(text, str):
        raise ContentError(f"{_describe(text)} for the text of a part")
    return read_text(text)


def _type_of(part: object) -> str:
    part_type = read_member(part, "type")
    return part_type if isinstance(part_type, str) else _describe(part)


def _describe(value: object) -> str:
    for kind, description in _JSON_KINDS:
        if isinstance(value, kind):
            return description
    return f"something ({type(value).__name__})"
