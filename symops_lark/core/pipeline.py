"""Run the phases that need no model: strict, repaired, recovered.

Theory of operation. A `Run` takes one text of one dialect through the phases in this order; the
first that gives a result ends it:

1. STRICT. The strict parser reads all of the text, or nothing. Most replies end here. Only in this
   phase is an action certain, with confidence 1.
2. REPAIRED. The repair rules change single lines of markup, and never content. If the strict parser
   reads the repaired text, its document is mapped back to the caller's text.
3. RECOVERED. An error-tolerant grammar reads the repaired text, and picks the reading with the
   lowest cost. There is always a document, which may be empty.

Every result then passes the same end (`_result`): the validator adds its diagnostics, actions with
doubts are marked as suspect, and the confidence is computed.

Example, in v2. The opener has a character too few; STRICT fails, and REPAIRED gives the action with
one repair (`<<` to `<<<`):

    ::create @a.py
    <<
    x = 1
    >>>

Invariants:

1. All spans of a result are positions in the caller's text (tests/test_laws.py).
2. A valid text ends in phase 1: rules and recovery never see it.
3. At most one document of a long text is in memory besides its text: documents are handed over in
   lists, which their receiver empties.

Not here: the choice of a dialect, self-correction and extraction of fences (`processor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from . import other_formats
from .document import Document
from .grammar.codes import LOST_ACTION
from .grammar.dialect import Dialect
from .ground.numbers import counted, rounded
from .recovery.detected import Detection
from .recovery.doubts.confidence import (
    DOUBTED,
    LOST,
    document_confidence,
    in_order,
    leave_out_told,
    mark_cut_off,
    mark_suspect,
)
from .recovery.doubts.swallowed import mark_doubtful
from .repairs.repaired import Repair, Repaired
from .result import Phase, Result, TraceStep
from .strict.parser import parse
from .text.diagnostics import Diagnostic, ParseError
from .text.source import Source
from .unfinished import is_whole
from .validator import examine, find_signs, is_acceptable
from .validator.check import Signs

if TYPE_CHECKING:
    from .repairs.engine import RepairEngine


class Run:
    """One text on its way through the phases that need no model.

    Args:
        text: The text.
        cut_off: Whether it was truncated; None if that is not known.
        detection: The result of the detection of the dialect. Its document is used again.
        dialect: The dialect to read in.
        make_engine: Returns the repair engine of a dialect.
        recovery_engine: "automaton" or "earley"; None for the automaton where it is possible.

    Attributes:
        trace: The steps so far.
        repaired: The repaired text; None before it is made, and after it is not needed any more.
        doubts: Diagnostics about the actions that were read, in the caller's text.
    """

    def __init__(
        self,
        text: str,
        cut_off: bool | None,
        detection: Detection,
        dialect: Dialect,
        make_engine: Callable[[Dialect], RepairEngine],
        recovery_engine: str | None = None,
    ) -> None:
        self.text = text
        self.cut_off = cut_off
        self.dialect = dialect
        self.make_engine = make_engine
        self.recovery_engine = recovery_engine
        self.detected = detection.document  # a strict parse, if the detection needed one
        self.in_formats = detection.in_formats
        self.doubt = detection.to_diagnostic()
        self.trace: list[TraceStep] = []
        self.repaired: Repaired | None = None
        self.doubts: tuple[Diagnostic, ...] = ()
        self._keeps = False  # whether documents and repairs are needed later (`repaired_text`)
        self._read: list[Document] = []  # of the repaired text, and the same in the caller's

    def steps(self) -> Iterator[tuple[Phase, Result | None]]:
        """Run the phases up to the first that gives a result.

        Yields:
            Each phase with its result; None if it gives none.
        """
        if self.in_formats is not None:
            yield Phase.STRICT, None
            yield Phase.RECOVERED, other_formats.read_detected(self.in_formats, self.text)
            return
        for phase, run_phase in STRATEGIES.items():
            result = run_phase(self)
            # A valid text is what it says: nothing else is looked for.
            if result is not None and phase is not Phase.STRICT:
                # A format of another agent may own what the rules repaired.
                result = other_formats.prefer_outer(self._without_thinking(result))
            if result is None or result.phase is not phase:
                yield phase, None
            if result is not None:
                yield result.phase, result
                return

    def strict(self) -> Result | None:
        """Parse the text by the grammar, all or nothing; return None if it is not valid."""
        try:
            parsed = mark_doubtful(self.detected or parse(self.text, self.dialect), self.dialect)
        except ParseError as error:
            self._note("strict", "failed: " + error.diagnostics[0].message, self.text)
            return None
        document = parsed
        text = self.text
        signs = find_signs(document, self.dialect.verbs)
        # The short way, for almost all valid texts: no check has anything to do.
        if not (signs or self.doubt or self.cut_off or _is_one_line(text)):
            trace = (TraceStep("strict", "parsed", text, True),)
            return Result(Phase.STRICT, document, 1.0, (), (), trace, text)
        repairs: tuple[Repair, ...] = ()
        reports: tuple[Diagnostic, ...] = ()
        # Imported where it runs, as all of repairs and recovery: most texts do not need them.
        from .repairs.unwrapping import is_unwrapped, report_unwrapped, unwrap_contents

        # A Markdown fence around a whole content is valid, and almost never meant.
        wrapped = [action for action in document.actions if is_unwrapped(action)]
        rule = self.make_engine(self.dialect).unwrapping_rule if wrapped else None
        if rule is not None:
            document, text, repairs = unwrap_contents(document, text, rule)
            spans = {repair.before for repair in repairs}
            reports = tuple(
                [report_unwrapped(action) for action in wrapped if action.content_span in spans]
            )
        unwrapped = f", {counted(len(repairs), 'repair')} of contents" if repairs else ""
        self._note("strict", f"parsed{unwrapped}", text, succeeded=True)
        document = mark_cut_off(document, text) if self.cut_off else document
        known_signs = signs if document is parsed else None  # a changed document has other signs
        result = self._result(Phase.STRICT, document, known_signs, None, repairs, reports)
        return self._doubt_wrapped(result) if _is_one_line(text) else result

    def _doubt_wrapped(self, result: Result) -> Result:
        """Return the result of a valid line, doubted if a rule makes several lines of it."""
        from .repairs.unwrapping import report_one_line

        doubt = report_one_line(self.text, self.make_engine(self.dialect))
        if doubt is None:
            return result
        starts = {action.span.start for action in result.document.actions}
        diagnostics = (*result.diagnostics, doubt)
        document = replace(mark_suspect(result.document, starts), diagnostics=diagnostics)
        confidence = min(result.confidence, DOUBTED)
        return replace(result, document=document, confidence=confidence, diagnostics=diagnostics)

    def repair(self) -> Result | None:
        """Apply the repair rules to the markup and parse again; return None if that fails."""
        engine = self.make_engine(self.dialect)
        # `known_broken`: the strict phase has just failed, so the engine need not try it again.
        self.repaired = engine.repair(self.text, cut_off=self.cut_off, known_broken=True)
        count = counted(len(self.repaired.repairs), "repair")
        if self.repaired.document is None:
            self._note("repaired", f"failed: {count}, still not strict", self.repaired.text)
            return None
        # Recovery of a text that parses strictly gives the same document: it has nothing to add.
        has_sections = is_acceptable(self.repaired.document)
        lost = f"failed: {count}, and no section is left"
        outcome = f"{count}, parsed" if has_sections else lost
        self._note("repaired", outcome, self.repaired.text, succeeded=has_sections)
        return self._result(Phase.REPAIRED, self._carry_back([self.repaired.document]))

    def recovery(self) -> Result | None:
        """Read the repaired text at the lowest cost; there is always a document, maybe empty."""
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
        documents = [recovered]
        recovered = replace(recovered, sections=())  # the list alone holds the sections now
        document = self._carry_back(documents)
        has_sections = is_acceptable(document)
        outcome = f"read at price {recovered.price}"
        if not has_sections:
            outcome = "failed: there is no section in it"
        self._note("recovered", outcome, self.repaired.text, succeeded=has_sections)
        return self._result(Phase.RECOVERED, document, None, recovered)

    def _carry_back(self, documents: list[Document]) -> Document:
        """Return a document with spans in the caller's text.

        It is taken out of a list: so its sections are given up one by one while the new ones are
        made, and a long text does not need the memory for both.
        """
        assert self.repaired is not None
        if self._keeps:
            self._read += documents
        else:
            self.repaired.document = None
        from .repairs.carrying import carry_back

        carried = carry_back(documents.pop(), self.repaired)
        carried = mark_cut_off(carried, self.text) if self.cut_off else carried
        from .recovery.doubts.nested_actions import find_doubts

        carried, self.doubts = find_doubts(carried, self.text, self.dialect)
        if self._keeps:
            self._read.append(carried)
        return carried

    def _without_thinking(self, result: Result) -> Result:
        """Return the result of the text without thinking, if that is better."""
        if self._keeps:
            return result
        from .recovery.doubts.thinking import choose_reading, span_in, view_of

        view = view_of(self.text, result.document)
        if view is self.text:
            return result
        engines = self.make_engine, self.recovery_engine
        run = Run(view, self.cut_off, Detection(self.dialect), self.dialect, *engines)
        # Recovered, although it may be valid: what is blank in it is not blank in the reply.
        run.repaired = self.make_engine(self.dialect).repair(view, cut_off=self.cut_off)
        other = run.recovery()
        assert other is not None
        document = choose_reading(result.document, other.document, self.text, view)
        if document is None:
            return result
        source = Source(self.text)
        repairs = tuple(
            [replace(repair, before=span_in(source, repair.before)) for repair in other.repairs]
        )
        return replace(
            other,
            document=document,
            diagnostics=document.diagnostics,
            repairs=repairs,
            text=self.text,
        )

    def repaired_text(self) -> Repaired:
        """Run the phases and return the repaired text.

        After an incomplete action, an error section records its state (`unfinished`). In a dialect
        that has no such section nothing is repaired: half a content would look complete.
        """
        self._keeps = True
        *_, (_, result) = self.steps()
        # Nothing of a reply in the format of another agent is markup of this dialect.
        if result is not None and result.document.dialect != self.dialect.name:
            return Repaired(self.text, self.text)
        if self.repaired is None or not self._read:
            return Repaired(self.text, self.text, document=parse(self.text, self.dialect))
        parsed, carried = self._read
        marks = self._marks(self.repaired, parsed, carried)
        if marks is None:
            return Repaired(self.text, self.text)
        if not marks:
            return self.repaired
        from .repairs.marking import insert_lines

        marked = insert_lines(self.repaired, marks, self.dialect)
        # The new lines must not change how the text is read, and must be read as they are meant.
        reparsed = self._read_again(marked)
        whole_count = sum(map(is_whole, reparsed.actions))
        is_complete = whole_count <= sum(map(is_whole, carried.actions))
        if reparsed.actions == parsed.actions and is_complete:
            return marked
        return Repaired(self.text, self.text)

    def _marks(
        self, repaired: Repaired, parsed: Document, carried: Document
    ) -> list[tuple[int, str]] | None:
        """Return the error sections for incomplete actions, each with its offset.

        Args:
            repaired: The repaired text.
            parsed: Its document.
            carried: The same document in the caller's text, where more is known to be incomplete.

        Returns:
            The offsets in the repaired text and the sections; None if the dialect cannot write one.
        """
        by_start = {action.span.start: action for action in carried.actions}
        source = Source(self.text)
        marks = []
        for action in parsed.actions:
            judged = by_start.get(repaired.original_span(action.span, source).start)
            if judged is not None and not is_whole(judged) and is_whole(action):
                from .rendering.renderer import find_mark
                from .rendering.writer import write

                mark = find_mark(judged, self.dialect)
                if mark is None:
                    return None
                marks.append((action.span.end, write(mark, self.dialect)))
        return marks

    def _read_again(self, text: Repaired) -> Document:
        if text.document is not None:
            return text.document
        from .recovery.recovery import recover

        repairer = self.make_engine(self.dialect).repairer
        return recover(text.text, self.dialect, repairer=repairer, engine=self.recovery_engine)

    def _note(self, phase: str, outcome: str, text: str, succeeded: bool = False) -> None:
        self.trace.append(TraceStep(phase, outcome, text, succeeded))

    def _result(
        self,
        phase: Phase,
        document: Document,
        signs: Signs | None = None,
        recovered: Document | None = None,
        repairs: tuple[Repair, ...] = (),
        reports: tuple[Diagnostic, ...] = (),
    ) -> Result:
        """Return the result with the diagnostics of the validator and the confidence.

        Args:
            phase: The phase that gave the document.
            document: The document in the caller's text.
            signs: The signs of the document, if they are known; else they are searched for.
            recovered: The recovered document without its sections, for its diagnostics.
            repairs: The repairs in a valid text.
            reports: Diagnostics about actions of a valid text; they make these suspect.
        """
        notes = [self.doubt] if self.doubt else []
        if self.repaired is not None:  # not its truth value: the empty text is a repaired text, too
            repairs = self.repaired.repairs
            from .repairs.carrying import carry_findings

            notes += carry_findings(self.repaired, recovered, self.dialect)
            # The way back is not needed any more, and it is as large as the text.
            self.repaired = self.repaired if self._keeps else None
        verbs = self.dialect.verbs
        if signs is None:
            signs = find_signs(document, verbs)
        document, checked = examine(document, verbs, signs)
        document = mark_suspect(document, {report.span.start for report in reports})
        notes += self.doubts
        diagnostics = in_order(notes, reports, leave_out_told(checked, self.doubts))
        # The actions of a valid text are certain, except those with doubts. In any other text, what
        # was repaired or skipped between them counts, too.
        if phase is Phase.STRICT:
            confidence = min((action.confidence for action in document.actions), default=1.0)
        else:
            confidence = document_confidence(document, verbs["writing"])
        lost_count = sum(note.code == LOST_ACTION for note in notes)
        confidence = rounded(confidence * LOST**lost_count)
        if diagnostics or document.diagnostics:
            document = replace(document, diagnostics=diagnostics)
        trace = tuple(self.trace)
        return Result(phase, document, confidence, diagnostics, repairs, trace, self.text)


# The phases that need no model, in this order; the first that gives a result ends it. The processor
# then asks the model again if the result has errors, and extracts fences, on request, if it has no
# section.
STRATEGIES: dict[Phase, Callable[[Run], Result | None]] = {
    Phase.STRICT: lambda run: run.strict(),
    Phase.REPAIRED: lambda run: run.repair(),
    Phase.RECOVERED: lambda run: run.recovery(),
}


def _is_one_line(text: str) -> bool:
    """Return whether a text is one line that may mean several, with escapes for their ends."""
    return "\n" not in text.strip() and "\\n" in text
