"""What the lines of a session's log may say: every member is known, and has its type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ...core.ground.json_objects import FieldError, JsonObject, read_object
from ...core.ground.members import coerce_members
from ..requests.frame import IntentType, QueryFrame
from .phases import Phase

LEVELS = ("strict", "auto", "off")


@dataclass(frozen=True, slots=True)
class Found(JsonObject):
    """What a call found in one file: the names of its items, and their texts."""

    names: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Call(JsonObject):
    """A call of a tool as the session saw it.

    Attributes:
        shown: The number of items in files that are evidence.
        files: The files that were shown.
        found: What was found in each file that is evidence: one that was there, as it is, before the
            session began.
        fresh: The other files: what is written during a session is evidence of nothing.
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
        return tuple(dict.fromkeys(name for found in self.found.values() for name in found.names))

    @property
    def text(self) -> str:
        """The texts that were found."""
        return "\n".join(found.text for found in self.found.values())

    @property
    def summary(self) -> str:
        """The call in a line."""
        said = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.tool}({said})"


@dataclass(frozen=True, slots=True)
class Start:
    """The first line: the session as it began. What it says holds for the whole session, the level too."""

    id: str
    root: str
    intent: IntentType
    level: str
    strict_seed: bool
    frame: QueryFrame
    language: str
    stated: tuple[str, ...]
    begun: float  # seconds since 1970

    def __post_init__(self) -> None:
        """Refuse a level that there is not."""
        coerce_members(self)
        if self.level not in LEVELS:
            raise FieldError(f"level: {self.level[:50]!r} is none of {', '.join(LEVELS)}")


@dataclass(frozen=True, slots=True)
class Changes:
    """What a decision sets; None leaves it as it is."""

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
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A line that is not the first: a call of a tool, or a decision, with the files that were seen by it."""

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
    """Return what the first line says; raise `FieldError` with the keys that lead to what is wrong."""
    if unknown := set(event) - {"at", "start"}:
        raise FieldError(f"{min(unknown)[:50]}: no such key in the first line")
    return read_object(Start, event.get("start"), "start")


def read_recorded(event: Mapping[str, Any]) -> Recorded:
    """Return what another line says; raise `FieldError` with the keys that lead to what is wrong."""
    return read_object(Recorded, event)
