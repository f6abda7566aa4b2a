"""Replies that are JSON: one action, a list of them, or tool calls. If anything is not understood, nothing is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..grammar.dialect import Dialect
from ..regexes import compile_pattern
from .foreign_actions import ForeignAction, find_verb, group_of

_FENCED = compile_pattern(r"\s*```(?:json|JSON)?[ \t]*\n(?s:(.*?))\n```\s*")
_BLANK = compile_pattern(r"[ \t\r\n]*")
_LISTS = ("tool_calls", "actions", "calls", "files", "operations", "steps", "edits", "commands", "changes")
_VERBS = ("action", "name", "tool", "type", "operation", "op", "verb", "function")
_NESTED = ("command", "arguments", "args", "parameters", "params", "input", "function")
_PATHS = ("path", "file", "file_path", "filepath", "filename", "target")
_CONTENTS = ("content", "contents", "text", "code", "file_text", "new_content")
_COMMANDS = ("command", "command_line", "cmd", "script", "path", "target")
_DEEPEST = 8


class _Text(str):
    """A string of a JSON text, and where it stands between its quotes."""

    __slots__ = ("end", "start")
    start: int
    end: int


class _Object(dict[str, Any]):
    """An object of a JSON text, and where it stands."""

    start = end = 0


def read_json(text: str, dialect: Dialect) -> list[ForeignAction]:
    """Return the actions of a reply that is JSON, alone or in a fence; none if anything in it is not understood."""
    fenced = _FENCED.fullmatch(text)
    start, stop = fenced.span(1) if fenced else (0, len(text))
    return read_json_between(text, start, stop, dialect)


def read_json_between(text: str, start: int, stop: int, dialect: Dialect) -> list[ForeignAction]:
    """Return the actions of the JSON text between two places."""
    start = skip_blanks(text, start)
    if not text.startswith(("{", "["), start):
        return []
    try:
        json.loads(text[start:stop])
        value, _ = _read(text, start, 0)
    except (ValueError, RecursionError):
        return []
    actions = [_find_action(entry, dialect) for entry in _find_entries(value)]
    return [action for action in actions if action] if all(actions) else []


def skip_blanks(text: str, at: int) -> int:
    """Return where a text goes on behind blanks and line endings."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


_DECODER = json.JSONDecoder()


def _read(text: str, at: int, depth: int) -> tuple[Any, int]:
    """Return a value of a valid JSON text with the places of its strings, and where it ends."""
    if depth > _DEEPEST:
        raise ValueError("too deep")
    if text[at] == "{":
        return _read_object(text, at, depth)
    if text[at] == "[":
        items: list[Any] = []
        at = skip_blanks(text, at + 1)
        while text[at] != "]":
            item, at = _read(text, at, depth + 1)
            items.append(item)
            at = skip_blanks(text, skip_blanks(text, at) + (text[skip_blanks(text, at)] == ","))
        return items, at + 1
    value, end = _DECODER.raw_decode(text, at)
    if isinstance(value, str):
        value = _Text(value)
        value.start, value.end = at + 1, end - 1
    return value, end


def _read_object(text: str, at: int, depth: int) -> tuple[_Object, int]:
    found = _Object()
    found.start = at
    at = skip_blanks(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = skip_blanks(text, skip_blanks(text, at) + 1)
        found[str(key)], at = _read(text, at, depth + 1)
        at = skip_blanks(text, at)
        at = skip_blanks(text, at + (text[at] == ","))
    found.end = at + 1
    return found, at + 1


def _find_entries(value: Any) -> Iterator[Any]:
    """Yield what must be actions: the items of a list, or of the list in an object, or the object itself."""
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
    yield from value


def _find_action(entry: Any, dialect: Dialect) -> ForeignAction | None:
    if not isinstance(entry, _Object):
        return None
    fields = _flatten(entry)
    words = [fields[key] for key in _VERBS if isinstance(fields.get(key), str)]
    verb = next((verb for word in words if (verb := find_verb(word, dialect))), "")
    content = _first(fields, _CONTENTS)
    if not verb and content is not None and _first(fields, _PATHS) and not words:
        verb = "create"  # a path and its content are a file
    group = group_of(verb, dialect)
    target = _first(fields, _COMMANDS if group == "running" else _PATHS) if group else None
    if not target or "\n" in target:
        return None
    place = (content.start, content.end) if content is not None else (-1, -1)
    return ForeignAction(verb, str(target), entry.start, entry.end, *place, None if content is None else str(content))


def _flatten(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an object and of the arguments in it."""
    fields = dict(entry)
    for key in _NESTED:
        inner = entry.get(key)
        if isinstance(inner, dict):
            fields |= _flatten(inner)
    return fields


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> _Text | None:
    return next((fields[key] for key in keys if isinstance(fields.get(key), _Text)), None)
