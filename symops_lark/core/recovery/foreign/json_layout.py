"""Replies that are JSON: one action, a list of them, or tool calls. If anything is not understood, nothing is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...grammar.dialect import Dialect
from ...patterns.regexes import compile_pattern
from .actions import ForeignAction, find_verb, group_of

_FENCED = compile_pattern(r"\s*```(?:json|JSON)?[ \t]*\n(?s:(.*?))\n```\s*")
_BLANK = compile_pattern(r"[ \t\r\n]*")
_LISTS = ("tool_calls", "actions", "calls", "files", "operations", "steps", "edits", "commands", "changes")
_VERBS = ("action", "name", "tool", "type", "operation", "op", "verb", "function")
_NESTED = ("command", "arguments", "args", "parameters", "params", "input", "function")
_PATHS = ("path", "file", "file_path", "filepath", "filename", "target")
_CONTENTS = ("content", "contents", "text", "code", "file_text", "new_content")
_COMMANDS = ("command", "command_line", "cmd", "script", "path", "target")
_DEEPEST = 8


class _Text(NamedTuple):
    """A string of a JSON text, and where it stands between its quotes."""

    value: str
    start: int
    end: int


class _Object(NamedTuple):
    """An object of a JSON text, and where it stands."""

    fields: dict[str, Any]
    start: int
    end: int


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


_SCALAR = compile_pattern(r'"(?:[^"\\]|\\.)*"|[^ \t\r\n,:\[\]{}"]+')  # of a text that is known to be JSON


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
    value, end = _read_scalar(text, at)
    return (_Text(value, at + 1, end - 1) if isinstance(value, str) else value), end


def _read_scalar(text: str, at: int) -> tuple[Any, int]:
    match = _SCALAR.match(text, at)
    if match is None:
        raise ValueError("no value")
    return json.loads(match[0]), match.end()


def _read_object(text: str, at: int, depth: int) -> tuple[_Object, int]:
    found: dict[str, Any] = {}
    start = at
    at = skip_blanks(text, at + 1)
    while text[at] != "}":
        key, at = _read_scalar(text, at)
        at = skip_blanks(text, skip_blanks(text, at) + 1)
        found[str(key)], at = _read(text, at, depth + 1)
        at = skip_blanks(text, at)
        at = skip_blanks(text, at + (text[at] == ","))
    return _Object(found, start, at + 1), at + 1


def _find_entries(value: Any) -> list[Any]:
    """Return what must be actions: the items of a list, or of the list in an object, or the object itself."""
    if isinstance(value, _Object):
        value = next((value.fields[key] for key in _LISTS if _is_list(value.fields.get(key))), [value])
    return value if isinstance(value, list) else []


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _find_action(entry: Any, dialect: Dialect) -> ForeignAction | None:
    if not isinstance(entry, _Object):
        return None
    fields = _flatten(entry.fields)
    words = [fields[key].value for key in _VERBS if isinstance(fields.get(key), _Text)]
    verb = next((verb for word in words if (verb := find_verb(word, dialect))), "")
    content = _first(fields, _CONTENTS)
    if not verb and content is not None and _first(fields, _PATHS) and not words:
        verb = "create"  # a path and its content are a file
    group = group_of(verb, dialect)
    target = _first(fields, _COMMANDS if group == "running" else _PATHS) if group else None
    if target is None or not target.value or "\n" in target.value:
        return None
    place = (content.start, content.end) if content is not None else (-1, -1)
    said = None if content is None else content.value
    return ForeignAction(verb, target.value, entry.start, entry.end, *place, said)


def _flatten(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an object and of the arguments in it."""
    fields = dict(entry)
    for key in _NESTED:
        inner = entry.get(key)
        if isinstance(inner, _Object):
            fields.update(_flatten(inner.fields))
    return fields


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> _Text | None:
    return next((fields[key] for key in keys if isinstance(fields.get(key), _Text)), None)
