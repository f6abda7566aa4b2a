"""Read old and new texts in JSON, as tools for agents pass them.

    {"old_string": "x = 1", "new_string": "x = 3"}
    {"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 3"}
    {"edits": [{"oldText": "x = 1", "newText": "x = 3"}]}
    {"command": "insert", "insert_line": 3, "new_str": "z = 0"}

An object with a key of another kind is not an edit: it may be the text of a JSON file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from ...patterns.regexes import compile_pattern
from ..hunks import Hunk, Reading, Unreadable, settle
from ..lines import content_lines

KIND = "old and new text in JSON"
RANK = 60

_MAX_LENGTH = 2_000_000  # characters
_MAX_DEPTH = 5  # of the wrappers around the edits
_ROLES = {
    "old": (
        "oldstring oldstr oldtext old oldcode oldlines search searchtext find original target "
        "before"
    ),
    "new": (
        "newstring newstr newtext new newcode newlines replace replacetext replacewith "
        "replacement updated after inserttext"
    ),
    "path": "path filepath file filename targetfile absolutepath",
    "every": "replaceall all allowmultiple",
    "list": "edits changes operations replacements edit diffs",
    "inner": "arguments input parameters args function toolinput",
    "line": "startline line",
    "insert": "insertline",
    # These say nothing about the text.
    "label": (
        "command name type tool toolname id instruction instructions explanation description "
        "reason expectedreplacements operation op"
    ),
}
_ROLE_OF = {key: role for role, keys in _ROLES.items() for key in keys.split()}
# The first key of an edit. JSON with it that cannot be read is an edit, and not a whole text.
_BEGINS_EDIT = compile_pattern(
    r"[\[{ \t\n]*\"(?:old_?(?:[Ss]tr|[Ss]tring|[Tt]ext|[Cc]ode)\"[ \t]*:|"
    r"command\"[ \t]*:[ \t]*\"str_replace)"
)
# Files in which such JSON may be the text itself.
_JSON_FILES = (".json", ".jsonl", ".json5", ".jsonc", ".yaml", ".yml")


class _NotAnEditError(Exception):
    """A JSON value has keys or values that edits do not have."""


@dataclass(frozen=True, slots=True)
class _Fields:
    """The members of an object by their roles."""

    values: dict[str, Any]

    def text(self, role: str) -> str | None:
        """Return a text, or the lines of a list as one; None without the role."""
        value = self.values.get(role)
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            return "\n".join(value)
        if value is not None and not isinstance(value, str):
            raise _NotAnEditError
        return None if value is None else value.replace("\r\n", "\n")

    def lines(self, role: str) -> list[str] | None:
        """Return the lines of a list; None for a text."""
        value = self.values.get(role)
        return value if isinstance(value, list) else None

    def number(self, role: str) -> int | None:
        """Return a number; None without the role."""
        value = self.values.get(role)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise _NotAnEditError
        return value

    @property
    def is_every(self) -> bool:
        """Whether all places change."""
        return self.values.get("every") in (True, "true", "True")


@dataclass
class _Edits:
    """The edits of a JSON value, and the files that it names."""

    hunks: list[Hunk] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def read(content: str, path: str = "") -> Reading | None:
    """Read old and new texts in JSON: one object, a list of them, or one in each line.

    Args:
        content: The content of an edit.
        path: The edited file.

    Returns:
        The reading; None if the content is other JSON, or no JSON.

    Raises:
        Unreadable: The content begins like an edit, and is not valid JSON.
    """
    text = content.removeprefix("\ufeff").strip()
    if not text.startswith(("{", "[")):
        return None
    if len(text) > _MAX_LENGTH:
        if _BEGINS_EDIT.match(text) is None:
            return None
        raise Unreadable("the edit has more than 2 MB of JSON", "write the whole text")
    try:
        value = _load(text)
    except _NotAnEditError:
        return None
    edits = _Edits()
    try:
        _collect(value, edits, 0)
    except _NotAnEditError:
        return None
    if not edits.hunks:
        return None
    reading = settle(KIND, tuple(edits.hunks), tuple(edits.names))
    if path.lower().endswith(_JSON_FILES):
        return replace(reading, doubts=("the JSON may be the text of the file, and not an edit",))
    return reading


def _load(text: str) -> Any:
    """Return the value of a JSON text, or the list of those in its lines."""
    try:
        return _parse(text)
    except (ValueError, RecursionError):
        pass
    # Several calls are often written one in each line.
    try:
        return [_parse(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        if _BEGINS_EDIT.match(text) is None:
            raise _NotAnEditError from None
        raise Unreadable(
            f"the edit is not valid JSON: {error}",
            "escape line ends and quotes, or use search/replace blocks",
        ) from None


def _parse(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_with_unique_keys)


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        # The first of two values would be lost.
        raise _NotAnEditError
    return members


def _collect(value: Any, edits: _Edits, depth: int) -> None:
    """Add the edits of a value; raise `_NotAnEditError` if it is anything else."""
    if depth > _MAX_DEPTH:
        raise _NotAnEditError
    if isinstance(value, str) and depth:
        # Some APIs pass the arguments of a call as a text of JSON.
        try:
            value = _parse(value)
        except (ValueError, RecursionError):
            raise _NotAnEditError from None
    if isinstance(value, list) and value:
        for item in value:
            _collect(item, edits, depth + 1)
        return
    if not isinstance(value, dict):
        raise _NotAnEditError
    fields = _fields_of(value)
    name = fields.values.get("path")
    if isinstance(name, str):
        edits.names.append(name)
    wrapped = [fields.values[role] for role in ("list", "inner") if fields.values.get(role)]
    if not wrapped:
        edits.hunks.append(_hunk(fields))
    elif len(wrapped) == 1 and not fields.values.keys() & {"old", "new"}:
        _collect(wrapped[0], edits, depth + 1)
    else:
        # A wrapper has no texts itself: one of several edits would be lost.
        raise _NotAnEditError


def _fields_of(members: dict[str, Any]) -> _Fields:
    values: dict[str, Any] = {}
    for key, value in members.items():
        # `old_string`, `oldString` and `old-string` are one key.
        folded_key = "".join(character for character in key.lower() if character not in "_- ")
        role = _ROLE_OF.get(folded_key)
        if role is None:
            raise _NotAnEditError
        if role == "label":
            if isinstance(value, dict | list):
                raise _NotAnEditError
        elif role in values:
            raise _NotAnEditError
        else:
            values[role] = value
    return _Fields(values)


def _hunk(fields: _Fields) -> Hunk:
    old = fields.text("old")
    new = fields.text("new")
    if new is None:
        raise _NotAnEditError
    after_line = fields.number("insert")
    if old is None:
        # A line and a text may mean to replace the line or to insert after it.
        if after_line is None:
            raise _NotAnEditError
        return Hunk(new=tuple(content_lines(new)), line=after_line)
    if after_line is not None:
        raise _NotAnEditError
    line = fields.number("line")
    old_lines = fields.lines("old")
    new_lines = fields.lines("new")
    if old_lines and new_lines is not None:
        return Hunk(tuple(old_lines), tuple(new_lines), line, every=fields.is_every)
    return Hunk(within=(old, new), every=fields.is_every, line=line)
