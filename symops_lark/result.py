"""What the pipeline made of one reply, and how it came to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .diagnostics import Diagnostic, Severity
from .document import Document
from .errors import SymOpsError
from .json_objects import read_object
from .repairs import Repair


class Phase(StrEnum):
    """The phase that made the document."""

    STRICT = "strict"
    REPAIRED = "repaired"
    RECOVERED = "recovered"
    CORRECTED = "corrected"
    EXTRACTED = "extracted"


@dataclass(frozen=True, slots=True)
class TraceStep:
    """What one strategy did: whether it gave the document, its outcome in words, and the text after it."""

    phase: str
    outcome: str
    text: str
    succeeded: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the step as a JSON object."""
        return {"phase": self.phase, "succeeded": self.succeeded, "outcome": self.outcome, "text": self.text}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TraceStep:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return read_object(cls, data, exact=False)


@dataclass(frozen=True, slots=True)
class Result:
    """A document, the phase that made it, how sure it is, and everything that was done and found on the way.

    `text` is the reply that all spans are places of: the caller's own, or the model's last one after a correction.
    """

    phase: Phase
    document: Document
    confidence: float
    diagnostics: tuple[Diagnostic, ...] = ()
    repairs: tuple[Repair, ...] = ()
    trace: tuple[TraceStep, ...] = field(default=(), repr=False)
    text: str = field(default="", repr=False)

    @property
    def valid(self) -> bool:
        """Whether nothing that was found is an error."""
        return not any(finding.severity is Severity.ERROR for finding in self.diagnostics)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON object (`symops_lark.schema("result")`)."""
        return {
            "phase": str(self.phase),
            "confidence": self.confidence,
            "document": self.document.to_dict(),
            "diagnostics": [d.to_dict() for d in self.diagnostics],
            "repairs": [r.to_dict() for r in self.repairs],
            "trace": [s.to_dict() for s in self.trace],
            "text": self.text,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Read what `to_dict` wrote; raise `SymOpsError` with the keys that lead to what is wrong."""
        return read_object(cls, data, exact=False)


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
