"""Replies with several answers as JSON: the last counts, unless it is only an example, or the end of a list of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..structured import extract_json
from .tag_words import supposes


def is_doubtful(text: str, schema: Mapping[str, Any], key: str, count: int) -> bool:
    """Return whether the last object of a reply is not clearly its answer.

    Another one before it says otherwise, and what stands between supposes something; or there is one object for each of
    `count` rules, one behind the other.
    """
    numbers: list[object] = []
    between: list[str] = []
    while len(numbers) <= count:
        found = extract_json(text, schema)
        if found.value is None or found.span is None:
            break
        if numbers:
            between.append(text[found.span.end :])
        numbers.append(found.value.get(key))
        text = text[: found.span.start]
    if len(set(numbers)) < 2:
        return False
    return supposes(between[0]) or (
        numbers == list(range(count, 0, -1)) and not any(each.strip(" \t\r\n,;") for each in between)
    )
