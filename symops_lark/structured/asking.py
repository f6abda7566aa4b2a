"""Asking a model for a JSON object: natively if it can, else by words, and what each attempt gave.

Laws: an answer that was cut off is not taken for a whole one; what a model refuses is not read for values; whoever is
cancelled starts no further call; every call is recorded. A native way that fails is tried once more without a format,
in a fresh conversation; a refusal is asked again at most twice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import add
from typing import Any, cast

from ..diagnostics import Diagnostic
from ..errors import SymOpsError
from ..json_objects import write_object
from ..models import Finish, Form, FormModel, Message, Model, Reply, Usage, Way, as_messages
from ..models.base import ModelError
from .extraction import Extraction, extract_json
from .suffix import prompt_suffix

METHOD = "structured_output"
_ASKED_AGAIN = 2  # times at most, after refusals
_PASSING = (408, 425, 429, 502, 503, 504, 529)
_NOT_THE_FORM = (401, 402, 403, *_PASSING)  # status codes that another question would meet as well


class Status(StrEnum):
    """What came of one attempt."""

    ANSWERED = "answered"  # a value that fits the schema
    INVALID = "invalid"  # a text without such a value
    EMPTY = "empty"  # no text
    CUT_OFF = "cut_off"  # the reply ended before the model was done
    REFUSED = "refused"  # the model, or a filter behind it, would not answer
    FAILED = "failed"  # no reply came: `error` says why


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call: how and what was asked, what came back, and what was made of it.

    `diagnostics` have places in `response`; `strategy` and `repaired` say how the value was found there.
    """

    way: Way
    instruction: tuple[Message, ...]
    response: str
    status: Status
    finish: Finish = Finish.UNKNOWN
    usage: Usage | None = None
    strategy: str | None = None
    repaired: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the attempt as a JSON object."""
        return write_object(self)


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON object that fits the schema as `value`, or None, and the attempts that led there."""

    value: dict[str, Any] | None
    attempts: tuple[Attempt, ...] = ()
    cancelled: bool = False
    method: str = METHOD

    @property
    def way(self) -> Way | None:
        """The way of the last attempt; None if there was none."""
        return self.attempts[-1].way if self.attempts else None

    @property
    def status(self) -> Status | None:
        """The status of the last attempt; None if there was none."""
        return self.attempts[-1].status if self.attempts else None

    @property
    def refused(self) -> bool:
        """Whether the model would not answer, asked again as well."""
        return self.status is Status.REFUSED

    @property
    def repaired(self) -> bool:
        """Whether the value is that of a text that is not JSON as it stands."""
        return bool(self.attempts) and self.attempts[-1].repaired

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the last attempt has to say of its response."""
        return self.attempts[-1].diagnostics if self.attempts else ()

    @property
    def usage(self) -> Usage | None:
        """The tokens of all attempts; None where no attempt knows, and what one does not know is unknown."""
        known = [attempt.usage for attempt in self.attempts]
        return reduce(add, (usage or Usage() for usage in known)) if any(known) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        names = ("value", "method", "way", "status", "refused", "cancelled", "repaired", "usage", "attempts")
        return write_object(self, *names)


def ask_json(
    model: Model,
    messages: Sequence[Message] | str,
    schema: Mapping[str, Any],
    *,
    name: str = "answer",
    description: str = "",
    cancelled: Callable[[], bool] | None = None,
    on_attempt: Callable[[Attempt], object] | None = None,
) -> Answer:
    """Return what a model answers as a JSON object that fits a schema; no `ModelError` is raised, but recorded.

    The model's own way is tried first (`model.way`), then once without a format. `name` and `description` are what a
    native way calls the answer. `cancelled` is asked before each call. `on_attempt` is told of each attempt when it is
    over, also where another exception ends it. Raises `SymOpsError` if the schema does not describe an object.
    """
    steps = _steps(model, as_messages(messages), _check_schema(schema), name, description, cancelled, on_attempt)
    outcome: Reply | ModelError | None = None
    try:
        while True:
            asked, instruction = steps.send(outcome)  # type: ignore[arg-type]  # None begins
            try:
                outcome = asked.generate(instruction)
            except ModelError as error:
                outcome = error
            except BaseException as error:  # noqa: BLE001  (raised again by the attempt that it ends)
                steps.throw(error)
    except StopIteration as done:
        return cast(Answer, done.value)


async def aask_json(
    model: Model,
    messages: Sequence[Message] | str,
    schema: Mapping[str, Any],
    *,
    name: str = "answer",
    description: str = "",
    cancelled: Callable[[], bool] | None = None,
    on_attempt: Callable[[Attempt], object] | None = None,
) -> Answer:
    """Return what `ask_json` returns; to cancel the task ends the request."""
    steps = _steps(model, as_messages(messages), _check_schema(schema), name, description, cancelled, on_attempt)
    outcome: Reply | ModelError | None = None
    try:
        while True:
            asked, instruction = steps.send(outcome)  # type: ignore[arg-type]  # None begins
            try:
                outcome = await asked.agenerate(instruction)
            except ModelError as error:
                outcome = error
            except BaseException as error:  # noqa: BLE001  (raised again by the attempt that it ends)
                steps.throw(error)
    except StopIteration as done:
        return cast(Answer, done.value)


# ---- the attempts, whoever asks

_Steps = Generator[tuple[Model, tuple[Message, ...]], Reply | ModelError, Answer]


def _steps(
    model: Model,
    messages: tuple[Message, ...],
    schema: Mapping[str, Any],
    name: str,
    description: str,
    cancelled: Callable[[], bool] | None,
    on_attempt: Callable[[Attempt], object] | None,
) -> _Steps:
    """Yield whom to ask what, and take what came of it."""
    way: Way = getattr(model, "way", Way.PROMPT)
    form = Form(schema, name, description)
    attempts: list[Attempt] = []
    refusals = 0
    while not (cancelled and cancelled()):
        asked, instruction = _prepare(model, messages, form, way)
        try:
            outcome = yield asked, instruction
        except BaseException as error:
            if on_attempt is not None:
                on_attempt(Attempt(way, instruction, "", Status.FAILED, error=f"{type(error).__name__}: {error}"))
            raise
        attempt, value = _judge(way, instruction, outcome, schema)
        attempts.append(attempt)
        if on_attempt is not None:
            on_attempt(attempt)
        refusals += attempt.status is Status.REFUSED
        if value is not None or not _may_ask_again(attempt, outcome, refusals):
            return Answer(value, tuple(attempts))
        way = Way.PROMPT
    return Answer(None, tuple(attempts), cancelled=True)


def _prepare(model: Model, messages: tuple[Message, ...], form: Form, way: Way) -> tuple[Model, tuple[Message, ...]]:
    """Return whom to ask what, natively or by words."""
    if way is Way.PROMPT:
        return model, _with_suffix(messages, prompt_suffix(form.schema))
    return cast(FormModel, model).in_form(form), messages


def _with_suffix(messages: tuple[Message, ...], suffix: str) -> tuple[Message, ...]:
    """Return a conversation whose last words, which are the user's, end with a suffix."""
    *before, last = messages
    if last.role == "user":
        return (*before, Message("user", last.content + suffix))
    return (*messages, Message("user", suffix.strip()))


def _judge(
    way: Way, instruction: tuple[Message, ...], outcome: Reply | ModelError, schema: Mapping[str, Any]
) -> tuple[Attempt, dict[str, Any] | None]:
    """Return what came of an attempt, and the value where it gave one."""
    failed = isinstance(outcome, ModelError)
    reply = outcome.partial or Reply("") if isinstance(outcome, ModelError) else outcome
    found = Extraction(None)
    if failed:
        status = Status.FAILED
    elif reply.finish is Finish.REFUSED:
        status = Status.REFUSED
    elif not reply.text.strip():
        status = Status.CUT_OFF if reply.finish.cut_off else Status.EMPTY
    else:
        found = extract_json(reply.text, schema)
        status = _read_status(way, reply, found)
    value = found.value if status is Status.ANSWERED else None
    how = (found.strategy, found.repaired) if value is not None else (None, False)
    facts = (reply.text, status, reply.finish, reply.usage)
    return Attempt(way, instruction, *facts, *how, found.diagnostics, str(outcome) if failed else ""), value


def _read_status(way: Way, reply: Reply, found: Extraction) -> Status:
    """Return what a reply with a text is.

    Of one that was cut off only an object counts that is all of it: the last of several may have been to come.
    """
    if reply.finish.cut_off:
        return Status.ANSWERED if found.strategy == "direct" and not found.repaired else Status.CUT_OFF
    if found.value is None:
        return Status.REFUSED if found.refused else Status.INVALID
    return Status.INVALID if found.repaired and way is not Way.PROMPT else Status.ANSWERED


def _may_ask_again(attempt: Attempt, outcome: Reply | ModelError, refusals: int) -> bool:
    if attempt.status is Status.REFUSED:
        return refusals <= _ASKED_AGAIN
    if isinstance(outcome, ModelError):
        passing = outcome.retryable if outcome.status is None else outcome.status in _NOT_THE_FORM
        return attempt.way is not Way.PROMPT and not passing
    return attempt.way is not Way.PROMPT


def _check_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = schema.get("type", "object")
    if "object" not in ([kind] if isinstance(kind, str) else kind):
        raise SymOpsError(f"the schema describes no object but {kind!r}: answers are JSON objects")
    return schema
