"""Models of documents and results."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from ...core.document import Completeness, Document
from ...core.grammar.codes import PROSE
from ...core.result import Phase, Result
from ...core.text.diagnostics import Severity

Share = Annotated[float, Field(ge=0, le=1)]
# Of a step in the trace. Other phases are those of results, an enum of the core.
_Phase = Literal["strict", "repaired", "recovered", "corrected", "extracted"]


class Model(BaseModel):
    """A frozen model without further members."""

    # Frozen as the dataclasses are. A member that the schema does not have is an error there, too.
    model_config = ConfigDict(frozen=True, extra="forbid")


class SpanModel(Model):
    """A stretch of the reply: offsets from 0, the line and column of its start from 1."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    line: int = Field(default=1, ge=1)
    column: int = Field(default=1, ge=1)


# Of a section that was made by a program, and not read from a reply.
NOWHERE = SpanModel(start=0, end=0)


class ThoughtModel(Model):
    """One line of reasoning."""

    kind: Literal["thought"] = "thought"
    text: str
    span: SpanModel = NOWHERE


class VitalsModel(Model):
    """The writer's self-assessment, in the usual vitals and in those of the dialect."""

    kind: Literal["vitals"] = "vitals"
    values: dict[str, float]
    span: SpanModel = NOWHERE


class ReplacementModel(Model):
    """An old text of a file and the new text that replaces it."""

    old: str
    new: str
    lines: bool = False
    every: bool = False


class SparseModel(Model):
    """A model whose JSON has rare members only where there are some: `_rare` names them."""

    _rare: ClassVar[frozenset[str]]

    # Without a type of its result: Pydantic would publish it instead of the schema of the model.
    @model_serializer(mode="wrap")
    def _write(self, write: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        return {
            name: value for name, value in write(self).items() if value or name not in self._rare
        }


class ActionMembers(SparseModel):
    """A model of an action."""

    # Older readers of the JSON know neither, and most actions have neither.
    _rare: ClassVar[frozenset[str]] = frozenset({"repeated_attributes", "edits"})


class ActionModel(ActionMembers):
    """Something to do: `path` is a path, or a command; `content` None means no block."""

    kind: Literal["action"] = "action"
    type: str = Field(min_length=1)
    path: str
    content: str | None = None
    dependencies: tuple[str, ...] = ()
    confidence: Share = 1.0
    completeness: Completeness = Completeness.COMPLETE
    span: SpanModel = NOWHERE
    content_span: SpanModel | None = None
    number: int | None = None
    attributes: dict[str, str] = {}
    repeated_attributes: tuple[str, ...] = ()
    edits: tuple[ReplacementModel, ...] = ()


class QuestionModel(Model):
    """A question to the user, with the choices offered."""

    kind: Literal["question"] = "question"
    text: str
    choices: tuple[str, ...] = ()
    span: SpanModel = NOWHERE


class ErrorModel(Model):
    """An error that the writer reports."""

    kind: Literal["error"] = "error"
    type: str
    target: str | None = None
    message: str | None = None
    span: SpanModel = NOWHERE


class SkippedModel(Model):
    """Text that belongs to no section."""

    kind: Literal["skipped"] = "skipped"
    text: str
    code: str = PROSE
    span: SpanModel = NOWHERE


# A rule may hold rules, so this model refers to itself.
class PartModel(Model):
    """What a terminal (a text) or a rule (parts) of a dialect's own section says."""

    name: str = Field(min_length=1)
    text: str = ""
    parts: tuple[PartModel, ...] = ()


class CustomSectionModel(Model):
    """A section that only its dialect has."""

    kind: Literal["custom"] = "custom"
    name: str = Field(min_length=1)
    parts: tuple[PartModel, ...] = ()
    text: str = ""
    confidence: Share = 1.0
    completeness: Completeness = Completeness.COMPLETE
    span: SpanModel = NOWHERE


# The `kind` decides which model is tried, so an error is about that model alone.
_Known = ThoughtModel | VitalsModel | ActionModel | QuestionModel | ErrorModel | SkippedModel
SectionModel = Annotated[_Known | CustomSectionModel, Field(discriminator="kind")]


class DocumentModel(Model):
    """What one reply says: its sections in order."""

    dialect: str = ""
    sections: tuple[SectionModel, ...]

    @classmethod
    def of(cls, document: Document) -> Self:
        """Return the model of a document."""
        return cls.model_validate(document.to_dict())

    def to_document(self) -> Document:
        """Return the document."""
        return Document.from_dict(self.model_dump(mode="json"))


class DiagnosticModel(Model):
    """One finding at its place."""

    code: str
    # Left out by programs that write diagnostics of their own: they report errors.
    severity: Severity = Severity.ERROR
    message: str
    span: SpanModel
    expected: tuple[str, ...] = ()
    hint: str = ""


class RepairModel(Model):
    """One repair: `before` is a place in the reply, `after` one in the repaired text."""

    rule: str
    summary: str
    cost: float
    before: SpanModel
    after: SpanModel
    text_before: str
    text_after: str


class StepModel(Model):
    """What one phase did, and the text after it."""

    phase: _Phase
    succeeded: bool = False
    outcome: str
    text: str


class DivergenceModel(Model):
    """A place that another reading takes differently: the sections of the result, and its own."""

    span: SpanModel
    first: DocumentModel
    here: DocumentModel


class ReadingModel(Model):
    """One reading of a reply, with the price of its mistakes."""

    price: int
    document: DocumentModel
    differs: tuple[DivergenceModel, ...] = ()


class ResultModel(SparseModel):
    """What the pipeline made of one reply."""

    # The first phase that gave a valid document.
    phase: Phase
    confidence: Share
    document: DocumentModel
    diagnostics: tuple[DiagnosticModel, ...] = ()
    repairs: tuple[RepairModel, ...] = ()
    trace: tuple[StepModel, ...] = ()
    text: str = ""
    # Only a result that was asked for them has some.
    readings: tuple[ReadingModel, ...] = ()

    _rare: ClassVar[frozenset[str]] = frozenset({"readings"})

    @classmethod
    def of(cls, result: Result) -> Self:
        """Return the model of a result."""
        return cls.model_validate(result.to_dict())

    def to_result(self) -> Result:
        """Return the result."""
        return Result.from_dict(self.model_dump(mode="json"))
