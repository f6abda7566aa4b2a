"""What the pipeline made of one reply, and how it came to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from .document import Document
from .ground.errors import SymOpsError
from .ground.json_objects import JsonObject
from .ground.members import coerce_members
from .repairs.repaired import Repair
from .text.diagnostics import Diagnostic, Severity


class Phase(StrEnum):
    """The phase that made the document."""

    STRICT = "strict"
    REPAIRED = "repaired"
    RECOVERED = "recovered"
    CORRECTED = "corrected"
    EXTRACTED = "extracted"


@dataclass(frozen=True, slots=True)
class TraceStep(JsonObject):
    """What one strategy did: whether it gave the document, its outcome in words, and the text after it."""

    phase: str
    outcome: str
    text: str
    succeeded: bool = False

    WRITTEN = ("phase", "succeeded", "outcome", "text")


@dataclass(frozen=True, slots=True)
class Result(JsonObject):
    """A document, the phase that made it, how sure it is, and everything that was done and found on the way.

    `text` is the reply that all spans are places of: the caller's own, or the model's last one after a correction.
    `symops_lark.schema("result")` tells what it is as JSON.
    """

    phase: Phase
    document: Document
    confidence: float
    diagnostics: tuple[Diagnostic, ...] = ()
    repairs: tuple[Repair, ...] = ()
    trace: tuple[TraceStep, ...] = field(default=(), repr=False)
    text: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        coerce_members(self)

    WRITTEN = ("phase", "confidence", "document", "diagnostics", "repairs", "trace", "text")

    @property
    def valid(self) -> bool:
        """Whether nothing that was found is an error."""
        return not any(finding.severity is Severity.ERROR for finding in self.diagnostics)


class ProtocolError(SymOpsError):
    """No phase made sense of a reply; `document` is the best partial one, `diagnostics` say what was seen.

    `trace` has a step for each phase that was tried.
    """

    def __init__(
        self, message: str, document: Document, diagnostics: Sequence[Diagnostic] = (), trace: Sequence[TraceStep] = ()
    ) -> None:
        self.document = document
        self.diagnostics = tuple(diagnostics)
        self.trace = tuple(trace)
        super().__init__(message)
