"""Correct a reply in a loop: read it, find its errors, ask the model, read the answer.

The loop ends when the reply is valid, or when another question would not improve it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum

from ...core.document import Action, CustomSection
from ...core.grammar.dialect import Dialect
from ...core.ground.logs import log_event
from ...core.ground.members import as_member
from ...core.recovery.doubts.confidence import mark_suspect
from ...core.replies.conversation import Asked, Conversation
from ...core.replies.messages import Finish, Message, Messages, ModelError, Reply, as_messages
from ...core.result import Phase, ProtocolError, Result, TraceStep
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Span
from . import messages
from .changes import find_changes
from .continuation import Join, join, starts_again, strip_wrapping, tail
from .failure import LEAST, Failure, find_failure
from .guard import find_drift, is_better
from .regions import Region, find_regions, splice

Read = Callable[[str, bool | None], Result]
# The confidence of an action across a seam that no repeated lines confirm, and of an action that
# the corrected reply changes, adds or lacks without a need.
_DOUBTED = 0.7


class Mode(StrEnum):
    """The part of the reply that is requested: all of it, or only its broken sections."""

    WHOLE = "whole"
    DIFFERENTIAL = "differential"


@dataclass(frozen=True, slots=True)
class _Request:
    """A question to the model, and the use of its answer.

    Attributes:
        message: The question.
        title: Its name in the trace.
        regions: The broken sections that the answer has again; empty for the whole reply.
        is_continuation: Whether the answer continues the reply.
    """

    message: str
    title: str
    regions: tuple[Region, ...] = ()
    is_continuation: bool = False


@dataclass
class SelfCorrector:
    """Asks a model again for the parts of its reply that could not be read.

    Attributes:
        model: The model that is asked.
        mode: Whether to ask for the complete reply (`whole`, the default) or only for its broken
            sections (`differential`).
        max_attempts: The maximum number of requests because of errors.
        max_continuations: The maximum number of requests to continue a truncated reply.
        least_confidence: A document with a lower confidence (0 to 1) is requested again even if it
            is valid.

    Raises:
        ValueError: There is no such mode.
    """

    model: Asked
    mode: Mode | str = Mode.WHOLE
    _: KW_ONLY
    max_attempts: int = 2
    max_continuations: int = 4
    least_confidence: float = LEAST

    def __post_init__(self) -> None:
        self.mode = as_member(Mode, self.mode, "SelfCorrector.mode")

    def __hash__(self) -> int:
        # Not the model, which need not be hashable.
        return hash((self.mode, self.max_attempts, self.max_continuations, self.least_confidence))

    def correct(
        self, first: Result, dialect: Dialect, prompt: Messages, finish: Finish, read: Read
    ) -> Conversation:
        """Return the conversation that corrects a reply.

        Args:
            first: The result of reading the first reply.
            dialect: The dialect of the reply.
            prompt: The request that the reply answers.
            finish: The reason why the first reply ended.
            read: Reads a text without a model, given whether it was truncated.

        Returns:
            A generator that yields the messages to send, receives the replies, and returns the best
            result. If a `ModelError` is thrown in, the part of the reply that arrived is used.

        Raises:
            TypeError: The model cannot be asked, or its answer is not a `Reply`.
        """
        # One method is enough: a program that only awaits has a client that is only awaited.
        if not (hasattr(self.model, "generate") or hasattr(self.model, "agenerate")):
            kind = type(self.model).__name__
            expected = "expected an object with `generate(messages)`"
            raise TypeError(f"SelfCorrector.model: {expected}, got a {kind}")
        finish = as_member(Finish, finish, "finish")
        turns = as_messages(prompt, to_send=False)
        return _Loop(self, first, dialect, turns, finish, read).run()

    def self_correct(
        self, raw_output: str, original_prompt: Messages, errors: Sequence[str]
    ) -> str:
        """Ask once for a reply without the given errors.

        Args:
            raw_output: The reply with the errors.
            original_prompt: The request that the reply answers.
            errors: The messages of the errors.

        Returns:
            The answer of the model as text; it is not checked.

        Raises:
            ModelError: The model could not be asked, or its answer broke off.
            TypeError: The answer is not a `Reply`.
        """
        problem = "\n".join(f"- {error}" for error in errors)
        message = (
            "Your reply has mistakes of format:\n"
            f"{problem or '- it is not in the format that was asked for'}\n\n"
            "Write it again. Change the format only."
        )
        turns = (
            *as_messages(original_prompt, to_send=False),
            Message("assistant", raw_output),
            Message("user", message),
        )
        return _check_reply(self.model.generate(turns)).text


def _check_reply(reply: object) -> Reply:
    """Return the answer of a model; clients of callers may return something else."""
    if isinstance(reply, Reply):
        return reply
    kind = type(reply).__name__
    expected = "return symops_lark.models.Reply(text)"
    raise TypeError(f"SelfCorrector.model: its method returned a {kind}; {expected}")


class _Loop:
    """The state of one correction.

    `best` is the result that is returned, and `latest` the one that is asked about: they differ
    while no answer is better.
    """

    def __init__(
        self,
        corrector: SelfCorrector,
        first: Result,
        dialect: Dialect,
        turns: Sequence[Message],
        finish: Finish,
        read: Read,
    ) -> None:
        self.corrector = corrector
        self.dialect = dialect
        self.prompt = turns
        self.read = read
        self.first = self.best = self.latest = first
        self.finish = self.best_finish = finish
        # The reply that answers are compared with: the first one and what continues it.
        self.basis, self.basis_finish = first, finish
        self.drift: tuple[Diagnostic, ...] = ()  # sure actions that the last answer changed
        self.trace = list(first.trace)
        self.notes: dict[Diagnostic, None] = {}  # as a set that keeps its order
        self.attempts = 0
        self.continuations = 0
        self.stuck = False  # the last continuation added nothing, or began again and was shorter
        # The seams in `latest` that no repeated lines confirm, and those in `best`.
        self.seams: tuple[Join, ...] = ()
        self.best_seams: tuple[Join, ...] = ()
        self.signatures: list[tuple[object, ...]] = []  # of failures that were asked about

    def run(self) -> Conversation:
        while True:
            failure = find_failure(self.latest, self.finish, self.corrector.least_confidence)
            request = self._next_request(failure) if failure else None
            if request is None:
                return self._finish()
            turns = [*self.prompt]
            # Providers refuse empty messages.
            if self.latest.text.strip():
                turns.append(Message("assistant", self.latest.text))
            turns.append(Message("user", request.message))
            log_event("correction", "info", "asked again", request=request.title, failure=failure)
            try:
                reply = _check_reply((yield tuple(turns)))
            except ModelError as error:
                self._step(f"{request.title}: the model failed: {error}")
                if error.partial is None or not error.partial.text:
                    return self._finish()
                reply = error.partial
            try:
                self._take(request, reply)
            except ProtocolError as error:
                # The answer is longer than the limit of characters.
                self._step(f"{request.title}: rejected: {error}")
                return self._finish()

    def _next_request(self, failure: Failure) -> _Request | None:
        """Return the next question; None if no question would help."""
        if failure is Failure.REFUSED:
            reason = "the model declined the task"
            if self.finish is Finish.FILTERED:
                reason = "a content filter stopped the reply"
            self._note("model-refused", reason, "ask for something else, or ask another model")
            return None
        # After drift the best reply is asked about, which may end as it should.
        if failure is Failure.CUT_OFF and not self.drift:
            return self._continuation()
        if not self.drift:
            # Repairs may differ while the mistakes are the same.
            problems = [
                (item.code, item.message)
                for item in self.latest.diagnostics
                if item.severity is not Severity.NOTE
            ]
            signature = (failure, *problems)
            if signature in self.signatures:
                self._step("stopped: the model made the same mistakes again")
                return None
            self.signatures.append(signature)
        if self.attempts >= self.corrector.max_attempts:
            return None
        self.attempts += 1
        title = f"attempt {self.attempts}"
        if failure is Failure.EMPTY:
            return _Request(messages.ask_again(self.dialect), f"{title}, the reply was empty")
        # Parts are not asked for after drift: the answer to them may have caused it.
        if self.corrector.mode is Mode.DIFFERENTIAL and not self.drift:
            regions = tuple(find_regions(self.latest))
            if regions:
                message = messages.ask_for_parts(self.latest, regions, self.dialect)
                sections = messages.count(len(regions), "broken section")
                return _Request(message, f"{title}, {sections}", regions)
        message = messages.ask_for_all(self.latest, self.dialect, self.drift)
        return _Request(message, f"{title}, the whole reply")

    def _continuation(self) -> _Request | None:
        """Return the request to continue the reply; None if that would not help."""
        if self.stuck:
            self._step("stopped: the model does not continue")
            return None
        if self.continuations >= self.corrector.max_continuations:
            self._step("stopped: the reply does not end")
            return None
        self.continuations += 1
        message = messages.ask_to_go_on(self.latest.text)
        return _Request(message, f"continuation {self.continuations}", is_continuation=True)

    def _take(self, request: _Request, reply: Reply) -> None:
        """Read the answer. It counts if it keeps the sure actions and is better than the best."""
        before = self.latest
        cut_off = reply.finish.cut_off or None
        text = reply.text
        joined = None
        seams: tuple[Join, ...] = ()
        if request.is_continuation:
            # A fence around the answer is a wrapping, unless the reply ends with its first line.
            first_line = text.partition("\n")[0].rstrip()
            if first_line not in tail(before.text).split("\n"):
                text = strip_wrapping(text)
            if not starts_again(before.text, text):
                joined = join(before.text, text)
                text = joined.text
                seams = self.seams if joined.anchored else (*self.seams, joined)
            elif len(text.rstrip()) < len(before.text.rstrip()):
                self._step(f"{request.title}: rejected, it begins again and is shorter", text)
                self.stuck = True
                return
        elif request.regions:
            answer = self.read(text, cut_off).document
            spliced = splice(before, request.regions, answer, self.dialect)
            # An answer that does not fit the regions is read as a whole reply.
            text = text if spliced is None else spliced
        result = self.read(text, cut_off)
        for seam in seams:
            result = self._mark_seam(result, seam)
        self._step(request.title, text)
        self.trace += result.trace
        # An answer that was taken may be less sure of an action than the first reply.
        self.drift = find_drift(self.first, result.document)
        if not self.drift and self.best is not self.first:
            self.drift = find_drift(self.best, result.document)
        if self.drift:
            self.notes.update(dict.fromkeys(self.drift))
            self._step(f"{request.title}: rejected, it changes what was right")
            changed = len(self.drift)
            log_event(
                "correction", "warning", "answer rejected", request=request.title, changed=changed
            )
            self.latest, self.finish = self.best, self.best_finish
            return
        self.stuck = joined is not None and joined.text == before.text
        self.latest, self.finish, self.seams = result, reply.finish, seams
        # A continuation has everything that the reply had, even if its new part is broken.
        has_all = joined is not None and before is self.best
        if has_all and before is self.basis:
            self.basis, self.basis_finish = result, reply.finish
        if has_all or is_better(result, self.best):
            self.best, self.best_finish = self.latest, self.finish
            self.best_seams = seams

    def _mark_seam(self, result: Result, joined: Join) -> Result:
        """Mark the section across a seam that no repeated lines confirm."""
        starts = _starts_at(result, joined)
        return _doubt(result, starts) if starts else result

    def _mark_changes(self, result: Result) -> Result:
        """Mark what a correction of the format alone would not have changed."""
        least = self.corrector.least_confidence
        failure = find_failure(self.basis, self.basis_finish, least)
        was_cut = failure is Failure.CUT_OFF
        changes = find_changes(self.basis, result.document, was_cut=was_cut)
        starts = set()
        for change in changes:
            self.notes[change.report()] = None
            if change.action is not None:
                starts.add(change.action.span.start)
        return _doubt(result, starts) if changes else result

    def _note(self, code: str, message: str, hint: str) -> None:
        # At the beginning of the text: a note is about all of the reply.
        self.notes[Diagnostic(code, message, Span(0, 0), Severity.WARNING, hint=hint)] = None

    def _step(self, outcome: str, text: str | None = None) -> None:
        text = self.latest.text if text is None else text
        self.trace.append(TraceStep("corrected", outcome, text))

    def _finish(self) -> Result:
        best = self.best
        phase = best.phase
        if best is not self.first:
            phase = Phase.CORRECTED
            outcome = "the corrected reply was taken"
            self.trace.append(TraceStep("corrected", outcome, best.text, succeeded=True))
            best = self._mark_changes(best)
            if any(_starts_at(best, seam) for seam in self.best_seams):
                self._note(
                    "unanchored-seam",
                    "the reply was cut off, and what follows does not surely repeat its last lines",
                    "look at the content around the seam",
                )
        findings = (*best.diagnostics, *self.notes)
        return replace(
            best,
            phase=phase,
            trace=tuple(self.trace),
            document=replace(best.document, diagnostics=findings),
            diagnostics=findings,
        )


def _starts_at(result: Result, joined: Join) -> set[int]:
    """Return where the sections begin that a join has made doubtful."""
    starts = set()
    for section in result.document.sections:
        if isinstance(section, Action | CustomSection) and _is_at(section, joined):
            starts.add(section.span.start)
    return starts


def _is_at(section: Action | CustomSection, joined: Join) -> bool:
    """Return whether a section may lack lines, or have lines twice, because of a join."""
    span = section.span
    if not joined.dropped:
        return span.start < joined.seam < span.end
    # The lines that were left out may be another section like this one.
    return span.start < joined.seam and not joined.text[span.end : joined.seam].strip()


def _doubt(result: Result, starts: Collection[int]) -> Result:
    """Return a result with a low confidence, in which the sections at some offsets are suspect."""
    document = mark_suspect(result.document, starts, _DOUBTED)
    return replace(result, document=document, confidence=min(result.confidence, _DOUBTED))
