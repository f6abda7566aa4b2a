"""From a raw reply to a validated document: the phases in order, stopping at the first that validates.

strict → repair → recovery → self-correction (skipped when there is no model)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from .confidence import COMPLETE_FORM, LOST, action_confidence, document_confidence
from .detection import Detection, detect
from .diagnostics import LOST_ACTION, Diagnostic, Severity, lost_action
from .document import Action, Completeness, Document, Section
from .errors import ParseError, ProtocolError
from .grammar import Dialect, load_dialect
from .parser import collector_paused, parse
from .recovery import recover as recover_with
from .repairs import Repair, Repaired, RepairEngine
from .source import Source, Span
from .validator import is_acceptable, validate

MAX_CHARACTERS = 20_000_000


class Phase(StrEnum):
    """The phase that made the document."""

    STRICT = "strict"
    REPAIRED = "repaired"
    RECOVERED = "recovered"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class TraceStep:
    """What one phase did: its outcome in words, and the text after it."""

    phase: str
    outcome: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Give the step as a JSON object."""
        return {"phase": self.phase, "outcome": self.outcome, "text": self.text}


@dataclass(frozen=True, slots=True)
class Result:
    """A document, the phase that made it, how sure it is, and everything that was done and found on the way."""

    phase: Phase
    document: Document
    confidence: float
    diagnostics: tuple[Diagnostic, ...] = ()
    repairs: tuple[Repair, ...] = ()
    trace: tuple[TraceStep, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Give the result as a JSON object (schema: `symops_lark/result.schema.json`)."""
        return {
            "phase": str(self.phase),
            "confidence": self.confidence,
            "document": self.document.to_dict(),
            "diagnostics": [d.to_dict() for d in self.diagnostics],
            "repairs": [r.to_dict() for r in self.repairs],
            "trace": [s.to_dict() for s in self.trace],
        }


class Corrector(Protocol):
    """The door for self-correction: something that asks a model to write its reply again."""

    def correct(self, raw_output: str, original_prompt: str, diagnostics: Sequence[Diagnostic]) -> str | None:
        """Give the model's new reply, or None to give up."""


class SymOpsProcessor:
    """A configured pipeline: dialect, the user's rules, corrector, limits. Safe to use for many replies.

    With `format="auto"` each reply is read in the dialect that fits it best, among the installed ones and `dialects`.
    """

    def __init__(self, format: str | Path | Dialect = "auto", *, rules: Sequence[str | Path] = (),
                 dialects: Sequence[str | Path | Dialect] = (), corrector: Corrector | None = None,
                 max_attempts: int = 2, max_characters: int = MAX_CHARACTERS) -> None:  # fmt: skip
        self.format = format
        self.dialects = tuple(load_dialect(dialect) for dialect in dialects)
        self.rules = tuple(rules)
        self.corrector = corrector
        self.max_attempts = max_attempts
        self.max_characters = max_characters
        self._engines: dict[str, RepairEngine] = {}
        if format != "auto":
            self.engine(format)

    def engine(self, format: str | Path | Dialect) -> RepairEngine:
        """Give the repair engine of a dialect, made once."""
        dialect = load_dialect(format)
        key = f"{dialect.path}:{dialect.fingerprint}"
        if key not in self._engines:
            self._engines[key] = RepairEngine(dialect, folders=self.rules)
        return self._engines[key]

    def detect(self, text: str) -> Detection:
        """Tell the dialect of a text among the installed ones and `dialects`."""
        return detect(text, lambda dialect: self.engine(dialect).speller, self.dialects)

    def process(self, raw_output: str, original_prompt: str = "", *, cut_off: bool | None = None) -> Result:
        """Turn a model's raw reply into a validated document.

        `cut_off` tells whether the reply is known to end too early (finish reason "length"). Raises `ProtocolError`,
        with the best partial document, when no phase makes sense of the reply.
        """
        if len(raw_output) > self.max_characters:
            message = f"the reply has {len(raw_output):,} characters, the limit is {self.max_characters:,}"
            raise ProtocolError(message, Document())
        with collector_paused(len(raw_output)):
            return self._process(raw_output, original_prompt, cut_off)

    def _process(self, raw_output: str, original_prompt: str, cut_off: bool | None) -> Result:
        reply, trace = raw_output, []
        for attempt in range(self.max_attempts + 1):
            best, steps, dialect = self._run(reply, cut_off)
            trace += steps
            if (
                not any(d.severity is Severity.ERROR for d in best.diagnostics)
                or self.corrector is None
                or attempt == self.max_attempts
            ):
                break
            answer = self.corrector.correct(reply, original_prompt, best.diagnostics)
            if answer is None:
                break
            trace.append(TraceStep("self-correction", f"attempt {attempt + 1}", answer))
            reply = answer
        if self.corrector is None:
            trace.append(TraceStep("self-correction", "skipped: there is no model", reply))
        if not is_acceptable(best.document):
            skipped = recover_with(reply, dialect)
            raise ProtocolError("no phase found a section in the reply", skipped, best.diagnostics)
        corrected = reply is not raw_output
        return replace(best, phase=Phase.CORRECTED if corrected else best.phase, trace=tuple(trace))

    def _run(self, text: str, cut_off: bool | None) -> tuple[Result, list[TraceStep], Dialect]:
        """Run the phases that need no model; tell in which dialect."""
        detection = self.detect(text) if self.format == "auto" else Detection(load_dialect(self.format))
        dialect = detection.dialect or load_dialect("v2")
        doubt = detection.to_diagnostic()
        try:
            document = _mark_early_close(detection.document or parse(text, dialect), dialect)
            if cut_off:
                document = _mark_cut_off(document)
        except ParseError as error:
            trace = [TraceStep("strict", "failed: " + error.diagnostics[0].message, text)]
        else:
            return _result(Phase.STRICT, document, dialect, doubt=doubt), [TraceStep("strict", "parsed", text)], dialect
        engine = self.engine(dialect)
        repaired = engine.repair(text, cut_off=cut_off, known_broken=True)
        made = f"{len(repaired.repairs)} repairs"
        if repaired.document is not None:
            # Recovery of a text that parses strictly gives the same document: it has nothing to add.
            trace.append(TraceStep("repair", f"{made}, parsed", repaired.text))
            document = _carry_back(repaired.document, repaired, Source(text))
            return _result(Phase.REPAIRED, document, dialect, repaired, doubt=doubt), trace, dialect
        trace.append(TraceStep("repair", f"{made}, still not strict", repaired.text))
        recovered = recover_with(repaired.text, dialect, speller=engine.speller, cut_off=cut_off, known_broken=True)
        document = _carry_back(recovered, repaired, Source(text))
        trace.append(TraceStep("recovery", f"read at price {recovered.price}", repaired.text))
        return _result(Phase.RECOVERED, document, dialect, repaired, recovered, doubt), trace, dialect


def process(raw_output: str, format: str | Path | Dialect = "auto", *, rules: Sequence[str | Path] = (),
            cut_off: bool | None = None) -> Result:  # fmt: skip
    """Turn a model's raw reply into a validated document: strict, else repaired, else recovered.

    `format` is a dialect's name, a path to a `.lark` file or "auto". Raises `ProtocolError` with the best partial
    document when there is nothing to be found in the reply.
    """
    return _processor(format, tuple(str(r) for r in rules)).process(raw_output, cut_off=cut_off)


def repair(text: str, format: str | Path | Dialect = "v2", *, rules: Sequence[str | Path] = ()) -> Repaired:
    """Repair a text by the rules of a dialect; one that parses strictly comes back as it is."""
    return _processor(format, tuple(str(r) for r in rules)).engine(format).repair(text)


def recover(text: str, format: str | Path | Dialect = "v2", *, cut_off: bool | None = None) -> Document:
    """Read any text at the lowest price; lines nearly right are recognised by the installed repair rules."""
    return recover_with(text, format, speller=_processor(format, ()).engine(format).speller, cut_off=cut_off)


def detect_dialect(text: str, processor: SymOpsProcessor | None = None) -> Dialect:
    """Give the dialect with the cheapest reading of a text; v2 where it is in none."""
    return (processor or SymOpsProcessor()).detect(text).dialect or load_dialect("v2")


_PROCESSORS: dict[tuple[str, tuple[str, ...]], SymOpsProcessor] = {}


def _processor(format: str | Path | Dialect, rules: tuple[str, ...]) -> SymOpsProcessor:
    """Give a processor that was used before; not for rules from folders, which may change."""
    key = (format.fingerprint if isinstance(format, Dialect) else str(format), rules)
    if rules or key not in _PROCESSORS:
        processor = SymOpsProcessor(format, rules=rules)
        if rules or str(format).endswith(".lark"):
            return processor
        _PROCESSORS[key] = processor
    return _PROCESSORS[key]


def _result(phase: Phase, document: Document, dialect: Dialect, repaired: Repaired | None = None,
            recovered: Document | None = None, doubt: Diagnostic | None = None) -> Result:  # fmt: skip
    notes = [doubt] if doubt else []
    notes += [repair.to_diagnostic() for repair in repaired.repairs] if repaired else []
    if recovered and repaired:
        source = Source(repaired.original)
        notes += [replace(d, span=repaired.original_span(d.span, source)) for d in recovered.diagnostics]
    if repaired:
        source = Source(repaired.original)
        known = {note.span.start for note in notes if note.code == LOST_ACTION}
        notes += [lost_action(source.span(at, at)) for at in repaired.lost if at not in known]
    findings = tuple({(d.code, d.span): d for d in (*notes, *validate(document, dialect))}.values())
    confidence = 1.0 if phase is Phase.STRICT else document_confidence(document)
    confidence = round(confidence * LOST ** sum(note.code == LOST_ACTION for note in notes), 4)
    return Result(
        phase,
        document,
        confidence,
        tuple(sorted(findings, key=lambda d: d.span.start)),
        repaired.repairs if repaired else (),
    )


def _carry_back(document: Document, repaired: Repaired, source: Source) -> Document:
    """Carry spans back to the caller's text; give each action its completeness and the confidence that is left."""
    completeness = dict(repaired.completeness)
    sections = [_move(section, lambda span: repaired.original_span(span, source)) for section in document.sections]
    for at, (left, right) in enumerate(pairwise(sections)):
        if left.span.start < right.span.start < left.span.end < right.span.end:  # a closer and an action on one line
            sections[at] = replace(left, span=replace(left.span, end=right.span.start))
    actions = [section for section in sections if isinstance(section, Action)]
    starts = [action.span.start for action in actions]
    costs = [0.0] * len(actions)
    for made in repaired.repairs:
        owner = bisect_right(starts, made.before.start) - 1
        if owner >= 0 and made.before.start == made.before.end == starts[owner]:
            owner -= 1  # what was inserted before an action closes the one before it
        inserted = made.before.start == made.before.end  # a closing delimiter goes behind the action's last line
        if owner >= 0 and made.before.start < actions[owner].span.end + (2 if inserted else 0):
            costs[owner] += made.cost
    cost_of = dict(zip(starts, costs, strict=True))
    done: list[Section] = []
    for section in sections:
        if isinstance(section, Action):
            own = action_confidence(cost_of[section.span.start])
            known = completeness.get(section.span.start, section.completeness)
            if known is not Completeness.COMPLETE:
                own = min(own, 0.85)
            section = replace(
                section, confidence=round(min(own, own * section.confidence / COMPLETE_FORM), 4), completeness=known
            )
        done.append(section)
    return Document(tuple(done), document.dialect, document.price)


def _move(section: Section, carry: Callable[[Span], Span]) -> Section:
    if isinstance(section, Action) and section.content_span is not None:
        return replace(section, span=carry(section.span), content_span=carry(section.content_span))
    return replace(section, span=carry(section.span))


def _mark_cut_off(document: Document) -> Document:
    """Mark the last action of a reply that is known to end too early, if nothing stands behind it."""
    last = document.sections[-1] if document.sections else None
    if not isinstance(last, Action) or last.content is not None:
        return document
    return replace(document, sections=(*document.sections[:-1], replace(last, completeness=Completeness.TRUNCATED)))


def _mark_early_close(document: Document, dialect: Dialect) -> Document:
    """Mark actions whose content ends with an action line: where opener and closer are the same mark, a forgotten
    closer makes the next block's opener close this one, and the text may still parse strictly.
    """
    if dialect.marks["open"] != dialect.marks["close"]:
        return document
    sections: list[Section] = []
    for section in document.sections:
        if isinstance(section, Action) and section.content:
            last = section.content.rstrip().rpartition("\n")[2]
            match = dialect.line_pattern.fullmatch(last + "\n")
            if match is not None and match.lastgroup == "head":
                section = replace(section, completeness=Completeness.SUSPECT)
        sections.append(section)
    return Document(tuple(sections), document.dialect)
