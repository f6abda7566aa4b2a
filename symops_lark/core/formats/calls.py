"""Find the calls of tools in JSON values: one call, a list of them, or the answer of an API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .json_ends import load_value
from .tools import Call, ToolTable, fold, kind_of_tool, load_tools

_DEEPEST = 8  # envelopes in one another


def calls_in(value: Any) -> Iterator[Call | None]:
    """Yield the calls in a JSON value; None for an entry that is not a call.

    Args:
        value: A call, a list of calls, an object with such a list, or the answer of an API.
    """
    table = load_tools()
    for entry in _entries_in(value, table, 0):
        yield _read_call(entry, table)


def _entries_in(value: Any, table: ToolTable, depth: int) -> list[Any]:
    """Return what may be calls in a JSON value, out of the envelopes of answers of APIs."""
    inner = value
    if isinstance(value, dict):
        inner = _open_envelope(value, table)
        # One call.
        if inner is None:
            return [value]
    if not isinstance(inner, list):
        # A list may contain entries that are not calls.
        if depth == 0:
            return []
        return [inner]
    entries: list[Any] = []
    for entry in inner:
        if depth < _DEEPEST:
            entries += _entries_in(entry, table, depth + 1)
    return entries


def _open_envelope(value: dict[str, Any], table: ToolTable) -> list[Any] | None:
    """Return the entries of an object that is not a call itself; None if it is one, or unknown."""
    for key in table.list_keys:
        calls = value.get(key)
        if isinstance(calls, list):
            return calls
    call = _read_call(value, table)
    if call is not None and call.name:
        return None
    if _has_path(value, table):
        return None
    for key in table.envelope_keys:
        content = value.get(key)
        if isinstance(content, dict):
            return [content]
        if isinstance(content, list):
            return [part for part in content if not _is_text(part, table)]
    return None


def _is_text(part: Any, table: ToolTable) -> bool:
    """Return whether a part of an answer has neither arguments nor further parts."""
    if not isinstance(part, dict):
        return True
    if _has_path(part, table):
        return False
    keys = (*table.argument_keys, *table.envelope_keys, *table.list_keys)
    return part.keys().isdisjoint(keys)


def _has_path(value: Mapping[str, Any], table: ToolTable) -> bool:
    for key in value:
        role = table.parameters.get(fold(key))
        if role == "path":
            return True
    return False


def _read_call(entry: Any, table: ToolTable) -> Call | None:
    if not isinstance(entry, dict):
        return None
    # The form of the API of OpenAI.
    if isinstance(entry.get("function"), dict):
        entry = {**entry, **entry["function"]}
    # Some models write the arguments beside the name.
    arguments = dict(entry)
    names: list[str] = []
    for key in table.name_keys:
        word = arguments.pop(key, None)
        if isinstance(word, str) and _is_name(word, entry, table):
            names.append(word)
    names.sort(key=lambda name: kind_of_tool(name) is None)
    for key in table.argument_keys:
        inner = entry.get(key)
        if isinstance(inner, str):
            inner = _read_object(inner)
        if isinstance(inner, dict):
            arguments.update(inner)
            break
    # A tool that is known, or the first name.
    name = names[0] if names else ""
    return Call(name, arguments)


def _is_name(word: str, entry: Mapping[str, Any], table: ToolTable) -> bool:
    """Return whether a word under a name key is the name of a tool, and not of a thing or file."""
    if fold(word) in map(fold, table.things):
        return False
    paths = [
        str(value) for key, value in entry.items() if table.parameters.get(fold(key)) == "path"
    ]
    return bool(word.strip()) and not any(f"/{path}".endswith(f"/{word}") for path in paths)


def _read_object(text: str) -> Any:
    """Return the object that a text is, as OpenAI's API writes arguments."""
    try:
        return load_value(text)
    except (ValueError, RecursionError):
        return None
