"""The names that tools and their parameters have in agents, and what a call of a tool means.

`grammars/formats/tools.yaml` has the names; case and the signs `_`, `-` and `.` do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from ..document import Replacement
from ..grammar.codes import MISSING_ARGUMENT, UNKNOWN_TOOL
from ..ground import resources
from ..ground.kept_tables import KeptTables
from .json_ends import load_value

FILE_NAME = "tools.yaml"
PATCH = "patch"  # the kind of a call whose argument is a patch of several files
_NAMED = re.compile(
    r'^[ \[]*(?P<object>\{)\s*"(?P<key>\w+)"\s*:\s*"(?P<name>[\w.-]+)"', re.MULTILINE
)
# Agents write `writeFile`, `write_file` and `write-file`.
_SIGNS = re.compile("[^a-z0-9]")


class ToolTable(NamedTuple):
    """The table of names, folded.

    Attributes:
        tools: By the name of a tool, its kind: write, edit, delete, run, patch or by_command.
        parameters: By the name of a parameter, its role: path, content, old, new and so on.
        commands: By the value of `command` of a tool by_command, the kind of the call.
        first_tools: By kind, the name to write.
        first_parameters: By role, the name to write.
        name_keys: Keys of JSON objects under which a call has its name.
        argument_keys: Keys under which it has its arguments.
        list_keys: Keys under which an object has a list of calls.
    """

    tools: dict[str, str]
    parameters: dict[str, str]
    commands: dict[str, str]
    first_tools: dict[str, str]
    first_parameters: dict[str, str]
    name_keys: tuple[str, ...]
    argument_keys: tuple[str, ...]
    list_keys: tuple[str, ...]


class Meaning(NamedTuple):
    """What a section means.

    Attributes:
        verb: The verb; `patch` for a patch of several files.
        path: The path, or the command.
        content: The content, or the patch.
        edits: Pairs of old and new text.
    """

    verb: str
    path: str
    content: str | None = None
    edits: tuple[Replacement, ...] = ()


class Problem(NamedTuple):
    """Why a section is not an action: the code of a note."""

    code: str


def fold(name: str) -> str:
    """Return a name without case and signs."""
    return _SIGNS.sub("", name.lower())


@cache
def load_tools() -> ToolTable:
    """Return the table of names."""
    path = resources.find_folder("grammars") / "formats" / FILE_NAME
    tables = KeptTables("tools", ("core/formats",), [path.read_text("utf-8")])
    return make_tool_table(tables.remember(partial(_read_table, path)))


def make_tool_table(data: Any) -> ToolTable:
    """Return the table of JSON values.

    Args:
        data: The values, by the attributes of the table.
    """
    return ToolTable(
        data["tools"],
        data["parameters"],
        data["commands"],
        data["first_tools"],
        data["first_parameters"],
        tuple(data["name_keys"]),
        tuple(data["argument_keys"]),
        tuple(data["list_keys"]),
    )


def _read_table(path: Path) -> dict[str, Any]:
    """Return the rows of a table, folded, as JSON values."""
    # A program with kept tables does not need to load YAML.
    from ..text.yaml_file import YamlFile

    data = YamlFile(path, "table of tools").data

    def by_name(rows: Mapping[str, str]) -> dict[str, str]:
        kinds: dict[str, str] = {}
        for kind, words in rows.items():
            kinds.update(dict.fromkeys(map(fold, words.split()), kind))
        return kinds

    def first(rows: Mapping[str, str]) -> dict[str, str]:
        return {kind: words.split()[0] for kind, words in rows.items()}

    return {
        "tools": by_name(data["tools"]),
        "parameters": by_name(data["parameters"]),
        "commands": dict(data["commands"]),
        "first_tools": first(data["tools"]),
        "first_parameters": first(data["parameters"]),
        "name_keys": data["name"].split(),
        "argument_keys": data["arguments"].split(),
        "list_keys": data["lists"].split(),
    }


def kind_of_tool(name: str) -> str | None:
    """Return the kind of a tool; None if it is not in the table.

    Args:
        name: Its name; a prefix that ends with a full stop does not count.
    """
    return load_tools().tools.get(fold(name.rpartition(".")[2]))


def find_named_tools(text: str) -> Iterator[int]:
    """Yield the places of lines that begin a JSON object whose first value is the name of a tool.

    Args:
        text: The text.
    """
    for match in _NAMED.finditer(text):
        is_name = match["key"] in load_tools().name_keys
        if is_name and kind_of_tool(match["name"]) is not None:
            yield match.start("object")


class Call(NamedTuple):
    """A call of a tool: its name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


def find_meaning(call: Call | None) -> Meaning | Problem:
    """Return what a call means, or why it means nothing; None is not a call."""
    if call is None:
        return Problem(MISSING_ARGUMENT)
    table = load_tools()
    kind = kind_of_tool(call.name)
    values: dict[str, Any] = {}
    for key, value in call.arguments.items():
        # The first of two spellings of one parameter counts.
        values.setdefault(table.parameters.get(fold(key), key), value)
    # Tools such as `str_replace_editor` have the verb among their arguments.
    if kind == "by_command":
        kind = table.commands.get(str(values.get("command", "")).strip())
    if kind is None:
        return Problem(UNKNOWN_TOOL)
    missing = Problem(MISSING_ARGUMENT)
    if kind == "run":
        command = _command_text(values.get("command"))
        if not command:
            return missing
        return Meaning("run", command)
    if kind == PATCH:
        patch = values.get("patch") or values.get("content")
        if not isinstance(patch, str):
            return missing
        return Meaning(PATCH, "", patch)
    # A path of several lines is most often a content.
    path = values.get("path")
    if not isinstance(path, str):
        return missing
    path = path.strip()
    if not path or "\n" in path or path.endswith("/"):
        return missing
    if kind == "delete":
        return Meaning("delete", path)
    return _writing(kind, path, values, table) or missing


def _writing(kind: str, path: str, values: Mapping[str, Any], table: ToolTable) -> Meaning | None:
    """Return the meaning of a call that writes a file or edits it; None if it gives no text."""
    edits = values.get("edits")
    # Some tools take a list of edits, others one edit among their arguments.
    entries = edits if isinstance(edits, list) else [values]
    if not all(isinstance(entry, dict) for entry in entries):
        return None
    replacements = [_read_replacement(entry, table) for entry in entries]
    complete = [replacement for replacement in replacements if replacement is not None]
    if len(complete) == len(replacements):
        return Meaning("edit", path, None, tuple(complete))
    # An edit tool may take a patch, or only the new text.
    for role in ("content", "patch", "new"):
        text = values.get(role)
        if isinstance(text, str):
            return Meaning("edit" if kind == "edit" else "create", path, text)
    return None


def _read_replacement(entry: Mapping[str, Any], table: ToolTable) -> Replacement | None:
    """Return the old and the new text of an edit; None if one is missing."""
    row: dict[str, Any] = {}
    for key, value in entry.items():
        role = table.parameters.get(fold(str(key)))
        row[role or str(key)] = value
    old = row.get("old")
    new = row.get("new")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return Replacement(old, new, every=bool(row.get("all")))


def _command_text(command: Any) -> str:
    """Return a command that is a text, or a list of words."""
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        # Codex calls a shell this way.
        if command[:2] == ["bash", "-lc"] and len(command) == 3:
            command = command[2]
        else:
            command = _join_words(command)
    if not isinstance(command, str) or not command.strip():
        return ""
    return command.strip()


def _join_words(words: list[str]) -> str:
    """Return words as a line for a shell."""
    import shlex

    return shlex.join(words)


def calls_in(value: Any) -> Iterator[Call | None]:
    """Yield the calls in a JSON value; None for an entry that is not a call.

    Args:
        value: A call, a list of calls, or an object with such a list.
    """
    table = load_tools()
    entries = value
    if isinstance(value, dict):
        # One call, unless there is a list.
        entries = [value]
        for key in table.list_keys:
            if isinstance(value.get(key), list):
                entries = value[key]
                break
    if not isinstance(entries, list):
        return
    for entry in entries:
        yield _read_call(entry, table)


def _read_call(entry: Any, table: ToolTable) -> Call | None:
    if not isinstance(entry, dict):
        return None
    # The form of the API of OpenAI.
    if isinstance(entry.get("function"), dict):
        entry = {**entry, **entry["function"]}
    # Some models write the arguments beside the name.
    arguments = dict(entry)
    name = ""
    for key in table.name_keys:
        value = arguments.pop(key, None)
        if not name and isinstance(value, str) and kind_of_tool(value) is not None:
            name = value
    for key in table.argument_keys:
        inner = entry.get(key)
        if isinstance(inner, str):
            inner = _read_object(inner)
        if isinstance(inner, dict):
            arguments.update(inner)
            break
    return Call(name, arguments)


def _read_object(text: str) -> Any:
    """Return the object that a text is, as OpenAI's API writes arguments."""
    try:
        return load_value(text)
    except (ValueError, RecursionError):
        return None
