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
from ..grammar.codes import MISSING_ARGUMENT, PARTIAL_WRITE, UNKNOWN_TOOL
from ..ground import resources
from ..ground.kept_tables import KeptTables

FILE_NAME = "tools.yaml"
PATCH = "patch"  # the kind of a call whose argument is a patch of several files
RUNNING = ("run", "test", "execute", "check", "verify")  # kinds that are verbs for commands
_TEXT_ROLES = ("content", PATCH, "new")
_LONGEST_WORD = 20  # characters of a word that says that nothing is said
# The keys of the file: names with words, and lists of words with the attributes that have them.
MAPPINGS = ("tools", "parameters", "commands")
WORD_LISTS = {
    "name": "name_keys",
    "arguments": "argument_keys",
    "lists": "list_keys",
    "envelopes": "envelope_keys",
    "whole": "whole_modes",
    "things": "things",
}
_NAMED = re.compile(
    r'^[ \[]*(?P<object>\{)\s*"(?P<key>\w+)"\s*:\s*"(?P<name>[\w.-]+)"', re.MULTILINE
)
# Agents write `writeFile`, `write_file` and `write-file`.
_SIGNS = re.compile("[^a-z0-9]")


class ToolTable(NamedTuple):
    """The table of names, folded.

    Attributes:
        tools: By the name of a tool, its kind: write, edit, replace, delete, run, patch or
            by_command.
        parameters: By the name of a parameter, its role: path, content, old, new and so on.
        commands: By the value of `command` of a tool by_command, the kind of the call.
        first_tools: By kind, the name to write.
        first_parameters: By role, the name to write.
        name_keys: Keys of JSON objects under which a call has its name.
        argument_keys: Keys under which it has its arguments.
        list_keys: Keys under which an object has a list of calls.
        envelope_keys: Keys under which the answer of an API has calls, among other things.
        whole_modes: Values of the parameter `mode` with which a content is all of a file.
        things: Words under a name key that say what an object is, and name no tool.
    """

    tools: dict[str, str]
    parameters: dict[str, str]
    commands: dict[str, str]
    first_tools: dict[str, str]
    first_parameters: dict[str, str]
    name_keys: tuple[str, ...]
    argument_keys: tuple[str, ...]
    list_keys: tuple[str, ...]
    envelope_keys: tuple[str, ...]
    whole_modes: tuple[str, ...]
    things: tuple[str, ...]


class Meaning(NamedTuple):
    """What a section means.

    Attributes:
        verb: The verb; `patch` for a patch of several files, `replace` for an edit that is not
            the whole file.
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
    return make_tool_table(tables.remember(partial(read_table, path)))


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
        tuple(data["envelope_keys"]),
        tuple(data["whole_modes"]),
        tuple(data["things"]),
    )


def read_table(path: Path, content: bytes | None = None) -> dict[str, Any]:
    """Return the rows of a table, folded, as JSON values.

    Args:
        path: The file.
        content: Its content, if it was read before or is not saved yet.

    Raises:
        SymOpsError: The file is not such a table.
    """
    # A program with kept tables does not need to load YAML.
    from ..text.yaml_file import YamlFile

    file = YamlFile(path, "table of tools", data=content)
    file.check_keys((), (*MAPPINGS, *WORD_LISTS))

    def read_rows(key: str) -> dict[str, list[str]]:
        rows = file.data[key]
        if not isinstance(rows, dict):
            raise file.fail((key,), f"{key}: expected names with words")
        words = {}
        for kind in rows:
            row = file.text((key, kind))
            words[kind] = row.split()
        return words

    def by_name(rows: Mapping[str, list[str]]) -> dict[str, str]:
        kinds = {}
        for kind, words in rows.items():
            for word in words:
                name = fold(word)
                kinds[name] = kind
        return kinds

    def first(rows: Mapping[str, list[str]]) -> dict[str, str]:
        return {kind: words[0] for kind, words in rows.items()}

    tools, parameters, commands = map(read_rows, MAPPINGS)
    lists = {}
    for key, attribute in WORD_LISTS.items():
        text = file.text((key,))
        lists[attribute] = text.split()
    folded = [fold(word) for word in lists["things"]]
    return {
        "tools": by_name(tools),
        "parameters": by_name(parameters),
        "commands": first(commands),
        "first_tools": first(tools),
        "first_parameters": first(parameters),
        **lists,
        "things": folded,
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
    values = _values_by_role(call, table)
    # Tools such as `str_replace_editor` have the verb among their arguments.
    if kind == "by_command":
        command = str(values.get("command", ""))
        kind = table.commands.get(command.strip())
    if kind is None:
        # Another call would be left out without harm; this one may append to a file.
        has_text = not values.keys().isdisjoint(_TEXT_ROLES)
        if has_text and "path" in values:
            return Problem(PARTIAL_WRITE)
        return Problem(UNKNOWN_TOOL)
    missing = Problem(MISSING_ARGUMENT)
    if kind in RUNNING:
        return _read_run(kind, values) or missing
    if kind == PATCH:
        patch = values.get("patch") or values.get("content")
        if isinstance(patch, str):
            return Meaning(PATCH, "", patch)
        return missing
    # A path of several lines is most often a content.
    path = values.get("path")
    if not isinstance(path, str):
        return missing
    path = path.strip()
    if not path or "\n" in path or path.endswith("/"):
        return missing
    if kind == "delete":
        return Meaning("delete", path)
    return _read_writing(kind, path, values, table)


def _values_by_role(call: Call, table: ToolTable) -> dict[str, Any]:
    """Return the arguments of a call by their roles; those that have none by their names."""
    values: dict[str, Any] = {}
    for key, value in call.arguments.items():
        name = fold(key)
        role = table.parameters.get(name, key)
        # Nothing is said, as in `"start_line": null`. A line 0 is one.
        if role == "part" and is_unset(value):
            continue
        if role == "mode" and _is_false(value):
            continue
        # The first of two spellings of one parameter counts.
        values.setdefault(role, value)
    return values


def _read_run(verb: str, values: Mapping[str, Any]) -> Meaning | None:
    """Return the meaning of a command; None if there is none."""
    command = values.get("command")
    # Codex calls `apply_patch` as a program, with the patch as its only word.
    if isinstance(command, list) and len(command) == 2:
        program, patch = map(str, command)
        if kind_of_tool(program) == PATCH:
            return Meaning(PATCH, "", patch)
    text = _command_text(command)
    return Meaning(verb, text) if text else None


def _read_writing(
    kind: str, path: str, values: Mapping[str, Any], table: ToolTable
) -> Meaning | Problem:
    """Return the meaning of a call that writes a file or edits it."""
    edits = values.get("edits")
    # Some tools take a list of edits, others one edit among their arguments.
    entries: list[Any] = [values]
    if isinstance(edits, list):
        entries = edits
    missing = Problem(MISSING_ARGUMENT)
    if not all(isinstance(entry, dict) for entry in entries):
        return missing
    complete = []
    for entry in entries:
        replacement = _read_replacement(entry, table)
        if replacement is not None:
            complete.append(replacement)
    if len(complete) == len(entries):
        return Meaning("edit", path, None, tuple(complete))
    # An edit tool may take a patch, or only the new text.
    for role in _TEXT_ROLES:
        text = values.get(role)
        if not isinstance(text, str):
            continue
        # A patch says its places itself.
        if role != PATCH and _is_partial(values, table):
            return Problem(PARTIAL_WRITE)
        verb = kind
        if kind == "write":
            verb = "create"
        # One side of a replacement is not all of the file, if it is in no notation for edits.
        if kind == "edit" and (role == "new" or "old" in values):
            verb = "replace"
        return Meaning(verb, path, text)
    return missing


def writes_part(call: Call) -> bool:
    """Return whether the arguments of a call say that it writes a part of a file.

    Args:
        call: The call.
    """
    table = load_tools()
    values = _values_by_role(call, table)
    return _is_partial(values, table)


def _is_partial(values: Mapping[str, Any], table: ToolTable) -> bool:
    """Return whether a call gives a text for a part of a file: it would overwrite the file."""
    if "part" in values:
        return True
    mode = values.get("mode")
    if mode is None:
        return False
    word = fold(str(mode))
    return word not in table.whole_modes


def is_unset(value: Any) -> bool:
    """Return whether an argument is as if it were not there.

    Args:
        value: Its value.
    """
    if isinstance(value, str):
        # A content may be long, and to fold all of it takes time.
        is_word = len(value) < _LONGEST_WORD
        return is_word and fold(value) in ("", "false", "no", "none", "null")
    # 0 may be a line.
    return value is None or value is False or value in ([], {})


def _is_false(value: Any) -> bool:
    if not value:
        return True
    word = fold(str(value))
    return word in ("false", "no", "none", "null", "0")


def _read_replacement(entry: Mapping[str, Any], table: ToolTable) -> Replacement | None:
    """Return the old and the new text of an edit; None if one is missing."""
    row: dict[str, Any] = {}
    for key, value in entry.items():
        name = str(key)
        role = table.parameters.get(fold(name))
        row[role or name] = value
    old = row.get("old")
    new = row.get("new", row.get("content"))
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return Replacement(old, new, every=not _is_false(row.get("all")))


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
