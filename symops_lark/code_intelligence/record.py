"""What a session saw by itself: its calls of tools, the files they returned, and whether evidence is among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..json_objects import JsonObject, read_object
from .folding import fold_text
from .frame import IntentType, QueryFrame
from .phases import Phase

_PIECE = re.compile(r"[^\s\"'`(),;:]+")
_ENDING = re.compile(r"\w+\Z")
_WORD = re.compile(r"\w+")
_MOST_TEXT = 20_000  # characters of what a call found that are kept


@dataclass(frozen=True, slots=True)
class Call(JsonObject):
    """A call of a tool as the session saw it: what it found is `shown` items in `files`, with `names` and `text`."""

    number: int
    tool: str
    params: Mapping[str, Any]
    phase: str
    at: str
    ok: bool
    shown: int = 0
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    text: str = ""
    reason_code: str = ""

    @property
    def summary(self) -> str:
        """The call in a line."""
        said = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.tool}({said})"


@dataclass
class State:
    """A session: what its events say."""

    id: str
    root: str
    intent: IntentType
    level: str
    strict_seed: bool
    frame: QueryFrame
    language: str = "en"
    phase: Phase = Phase.EXPLORATION
    rounds: int = 0
    stated: list[str] = field(default_factory=list)  # the slots that the request itself says
    not_applicable: dict[str, str] = field(default_factory=dict)  # slots that have nothing to say, and why
    calls: list[Call] = field(default_factory=list)
    explored: dict[str, str] = field(default_factory=dict)  # files, and the hash of what was seen
    understanding: dict[str, Any] | None = None
    markup_only: bool = False
    hypothesis_from: int = 0  # the number of the last call before the hypotheses
    refusals: int = 0

    def take(self, event: Mapping[str, Any]) -> None:
        """Take note of an event."""
        if "call" in event:
            self.calls.append(read_object(Call, event["call"], exact=False))
        self.explored |= event.get("explored", {})
        self.refusals += event.get("ok") is False
        for name, value in event.get("set", {}).items():
            setattr(self, name, _READERS[name](value) if name in _READERS else value)

    def used(self) -> list[str]:
        """Return the tools that were called and did not fail."""
        return list(dict.fromkeys(call.tool for call in self.calls if call.ok))


_READERS: dict[str, Any] = {"frame": QueryFrame.from_dict, "phase": Phase}


def read_result(number: int, tool: str, params: Mapping[str, Any], result: Mapping[str, Any], **at: str) -> Call:
    """Return the call that a tool's result makes."""
    items = [item for item in result.get("items") or () if isinstance(item, Mapping)]
    names = dict.fromkeys(each for item in items for each in _names_of(item))
    failed = bool(result.get("error") or result.get("reason_code"))
    return Call(
        number,
        tool,
        dict(params),
        ok=not failed,
        shown=len(result.get("items") or ()),
        files=tuple(dict.fromkeys(map(str, result.get("files") or ()))),
        names=tuple(names),
        text=_text_of(result.get("items") or ())[:_MOST_TEXT],
        reason_code=str(result.get("reason_code") or ("tool_failed" if failed else "")),
        **at,
    )


def _names_of(item: Mapping[str, Any]) -> Iterable[str]:
    """Yield the names of an item, and of what is inside it."""
    for key in ("name", "symbol", "qualified_name", "container"):
        if isinstance(item.get(key), str) and item[key]:
            yield item[key]
    for value in item.values():
        if isinstance(value, list):
            for inner in value:
                if isinstance(inner, Mapping):
                    yield from _names_of(inner)


def _text_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(_text_of(each) for each in value.values())
    return "\n".join(map(_text_of, value)) if isinstance(value, list | tuple) else str(value)


def last_part(name: str) -> str:
    """Return a symbol's own name, without what it is in."""
    return re.split(r"[.#]|::", name.strip().removesuffix("()"))[-1]


def names_in(text: str) -> list[str]:
    """Return what may be names in a text."""
    return _WORD.findall(text)


def paths_in(text: str) -> list[str]:
    """Return what is written like a path in a text: with a slash, or with an ending where a line's number follows."""
    paths = []
    for found in _PIECE.finditer(text):
        piece, behind = found[0], text[found.end() : found.end() + 2]
        name, _, ending = piece.rpartition(".")
        is_place = behind[:1] == ":" and behind[1:].isdecimal() and name and _ENDING.match(ending)
        if is_place or "/" in piece or "\\" in piece:
            paths.append(piece.rstrip(".").removeprefix("./"))
    return paths


def tells_of(summary: str, call: Call) -> bool:
    """Return whether a summary tells something of what a call found, and names no other file.

    A path counts whole: a file of the same name elsewhere is another one.
    """
    paths = [path for path in paths_in(summary) if "." in path or "/" in path.strip("/")]
    files = set(call.files)
    if files and any(path not in files and "." in path.rpartition("/")[2] for path in paths):
        return False
    if any(path in files for path in (*paths, *summary.split())):
        return True
    said = set(names_in(summary))
    if any(last_part(name) in said or name in summary for name in call.names):
        return True
    line = fold_text(summary)
    return len(line) >= 8 and line in fold_text(call.text)
