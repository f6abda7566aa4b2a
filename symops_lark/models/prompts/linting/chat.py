"""Chat transcripts in JSON, JSON Lines or YAML: who says what, and where it stands in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .passage import Passage

SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
_ROLES = {
    **dict.fromkeys(("system", "developer"), SYSTEM),
    **dict.fromkeys(("user", "human"), USER),
    **dict.fromkeys(("assistant", "ai", "gpt", "model", "bot"), ASSISTANT),
    **dict.fromkeys(("tool", "function"), TOOL),
}
_PAIRS = {"user": USER, "assistant": ASSISTANT, "prompt": USER, "completion": ASSISTANT, "system": SYSTEM}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "a": "\a", "e": "\x1b", "v": "\v"}
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{}]|[^\s\[\]{}",:\ufeff]+', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_YAML_ROLE = re.compile(
    r"""^[ \t]*(?:-[ \t]+)?["']?role["']?[ \t]*:[ \t]*["']?(system|user|assistant)\b""", re.MULTILINE
)


@dataclass(frozen=True)
class Turn:
    """One message, or a part of one: its role, its text in the file, and the type of the part (`text` for most)."""

    role: str
    passage: Passage
    type: str = "text"


def read_chat(text: str) -> list[Turn] | None:
    """Return the turns of a transcript; None if the text is none."""
    return list(_read(text)) or None


def _read(text: str) -> Iterator[Turn]:
    if text.lstrip("\ufeff \t\r\n")[:1] in ("[", "{"):
        if _is_json(text):
            yield from _walk(_read_json(text), text, 0)
            return
        start, lines = 0, text.split("\n")
        if all(_is_json(line) for line in lines if line.strip()):
            for line in lines:
                yield from _walk(_read_json(line), text, start) if line.strip() else ()
                start += len(line) + 1
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
    """A value of a JSON text, with the names that YAML's nodes have."""

    id: str
    value: Any
    start_mark: _Mark
    end_mark: _Mark
    style: str | None = None


def _read_json(text: str) -> _Node:
    """Read a valid JSON text with the places of its values, which `json` does not tell and YAML tells slowly."""
    top = _Node("sequence", [], _Mark(0), _Mark(len(text)))
    open_nodes = [top]
    for match in _TOKEN.finditer(text):
        token, start, stop = match[0], _Mark(match.start()), _Mark(match.end())
        if token in ("]", "}"):
            closed = open_nodes.pop()
            if token == "}":
                closed.value = list(zip(closed.value[::2], closed.value[1::2], strict=True))
            continue
        if token in ("[", "{"):
            node = _Node("sequence" if token == "[" else "mapping", [], start, stop)
        elif token[0] == '"':
            node = _Node("scalar", json.loads(token) if "\\" in token else token[1:-1], start, stop, '"')
        else:
            node = _Node("scalar", token, start, stop)
        open_nodes[-1].value.append(node)
        if node.id != "scalar":
            open_nodes.append(node)
    return top


def _compose(text: str) -> Any:
    import yaml

    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _walk(node: Any, text: str, shift: int) -> Iterator[Turn]:
    stack = [node]
    while stack:
        node = stack.pop()
        value = getattr(node, "value", None)
        if not isinstance(value, list):
            continue
        if node.id == "sequence":
            stack += reversed(value)
            continue
        keys = {key.value: item for key, item in value if isinstance(key.value, str)}
        told = keys.get("role") or keys.get("from")
        said = keys.get("content") or keys.get("value")
        role = _ROLES.get(str(told.value).lower()) if told is not None else None
        if role is not None:
            yield from _parts(role, said, text, shift)
        elif {"user", "assistant"} <= keys.keys() or {"prompt", "completion"} <= keys.keys():
            for key, item in keys.items():
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
            keys = {key.value: part for key, part in item.value}
            kind = str(keys["type"].value) if "type" in keys else "text"
            said = keys.get("text") or keys.get("content") or keys.get("output")
            if said is not None and said.id == "scalar":
                yield Turn(role, _passage(said, text, shift), kind)
            elif said is not None:
                yield from (Turn(role, part.passage, kind) for part in _parts(role, said, text, shift))


def _passage(node: Any, text: str, shift: int) -> Passage:
    """Return the text of a scalar with the place of each of its characters."""
    start, stop = node.start_mark.index + shift, node.end_mark.index + shift
    value = str(node.value)
    if node.style == '"':
        decoded = _unescape(text, start + 1, stop - 1)
        if decoded.text == value or any("\ud800" <= c <= "\udfff" for c in value):
            return decoded
    elif node.style in ("|", ">"):
        if found := _find_block(value, text, start, stop):
            return found
    else:
        at = text.find(value, start, stop)
        if at >= 0:
            return Passage(value, range(at, at + len(value) + 1))
    return Passage(value, [start] * (len(value) + 1))  # a folded text: its beginning must do


def _unescape(text: str, start: int, stop: int) -> Passage:
    pieces: list[str] = []
    places: list[int] = []
    at = start
    while at < stop:
        match = _ESCAPE.match(text, at, stop)
        character, end = text[at], match.end() if match else at + 1
        if match:
            code = match[1] or match[2] or match[3]
            character = chr(int(code, 16)) if code else _ESCAPES.get(match[4], match[4])
        if pieces and "\ud800" <= pieces[-1] <= "\udbff" and "\udc00" <= character <= "\udfff":
            pair = (pieces.pop() + character).encode("utf-16", "surrogatepass").decode("utf-16")
            pieces.append(pair)
        else:
            pieces.append(character)
            places.append(at)
        at = end
    return Passage("".join(pieces), (*places, stop))


def _find_block(value: str, text: str, start: int, stop: int) -> Passage | None:
    """Find the lines of a block scalar, each behind its indentation."""
    places: list[int] = []
    at = text.find("\n", start, stop) + 1
    for line in re.findall(r"[^\n]*\n|[^\n]+", value):
        body = line.rstrip("\r\n")
        found = text.find(body, at, stop) if body else at
        end = text.find("\n", at, stop)
        if at == 0 or found < 0 or (end >= 0 and found > end):
            return None
        places += range(found, found + len(line))
        at = (end if end >= 0 else stop) + 1
    return Passage(value, (*places, places[-1] + 1)) if places else None
