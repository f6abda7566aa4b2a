"""What a stream announces, in the order of the text, and the document that comes of it.

Laws: an action is started, then has content, then is finished, before anything else is announced but diagnostics; so
is a section of the dialect's own that has a block.
What is announced is never taken back. The texts of the content events, joined, are the content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from ..document import (
    Action,
    Completeness,
    CustomSection,
    Document,
    ErrorNote,
    Part,
    Question,
    Section,
    Thought,
    Vitals,
)
from ..ground.frozen import make_quickly
from ..ground.json_objects import FieldError, JsonObject, read_object, write_object
from ..ground.members import coerce_members
from ..text.diagnostics import Diagnostic
from ..text.source import Span


@dataclass(frozen=True, slots=True)
class SectionParsed:
    """A whole section other than an action: a thought, vitals, a question, an error, or one of the dialect's own."""

    section: Thought | Vitals | Question | ErrorNote | CustomSection

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object; its name is the section's kind."""
        data = _show(self.section)
        return {"event": data.pop("kind"), **data}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SectionParsed:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return cls(_read(data, data.get("event")))


@dataclass(frozen=True, slots=True)
class ActionStarted:
    """An action whose head is complete; `index` counts the announced actions from 0. Its content is still to come."""

    index: int
    action: Action

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        data = _show(self.action)
        later = ("kind", "content", "content_span", "completeness", "confidence")
        return {"event": "action-started", "index": self.index, **{k: v for k, v in data.items() if k not in later}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ActionStarted:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return cls(read_object(_Index, data, exact=False).index, _read(data, "action"))


@dataclass(frozen=True, slots=True)
class ContentDelta(JsonObject):
    """One more line of an action's content; `text` begins with the ending of the line before it, if there is one."""

    index: int
    text: str
    span: Span

    event = "content"
    WRITTEN = ("event", "index", "text", "span")


@dataclass(frozen=True, slots=True)
class ActionFinished(JsonObject):
    """The end of an action; `content_span` is None if it has no block. `span` is the whole action's."""

    index: int
    completeness: Completeness
    span: Span
    content_span: Span | None = None

    def __post_init__(self) -> None:
        coerce_members(self)

    event = "action-finished"
    WRITTEN = ("event", "index", "completeness", "span", "content_span")


@dataclass(frozen=True, slots=True)
class Noticed:
    """A finding on the way: a line that was put right, or that belongs to nothing. There is none in a valid text."""

    diagnostic: Diagnostic

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"event": "diagnostic", **self.diagnostic.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Noticed:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return cls(Diagnostic.from_dict(data))


@dataclass(frozen=True, slots=True)
class SectionStarted:
    """A section of the dialect's own whose block has begun: its parts are those above the block."""

    section: CustomSection

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"event": "section-started", **write_object(self.section, "name", "parts", "span")}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SectionStarted:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return cls(_read(data, "custom"))


@dataclass(frozen=True, slots=True)
class SectionContent(JsonObject):
    """One more line of its block; `text` begins with the ending of the line before it, if there is one."""

    text: str
    span: Span

    event = "section-content"
    WRITTEN = ("event", "text", "span")


@dataclass(frozen=True, slots=True)
class SectionFinished(JsonObject):
    """The end of a section that was started; `span` is the whole section's."""

    completeness: Completeness
    span: Span
    content_span: Span

    def __post_init__(self) -> None:
        coerce_members(self)

    event = "section-finished"
    WRITTEN = ("event", "completeness", "span", "content_span")


@dataclass(frozen=True, slots=True)
class _Index:
    """What the start of an action has beside the action."""

    index: int


OfAction = ActionStarted | ContentDelta | ActionFinished
OfSection = SectionParsed | SectionStarted | SectionContent | SectionFinished
Event = OfAction | OfSection | Noticed


class NeedText(Enum):
    """The type of `NEED_TEXT`."""

    NEED_TEXT = "NEED_TEXT"

    def __repr__(self) -> str:
        return self.value


NEED_TEXT: Final = NeedText.NEED_TEXT  # nothing can be announced before more text is there


make_delta: Callable[[int, str, Span], ContentDelta] = make_quickly(ContentDelta)


class Assembly:
    """Puts sections together again from events; what is not finished is not among them yet."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self._action: Action | None = None
        self._section: CustomSection | None = None
        self._pieces: list[str] = []

    def add(self, event: Event) -> None:
        """Take in one event, the next in order."""
        if isinstance(event, ContentDelta):  # as most are
            self._pieces.append(event.text)
            return
        match event:
            case SectionParsed(section):
                self.sections.append(section)
            case ActionStarted(_, action):
                self._action, self._pieces = action, []
            case ActionFinished(_, completeness, span, place) if self._action is not None:
                content = None if place is None else "".join(self._pieces)
                self.sections.append(
                    replace(self._action, content=content, completeness=completeness, span=span, content_span=place)
                )
                self._action = None
            case SectionStarted(section):
                self._section, self._pieces = section, []
            case SectionContent(text):
                self._pieces.append(text)
            case SectionFinished(completeness, span) if self._section is not None:
                parts = (*self._section.parts, Part("block", "".join(self._pieces)))
                self.sections.append(replace(self._section, parts=parts, completeness=completeness, span=span))
                self._section = None


def assemble(events: Iterable[Event]) -> Document:
    """Return the document that events announce: for a valid text, the one that the strict parser gives."""
    assembly = Assembly()
    for event in events:
        assembly.add(event)
    return Document(tuple(assembly.sections))


def _read(data: Mapping[str, Any], kind: object) -> Any:
    """Return the section of an event; what only events have is left out."""
    section = {key: value for key, value in data.items() if key not in ("event", "index", "kind")}
    try:
        return Document.from_dict({"sections": [{"kind": kind, **section}]}).sections[0]
    except FieldError as error:
        raise FieldError(str(error).replace("sections[0].", "", 1)) from None


def _show(section: Section) -> dict[str, Any]:
    data: dict[str, Any] = Document((section,)).to_dict()["sections"][0]
    return data
