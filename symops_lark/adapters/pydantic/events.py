"""Models of the events of a stream."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, RootModel

from ...core.document import Completeness
from ...core.streaming import Event, read_event
from ...core.text.diagnostics import Severity
from .reading import ActionMembers, Model, PartModel, ReplacementModel, Share, SpanModel

# Of an action among those of the stream, from 0.
_Index = Annotated[int, Field(ge=0)]


# The members of a section are beside its `event`, without a `kind`, so these are not the models
# of documents. No member has a default: a stream writes each of them.
class ThoughtEventModel(Model):
    """One line of reasoning."""

    event: Literal["thought"]
    text: str
    span: SpanModel


class VitalsEventModel(Model):
    """The writer's self-assessment."""

    event: Literal["vitals"]
    values: dict[str, float]
    span: SpanModel


class QuestionEventModel(Model):
    """A question to the user, with the choices offered."""

    event: Literal["question"]
    text: str
    choices: tuple[str, ...]
    span: SpanModel


class ErrorEventModel(Model):
    """An error that the writer reports."""

    event: Literal["error"]
    type: str
    target: str | None
    message: str | None
    span: SpanModel


class CustomEventModel(Model):
    """A section that only its dialect has."""

    event: Literal["custom"]
    name: str = Field(min_length=1)
    parts: tuple[PartModel, ...]
    text: str
    confidence: Share
    completeness: Completeness
    span: SpanModel


# Content, confidence and completeness are unknown before the action has ended.
class ActionStartedModel(ActionMembers):
    """An action whose head is complete. Its content follows."""

    event: Literal["action-started"]
    index: _Index
    type: str = Field(min_length=1)
    path: str
    dependencies: tuple[str, ...]
    span: SpanModel
    number: int | None
    attributes: dict[str, str]
    repeated_attributes: tuple[str, ...] = ()
    edits: tuple[ReplacementModel, ...] = ()


class ContentDeltaModel(Model):
    """One more line of an action's content."""

    event: Literal["content"]
    index: _Index
    text: str
    span: SpanModel


class ActionFinishedModel(Model):
    """The end of an action."""

    event: Literal["action-finished"]
    index: _Index
    completeness: Completeness
    span: SpanModel
    # None for an action without a block.
    content_span: SpanModel | None


# The members of the diagnostic are beside the `event`.
class NoticedModel(Model):
    """A diagnostic, at its place in the stream."""

    event: Literal["diagnostic"]
    code: str
    severity: Severity
    message: str
    span: SpanModel
    expected: tuple[str, ...]
    hint: str


class SectionStartedModel(Model):
    """A custom section whose block has begun."""

    event: Literal["section-started"]
    name: str = Field(min_length=1)
    parts: tuple[PartModel, ...]
    span: SpanModel


class SectionContentModel(Model):
    """One more line in the block of a custom section."""

    event: Literal["section-content"]
    text: str
    span: SpanModel


class SectionFinishedModel(Model):
    """The end of a custom section that was started."""

    event: Literal["section-finished"]
    completeness: Completeness
    span: SpanModel
    content_span: SpanModel


_Parsed = (
    ThoughtEventModel | VitalsEventModel | QuestionEventModel | ErrorEventModel | CustomEventModel
)
_OfAction = ActionStartedModel | ContentDeltaModel | ActionFinishedModel
_OfSection = SectionStartedModel | SectionContentModel | SectionFinishedModel
# The `event` decides which model is tried.
_Any = Annotated[_Parsed | _OfAction | _OfSection | NoticedModel, Field(discriminator="event")]


class EventModel(RootModel[_Any]):
    """One event of a stream; `root` is the model of its kind."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def of(cls, event: Event) -> Self:
        """Return the model of an event."""
        return cls.model_validate(event.to_dict())

    def to_event(self) -> Event:
        """Return the event."""
        return read_event(self.model_dump(mode="json"))
