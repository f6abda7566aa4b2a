"""What a session saw by itself: its calls of tools, the files they returned, and whether evidence is among them.

Evidence is true if the call that it names is in the session's record, found something, and found that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from ...core.ground.json_objects import FieldError
from ...core.ground.members import coerce_members
from ..requests.folding import fold_text
from ..requests.frame import Evidence, IntentType, QueryFrame
from .arguments import as_list
from .events import Call, Found, Start, read_recorded
from .phases import SEARCHES, SEMANTIC_SEARCH, Phase

_PIECE = re.compile(r"[^\s\"'`(),;:]+")
_ENDING = re.compile(r"\w+\Z")
_WORD = re.compile(r"\w+")
_MOST_FOUND = 50  # files of which a call keeps what it found
_MOST_TEXT = 5_000  # characters of each of them


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
    begun: float = 0.0  # seconds since 1970: files that changed later are no evidence
    ranges: dict[str, list[list[int]]] = field(default_factory=dict)  # lines of large files that were shown
    hypothesis_from: int = 0  # the number of the last call before the hypotheses
    refusals: int = 0

    def __post_init__(self) -> None:
        coerce_members(self)

    @classmethod
    def begin(cls, start: Start) -> State:
        """Return the state that the first line of a log says."""
        values = {each.name: getattr(start, each.name) for each in fields(start)}
        return cls(**{**values, "stated": list(start.stated)})

    def take(self, event: Mapping[str, Any]) -> None:
        """Take note of an event; raise `FieldError` for what no event says."""
        told = read_recorded(event)
        if told.call is not None:
            if told.call.number != len(self.calls) + 1:
                raise FieldError(f"call.number: {len(self.calls) + 1} is expected, and found was {told.call.number}")
            self.calls.append(told.call)
        for path, seen in told.explored.items():
            if self.explored.get(path) != seen:  # what was shown of an earlier content is not of this one
                self.ranges.pop(path, None)
        self.explored |= told.explored
        for path, ranges in told.ranges.items():
            self.ranges[path] = [*self.ranges.get(path, ()), *ranges]
        self.refusals += not told.ok
        for name, value in told.set.given().items():
            setattr(self, name, value)

    @property
    def opened(self) -> set[str]:
        """The files that were opened, not only found by a search."""
        return {path for call in self.calls if call.tool == "add_explored_files" for path in call.files}

    def used(self) -> list[str]:
        """Return the tools that were called and did not fail."""
        return list(dict.fromkeys(call.tool for call in self.calls if call.ok))


def read_result(number: int, tool: str, params: Mapping[str, Any], result: Mapping[str, Any], **at: str) -> Call:
    """Return the call that a tool's result makes."""
    items = [item for item in result.get("items") or () if isinstance(item, Mapping)]
    fresh = tuple(result.get("fresh") or ())
    found = _find_by_file([item for item in items if item.get("path") not in fresh])
    failed = bool(result.get("error") or result.get("reason_code"))
    return Call(
        number,
        tool,
        dict(params),
        ok=not failed,
        shown=sum(item.get("path") not in fresh for item in items),
        files=tuple(dict.fromkeys(map(str, result.get("files") or ()))),
        found=found,
        fresh=fresh,
        reason_code=str(result.get("reason_code") or ("tool_failed" if failed else "")),
        **at,
    )


def _find_by_file(items: Iterable[Mapping[str, Any]]) -> dict[str, Found]:
    """Return what items show of each file: names, and lines of its text; not what was asked for."""
    names: dict[str, dict[str, None]] = {}
    texts: dict[str, str] = {}
    for item in items:
        path = str(item.get("path", ""))
        names.setdefault(path, {}).update(dict.fromkeys(_names_of(item)))
        said = "\n".join(str(item[key]) for key in ("text", "source") if item.get(key))
        texts[path] = f"{texts.get(path, '')}\n{said}"[:_MOST_TEXT]
    return {path: Found(tuple(names[path]), texts[path].strip("\n")) for path in list(names)[:_MOST_FOUND]}


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


class Checked(NamedTuple):
    """The call that evidence names, or why it is refused."""

    call: Call | None
    reason_code: str = ""
    message: str = ""


def find_call(
    state: State, evidence: Evidence, *, semantic: bool = False, empty: bool = False, since: int = 0
) -> Checked:
    """Return the call that evidence names, the last one that fits, or the reason why there is none.

    `semantic` asks for semantic search instead of a search for facts; `empty` for a search that found nothing; `since`
    is the number of the call after which it must have been made.
    """
    tools = (SEMANTIC_SEARCH,) if semantic else SEARCHES
    if evidence.tool not in tools:
        what = "a hypothesis, and no fact" if evidence.tool == SEMANTIC_SEARCH else "no tool that evidence comes from"
        return Checked(None, "evidence_from_wrong_tool", f"{evidence.tool} gives {what}; there are {', '.join(tools)}")
    calls = [call for call in state.calls if call.tool == evidence.tool and call.ok and call.number > since]
    if not calls:
        later = " since the hypotheses were made" if since else ""
        return Checked(None, "evidence_not_recorded", f"this session made no call of {evidence.tool}{later}")
    if not evidence.params and not evidence.result_summary:
        return Checked(None, "evidence_incomplete", "evidence says with what the tool was called, or what it found")
    calls = [call for call in calls if _fits(evidence.params, call.params)]
    if not calls:
        said = ", ".join(f"{name}={value!r}" for name, value in evidence.params.items())
        return Checked(None, "evidence_not_recorded", f"this session made no call of {evidence.tool} with {said[:200]}")
    found = [call for call in calls if bool(call.shown) is not empty]
    if not found and not empty and (fresh := calls[-1].fresh):
        return Checked(None, "evidence_too_new", f"{fresh[0]} changed after this session began, so it is not evidence")
    if not found:
        what = "found something" if empty else "found nothing"
        return Checked(
            None, f"evidence_{'found_something' if empty else 'found_nothing'}", f"{calls[-1].summary} {what}"
        )
    if empty or not evidence.result_summary:
        return Checked(found[-1])
    told = [call for call in found if tells_of(evidence.result_summary, call)]
    if not told:
        message = (
            f"{found[-1].summary} did not find {evidence.result_summary[:200]!r}: name a file or symbol that it did"
        )
        return Checked(None, "evidence_summary_mismatch", message)
    return Checked(told[-1])


def supports_symbol(call: Call, name: str) -> bool:
    """Return whether a call found a symbol."""
    return last_part(name) in {last_part(each) for each in call.names} or last_part(name) in names_in(call.text)


def as_recorded(evidence: Evidence, call: Call) -> Evidence:
    """Return evidence as the record has it: what the call was given, and when."""
    said = evidence.result_summary or ", ".join(call.files[:3])
    return Evidence(call.tool, dict(call.params), said, call.at)


def _fits(given: Mapping[str, Any], recorded: Mapping[str, Any]) -> bool:
    """Return whether parameters are those of a call; by another name they count with their value."""
    values = list(recorded.values())
    return all(
        _same(value, recorded[name]) if name in recorded else any(_same(value, other) for other in values)
        for name, value in given.items()
    )


def _same(value: Any, other: Any) -> bool:
    if isinstance(other, list | tuple) and isinstance(value, str):
        value = as_list(value, "params")
        value = value[0] if len(value) == 1 else value
    if isinstance(other, list | tuple) and not isinstance(value, list | tuple):
        return value in other
    return (list(value) if isinstance(value, tuple) else value) == (list(other) if isinstance(other, tuple) else other)
