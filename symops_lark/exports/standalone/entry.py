"""Define the public functions of exported parsers, for the dialect of their tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ...core.document import Document
from ...core.grammar.dialect import Dialect
from ...core.other_formats import prefer_outer_document
from ...core.pipeline import Run
from ...core.recovery.detected import Detection
from ...core.recovery.doubts.thinking import read_doubted
from ...core.recovery.recovery import recover as recover_with
from ...core.repairs.engine import RepairEngine
from ...core.repairs.repaired import Repaired
from ...core.result import ProtocolError, Result, TraceStep
from ...core.strict.parser import parse as parse_with
from ...core.validator import explain_nothing, is_acceptable
from .tables import dialect


@cache
def engine() -> RepairEngine:
    """Return the repair engine."""
    return RepairEngine(dialect())


def engine_of(_: Dialect) -> RepairEngine:
    """Return the repair engine of the only dialect."""
    return engine()


def parse(text: str) -> Document:
    """Return the document of a valid text.

    Raises:
        ParseError: The text is invalid. The error has the diagnostics.
    """
    return parse_with(text, dialect())


def repair(text: str) -> Repaired:
    """Return a text repaired by the rules. A valid text is returned unchanged.

    After an action that is incomplete, an error section reports it.
    """
    return _begin(text, None).repaired_text()


def recover(text: str, cut_off: bool | None = None) -> Document:
    """Return a document of any text: its minimum-cost parse. Doubtful actions are suspect."""

    def read(text: str) -> Document:
        return recover_with(
            text, dialect(), repairer=engine().repairer, cut_off=cut_off, known_broken=True
        )

    # A document in another format that encloses the sections is preferred.
    document = read_doubted(text, dialect(), read)
    return prefer_outer_document(text, document)


def _begin(text: str, cut_off: bool | None) -> Run:
    return Run(text, cut_off, Detection(dialect()), dialect(), engine_of)


def process(text: str, cut_off: bool | None = None) -> Result:
    """Return the validated document of a reply: strict, else repaired, else recovered.

    Args:
        text: The reply.
        cut_off: Whether the reply was truncated. None: detect it from the text.

    Raises:
        ProtocolError: No phase finds a section. The error has the best partial document.
    """
    result = next(result for _, result in _begin(text, cut_off).steps() if result is not None)
    trace = list(result.trace)
    # The trace has a step for each phase of the package, also for those that an export lacks.
    if not result.valid:
        trace.append(TraceStep("corrected", "skipped: there is no model", text))
    if is_acceptable(result.document):
        return replace(result, trace=tuple(trace))
    trace.append(TraceStep("extracted", "skipped: it was not asked for", result.text))
    partial = recover_with(result.text, dialect())
    message = explain_nothing(result.diagnostics)
    raise ProtocolError(message, partial, result.diagnostics, tuple(trace))
