"""A result as Pydantic models, for web frameworks, settings and queues: `pip install 'symops-lark[pydantic]'`.

    model = ResultModel.of(symops_lark.process(reply))
    model.model_dump_json()
    ResultModel.model_validate_json(text).to_result()

In JSON a model is what `to_dict` writes, for which `symops_lark.schema("result")` is the schema.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from ..core.document import Completeness, Document
from ..core.grammar.codes import PROSE
from ..core.result import Phase, Result
from ..core.text.diagnostics import Severity

_Share = Annotated[float, Field(ge=0, le=1)]
_Phase = Literal["strict", "repaired", "recovered", "corrected", "extracted"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SpanModel(_Model):
    """A stretch of the reply: offsets from 0, the line and column of its start from 1."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    line: int = Field(default=1, ge=1)
    column: int = Field(default=1, ge=1)


_NOWHERE = SpanModel(start=0, end=0)


class ThoughtModel(_Model):
    """One line of reasoning."""

    kind: Literal["thought"] = "thought"
    text: str
    span: SpanModel = _NOWHERE


class VitalsModel(_Model):
    """The writer's self-assessment: confidence, mood, focus, stamina, and what only the dialect has."""

    kind: Literal["vitals"] = "vitals"
    values: dict[str, float]
    span: SpanModel = _NOWHERE


class ReplacementModel(_Model):
    """An old text of a file and the new text that replaces it."""

    old: str
    new: str
    lines: bool = False
    every: bool = False


class ActionModel(_Model):
    """Something to do: `path` is a path, or a command; `content` None means no block."""

    kind: Literal["action"] = "action"
    type: str = Field(min_length=1)
    path: str
    content: str | None = None
    dependencies: tuple[str, ...] = ()
    confidence: _Share = 1.0
    completeness: Completeness = Completeness.COMPLETE
    span: SpanModel = _NOWHERE
    content_span: SpanModel | None = None
    number: int | None = None
    attributes: dict[str, str] = {}
    repeated_attributes: tuple[str, ...] = ()
    edits: tuple[ReplacementModel, ...] = ()

    @model_serializer(mode="wrap")
    def _write(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        for name in ("repeated_attributes", "edits"):
            if not written[name]:
                del written[name]
        return written


class QuestionModel(_Model):
    """A question to the user, with the choices offered."""

    kind: Literal["question"] = "question"
    text: str
    choices: tuple[str, ...] = ()
    span: SpanModel = _NOWHERE


class ErrorModel(_Model):
    """An error that the writer reports."""

    kind: Literal["error"] = "error"
    type: str
    target: str | None = None
    message: str | None = None
    span: SpanModel = _NOWHERE


class SkippedModel(_Model):
    """Text that belongs to no section."""

    kind: Literal["skipped"] = "skipped"
    text: str
    code: str = PROSE
    span: SpanModel = _NOWHERE


class PartModel(_Model):
    """What a terminal (a text) or a rule (parts) of a dialect's own section says."""

    name: str = Field(min_length=1)
    text: str = ""
    parts: tuple[PartModel, ...] = ()


class CustomSectionModel(_Model):
    """A section that only its dialect has."""

    kind: Literal["custom"] = "custom"
    name: str = Field(min_length=1)
    parts: tuple[PartModel, ...] = ()
    text: str = ""
    confidence: _Share = 1.0
    completeness: Completeness = Completeness.COMPLETE
    span: SpanModel = _NOWHERE


_Known = ThoughtModel | VitalsModel | ActionModel | QuestionModel | ErrorModel | SkippedModel
SectionModel = Annotated[_Known | CustomSectionModel, Field(discriminator="kind")]


class DocumentModel(_Model):
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


class DiagnosticModel(_Model):
    """One finding at its place."""

    code: str
    severity: Severity = Severity.ERROR
    message: str
    span: SpanModel
    expected: tuple[str, ...] = ()
    hint: str = ""


class RepairModel(_Model):
    """One repair: `before` is a place in the reply, `after` one in the repaired text."""

    rule: str
    summary: str
    cost: float
    before: SpanModel
    after: SpanModel
    text_before: str
    text_after: str


class StepModel(_Model):
    """What one phase did, and the text after it."""

    phase: _Phase
    succeeded: bool = False
    outcome: str
    text: str


class DivergenceModel(_Model):
    """A place that another reading takes differently: the sections of the result, and its own."""

    span: SpanModel
    first: DocumentModel
    here: DocumentModel


class ReadingModel(_Model):
    """One reading of a reply, with the price of its mistakes."""

    price: int
    document: DocumentModel
    differs: tuple[DivergenceModel, ...] = ()


class ResultModel(_Model):
    """What the pipeline made of one reply."""

    phase: Phase
    confidence: _Share
    document: DocumentModel
    diagnostics: tuple[DiagnosticModel, ...] = ()
    repairs: tuple[RepairModel, ...] = ()
    trace: tuple[StepModel, ...] = ()
    text: str = ""
    readings: tuple[ReadingModel, ...] = ()

    @model_serializer(mode="wrap")
    def _write(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        # Only a result that was asked for them has some.
        if not written["readings"]:
            del written["readings"]
        return written

    @classmethod
    def of(cls, result: Result) -> Self:
        """Return the model of a result."""
        return cls.model_validate(result.to_dict())

    def to_result(self) -> Result:
        """Return the result."""
        return Result.from_dict(self.model_dump(mode="json"))
