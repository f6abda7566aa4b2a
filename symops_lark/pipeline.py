"""From a raw reply to a validated document: the strategies in order, stopping at the first that validates.

strict → repair → recovery → self-correction (skipped when there is no model) → extraction (only on request)
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .collector import collector_paused
from .correction import SelfCorrector, adrive, drive
from .diagnostics import Diagnostic, ParseError
from .document import Action, Completeness, Document
from .grammar.dialect import Dialect
from .grammar.loading import load_dialect
from .grammar.mistakes import LOST_ACTION
from .models.base import Finish, Message, Reply
from .recovery.confidence import LOST, document_confidence
from .recovery.detection import Detection, detect
from .recovery.engines import load_engine
from .recovery.fenced_files import CONFIDENCE, extract_fences
from .recovery.nested_actions import mark_nested, mark_swallowing
from .recovery.recovery import recover as recover_with
from .repairs import Repaired, RepairEngine
from .repairs.carrying import carry_back, carry_findings
from .result import Phase, ProtocolError, Result, TraceStep
from .strict.parser import parse
from .validator import is_acceptable, validate

MAX_CHARACTERS = 20_000_000


class SymOpsProcessor:
    """A configured pipeline: dialect, the user's rules, corrector, limits. Safe to use for many replies.

    With `format="auto"` each reply is read in the dialect that fits it best, among the installed ones and `dialects`.
    `extract` allows the last strategy: fenced code as files with invented names. `recovery_engine` is "automaton" or
    "earley"; None takes the automaton where a recovery grammar allows it. Both give the same documents.
    """

    def __init__(
        self,
        format: str | Path | Dialect = "auto",
        *,
        rules: Sequence[str | Path] = (),
        dialects: Sequence[str | Path | Dialect] = (),
        corrector: SelfCorrector | None = None,
        extract: bool = False,
        max_characters: int = MAX_CHARACTERS,
        recovery_engine: str | None = None,
    ) -> None:
        self.format = format
        self.dialects = tuple(load_dialect(dialect) for dialect in dialects)
        self.rules = tuple(rules)
        self.corrector = corrector
        self.extract = extract
        self.max_characters = max_characters
        self.recovery_engine = recovery_engine
        if recovery_engine is not None:
            load_engine(load_dialect("v2" if format == "auto" else format), recovery_engine)
        self._engines: dict[str, RepairEngine] = {}
        if format != "auto":
            self.engine(format)

    def engine(self, format: str | Path | Dialect) -> RepairEngine:
        """Give the repair engine of a dialect, made once."""
        dialect = load_dialect(format)
        key = f"{dialect.file}:{dialect.fingerprint}"
        if key not in self._engines:
            self._engines[key] = RepairEngine(dialect, folders=self.rules)
        return self._engines[key]

    def detect(self, text: str) -> Detection:
        """Tell the dialect of a text among the installed ones and `dialects`."""
        return detect(text, lambda dialect: self.engine(dialect).repairer, self.dialects)

    def process(
        self, raw_output: str | Reply, original_prompt: str | Sequence[Message] = "", *, cut_off: bool | None = None
    ) -> Result:
        """Turn a model's raw reply into a validated document.

        `original_prompt`, a text or the messages of a conversation, is what a corrector reminds the model of. `cut_off`
        tells whether the reply is known to end too early; a `Reply` knows it from its finish reason. Raises
        `ProtocolError`, with the best partial document, when no strategy makes sense of the reply.
        """
        dialogue = self._dialogue(raw_output, original_prompt, cut_off)
        return drive(dialogue, self.corrector.model if self.corrector else None)

    async def aprocess(
        self, raw_output: str | Reply, original_prompt: str | Sequence[Message] = "", *, cut_off: bool | None = None
    ) -> Result:
        """Do what `process` does, and wait for the model without blocking other tasks."""
        dialogue = self._dialogue(raw_output, original_prompt, cut_off)
        return await adrive(dialogue, self.corrector.model if self.corrector else None)

    def _dialogue(
        self, raw_output: str | Reply, prompt: str | Sequence[Message], cut_off: bool | None
    ) -> Generator[tuple[Message, ...], Reply, Result]:
        """Run the strategies: yields what a model is to be asked, takes its replies, returns the result."""
        reply = Reply(raw_output, Finish.UNKNOWN) if isinstance(raw_output, str) else raw_output
        text, finish = reply.text, reply.finish
        if cut_off is None and finish.cut_off:
            cut_off = True
        if cut_off and finish is Finish.UNKNOWN:
            finish = Finish.LENGTH
        result, dialect = self._read(text, cut_off)
        if self.corrector is not None:
            result = yield from self.corrector.correct(result, dialect, prompt, finish, self.read)
        steps = []
        if self.corrector is None and not result.valid:
            steps.append(TraceStep("corrected", "skipped: there is no model", text))
        if is_acceptable(result.document):
            return replace(result, trace=(*result.trace, *steps))
        if self.extract and (document := extract_fences(result.text, dialect.name)).actions:
            steps.append(TraceStep("extracted", f"{len(document.actions)} fenced blocks", result.text, True))
            return replace(
                result,
                phase=Phase.EXTRACTED,
                document=document,
                confidence=CONFIDENCE,
                diagnostics=document.diagnostics,
                repairs=(),
                trace=(*result.trace, *steps),
            )
        skipped = "there is no fenced block" if self.extract else "skipped: it was not asked for"
        steps.append(TraceStep("extracted", skipped, result.text))
        partial = recover_with(result.text, dialect, engine=self.recovery_engine)
        trace = (*result.trace, *steps)
        raise ProtocolError("no phase found a section in the reply", partial, result.diagnostics, trace)

    def read(self, text: str, cut_off: bool | None = None) -> Result:
        """Run the strategies that need no model, whatever comes of them."""
        return self._read(text, cut_off)[0]

    def steps(self, text: str, cut_off: bool | None = None) -> Iterator[tuple[Phase, Result | None]]:
        """Run the same strategies one at a time: each phase with its result, None where it gives none.

        The first result is the last step. A strategy runs when its step is asked for, so that its time can be taken.
        """
        yield from self._begin(text, cut_off).steps()

    def _read(self, text: str, cut_off: bool | None) -> tuple[Result, Dialect]:
        """Run the strategies that need no model; tell in which dialect."""
        reading = self._begin(text, cut_off)
        return next(result for _, result in reading.steps() if result is not None), reading.dialect

    def _begin(self, text: str, cut_off: bool | None) -> _Run:
        if len(text) > self.max_characters:
            message = f"the reply has {len(text):,} characters, the limit is {self.max_characters:,}"
            raise ProtocolError(message, Document())
        with collector_paused(len(text)):
            detection = self.detect(text) if self.format == "auto" else Detection(load_dialect(self.format))
        return _Run(text, cut_off, detection, detection.dialect or load_dialect("v2"), self)


class _Run:
    """One text on its way through the strategies that need no model; `trace` tells what each of them did."""

    def __init__(
        self, text: str, cut_off: bool | None, detection: Detection, dialect: Dialect, processor: SymOpsProcessor
    ) -> None:
        self.text, self.cut_off, self.dialect, self.processor = text, cut_off, dialect, processor
        self.known = detection.document
        self.doubt = detection.to_diagnostic()
        self.trace: list[TraceStep] = []
        self.repaired: Repaired | None = None

    def steps(self) -> Iterator[tuple[Phase, Result | None]]:
        """Try the strategies up to the first that gives a result."""
        for phase, strategy in STRATEGIES.items():
            with collector_paused(len(self.text)):
                result = strategy(self)
            if result is not None:
                yield phase, replace(result, text=self.text)
                return
            yield phase, None

    def strict(self) -> Result | None:
        """Parse by the grammar, all or nothing."""
        try:
            document = mark_swallowing(self.known or parse(self.text, self.dialect), self.dialect)
        except ParseError as error:
            self._note("strict", "failed: " + error.diagnostics[0].message, self.text)
            return None
        self._note("strict", "parsed", self.text, succeeded=True)
        return self._result(Phase.STRICT, _mark_cut_off(document) if self.cut_off else document)

    def repair(self) -> Result | None:
        """Apply the rules to what is markup, and parse again."""
        engine = self.processor.engine(self.dialect)
        self.repaired = engine.repair(self.text, cut_off=self.cut_off, known_broken=True)
        made, document = f"{len(self.repaired.repairs)} repairs", self.repaired.document
        if document is None:
            self._note("repaired", f"failed: {made}, still not strict", self.repaired.text)
            return None
        # Recovery of a text that parses strictly gives the same document: it has nothing to add.
        said = is_acceptable(document)
        outcome = f"{made}, parsed" if said else f"failed: {made}, and no section is left"
        self._note("repaired", outcome, self.repaired.text, succeeded=said)
        return self._result(Phase.REPAIRED, self._carry_back(document))

    def recovery(self) -> Result | None:
        """Read what was repaired at the lowest price; there is always a document, if an empty one."""
        assert self.repaired is not None
        recovered = recover_with(
            self.repaired.text,
            self.dialect,
            repairer=self.processor.engine(self.dialect).repairer,
            cut_off=self.cut_off,
            known_broken=True,
            engine=self.processor.recovery_engine,
        )
        document = self._carry_back(recovered)
        said = is_acceptable(document)
        outcome = f"read at price {recovered.price}" if said else "failed: there is no section in it"
        self._note("recovered", outcome, self.repaired.text, succeeded=said)
        return self._result(Phase.RECOVERED, document, recovered)

    def _carry_back(self, document: Document) -> Document:
        assert self.repaired is not None
        carried = carry_back(document, self.repaired)
        return mark_nested(_mark_cut_off(carried) if self.cut_off else carried, self.text, self.dialect)

    def _note(self, phase: str, outcome: str, text: str, succeeded: bool = False) -> None:
        self.trace.append(TraceStep(phase, outcome, text, succeeded))

    def _result(self, phase: Phase, document: Document, recovered: Document | None = None) -> Result:
        return _result(
            phase, document, self.dialect, *self.trace, repaired=self.repaired, recovered=recovered, doubt=self.doubt
        )


# What is tried without a model, in this order; the first that gives a result ends it. Self-correction follows where
# the result has errors, and extraction, on request, where it says nothing.
STRATEGIES = {Phase.STRICT: _Run.strict, Phase.REPAIRED: _Run.repair, Phase.RECOVERED: _Run.recovery}


def process(
    raw_output: str,
    format: str | Path | Dialect = "auto",
    *,
    rules: Sequence[str | Path] = (),
    cut_off: bool | None = None,
) -> Result:
    """Turn a model's raw reply into a validated document: strict, else repaired, else recovered.

    `format` is a dialect's name, a path to a `.lark` file or "auto". Raises `ProtocolError` with the best partial
    document when there is nothing to be found in the reply.
    """
    return known_processor(format, tuple(str(r) for r in rules)).process(raw_output, cut_off=cut_off)


def repair(text: str, format: str | Path | Dialect = "v2", *, rules: Sequence[str | Path] = ()) -> Repaired:
    """Repair a text by the rules of a dialect; one that parses strictly comes back as it is."""
    return known_processor(format, tuple(str(r) for r in rules)).engine(format).repair(text)


def recover(
    text: str, format: str | Path | Dialect = "v2", *, cut_off: bool | None = None, engine: str | None = None
) -> Document:
    """Read any text at the lowest price; lines nearly right are recognised by the installed repair rules.

    `engine` is "automaton" or "earley"; None takes the automaton where the recovery grammar is left-linear. Raises
    `GrammarError` if there is no such dialect, or an engine that cannot run its recovery grammar.
    """
    repairer = known_processor(format, ()).engine(format).repairer
    return recover_with(text, format, repairer=repairer, cut_off=cut_off, engine=engine)


def detect_dialect(text: str, processor: SymOpsProcessor | None = None) -> Dialect:
    """Give the dialect with the cheapest reading of a text; v2 where it is in none."""
    return (processor or SymOpsProcessor()).detect(text).dialect or load_dialect("v2")


_PROCESSORS: dict[tuple[str, tuple[str, ...]], SymOpsProcessor] = {}


def known_processor(format: str | Path | Dialect, rules: tuple[str, ...]) -> SymOpsProcessor:
    """Give a processor that was used before; not for rules from folders, which may change."""
    key = (format.fingerprint if isinstance(format, Dialect) else str(format), rules)
    if rules or key not in _PROCESSORS:
        processor = SymOpsProcessor(format, rules=rules)
        if rules or str(format).endswith(".lark"):
            return processor
        _PROCESSORS[key] = processor
    return _PROCESSORS[key]


def _result(
    phase: Phase,
    document: Document,
    dialect: Dialect,
    *trace: TraceStep,
    repaired: Repaired | None = None,
    recovered: Document | None = None,
    doubt: Diagnostic | None = None,
) -> Result:
    notes = [doubt] if doubt else []
    if repaired:
        notes += carry_findings(repaired, recovered, dialect)
    findings = tuple({(d.code, d.span): d for d in (*notes, *validate(document, dialect))}.values())
    confidence = 1.0 if phase is Phase.STRICT else document_confidence(document, dialect.verbs["writing"])
    confidence = round(confidence * LOST ** sum(note.code == LOST_ACTION for note in notes), 4)
    in_order = tuple(sorted(findings, key=lambda d: d.span.start))
    return Result(phase, document, confidence, in_order, repaired.repairs if repaired else (), trace)


def _mark_cut_off(document: Document) -> Document:
    """Mark the last action of a reply that is known to end too early, if nothing stands behind it."""
    last = document.sections[-1] if document.sections else None
    if not isinstance(last, Action) or last.content is not None:
        return document
    return replace(document, sections=(*document.sections[:-1], replace(last, completeness=Completeness.TRUNCATED)))
