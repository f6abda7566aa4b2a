"""What exported parsers offer: the front door of the package for one dialect, whose tables are at hand."""

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
from ...core.validator import is_acceptable
from .tables import dialect


@cache
def engine() -> RepairEngine:
    """Return the repair engine."""
    return RepairEngine(dialect())


def engine_of(_: Dialect) -> RepairEngine:
    """Return the repair engine of the only dialect."""
    return engine()


def parse(text: str) -> Document:
    """Return the document of a valid text; raise `ParseError` with diagnostics for any other."""
    return parse_with(text, dialect())


def repair(text: str) -> Repaired:
    """Return a text repaired by the rules; one that parses comes back as it is.

    Behind an action that is not whole, an error section says so.
    """
    return _begin(text, None).repaired_text()


def recover(text: str, cut_off: bool | None = None) -> Document:
    """Return a document of any text, read at the lowest price; what is doubtful of its actions is suspect."""

    def read(text: str) -> Document:
        return recover_with(text, dialect(), repairer=engine().repairer, cut_off=cut_off, known_broken=True)

    return prefer_outer_document(text, read_doubted(text, dialect(), read))


def _begin(text: str, cut_off: bool | None) -> Run:
    return Run(text, cut_off, Detection(dialect()), dialect(), engine_of)


def process(text: str, cut_off: bool | None = None) -> Result:
    """Return the validated document of a reply: strict, else repaired, else recovered.

    Raises `ProtocolError` with the best partial document where no phase finds a section.
    """
    result = next(result for _, result in _begin(text, cut_off).steps() if result is not None)
    steps: list[TraceStep] = []
    if not result.valid:
        steps.append(TraceStep("corrected", "skipped: there is no model", text))
    if is_acceptable(result.document):
        return replace(result, trace=(*result.trace, *steps))
    steps.append(TraceStep("extracted", "skipped: it was not asked for", result.text))
    partial = recover_with(result.text, dialect())
    raise ProtocolError("no phase found a section in the reply", partial, result.diagnostics, (*result.trace, *steps))
