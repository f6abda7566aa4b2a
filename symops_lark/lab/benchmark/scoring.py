"""From a reply to a record: what each phase made of it, against what was meant."""

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
from ...core.text.diagnostics import Diagnostic
from ...models.protocol import Model
from ...models.streams import AsyncReplyStream, ReplyStream
from .faults.mistakes import Expected
from .fidelity import align, assess, is_flagged, is_right
from .formats import Format
from .records import ASKING, SIMULATED, ActionOutcome, Attempt, PhaseOutcome, Record
from .sources import Given

_LAST_FRAMES = 4
T = TypeVar("T")


def judge(format: Format, given: Given, blank: Record, faultless: Document | str | None = None) -> Record:
    """Return the record of a reply; `blank` is the one without what comes of it.

    `faultless` is what the reply would say without its mistakes, or the text of that reply.

    A crash of the reader is a rejection by all phases, told in the record's `error`; so is a model that fails when it
    is asked again, but that says nothing about the format, so then there are no phases.
    """
    reply = given.reply
    model = _Counted(given.model, reply.usage) if given.model is not None else None
    crash = ""
    try:
        attempts = list(format.read(reply, given.messages, model))
    except Exception as error:  # noqa: BLE001  (a crash is recorded)
        attempts, crash = [], tell_crash(error)
    usage = model.usage if model is not None else reply.usage
    record = replace(
        blank,
        text=reply.text,
        finish=str(reply.finish),
        model=reply.model,
        writing=given.writing,
        faults=given.faults,
        expected=None if given.expected is None else tuple(map(write_object, given.expected)),
        error=crash,
        attempts=1 + (model.asked if model is not None else 0),
        usage=(usage.input_tokens, usage.output_tokens) if usage is not None else (None, None),
    )
    if model is not None and model.failure:
        return replace(record, error=f"asked again, and no reply came: {model.failure}")
    try:
        return _measure(format, given, record, attempts, faultless)
    except Exception as error:  # noqa: BLE001  (a crash is recorded)
        return replace(record, error=tell_crash(error))


def _measure(
    format: Format, given: Given, record: Record, attempts: Sequence[Attempt], faultless: Document | str | None
) -> Record:
    assumed = ASKING if record.provenance.kind == SIMULATED else ""
    measured = [attempt for attempt in attempts if attempt.phase != assumed]
    final = next((attempt for attempt in reversed(measured) if attempt.accepted), None)
    last = final or (measured[-1] if measured else None)
    got = final.document if final is not None else None
    usual = _usual_codes(format, faultless) if final is not None and faultless is not None else frozenset[str]()
    telling = [item for item in final.diagnostics if item.code not in usual] if final is not None else []
    actions: tuple[ActionOutcome, ...] = ()
    cascade = collision = None
    if given.expected is not None:
        collision = any(format.collides(item.contents[0]) for item in given.expected if item.contents[0])
        pairs = align(given.expected, got.actions if got is not None else ())
        actions = tuple(
            _tell(action, telling, is_right(meant, action)) for meant, action in pairs if action is not None
        )
        if given.faults is not None and len(given.faults) == 1 and given.touched is not None:
            fate = [is_right(meant, action) for meant, action in pairs if meant is not None]
            spared = [right for number, right in enumerate(fate) if number not in given.touched]
            cascade = not all(spared) if spared else None
    elif got is not None:
        actions = tuple(_tell(action, telling, None) for action in got.actions)
    return replace(
        record,
        phases=tuple(_outcomes(format.phases, attempts, given.expected, usual)),
        actions=actions,
        codes=tuple(sorted({item.code for item in last.diagnostics})) if last is not None else (),
        cascade=cascade,
        collision=collision,
        harmless=not _find_harm(format, given.reply.text) if given.faults == () else None,
    )


def _remembered(work: Callable[[Format, Any], T]) -> Callable[[Format, Any], T]:
    """Return what asks a format once about what is the same in many repetitions; each time where it has no hash."""
    kept = lru_cache(maxsize=2048)(work)

    def ask(format: Format, given: Any) -> T:
        try:
            hash((format, given))
        except TypeError:
            return work(format, given)
        return kept(format, given)

    return ask


@_remembered
def _find_harm(format: Format, text: str) -> str:
    return format.harms(text)


def _tell(action: Action, diagnostics: Sequence[Diagnostic], right: bool | None) -> ActionOutcome:
    complete = action.completeness is Completeness.COMPLETE
    return ActionOutcome(action.confidence, is_flagged(action, diagnostics), right, complete)


def _outcomes(
    phases: Sequence[str], attempts: Sequence[Attempt], expected: Sequence[Expected] | None, usual: Collection[str]
) -> list[PhaseOutcome]:
    """Return what there is after each phase; one that makes nothing, or was not reached, leaves what there was."""
    made = {attempt.phase: attempt for attempt in attempts}
    outcomes: list[PhaseOutcome] = []
    for phase in phases:
        seconds = made[phase].seconds if phase in made else None
        attempt = made[phase] if phase in made and made[phase].accepted else Attempt(phase, None)
        if outcomes and not attempt.accepted:
            outcomes.append(replace(outcomes[-1], phase=phase, seconds=seconds))
            continue
        outcome = PhaseOutcome(phase, attempt.accepted, confidence=attempt.confidence, seconds=seconds)
        if expected is not None:
            fidelity = assess(expected, attempt.document, attempt.diagnostics, usual, attempt.confidence)
            outcome = replace(outcome, **asdict(fidelity))
        outcomes.append(outcome)
    return outcomes


@_remembered
def _usual_codes(format: Format, faultless: Document | str) -> frozenset[str]:
    """Return the codes of what the reader has to say about a faultless text, or about what says a document."""
    if isinstance(faultless, Document):
        if format.refuse(faultless):
            return frozenset()
        faultless = format.write(faultless)
    return frozenset(item.code for item in list(format.read(Reply(faultless)))[-1].diagnostics)


def tell_crash(error: BaseException) -> str:
    """Return a crash and where it was as text, without the folders of this machine."""
    frames = traceback.extract_tb(error.__traceback__)[-_LAST_FRAMES:]
    told = (f"  {'/'.join(PurePath(f.filename).parts[-3:])}:{f.lineno} in {f.name}: {f.line}" for f in frames)
    return "\n".join([f"crash: {type(error).__name__}: {error}", *told])


class _Counted:
    """A model that counts how often it is asked and what that costs, and remembers that it failed."""

    def __init__(self, model: Model, usage: Usage | None) -> None:
        self.model, self.name = model, model.name
        self.usage = usage
        self.asked = 0
        self.failure = ""

    def generate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply."""
        self.asked += 1
        try:
            reply = self.stream(messages).read()
        except ModelError as error:
            self.failure = str(error)
            raise
        self.usage = self.usage + reply.usage if self.usage is not None and reply.usage is not None else None
        return reply

    async def agenerate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply."""
        return self.generate(messages)

    def stream(self, messages: Messages) -> ReplyStream:
        """Ask, uncounted."""
        return self.model.stream(messages)

    def astream(self, messages: Messages) -> AsyncReplyStream:
        """Ask, uncounted."""
        return self.model.astream(messages)
