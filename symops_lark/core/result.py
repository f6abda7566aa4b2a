"""The result of the pipeline for one reply, and the steps that led to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .document import Document
from .ground.errors import SymOpsError
from .ground.json_objects import JsonObject, write_object
from .ground.members import as_member, coerce_members
from .ground.numbers import counted, grouped
from .repairs.repaired import Repair
from .text.diagnostics import Diagnostic, Severity
from .text.source import Span


class Phase(StrEnum):
    """The phase that gave the document."""

    # In the order in which they are tried.
    STRICT = "strict"  # the reply is valid
    REPAIRED = "repaired"  # valid after repairs by rules
    RECOVERED = "recovered"  # the minimum-cost parse of the repaired reply
    CORRECTED = "corrected"  # from another reply, for which the model was asked
    EXTRACTED = "extracted"  # from Markdown fences, as files with invented names


class Reason(StrEnum):
    """Why no document could be made of a reply."""

    NO_SECTION = "no-section"  # no section was found, or thoughts beside a lost action
    TOOL_CALLS = "tool-calls"  # nothing but tool calls, and none of them is an action
    REFUSED = "refused"  # the model would not answer
    FILTERED = "filtered"  # a content filter stopped the reply
    TOO_LONG = "too-long"  # the text has more characters than the limit


@dataclass(frozen=True, slots=True)
class TraceStep(JsonObject):
    """The step of one phase.

    Attributes:
        phase: The name of the phase.
        outcome: The outcome in words.
        text: The text after the step.
        succeeded: Whether the step gave a document.
    """

    phase: str
    outcome: str
    text: str
    succeeded: bool = False

    WRITTEN = ("phase", "succeeded", "outcome", "text")


@dataclass(frozen=True, slots=True)
class Divergence(JsonObject):
    """A place that another reading of a reply takes differently.

    Attributes:
        span: The place.
        first: The sections of the result there, as a document.
        here: Those of this reading.
    """

    span: Span
    first: Document
    here: Document


@dataclass(frozen=True, slots=True)
class Alternative(JsonObject):
    """One reading of a reply.

    Attributes:
        document: The document.
        price: The price of its mistakes, in thousandths of one. It is 0 for a valid reply.
        differs: The places that the result reads differently, in order.
    """

    document: Document
    price: int
    differs: tuple[Divergence, ...] = ()

    # The document is longest, and people look for the price.
    WRITTEN = ("price", "document", "differs")


@dataclass(frozen=True, slots=True)
class Result(JsonObject):
    """A validated document with its confidence and history.

    `symops_lark.schema("result")` is the schema of its JSON.

    Attributes:
        phase: The phase that gave the document.
        document: The document.
        confidence: How sure the result is, 0 to 1. It is a score, not a probability.
        diagnostics: The diagnostics in the order of the text.
        repairs: The repairs in the order of the text.
        trace: The steps in the order in which they ran.
        text: The reply that all spans refer to: the caller's, or the model's last one after a
            correction.
        readings: The readings of the reply that were asked for, the cheapest first. The first is
            that of this result. Empty if only one was asked for.
    """

    phase: Phase
    document: Document
    confidence: float
    diagnostics: tuple[Diagnostic, ...] = ()
    repairs: tuple[Repair, ...] = ()
    trace: tuple[TraceStep, ...] = field(default=(), repr=False)
    text: str = field(default="", repr=False)
    readings: tuple[Alternative, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        coerce_members(self)

    WRITTEN = ("phase", "confidence", "document", "diagnostics", "repairs", "trace", "text")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON, with its readings if they were asked for."""
        # Readers of older versions do not know this member.
        if not self.readings:
            return write_object(self, *self.WRITTEN)
        return write_object(self, *self.WRITTEN, "readings")

    @property
    def valid(self) -> bool:
        """Whether no diagnostic is an error."""
        return not any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)


class ProtocolError(SymOpsError):
    """No phase found a section in a reply, or the reply is too long.

    Args:
        message: What is wrong.
        document: The best partial document; it may be empty.
        diagnostics: The diagnostics of the reply.
        trace: A step for each phase that was tried. The texts of the steps are the reply, as that
            of a refusal.
        reason: Why nothing was found.
    """

    def __init__(
        self,
        message: str,
        document: Document,
        diagnostics: Sequence[Diagnostic] = (),
        trace: Sequence[TraceStep] = (),
        reason: Reason = Reason.NO_SECTION,
    ) -> None:
        self.document = document
        self.diagnostics = tuple(diagnostics)
        self.trace = tuple(trace)
        self.reason = as_member(Reason, reason, "reason")
        super().__init__(message)


# A person cannot choose among more, and each costs time.
MOST_READINGS = 20


def check_readings(count: int) -> None:
    """Refuse a number of readings that cannot be given.

    Args:
        count: The number.

    Raises:
        ValueError: It is not an integer from 1 to `MOST_READINGS`.
    """
    # In Python a bool is an int.
    if type(count) is not int or not 1 <= count <= MOST_READINGS:
        raise ValueError(f"readings: expected an integer from 1 to {MOST_READINGS}, got {count}")


def check_length(text: str, limit: int) -> None:
    """Refuse a reply that is too long.

    Args:
        text: The reply.
        limit: The greatest number of characters.

    Raises:
        ProtocolError: The reply is longer.
    """
    if len(text) > limit:
        length = counted(len(text), "character")
        message = f"the reply has {length}, the limit is {grouped(limit)}"
        raise ProtocolError(message, Document(), reason=Reason.TOO_LONG)
