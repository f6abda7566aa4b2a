"""The events of a stream, in the order of the text, and the document that they give.

Invariants (tests/core/streaming/test_laws.py):

1. An action is started, then has content, then is finished. Only diagnostics come between. The same
   holds for a custom section that has a block.
2. Events are never taken back.
3. The texts of the content events, joined, are the content.
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
    """A complete section other than an action.

    Attributes:
        section: A thought, vitals, a question, an error, or a custom section of the dialect.
    """

    section: Thought | Vitals | Question | ErrorNote | CustomSection

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object. Its `event` is the kind of the section."""
        data = _show(self.section)
        return {"event": data.pop("kind"), **data}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SectionParsed:
        """Return the event that `to_dict` wrote.

        Args:
            data: The JSON object.

        Raises:
            SymOpsError: A member is missing or invalid; the message begins with its key.
        """
        return cls(_read(data, data.get("event")))


@dataclass(frozen=True, slots=True)
class ActionStarted:
    """An action whose head is complete. Its content follows.

    Attributes:
        index: The number of actions that were announced before it.
        action: The action without content; its span is the head's.
    """

    index: int
    action: Action

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        # The kind is always the same, and the others are unknown before the action is finished.
        later = ("kind", "content", "content_span", "completeness", "confidence")
        data = _show(self.action)
        head = {name: value for name, value in data.items() if name not in later}
        return {"event": "action-started", "index": self.index, **head}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ActionStarted:
        """Return the event that `to_dict` wrote.

        Args:
            data: The JSON object.

        Raises:
            SymOpsError: A member is missing or invalid; the message begins with its key.
        """
        return cls(read_object(_Index, data, exact=False).index, _read(data, "action"))


@dataclass(frozen=True, slots=True)
class ContentDelta(JsonObject):
    """One more line of an action's content.

    Attributes:
        index: The index of the action.
        text: The line without its ending, after the ending of the line before it, if there is one:
            so the texts, joined, are the content.
        span: The position of this text.
    """

    index: int
    text: str
    span: Span

    event = "content"
    WRITTEN = ("event", "index", "text", "span")


@dataclass(frozen=True, slots=True)
class ActionFinished(JsonObject):
    """The end of an action.

    Attributes:
        index: The index of the action.
        completeness: Whether its content is complete.
        span: The position of the action, from its head to the end of its block.
        content_span: The position of its content; None if it has no block.
    """

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
    """A diagnostic: a repaired line, one that belongs to no section, or a doubt about an action.

    A doubt comes right before its `ActionStarted`, or after all other events if later text raises
    it. In a format of another agent, a doubt that the end of a section raises comes before its
    `ActionFinished`. A valid text has no diagnostics.

    Attributes:
        diagnostic: The diagnostic.
    """

    diagnostic: Diagnostic

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"event": "diagnostic", **self.diagnostic.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Noticed:
        """Return the event that `to_dict` wrote.

        Args:
            data: The JSON object.

        Raises:
            SymOpsError: A member is missing or invalid; the message begins with its key.
        """
        return cls(Diagnostic.from_dict(data))


@dataclass(frozen=True, slots=True)
class SectionStarted:
    """A custom section of the dialect whose block has begun.

    Attributes:
        section: The section with the parts above the block.
    """

    section: CustomSection

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a JSON object."""
        return {"event": "section-started", **write_object(self.section, "name", "parts", "span")}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SectionStarted:
        """Return the event that `to_dict` wrote.

        Args:
            data: The JSON object.

        Raises:
            SymOpsError: A member is missing or invalid; the message begins with its key.
        """
        return cls(_read(data, "custom"))


@dataclass(frozen=True, slots=True)
class SectionContent(JsonObject):
    """One more line in the block of a custom section.

    Attributes:
        text: The line. It begins with the ending of the line before it, if there is one.
        span: The position of this text.
    """

    text: str
    span: Span

    event = "section-content"
    WRITTEN = ("event", "text", "span")


@dataclass(frozen=True, slots=True)
class SectionFinished(JsonObject):
    """The end of a custom section that was started.

    Attributes:
        completeness: Whether its block is complete.
        span: The position of the section, with its block.
        content_span: The position of the block's content.
    """

    completeness: Completeness
    span: Span
    content_span: Span

    def __post_init__(self) -> None:
        coerce_members(self)

    event = "section-finished"
    WRITTEN = ("event", "completeness", "span", "content_span")


@dataclass(frozen=True, slots=True)
class _Index:
    """The index of an `ActionStarted` in JSON, where the action's members are beside it."""

    index: int


OfAction = ActionStarted | ContentDelta | ActionFinished
OfSection = SectionParsed | SectionStarted | SectionContent | SectionFinished
Event = OfAction | OfSection | Noticed


_CLASSES: Mapping[object, Any] = {
    "action-started": ActionStarted,
    "content": ContentDelta,
    "action-finished": ActionFinished,
    "diagnostic": Noticed,
    "section-started": SectionStarted,
    "section-content": SectionContent,
    "section-finished": SectionFinished,
}


def read_event(data: Mapping[str, Any]) -> Event:
    """Return the event that `to_dict` wrote, whichever it is.

    Args:
        data: The JSON object; `symops_lark.schema("event")` describes it.

    Raises:
        SymOpsError: A member is missing or invalid; the message begins with its key.
    """
    # All other events are named by the kind of their section.
    event: Event = _CLASSES.get(data.get("event"), SectionParsed).from_dict(data)
    return event


class NeedText(Enum):
    """The type of `NEED_TEXT`: an enum, so that `is` narrows `Event | NeedText` to events."""

    NEED_TEXT = "NEED_TEXT"

    def __repr__(self) -> str:
        return self.value


# Returned by `next_event` when no event can be announced before more text is received.
NEED_TEXT: Final = NeedText.NEED_TEXT

# There is one event for each line of content, and a frozen dataclass sets each field by a call.
make_delta: Callable[[int, str, Span], ContentDelta] = make_quickly(ContentDelta)


class Assembly:
    """Puts sections together from events.

    Attributes:
        sections: The finished sections, in order.
    """

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self._action: Action | None = None
        self._section: CustomSection | None = None
        self._pieces: list[str] = []

    def add(self, event: Event) -> None:
        """Take in the next event.

        Args:
            event: The next event of the stream; a diagnostic changes nothing.
        """
        if isinstance(event, ContentDelta):  # first, because most events are content
            self._pieces.append(event.text)
            return
        match event:
            case SectionParsed(section):
                self.sections.append(section)
            case ActionStarted(_, action):
                self._action = action
                self._pieces = []
            case ActionFinished(_, completeness, span, place) if self._action is not None:
                content = None if place is None else "".join(self._pieces)
                self.sections.append(
                    replace(
                        self._action,
                        content=content,
                        completeness=completeness,
                        span=span,
                        content_span=place,
                    )
                )
                self._action = None
            case SectionStarted(section):
                self._section = section
                self._pieces = []
            case SectionContent(text):
                self._pieces.append(text)
            case SectionFinished(completeness, span) if self._section is not None:
                parts = (*self._section.parts, Part("block", "".join(self._pieces)))
                self.sections.append(
                    replace(self._section, parts=parts, completeness=completeness, span=span)
                )
                self._section = None


def assemble(events: Iterable[Event]) -> Document:
    """Return the document that events announce.

    Args:
        events: All events of a stream, in order.

    Returns:
        The document. For a valid text it is the document of the strict parser.
    """
    assembly = Assembly()
    for event in events:
        assembly.add(event)
    return Document(tuple(assembly.sections))


def _read(data: Mapping[str, Any], kind: object) -> Any:
    """Return the section in the JSON object of an event."""
    members = {key: value for key, value in data.items() if key not in ("event", "index", "kind")}
    section = {"kind": kind, **members}
    try:
        return Document.from_dict({"sections": [section]}).sections[0]
    except FieldError as error:
        # The section was put into a document only to read it: its caller knows no `sections[0]`.
        raise FieldError(str(error).replace("sections[0].", "", 1)) from None


def _show(section: Section) -> dict[str, Any]:
    """Return the JSON object of a section; a new one, which the caller may change."""
    data: dict[str, Any] = Document((section,)).to_dict()["sections"][0]
    return data
