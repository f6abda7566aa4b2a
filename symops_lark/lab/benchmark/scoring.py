"""Turn a reply into a record: the result of each phase, compared with the intention."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import PurePath
from typing import Any, TypeVar

from ...core.document import Action, Completeness, Document
from ...core.ground.json_objects import write_object
from ...core.replies.messages import Messages, ModelError, Reply, Usage
from ...models.protocol import Model
from ...models.streams import AsyncReplyStream, ReplyStream
from .faults.mistakes import Expected
from .fidelity import Pair, align, assess, is_flagged, is_right
from .formats import Format
from .records import ASKING, SIMULATED, ActionOutcome, Attempt, PhaseOutcome, Record
from .sources import Given

_LAST_FRAMES = 4  # of a traceback; those before are of the benchmark
T = TypeVar("T")


def judge(
    format: Format, given: Given, blank: Record, faultless: Document | str | None = None
) -> Record:
    """Return the record of a reply.

    A crash of the reader is a rejection by all phases, and is in the record's `error`. If a model
    fails when it is asked again, there are no phases: this says nothing about the format.

    Args:
        format: The format.
        given: The reply.
        blank: The record without any result.
        faultless: The document without the mistakes of the reply, or the text of such a reply.
    """
    reply = given.reply
    usage = reply.usage
    model = None
    if given.model is not None:
        model = _Counted(given.model, usage)
    attempts: list[Attempt] = []
    crash = ""
    try:
        attempts += format.read(reply, given.messages, model)
    except Exception as error:  # noqa: BLE001  (a crash is recorded)
        attempts.clear()
        crash = tell_crash(error)
    count = 1
    if model is not None:
        usage = model.usage
        count += model.asked
    record = replace(
        blank,
        text=reply.text,
        finish=str(reply.finish),
        model=reply.model,
        writing=given.writing,
        faults=given.faults,
        expected=None if given.expected is None else tuple(map(write_object, given.expected)),
        error=crash,
        attempts=count,
        usage=(None, None) if usage is None else (usage.input_tokens, usage.output_tokens),
    )
    if model is not None and model.failure:
        return replace(record, error=f"asked again, and no reply came: {model.failure}")
    try:
        return _measure(format, given, record, attempts, faultless)
    except Exception as error:  # noqa: BLE001  (a crash is recorded)
        return replace(record, error=tell_crash(error))


def _measure(
    format: Format,
    given: Given,
    record: Record,
    attempts: Sequence[Attempt],
    faultless: Document | str | None,
) -> Record:
    # The last accepted attempt, and the last one of all if none was accepted.
    final = last = None
    for attempt in attempts:
        # What a simulated writer replies when it is asked again is an assumption.
        if attempt.phase == ASKING and record.provenance.kind == SIMULATED:
            continue
        last = attempt
        if attempt.accepted:
            final = attempt
    last = final or last
    usual: Collection[str] = ()
    if final is not None and faultless is not None:
        usual = _usual_codes(format, faultless)
    actual: Sequence[Action] = ()
    warnings = []
    if final is not None and final.document is not None:
        actual = final.document.actions
        warnings = [item for item in final.diagnostics if item.code not in usual]
    cascade = collision = None
    pairs: list[Pair] = [(None, action) for action in actual]
    # Without known intentions, an action is neither right nor wrong.
    if given.expected is not None:
        collision = any(
            format.collides(item.contents[0]) for item in given.expected if item.contents[0]
        )
        pairs = align(given.expected, actual)
        cascade = _find_cascade(given, pairs)
    actions = []
    for item, action in pairs:
        if action is not None:
            is_complete = action.completeness is Completeness.COMPLETE
            right = None if given.expected is None else is_right(item, action)
            flagged = is_flagged(action, warnings)
            actions.append(ActionOutcome(action.confidence, flagged, right, is_complete))
    codes: Collection[str] = ()
    if last is not None:
        codes = {item.code for item in last.diagnostics}
    harmless = None
    if given.faults == ():
        harmless = not _find_harm(format, given.reply.text)
    return replace(
        record,
        phases=tuple(_outcomes(format.phases, attempts, given.expected, usual)),
        actions=tuple(actions),
        codes=tuple(sorted(codes)),
        cascade=cascade,
        collision=collision,
        harmless=harmless,
    )


def _find_cascade(given: Given, pairs: Sequence[Pair]) -> bool | None:
    """Return whether a single mistake changed an action that it did not touch."""
    if given.faults is None or len(given.faults) != 1 or given.touched is None:
        return None
    # In the order of the intended actions, by which `touched` counts.
    results = [is_right(item, action) for item, action in pairs if item is not None]
    spared = [right for number, right in enumerate(results) if number not in given.touched]
    return not all(spared) if spared else None


def _remembered(work: Callable[[Format, Any], T]) -> Callable[[Format, Any], T]:
    """Cache a function that gives the same result in many repetitions.

    Without a hash of its arguments, it is called each time.
    """
    cached = lru_cache(maxsize=2048)(work)

    def ask(format: Format, value: Any) -> T:
        try:
            hash((format, value))
        except TypeError:
            return work(format, value)
        return cached(format, value)

    return ask


@_remembered
def _find_harm(format: Format, text: str) -> str:
    return format.harms(text)


def _outcomes(
    phases: Sequence[str],
    attempts: Sequence[Attempt],
    expected: Sequence[Expected] | None,
    usual: Collection[str],
) -> list[PhaseOutcome]:
    """Return the result after each phase."""
    attempts_by_phase = {attempt.phase: attempt for attempt in attempts}
    outcomes: list[PhaseOutcome] = []
    for phase in phases:
        attempt = attempts_by_phase.get(phase)
        seconds = None if attempt is None else attempt.seconds
        if attempt is None or not attempt.accepted:
            attempt = Attempt(phase, None)
        # A phase that gives nothing, or was not reached, keeps the result of the one before.
        if outcomes and not attempt.accepted:
            outcomes.append(replace(outcomes[-1], phase=phase, seconds=seconds))
            continue
        outcome = PhaseOutcome(
            phase, attempt.accepted, confidence=attempt.confidence, seconds=seconds
        )
        if expected is not None:
            fidelity = assess(
                expected, attempt.document, attempt.diagnostics, usual, attempt.confidence
            )
            outcome = replace(outcome, **asdict(fidelity))
        outcomes.append(outcome)
    return outcomes


@_remembered
def _usual_codes(format: Format, faultless: Document | str) -> frozenset[str]:
    """Return the codes of findings about a faultless text, or the text of a document."""
    if isinstance(faultless, Document):
        # A format that cannot express the document has no faultless text.
        if format.refuse(faultless):
            return frozenset()
        faultless = format.write(faultless)
    *_, last = format.read(Reply(faultless))
    return frozenset(item.code for item in last.diagnostics)


def tell_crash(error: BaseException) -> str:
    """Return a crash and its place as text, without the folders of this machine."""
    lines = [f"crash: {type(error).__name__}: {error}"]
    for frame in traceback.extract_tb(error.__traceback__)[-_LAST_FRAMES:]:
        file = "/".join(PurePath(frame.filename).parts[-3:])
        lines.append(f"  {file}:{frame.lineno} in {frame.name}: {frame.line}")
    return "\n".join(lines)


class _Counted:
    """A model that counts its requests and their tokens, and remembers that it failed."""

    def __init__(self, model: Model, usage: Usage | None) -> None:
        self.model = model
        self.name = model.name
        self.usage = usage
        self.asked = 0
        self.failure = ""

    def generate(self, messages: Messages) -> Reply:
        """Ask, and wait for the end of the reply."""
        self.asked += 1
        try:
            reply = self.stream(messages).read()
        except ModelError as error:
            # The corrector handles the error, so it is kept here.
            self.failure = str(error)
            raise
        except Exception as error:
            # A crash of the model says nothing about the reader.
            self.failure = tell_crash(error)
            raise
        if self.usage is None or reply.usage is None:
            # Some tokens are unknown, so the sum is, too.
            self.usage = None
        else:
            self.usage += reply.usage
        return reply

    async def agenerate(self, messages: Messages) -> Reply:
        """Ask, and wait for the end of the reply."""
        return self.generate(messages)

    def stream(self, messages: Messages) -> ReplyStream:
        """Ask without counting."""
        return self.model.stream(messages)

    def astream(self, messages: Messages) -> AsyncReplyStream:
        """Ask without counting."""
        return self.model.astream(messages)
