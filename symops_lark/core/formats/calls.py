"""Find the calls of tools in JSON values, and doubt those with arguments that are not known.

A value is one call, a list of them, or the answer of an API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..grammar.codes import REPEATED_PARAMETER, UNKNOWN_ARGUMENT
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern
from ..text.json_ends import load_value
from .sections import Item
from .tools import PATCH, RUNNING, Call, ToolTable, fold, is_unset, kind_of_tool, load_tools

_DEEPEST = 8  # envelopes in one another
# By kind, the roles of the arguments that it uses; others may change what the call means.
_WRITING = ("path", "content", PATCH, "old", "new", "edits", "all", "mode", "part")
_USED = {
    "delete": ("path",),
    "by_command": ("command", *_WRITING),
    PATCH: ("path", "content", PATCH),
    **dict.fromkeys(RUNNING, ("command",)),
}
# Each is a change by itself: of two, one would be lost.
_CHANGES = ("content", "new", "edits", PATCH)
_ATTRIBUTE = compile_pattern(r"(?<![A-Za-z-])(?P<name>[A-Za-z-]+)=\"(?P<value>[^\"\n]*)\"")
DETAIL = ":"  # between the code of a doubt and what its message names
_LONGEST_NAME = 40  # characters of an argument in a message
_HARMLESS = "harmless"  # the role of arguments that change nothing
# Of a call that has no name: its kind, and the roles that it needs besides a path.
_SHAPES = (("replace", "old", "new"), ("replace", "edits"), ("write", "content"))
_IN_ENTRIES = ("old", "new", "content", "all", "part", _HARMLESS)


def calls_in(value: Any) -> Iterator[Call | None]:
    """Yield the calls in a JSON value; None for an entry that is not a call.

    Args:
        value: A call, a list of calls, an object with such a list, or the answer of an API.
    """
    # Anything but an object or a list has no calls.
    if isinstance(value, dict | list):
        yield from _find_calls(value, load_tools(), 0)


def _find_calls(value: Any, table: ToolTable, depth: int) -> list[Call | None]:
    """Return the calls in a JSON value, out of the envelopes of answers of APIs."""
    entries = value
    if isinstance(value, dict):
        entries = _list_in(value, table)
        if entries is None:
            call = _read_call(value, table)
            # A call that has a name is no envelope.
            if not call.name:
                entries = _open_envelope(value, table)
            if entries is None:
                return [call]
    # What is too deep to be a call must not vanish: it is an entry that is not one.
    if not isinstance(entries, list) or depth == _DEEPEST:
        return [None]
    calls = []
    for entry in entries:
        calls += _find_calls(entry, table, depth + 1)
    return calls


def _list_in(value: Mapping[str, Any], table: ToolTable) -> list[Any] | None:
    """Return the list of calls that an object has; None if it has none."""
    for key in table.list_keys:
        calls = value.get(key)
        if isinstance(calls, list):
            return calls
    return None


def _open_envelope(value: Mapping[str, Any], table: ToolTable) -> list[Any] | None:
    """Return what the answer of an API has beside texts; None if an object is no such answer."""
    if _paths_in(value, table):
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
    if _paths_in(part, table):
        return False
    keys = (*table.argument_keys, *table.envelope_keys, *table.list_keys)
    return part.keys().isdisjoint(keys)


def _paths_in(value: Mapping[str, Any], table: ToolTable) -> list[str]:
    """Return the values of an object that are paths by their keys."""
    paths = []
    for key, path in value.items():
        role = table.parameters.get(fold(key))
        if role == "path":
            paths.append(str(path))
    return paths


def _read_call(entry: Mapping[str, Any], table: ToolTable) -> Call:
    # The form of the API of OpenAI.
    function = entry.get("function")
    if isinstance(function, dict):
        entry = {**entry, **function}
    # Some models write the arguments beside the name.
    arguments = dict(entry)
    paths = _paths_in(entry, table)
    names = []
    for key in table.name_keys:
        word = arguments.pop(key, None)
        if not isinstance(word, str):
            continue
        if _is_name(word, paths, table):
            names.append((key, word))
    for key in table.argument_keys:
        inner = entry.get(key)
        if isinstance(inner, str):
            inner = read_object(inner)
        if isinstance(inner, dict):
            del arguments[key]
            arguments.update(inner)
            break
    if not names:
        return Call("", arguments)
    # A tool that is known, or the first name.
    names.sort(key=_is_unknown)
    _, tool = names[0]
    # Another word, such as `"action": "append"`, may say how.
    for key, word in names[1:]:
        if kind_of_tool(word) != kind_of_tool(tool):
            arguments.setdefault(key, word)
    return Call(tool, arguments)


def _is_unknown(name: tuple[str, str]) -> bool:
    return kind_of_tool(name[1]) is None


def _is_name(word: str, paths: Sequence[str], table: ToolTable) -> bool:
    """Return whether a word under a name key is the name of a tool, and not of a thing or file."""
    if not word.strip() or fold(word) in table.things:
        return False
    # `{"name": "a.py", "path": "src/a.py"}` names the file.
    end = f"/{word}"
    return all(not f"/{path}".endswith(end) for path in paths)


def read_object(text: str) -> Any:
    """Return the value that a text is, as OpenAI's API writes arguments; None if it is not JSON.

    Args:
        text: The text.
    """
    try:
        return load_value(text)
    except (ValueError, RecursionError):
        return None


def name_call(call: Call | None) -> Call | None:
    """Return a call; an object without a name is one if it has what a call needs.

    That is a path and what belongs into it, or a command as a list of words.

    Args:
        call: A call, which may have no name; None is not a call.
    """
    if call is None or call.name:
        return call
    table = load_tools()
    # Codex' calls of a shell: a list of words.
    if isinstance(call.arguments.get("command"), list):
        return Call(table.first_tools["run"], call.arguments)
    roles = {table.parameters.get(fold(key)) for key in call.arguments}
    for kind, *needed in _SHAPES:
        if roles.issuperset(("path", *needed)):
            return Call(table.first_tools[kind], call.arguments)
    return call


def find_odd_arguments(call: Call) -> Iterator[str]:
    """Yield the codes of what is doubtful in the arguments of a call, some with a name.

    Args:
        call: A call that means an action.
    """
    table = load_tools()
    kind = kind_of_tool(call.name) or ""
    used = _USED.get(kind, _WRITING)
    roles: dict[str, Any] = {}
    odd_names: dict[str, None] = {}
    for key, value in call.arguments.items():
        role = table.parameters.get(fold(key))
        if role == _HARMLESS:
            continue
        if is_unset(value):
            continue
        if role is None or role not in used:
            odd_names[key] = None
        else:
            earlier = roles.setdefault(role, value)
            if earlier != value:
                yield REPEATED_PARAMETER
        if role != "edits" or not isinstance(value, list):
            continue
        for entry in value:
            if not isinstance(entry, dict):
                continue
            if not _is_plain_entry(entry, table):
                odd_names[key] = None
    changes = [role for role in _CHANGES if role in roles]
    if len(changes) > 1:
        odd_names.update(dict.fromkeys(changes))
    if odd_names:
        names = [quoted(name[:_LONGEST_NAME]) for name in odd_names]
        yield f"{UNKNOWN_ARGUMENT}{DETAIL}{', '.join(names)}"


def _is_plain_entry(entry: Mapping[str, Any], table: ToolTable) -> bool:
    """Return whether an edit of a list has only what an edit needs."""
    roles = set()
    for key, value in entry.items():
        role = table.parameters.get(fold(key))
        if is_unset(value):
            continue
        if role not in _IN_ENTRIES or role in roles:
            return False
        roles.add(role)
    return True


def read_attributes(text: str, item: Item) -> dict[str, str]:
    """Return the attributes of a tag by their names, but for those that say nothing new.

    Args:
        text: The text.
        item: The section with the tag.
    """
    table = load_tools()
    path = item.text_of("PATH", text)
    attributes = {}
    for part in item.parts:
        if part.name != "ATTRIBUTES":
            continue
        for attribute in _ATTRIBUTE.finditer(text, part.start, part.end):
            name = attribute["name"]
            value = attribute["value"]
            says_file = name in table.name_keys and fold(value) in table.things
            if not says_file and value != path:
                attributes[name] = value
    return attributes
