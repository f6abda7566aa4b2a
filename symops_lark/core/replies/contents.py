"""Text content of provider responses: a string, a list of parts, or an SDK object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

# A surrogate is half of a character. JSON can escape one, but a file in UTF-8 cannot hold it.
_SURROGATE = re.compile("[\ud800-\udfff]")
# The types of parts with text: of Anthropic and chat completions, and of OpenAI's responses.
_TEXT_TYPES = ("text", "output_text", "input_text")
# Parts that a model sends beside its answer. They have no text, and that is not an error. Providers
# invent types from time to time, so that a word in the type decides.
_THINKING = re.compile("think|thought|reason", re.IGNORECASE)
_SILENT = re.compile(_THINKING.pattern + "|tool|call|input_json|refusal", re.IGNORECASE)
# Gemini and Bedrock have no types: a part is what its member is.
_MEMBERS = ("thought", "functionCall", "function_call", "toolUse", "reasoningContent")
# Bytes are sequences of numbers, and a string is a sequence of strings: they are not lists.
_TEXTS = (str, bytes, bytearray, memoryview)
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
        return clean_text(content)
    if not is_list(content):
        raise ContentError(f"{_describe(content)} for its content, where a text is expected")

    texts = []
    for part in content:
        text = _read_part(part)
        if text is not None:
            texts.append(text)

    # A reply of nothing but thinking and tool calls is empty. Anything else without text is
    # unreadable.
    if not texts and not all(_SILENT.search(_type_of(part)) for part in content):
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
    return clean_text(value)


def clean_text(text: str) -> str:
    """Return a text with U+FFFD for each unpaired surrogate, which UTF-8 cannot carry."""
    return _SURROGATE.sub("\ufffd", text)


def unsendable(content: object) -> list[str]:
    """Return the types of the parts that cannot be sent as text, sorted.

    Args:
        content: The content of a message. Thinking is left out when a message is sent, so it does
            not count.
    """
    types = set()
    for part in content if is_list(content) else ():
        part_type = _type_of(part)
        if not _THINKING.search(part_type) and _read_part(part) is None:
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


def first_member(part: object, names: Iterable[str]) -> Any:
    """Return the first member of an object that is there and not null, or None.

    Args:
        part: The object.
        names: The names under which protocols have the member.
    """
    members = (read_member(part, name) for name in names)
    return next((member for member in members if member is not None), None)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether a value is a list of any kind; texts and bytes are not."""
    return isinstance(value, Sequence) and not isinstance(value, _TEXTS)


def _read_part(part: object) -> str | None:
    if isinstance(part, str):
        return read_text(part)
    part_type = read_member(part, "type")
    # An item of OpenAI's responses has the parts of its message.
    if part_type == "message":
        return read_text(read_member(part, "content"))
    text = read_member(part, "text")
    # None as a type: servers that are only compatible with OpenAI may leave it out. Gemini's
    # thoughts are texts with a flag.
    is_thought = read_member(part, "thought") is True
    if text is None or is_thought or part_type not in (*_TEXT_TYPES, None):
        return None
    if not isinstance(text, str):
        raise ContentError(f"{_describe(text)} for the text of a part")
    return read_text(text)


def _type_of(part: object) -> str:
    part_type = read_member(part, "type")
    if isinstance(part_type, str):
        return part_type
    return next((name for name in _MEMBERS if read_member(part, name)), _describe(part))


def _describe(value: object) -> str:
    for kind, description in _JSON_KINDS:
        if isinstance(value, kind):
            return description
    return f"something ({type(value).__name__})"
