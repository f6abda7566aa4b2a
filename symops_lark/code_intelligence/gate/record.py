"""The record of a session: the lines of its log, and the state that follows from them.

Every member of a line is known, and has its type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ...core.ground.json_objects import FieldError, JsonObject, read_object
from ...core.ground.members import coerce_members
from ..requests.frame import IntentType, QueryFrame
from .arguments import Values
from .phases import Phase

# From the level that allows least to the one that allows most.
LEVELS = ("strict", "auto", "off")
_MAX_WRONG = 50  # characters of a wrong value in a message
_MAX_FILES = 50  # of a call whose results are recorded
_MAX_TEXT = 5_000  # characters of each of them
# Quotes, brackets and punctuation end a path in a sentence.
_PIECE = re.compile(r"[^\s\"'`(),;:]+")
_ENDING = re.compile(r"\w+\Z")
_WORD = re.compile(r"\w+")
_LINE_NUMBER = re.compile(r":\d")
_SEPARATOR = re.compile(r"[.#]|::")


@dataclass(frozen=True, slots=True)
class Found(JsonObject):
    """The results of a call in one file: the names of its items, and their texts."""

    names: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Call(JsonObject):
    """A call of a tool as the session saw it.

    Attributes:
        number: Its number, from 1.
        tool: The tool.
        params: Its parameters.
        phase: The phase of the session.
        at: The time.
        ok: Whether it succeeded.
        shown: The number of items in files that are evidence.
        files: The files that were shown.
        found: The results in each file that is evidence: a file that has not changed since the
            session began.
        fresh: The other files: a file that is written during a session is evidence of nothing.
        reason_code: Why it failed.
    """

    number: int
    tool: str
    params: Mapping[str, Any]
    phase: str
    at: str
    ok: bool
    shown: int = 0
    files: tuple[str, ...] = ()
    found: Mapping[str, Found] = field(default_factory=dict)
    fresh: tuple[str, ...] = ()
    reason_code: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that were found, each once."""
        names: dict[str, None] = {}
        for result in self.found.values():
            names |= dict.fromkeys(result.names)
        return tuple(names)

    @property
    def text(self) -> str:
        """The texts that were found."""
        return "\n".join(result.text for result in self.found.values())

    @property
    def summary(self) -> str:
        """The call in a line."""
        return f"{self.tool}({list_params(self.params)})"


@dataclass(frozen=True, slots=True)
class Start:
    """The first line: the session as it began. It holds for the whole session.

    Attributes:
        id: The id of the session.
        root: The folder.
        intent: What the caller wants to do.
        level: The level of the gate.
        strict_seed: Whether quotes are compared by the strict rule.
        frame: The request.
        language: The language of answers.
        stated: The slots that the request states.
        begun: The time, in seconds since 1970.
    """

    id: str
    root: str
    intent: IntentType
    level: str
    strict_seed: bool
    frame: QueryFrame
    language: str
    stated: tuple[str, ...]
    begun: float

    def __post_init__(self) -> None:
        """Check the level."""
        # Values of JSON become intents, frames and tuples.
        coerce_members(self)
        if self.level not in LEVELS:
            levels = ", ".join(LEVELS)
            raise FieldError(f"level: {self.level[:_MAX_WRONG]!r} is not one of {levels}")


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a decision. None leaves a member of the state unchanged."""

    frame: QueryFrame | None = None
    phase: Phase | None = None
    stated: list[str] | None = None
    rounds: int | None = None
    not_applicable: dict[str, str] | None = None
    understanding: dict[str, Any] | None = None
    markup_only: bool | None = None
    hypothesis_from: int | None = None

    def __post_init__(self) -> None:
        coerce_members(self)

    def given(self) -> dict[str, Any]:
        """Return the values that are set, by their names."""
        values: dict[str, Any] = {}
        for member in fields(self):
            # None is not a change: no member can be set to it.
            value = getattr(self, member.name)
            if value is not None:
                values[member.name] = value
        return values


@dataclass(frozen=True, slots=True)
class Recorded:
    """Another line: a call of a tool, or a decision, with the files that were seen by it."""

    at: str = ""
    call: Call | None = None
    tool: str = ""
    given: str = ""
    ok: bool = True
    reason_code: str = ""
    would_refuse: str = ""
    message: str = ""
    explored: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, list[list[int]]] = field(default_factory=dict)
    set: Changes = field(default_factory=Changes)


def read_start(event: Mapping[str, Any]) -> Start:
    """Return the first line.

    Args:
        event: The line, as JSON.

    Raises:
        FieldError: A member is unknown or wrong. The message names the keys that lead to it.
    """
    unknown = sorted(event.keys() - {"at", "start"})
    if unknown:
        raise FieldError(f"{unknown[0][:_MAX_WRONG]}: no such key in the first line")
    return read_object(Start, event.get("start"), "start")


def read_recorded(event: Mapping[str, Any]) -> Recorded:
    """Return another line; `FieldError` is raised if a member is unknown or wrong."""
    return read_object(Recorded, event)


@dataclass
class State:
    """The state of a session, as its events give it.

    Attributes:
        id: The id of the session.
        root: The folder.
        intent: What the caller wants to do.
        level: The level of the gate.
        strict_seed: Whether quotes are compared by the strict rule.
        frame: The request.
        language: The language of answers.
        phase: The phase.
        rounds: The number of rounds of semantic search.
        stated: The slots that the request itself states.
        not_applicable: Slots that need no value, with the reason.
        calls: The calls of tools.
        explored: The hash of each file that was seen, by path.
        understanding: The last understanding that was submitted.
        markup_only: Whether only markup and style files were explored.
        begun: When the session began, in seconds since 1970.
        ranges: The lines of large files that were shown, by path.
        hypothesis_from: The number of the last call before the hypotheses.
        refusals: The number of refusals.
    """

    id: str
    root: str
    intent: IntentType
    level: str
    strict_seed: bool
    frame: QueryFrame
    language: str = "en"
    phase: Phase = Phase.EXPLORATION
    rounds: int = 0
    stated: list[str] = field(default_factory=list)
    not_applicable: dict[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    explored: dict[str, str] = field(default_factory=dict)
    understanding: dict[str, Any] | None = None
    markup_only: bool = False
    begun: float = 0.0
    ranges: dict[str, list[list[int]]] = field(default_factory=dict)
    hypothesis_from: int = 0
    refusals: int = 0

    def __post_init__(self) -> None:
        coerce_members(self)

    @classmethod
    def begin(cls, start: Start) -> State:
        """Return the state after the first line of a log."""
        values = {member.name: getattr(start, member.name) for member in fields(start)}
        values["stated"] = list(start.stated)
        return cls(**values)

    def take(self, event: Values) -> None:
        """Change the state by an event.

        Args:
            event: Another line of the log, as JSON.

        Raises:
            FieldError: It is not an event, or its call has the wrong number.
        """
        recorded = read_recorded(event)
        call = recorded.call
        if call is not None:
            # Clients name calls by their numbers, so none may be missing.
            number = len(self.calls) + 1
            if call.number != number:
                raise FieldError(f"call.number: expected {number}, got {call.number}")
            self.calls.append(call)
        for path, new_hash in recorded.explored.items():
            # Lines of an earlier content say nothing about this one.
            if self.explored.get(path) != new_hash:
                self.ranges.pop(path, None)
        self.explored |= recorded.explored
        for path, ranges in recorded.ranges.items():
            self.ranges.setdefault(path, [])
            self.ranges[path] += ranges
        self.refusals += not recorded.ok
        for name, value in recorded.set.given().items():
            setattr(self, name, value)

    @property
    def opened(self) -> set[str]:
        """The files that were opened, not only found by a search."""
        paths: set[str] = set()
        for call in self.calls:
            if call.tool == "add_explored_files":
                paths.update(call.files)
        return paths

    def used(self) -> list[str]:
        """Return the tools that were called and did not fail."""
        succeeded = [call for call in self.calls if call.ok]
        return list(dict.fromkeys(call.tool for call in succeeded))


def read_result(number: int, tool: str, params: Values, result: Values, **at: str) -> Call:
    """Return the call that a tool's result makes.

    Args:
        number: The number of the call.
        tool: The tool.
        params: Its parameters.
        result: Its answer.
        at: The time and the phase.
    """
    fresh = tuple(result.get("fresh") or ())
    # A file that changed during the session is not evidence.
    all_items = [item for item in result.get("items") or () if isinstance(item, Mapping)]
    items = [item for item in all_items if item.get("path") not in fresh]
    files = map(str, result.get("files") or ())
    reason = result.get("reason_code")
    if result.get("error") and not reason:
        reason = "tool_failed"
    return Call(
        number,
        tool,
        dict(params),
        ok=not reason,
        shown=len(items),
        files=tuple(dict.fromkeys(files)),
        found=_find_by_file(items),
        fresh=fresh,
        reason_code=str(reason or ""),
        **at,
    )


def _find_by_file(items: Iterable[Values]) -> dict[str, Found]:
    """Return the names and lines that items show of each file."""
    names: dict[str, dict[str, None]] = {}
    texts: dict[str, str] = {}
    for item in items:
        path = str(item.get("path", ""))
        names.setdefault(path, {})
        names[path] |= dict.fromkeys(_names_of(item))
        # The arguments are left out: a client chose them, and they prove nothing.
        text = texts.get(path, "")
        for key in ("text", "source"):
            if item.get(key):
                text += f"\n{item[key]}"
        texts[path] = text[:_MAX_TEXT]
    results = {}
    for path in list(names)[:_MAX_FILES]:
        text = texts[path].strip("\n")
        results[path] = Found(tuple(names[path]), text)
    return results


def _names_of(item: Values) -> Iterator[str]:
    """Yield the names of an item, and of its parts."""
    # Tools have different members for names.
    for key in ("name", "symbol", "qualified_name", "container"):
        name = item.get(key)
        if isinstance(name, str) and name:
            yield name
    for value in item.values():
        parts = value if isinstance(value, list) else ()
        for part in parts:
            if isinstance(part, Mapping):
                yield from _names_of(part)


def last_part(name: str) -> str:
    """Return a symbol's own name, without its container."""
    plain = name.strip().removesuffix("()")
    return _SEPARATOR.split(plain)[-1]


def names_in(text: str) -> list[str]:
    """Return the words of a text that may be names."""
    return _WORD.findall(text)


def paths_in(text: str) -> list[str]:
    """Return the words of a text that are written like paths.

    They have a slash, or an ending before the number of a line: `a.py:12`.
    """
    paths = []
    for match in _PIECE.finditer(text):
        piece = match[0]
        name, _, ending = piece.rpartition(".")
        has_line = _LINE_NUMBER.match(text, match.end())
        # `service.py:12` is a path, but "done. See" is not.
        is_place = has_line and name and _ENDING.match(ending)
        if is_place or "/" in piece or "\\" in piece:
            paths.append(piece.rstrip(".").removeprefix("./"))
    return paths


def list_params(params: Mapping[str, Any]) -> str:
    """Return the parameters of a call as they are in a message."""
    return ", ".join(f"{name}={value!r}" for name, value in params.items())
