"""Correct a reply in a loop: read it, find its errors, ask the model, read the answer.

The loop ends when the reply is valid, or when another question would not improve it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum

from ...core.document import Completeness
from ...core.grammar.dialect import Dialect
from ...core.ground.logs import log_event
from ...core.ground.members import as_member
from ...core.replies.conversation import Asked, Conversation
from ...core.replies.messages import Finish, Message, Messages, ModelError, Reply, as_messages
from ...core.result import Phase, ProtocolError, Result, TraceStep
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Span
from . import messages
from .continuation import Join, join, strip_wrapping
from .failure import LEAST, Failure, find_failure
from .guard import find_drift, is_better
from .regions import Region, find_regions, splice

Read = Callable[[str, bool | None], Result]


class Mode(StrEnum):
    """The part of the reply that is requested: all of it, or only its broken sections."""

    WHOLE = "whole"
    DIFFERENTIAL = "differential"


@dataclass(frozen=True, slots=True)
class _Request:
    """A question to the model and what its answer is for."""

    message: str
    what: str
    regions: tuple[Region, ...] = ()
    goes_on: bool = False  # the answer continues the reply


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
        return hash((self.mode, self.max_attempts, self.max_continuations, self.least_confidence))

    def correct(self, first: Result, dialect: Dialect, prompt: Messages, finish: Finish, read: Read) -> Conversation:
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
            given = type(self.model).__name__
            raise TypeError(f"SelfCorrector.model: an object with `generate(messages)` is expected, got a {given}")
        finish = as_member(Finish, finish, "finish")
        return _Loop(self, first, dialect, as_messages(prompt, to_send=False), finish, read).run()

    def self_correct(self, raw_output: str, original_prompt: Messages, errors: Sequence[str]) -> str:
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
        told = "\n".join(f"- {error}" for error in errors) or "- it is not in the format that was asked for"
        message = f"Your reply has mistakes of format:\n{told}\n\nWrite it again. Change the format only."
        turns = (
            *as_messages(original_prompt, to_send=False),
            Message("assistant", raw_output),
            Message("user", message),
        )
        return _check_reply(self.model.generate(turns)).text


def _check_reply(reply: object) -> Reply:
    """Return the answer of a model; raise `TypeError` for what a client of the caller returns instead."""
    if isinstance(reply, Reply):
        return reply
    given = type(reply).__name__
    raise TypeError(f"SelfCorrector.model: its method returned a {given}; return symops_lark.models.Reply(text)")


class _Loop:
    def __init__(
        self,
        corrector: SelfCorrector,
        first: Result,
        dialect: Dialect,
        turns: Sequence[Message],
        finish: Finish,
        read: Read,
    ) -> None:
        self.corrector, self.dialect, self.prompt, self.read = corrector, dialect, turns, read
        self.first = self.best = self.latest = first
        self.finish = self.best_finish = finish
        self.drift: tuple[Diagnostic, ...] = ()  # what the last answer changed that was right
        self.trace = list(first.trace)
        self.notes: list[Diagnostic] = []
        self.attempts = self.continuations = 0
        self.stuck = False  # the last continuation added nothing
        self.seen: list[tuple[object, ...]] = []

    def run(self) -> Conversation:
        while True:
            failure = find_failure(self.latest, self.finish, self.corrector.least_confidence)
            request = self._ask(failure) if failure else None
            if request is None:
                return self._finish()
            turns = [*self.prompt]
            if self.latest.text.strip():
                turns.append(Message("assistant", self.latest.text))
            log_event("correction", "info", "asked again", request=request.what, failure=failure)
            try:
                reply = _check_reply((yield (*turns, Message("user", request.message))))
            except ModelError as error:
                self._step(f"{request.what}: the model failed: {error}")
                if error.partial is None or not error.partial.text:
                    return self._finish()
                reply = error.partial
            try:
                self._take(request, reply)
            except ProtocolError as error:  # the answer is beyond the limit of characters
                self._step(f"{request.what}: rejected: {error}")
                return self._finish()

    def _ask(self, failure: Failure) -> _Request | None:
        """Decide what to ask for; None if nothing is to be gained."""
        if failure is Failure.REFUSED:
            filtered = self.finish is Finish.FILTERED
            why = "a content filter stopped the reply" if filtered else "the model declined the task"
            self._note("model-refused", why, "ask for something else, or ask another model")
            return None
        if failure is Failure.CUT_OFF and not self.drift:
            if self.stuck or self.continuations >= self.corrector.max_continuations:
                self._step("stopped: the model does not go on" if self.stuck else "stopped: the reply does not end")
                return None
            self.continuations += 1
            return _Request(messages.ask_to_go_on(self.latest.text), f"continuation {self.continuations}", goes_on=True)
        told = (d for d in self.latest.diagnostics if d.severity is not Severity.NOTE)
        signature = (failure, *((d.code, d.message) for d in told))
        if signature in self.seen and not self.drift:
            self._step("stopped: the model made the same mistakes again")
            return None
        self.seen.append(signature)
        if self.attempts >= self.corrector.max_attempts:
            return None
        self.attempts += 1
        what = f"attempt {self.attempts}"
        if failure is Failure.EMPTY:
            return _Request(messages.ask_again(self.dialect), f"{what}, the reply was empty")
        if self.corrector.mode is Mode.DIFFERENTIAL and (regions := find_regions(self.latest)) and not self.drift:
            message = messages.ask_for_parts(self.latest, regions, self.dialect)
            return _Request(message, f"{what}, {messages.count(len(regions), 'broken section')}", tuple(regions))
        return _Request(messages.ask_for_all(self.latest, self.dialect, self.drift), f"{what}, the whole reply")

    def _take(self, request: _Request, reply: Reply) -> None:
        """Read the answer; it counts if it keeps what was sure, and is better than what there was."""
        before, joined, cut_off = self.latest, None, reply.finish.cut_off or None
        if request.goes_on:
            joined = join(before.text, strip_wrapping(reply.text))
            text = joined.text
        elif request.regions:
            spliced = splice(before, request.regions, self.read(reply.text, cut_off).document, self.dialect)
            text = reply.text if spliced is None else spliced
        else:
            text = reply.text
        result = self.read(text, cut_off)
        if joined is not None:
            result = self._mark_seam(result, joined)
        self._step(request.what, text)
        self.trace += result.trace
        self.drift = find_drift(self.best, result.document)
        if self.drift:
            self.notes += [finding for finding in self.drift if finding not in self.notes]
            self._step(f"{request.what}: rejected, it changes what was right")
            log_event("correction", "warning", "answer rejected", request=request.what, changed=len(self.drift))
            self.latest, self.finish = self.best, self.best_finish
            return
        self.stuck = joined is not None and joined.text == before.text
        self.latest, self.finish = result, reply.finish
        if joined is not None or is_better(result, self.best):
            self.best, self.best_finish = self.latest, self.finish

    def _mark_seam(self, result: Result, joined: Join) -> Result:
        """Mark the action across a seam that no repeated line confirms."""
        if joined.anchored:
            return result
        across = [s for s in result.document.actions if s.span.start < joined.seam < s.span.end]
        if not across:
            return result
        suspect = replace(across[0], completeness=Completeness.SUSPECT, confidence=min(across[0].confidence, 0.7))
        sections = tuple(suspect if section is across[0] else section for section in result.document.sections)
        self._note(
            "unanchored-seam",
            "the reply was cut off, and what follows does not repeat its last line",
            "look at the content around the seam",
        )
        confidence = min(result.confidence, 0.7)
        return replace(result, document=replace(result.document, sections=sections), confidence=confidence)

    def _note(self, code: str, message: str, hint: str) -> None:
        finding = Diagnostic(code, message, Span(0, 0), Severity.WARNING, hint=hint)
        if finding not in self.notes:
            self.notes.append(finding)

    def _step(self, outcome: str, text: str | None = None) -> None:
        self.trace.append(TraceStep("corrected", outcome, self.latest.text if text is None else text))

    def _finish(self) -> Result:
        best = self.best
        corrected = best is not self.first
        if corrected:
            self.trace.append(TraceStep("corrected", "the corrected reply was taken", best.text, succeeded=True))
        findings = (*best.diagnostics, *self.notes)
        return replace(
            best,
            phase=Phase.CORRECTED if corrected else best.phase,
            trace=tuple(self.trace),
            document=replace(best.document, diagnostics=findings),
            diagnostics=findings,
        )
