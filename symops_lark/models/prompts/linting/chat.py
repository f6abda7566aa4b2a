"""Read transcripts of chats in JSON, JSON Lines or YAML: the roles, the texts and their places."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .passage import Passage

SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
# The names of roles in the files of providers, data sets and programs.
_ROLES = {
    **dict.fromkeys(("system", "developer"), SYSTEM),
    **dict.fromkeys(("user", "human"), USER),
    **dict.fromkeys(("assistant", "ai", "gpt", "model", "bot"), ASSISTANT),
    **dict.fromkeys(("tool", "function"), TOOL),
}
# Objects that have a key for each role instead of messages, such as rows of training data.
_PAIRS = {
    "user": USER,
    "assistant": ASSISTANT,
    "prompt": USER,
    "completion": ASSISTANT,
    "system": SYSTEM,
}
# Of JSON and of YAML, which has more.
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "0": "\0",
    "a": "\a",
    "e": "\x1b",
    "v": "\v",
}
_ESCAPE = re.compile(
    r"""\\(?:
        u([0-9a-fA-F]{4})   # the code of a character
        |x([0-9a-fA-F]{2})  # only in YAML
        |U([0-9a-fA-F]{8})  # only in YAML
        |(.)                # a key of `_ESCAPES`, or the character itself
    )""",
    re.DOTALL | re.VERBOSE,
)
_TOKEN = re.compile(
    r"""
    "(?:\\.|[^"\\])*"      # a string
    |[\[\]{}]               # the beginning or the end of a list or an object
    |[^\s\[\]{}",:\ufeff]+  # a number or a word
    """,
    re.DOTALL | re.VERBOSE,
)
_YAML_ROLE = re.compile(
    r"""
    ^[ \t]*(?:-[ \t]+)?          # the dash of a list
    ["']?role["']?[ \t]*:[ \t]*  # the key
    ["']?(system|user|assistant)\b
    """,
    re.MULTILINE | re.VERBOSE,
)
_ROWS = re.compile(r"[^\n]*\n|[^\n]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Turn:
    """A message, or a part of one.

    Attributes:
        role: The role, such as `ASSISTANT`.
        passage: The text, with its places in the file.
        type: The type of the part; most are `text`.
    """

    role: str
    passage: Passage
    type: str = "text"


def read_chat(text: str) -> list[Turn] | None:
    """Return the turns of a transcript; None if the text is not a transcript."""
    return list(_read(text)) or None


def _read(text: str) -> Iterator[Turn]:
    if text.lstrip("\ufeff \t\r\n")[:1] in ("[", "{"):
        if _is_json(text):
            yield from _walk(_read_json(text), text, 0)
            return
        rows = _ROWS.findall(text)
        # JSON Lines, where blank lines are allowed.
        if all(_is_json(row) for row in rows if row.strip()):
            start = 0
            for row in rows:
                yield from _walk(_read_json(row), text, start)
                start += len(row)
    elif _YAML_ROLE.search(text):
        yield from _walk(_compose(text), text, 0)


def _is_json(text: str) -> bool:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


@dataclass
class _Mark:
    index: int


@dataclass
class _Node:
    """A value of a JSON text. The names are those of YAML's nodes, which are read the same way."""

    id: str
    value: Any
    start_mark: _Mark
    end_mark: _Mark
    style: str | None = None


def _read_json(text: str) -> _Node:
    """Read a valid JSON text with the places of its values.

    `json` does not know the places, and YAML's parser is slow.
    """
    top = _Node("sequence", [], _Mark(0), _Mark(len(text)))
    open_nodes = [top]
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ("]", "}"):
            node = open_nodes.pop()
            if token == "}":
                node.value = list(zip(node.value[::2], node.value[1::2], strict=True))
            continue
        node = _Node("scalar", token, _Mark(match.start()), _Mark(match.end()))
        open_nodes[-1].value.append(node)
        if token in ("[", "{"):
            node.id = "sequence" if token == "[" else "mapping"
            node.value = []
            open_nodes.append(node)
        elif token[0] == '"':
            node.style = '"'
            # Most strings have no escapes, and need not be decoded.
            node.value = json.loads(token) if "\\" in token else token[1:-1]
    return top


def _compose(text: str) -> Any:
    import yaml

    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _walk(node: Any, text: str, shift: int) -> Iterator[Turn]:
    """Yield the turns in a value, in their order.

    Args:
        node: The value; None for a file that cannot be read.
        text: The file.
        shift: The offset of the value's text in the file.
    """
    # No recursion: a value may be nested deeply.
    stack = [node]
    while stack:
        node = stack.pop()
        value = getattr(node, "value", None)
        if not isinstance(value, list):
            continue
        if node.id == "sequence":
            stack += reversed(value)
            continue
        members = {key.value: item for key, item in value if isinstance(key.value, str)}
        # "from" and "value" are the keys of ShareGPT's data sets.
        sender = members.get("role") or members.get("from")
        role = _ROLES.get(str(sender.value).lower()) if sender is not None else None
        if role is not None:
            content = members.get("content") or members.get("value")
            yield from _parts(role, content, text, shift)
        elif members.keys() >= {"user", "assistant"} or members.keys() >= {"prompt", "completion"}:
            for key, item in members.items():
                if key in _PAIRS:
                    yield from _parts(_PAIRS[key], item, text, shift)
        else:
            stack += [item for _, item in reversed(value)]


def _parts(role: str, node: Any, text: str, shift: int) -> Iterator[Turn]:
    """Yield the texts of a message: its content is one text, or a list of parts with types."""
    if node is None:
        return
    if node.id == "scalar":
        yield Turn(role, _passage(node, text, shift))
    elif node.id == "sequence":
        for item in node.value:
            if item.id != "mapping":
                yield from _parts(role, item, text, shift)
                continue
            members = {key.value: part for key, part in item.value}
            kind = str(members["type"].value) if "type" in members else "text"
            content = members.get("text") or members.get("content") or members.get("output")
            # The parts of a part, such as those of a result, have its type.
            for part in _parts(role, content, text, shift):
                yield Turn(role, part.passage, kind)


def _passage(node: Any, text: str, shift: int) -> Passage:
    """Return the text of a scalar with the place of each of its characters."""
    start = node.start_mark.index + shift
    stop = node.end_mark.index + shift
    value = str(node.value)
    if node.style == '"':
        decoded = _unescape(text, start + 1, stop - 1)
        # Half of a pair cannot be compared: the libraries treat it differently.
        if decoded.text == value or _SURROGATE.search(value):
            return decoded
    elif node.style in ("|", ">"):
        block = _find_block(value, text, start, stop)
        if block is not None:
            return block
    else:
        place = text.find(value, start, stop)
        if place >= 0:
            return Passage(value, range(place, place + len(value) + 1))
    # A folded text has no characters in one row: all of it is at its beginning.
    return Passage(value, [start] * (len(value) + 1))


def _unescape(text: str, start: int, stop: int) -> Passage:
    """Return the text between double quotes, decoded."""
    pieces: list[str] = []
    places = []
    while start < stop:
        character = text[start]
        end = start + 1
        match = _ESCAPE.match(text, start, stop)
        if match:
            end = match.end()
            code = match[1] or match[2] or match[3]
            character = chr(int(code, 16)) if code else _ESCAPES.get(match[4], match[4])
        # JSON writes a character beyond U+FFFF as a pair of surrogates.
        if pieces and "\ud800" <= pieces[-1] <= "\udbff" and "\udc00" <= character <= "\udfff":
            pair = (pieces[-1] + character).encode("utf-16", "surrogatepass")
            pieces[-1] = pair.decode("utf-16")
        else:
            pieces.append(character)
            places.append(start)
        start = end
    return Passage("".join(pieces), (*places, stop))


def _find_block(value: str, text: str, start: int, stop: int) -> Passage | None:
    """Find the lines of a block scalar, each after its indentation; None if one is folded."""
    places: list[int] = []
    # The first line has only the sign of the block.
    line_start = text.find("\n", start, stop) + 1
    for row in _ROWS.findall(value):
        content = row.rstrip("\r\n")
        line_end = text.find("\n", line_start, stop)
        if line_end < 0:
            line_end = stop
        place = text.find(content, line_start, line_end) if content else line_start
        if line_start == 0 or place < 0:
            return None
        places += range(place, place + len(row))
        line_start = line_end + 1
    return Passage(value, (*places, places[-1] + 1)) if places else None
