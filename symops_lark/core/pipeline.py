"""The order of the phases: strict, repaired, recovered; the first that gives a result ends it.

Self-correction, extraction and the choice of a dialect are the processor's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from .document import Action, Completeness, Document
from .grammar.codes import DRAFT_ACTION, EARLY_CLOSE, LOST_ACTION
from .grammar.dialect import Dialect
from .ground.numbers import counted, rounded
from .recovery.detected import Detection
from .recovery.doubts.confidence import DOUBTED, LOST, document_confidence, mark_suspect
from .recovery.doubts.nested_actions import find_doubts, mark_doubtful
from .repairs.repaired import Repair, Repaired
from .result import Phase, Result, TraceStep
from .strict.parser import parse
from .text.diagnostics import Diagnostic, ParseError, Severity
from .text.source import Source
from .unfinished import is_whole
from .validator import examine, find_signs, is_acceptable
from .validator.check import Signs

if TYPE_CHECKING:
    from .repairs.engine import RepairEngine


class Run:
    """One text on its way through the strategies that need no model; `trace` tells what each of them did."""

    def __init__(
        self,
        text: str,
        cut_off: bool | None,
        detection: Detection,
        dialect: Dialect,
        make_engine: Callable[[Dialect], RepairEngine],
        recovery_engine: str | None = None,
    ) -> None:
        self.text, self.cut_off, self.dialect = text, cut_off, dialect
        self.make_engine, self.recovery_engine = make_engine, recovery_engine
        self.known = detection.document
        self.doubt = detection.to_diagnostic()
        self.trace: list[TraceStep] = []
        self.repaired: Repaired | None = None
        self.doubts: tuple[Diagnostic, ...] = ()  # found in the caller's text about what was read
        self._keeps = False  # whether what was read is wanted behind the last step, and the way back to the text
        self._read: list[Document] = []  # of the repaired text, and the same in the caller's

    def steps(self) -> Iterator[tuple[Phase, Result | None]]:
        """Try the strategies up to the first that gives a result."""
        for phase, strategy in STRATEGIES.items():
            result = strategy(self)
            if result is not None:
                yield phase, result
                return
            yield phase, None

    def strict(self) -> Result | None:
        """Parse by the grammar, all or nothing."""
        try:
            read = document = mark_doubtful(self.known or parse(self.text, self.dialect), self.dialect)
        except ParseError as error:
            self._note("strict", "failed: " + error.diagnostics[0].message, self.text)
            return None
        text = self.text
        signs = find_signs(document, self.dialect.verbs)
        if not (signs or self.doubt or self.cut_off or _is_one_line(text)):
            return Result(Phase.STRICT, document, 1.0, (), (), (TraceStep("strict", "parsed", text, True),), text)
        repairs: tuple[Repair, ...] = ()
        found: tuple[Diagnostic, ...] = ()
        from .repairs.unwrapping import is_unwrapped, report_unwrapped, unwrap_contents

        wrapped = [action for action in document.actions if is_unwrapped(action)]
        rule = self.make_engine(self.dialect).unwrapping_rule if wrapped else None
        if rule is not None:
            document, text, repairs = unwrap_contents(document, text, rule)
            spans = {made.before for made in repairs}
            found = tuple(report_unwrapped(action) for action in wrapped if action.content_span in spans)
        unwrapped = f", {counted(len(repairs), 'repair')} of contents" if repairs else ""
        self._note("strict", f"parsed{unwrapped}", text, succeeded=True)
        document = _mark_cut_off(document, text) if self.cut_off else document
        result = self._result(Phase.STRICT, document, signs if document is read else None, None, repairs, found)
        return self._doubt_wrapped(result) if _is_one_line(text) else result

    def _doubt_wrapped(self, result: Result) -> Result:
        """Return the result of a valid line; it is in doubt if a rule would make several lines of markup of it."""
        engine = self.make_engine(self.dialect)
        repair = next((repairs[0] for _, _, repairs in engine.repairer.text_rules.apply(self.text)), None)
        rule = engine.rule(repair.rules[0]) if repair else None
        if rule is None:
            return result
        finding = Diagnostic(rule.id, rule.summary, Source(self.text).span(0, len(self.text)), Severity.WARNING)
        starts = {action.span.start for action in result.document.actions}
        findings = (*result.diagnostics, finding)
        document = replace(mark_suspect(result.document, starts), diagnostics=findings)
        confidence = min(result.confidence, DOUBTED)
        return replace(result, document=document, confidence=confidence, diagnostics=findings)

    def repair(self) -> Result | None:
        """Apply the rules to what is markup, and parse again."""
        engine = self.make_engine(self.dialect)
        self.repaired = engine.repair(self.text, cut_off=self.cut_off, known_broken=True)
        made = counted(len(self.repaired.repairs), "repair")
        if self.repaired.document is None:
            self._note("repaired", f"failed: {made}, still not strict", self.repaired.text)
            return None
        # Recovery of a text that parses strictly gives the same document: it has nothing to add.
        said = is_acceptable(self.repaired.document)
        outcome = f"{made}, parsed" if said else f"failed: {made}, and no section is left"
        self._note("repaired", outcome, self.repaired.text, succeeded=said)
        return self._result(Phase.REPAIRED, self._carry_back([self.repaired.document]))

    def recovery(self) -> Result | None:
        """Read what was repaired at the lowest price; there is always a document, if an empty one."""
        assert self.repaired is not None
        from .recovery.recovery import recover as recover_with

        recovered = recover_with(
            self.repaired.text,
            self.dialect,
            repairer=self.make_engine(self.dialect).repairer,
            cut_off=self.cut_off,
            known_broken=True,
            engine=self.recovery_engine,
        )
        read, recovered = [recovered], replace(recovered, sections=())
        document = self._carry_back(read)
        said = is_acceptable(document)
        outcome = f"read at price {recovered.price}" if said else "failed: there is no section in it"
        self._note("recovered", outcome, self.repaired.text, succeeded=said)
        return self._result(Phase.RECOVERED, document, None, recovered)

    def _carry_back(self, read: list[Document]) -> Document:
        """Return a document in the caller's text; it is taken out of a list, so that nobody holds both at once."""
        assert self.repaired is not None
        if self._keeps:
            self._read += read
        else:
            self.repaired.document = None
        from .repairs.carrying import carry_back

        carried = carry_back(read.pop(), self.repaired)
        carried = _mark_cut_off(carried, self.text) if self.cut_off else carried
        carried, self.doubts = find_doubts(carried, self.text, self.dialect)
        if self._keeps:
            self._read.append(carried)
        return carried

    def repaired_text(self) -> Repaired:
        """Run the strategies and return the repaired text, which says of each action that is not whole that it is not.

        Where that cannot be said, nothing is repaired: half a content would look like a whole one.
        """
        self._keeps = True
        for _ in self.steps():
            pass
        if self.repaired is None or not self._read:
            return Repaired(self.text, self.text, document=parse(self.text, self.dialect))
        read, carried = self._read
        known = {action.span.start: action for action in carried.actions}
        source = Source(self.text)
        marks = []
        for action in read.actions:
            told = known.get(self.repaired.original_span(action.span, source).start)
            if told is not None and not is_whole(told) and is_whole(action):
                from .rendering.renderer import find_mark
                from .rendering.writer import write

                mark = find_mark(told, self.dialect)
                if mark is None:
                    return Repaired(self.text, self.text)
                marks.append((action.span.end, write(mark, self.dialect)))
        if not marks:
            return self.repaired
        from .repairs.marking import insert_lines

        marked = insert_lines(self.repaired, marks, self.dialect)
        again = self._read_again(marked)
        unfinished = sum(not is_whole(action) for action in carried.actions)
        if again.actions != read.actions or sum(not is_whole(a) for a in again.actions) < unfinished:
            return Repaired(self.text, self.text)
        return marked

    def _read_again(self, text: Repaired) -> Document:
        if text.document is not None:
            return text.document
        repairer = self.make_engine(self.dialect).repairer
        from .recovery.recovery import recover as recover_with

        return recover_with(text.text, self.dialect, repairer=repairer, engine=self.recovery_engine)

    def _note(self, phase: str, outcome: str, text: str, succeeded: bool = False) -> None:
        self.trace.append(TraceStep(phase, outcome, text, succeeded))

    def _result(
        self,
        phase: Phase,
        document: Document,
        signs: Signs | None = None,
        recovered: Document | None = None,
        repairs: tuple[Repair, ...] = (),
        found: tuple[Diagnostic, ...] = (),
    ) -> Result:
        """Return the result: what was done and found on the way, what the validator finds, and how sure all this is.

        `repairs` of a valid text, and what was `found` about its actions, make these suspect.
        """
        notes = [self.doubt] if self.doubt else []
        if self.repaired is not None:  # the empty text is one, too
            repairs = self.repaired.repairs
            from .repairs.carrying import carry_findings

            notes += carry_findings(self.repaired, recovered, self.dialect)
            self.repaired = self.repaired if self._keeps else None
        verbs = self.dialect.verbs
        document, checked = examine(document, verbs, find_signs(document, verbs) if signs is None else signs)
        document = mark_suspect(document, {finding.span.start for finding in found})
        # What is doubted for a reason of its own is not doubted once more because it is suspect.
        doubted = {finding.span.start for finding in self.doubts}
        checked = tuple([d for d in checked if not (d.code in _ON_SUSPECTS and d.span.start in doubted)])
        notes += self.doubts
        once = {(d.code, d.span.start, d.span.end): d for d in (*notes, *found, *checked)}
        in_order = tuple(sorted(once.values(), key=lambda d: d.span.start))
        confidence = (
            min((action.confidence for action in document.actions), default=1.0)
            if phase is Phase.STRICT
            else document_confidence(document, verbs["writing"])
        )
        confidence = rounded(confidence * LOST ** sum(note.code == LOST_ACTION for note in notes))
        told = replace(document, diagnostics=in_order) if in_order or document.diagnostics else document
        return Result(phase, told, confidence, in_order, repairs, tuple(self.trace), self.text)


# What is tried without a model, in this order; the first that gives a result ends it. Self-correction follows where
# the result has errors, and extraction, on request, where it says nothing.
STRATEGIES: dict[Phase, Callable[[Run], Result | None]] = {
    Phase.STRICT: lambda run: run.strict(),
    Phase.REPAIRED: lambda run: run.repair(),
    Phase.RECOVERED: lambda run: run.recovery(),
}


_ON_SUSPECTS = (EARLY_CLOSE, DRAFT_ACTION)


def _is_one_line(text: str) -> bool:
    """Return whether a text is one line that may stand for several, with escapes where these would end."""
    return "\n" not in text.strip() and "\\n" in text


def _mark_cut_off(document: Document, text: str) -> Document:
    """Mark the last action of a reply that is known to end too early, if nothing stands behind it."""
    last = document.sections[-1] if document.sections else None
    if not isinstance(last, Action):
        return document
    if last.content is None:
        return replace(document, sections=(*document.sections[:-1], replace(last, completeness=Completeness.TRUNCATED)))
    # What looks like a closer may be the beginning of a line of the content.
    return document if text.endswith("\n") else mark_suspect(document, {last.span.start})
