"""Asking a model for a JSON object: whole, or member by member as it arrives; asynchronously as well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator

from ...models import Messages, Model
from .answers import Answer, Attempt
from .arriving import Member, ObjectStream, refuse_second
from .attempts import Asking, Outcome
from .extraction import Extraction
from .schema.budget import TooComplexError
from .schema.problems import Schema, pointer_to
from .schema.projection import from_strict

Cancelled = Callable[[], bool]
OnAttempt = Callable[[Attempt], object]


def ask_json(
    model: Model,
    messages: Messages,
    schema: Schema,
    *,
    name: str = "answer",
    description: str = "",
    cancelled: Cancelled | None = None,
    on_attempt: OnAttempt | None = None,
) -> Answer:
    """Return what a model answers as a JSON object that fits a schema; no `ModelError` is raised, but recorded.

    The model's own way is tried first (`model.way`), then once without a format. `name` and `description` are what a
    native way calls the answer. `cancelled` is asked before each call. `on_attempt` is told of each attempt when it is
    over, also where another exception ends it. Raises `SymOpsError` before anything is asked if the schema is wrong, or
    describes no object.
    """
    asking = Asking(model, messages, schema, name, description, cancelled, on_attempt)
    for asked, instruction in asking.requests():
        with asking.watched():
            asking.outcome = asked.generate(instruction)
    return asking.answer


async def aask_json(
    model: Model,
    messages: Messages,
    schema: Schema,
    *,
    name: str = "answer",
    description: str = "",
    cancelled: Cancelled | None = None,
    on_attempt: OnAttempt | None = None,
) -> Answer:
    """Return what `ask_json` returns; to cancel the task ends the request."""
    asking = Asking(model, messages, schema, name, description, cancelled, on_attempt)
    for asked, instruction in asking.requests():
        with asking.watched():
            asking.outcome = await asked.agenerate(instruction)
    return asking.answer


class AnswerStream:
    """The members of an answer as they become whole, for `for` or `async for`; then `answer` is the whole of it.

    Law: what was given is not taken back. Once a member was given, nothing is asked again; an answer that turns out not
    to fit, or to be cut off, has no value. To leave early, close the iterator; its request ends with it.
    """

    def __init__(self, asking: _ArrivingAsking) -> None:
        self._asking = asking
        self.answer: Answer | None = None

    def __iter__(self) -> Iterator[Member]:
        for asked, instruction in self._asking.requests():
            self._asking.begin()
            with self._asking.watched():
                with asked.stream(instruction) as stream:
                    for piece in stream:
                        yield from self._asking.feed(piece)
                self._asking.outcome = stream.reply
        self.answer = self._asking.answer

    async def __aiter__(self) -> AsyncIterator[Member]:
        for asked, instruction in self._asking.requests():
            self._asking.begin()
            with self._asking.watched():
                async with asked.astream(instruction) as stream:
                    async for piece in stream:
                        for member in self._asking.feed(piece):
                            yield member
                self._asking.outcome = stream.reply
        self.answer = self._asking.answer


def stream_json(
    model: Model,
    messages: Messages,
    schema: Schema,
    *,
    name: str = "answer",
    description: str = "",
    cancelled: Cancelled | None = None,
    on_attempt: OnAttempt | None = None,
) -> AnswerStream:
    """Return the members of a model's answer as they arrive; the model is asked when the first one is.

    The arguments are those of `ask_json`. Of a model that answers strictly, with null for what is absent, only members
    of the object itself are given, not those inside them.
    """
    return AnswerStream(_ArrivingAsking(model, messages, schema, name, description, cancelled, on_attempt))


class _ArrivingAsking(Asking):
    """An object that is asked for, and read while it arrives."""

    def begin(self) -> None:
        """Take note that another reply begins."""
        self._object = ObjectStream(self.schema if self.strict is None else self.strict)
        self._given: dict[str, object] = {}  # of a strict answer, by name
        self._seen: set[str] = set()
        self._announced = False

    def feed(self, piece: str) -> Iterator[Member]:
        """Yield what becomes whole by a piece."""
        members = self._object.feed(piece)
        for member in members if self.strict is None else self._without_nulls(members):
            self._announced = True
            yield member

    def _without_nulls(self, members: Iterable[Member]) -> Iterator[Member]:
        """Yield what is new of the members of the object itself, each carried back once."""
        arrived = self._object.value if members else {}
        for name in [name for name in arrived if name not in self._seen]:
            self._seen.add(name)
            try:
                carried = from_strict({name: arrived[name]}, self.schema)
            except TooComplexError:
                return  # `find` says why
            for kept, value in carried.items():
                self._given[kept] = value
                yield Member(pointer_to((kept,)), value)

    def find(self, text: str) -> Extraction:
        """Return the object of the reply; nothing, if that is not what was given."""
        if self.strict is None:
            return self._object.close()
        found = super().find(text)
        if found.value is None or all(found.value.get(name) == value for name, value in self._given.items()):
            return found
        return refuse_second(found, text)

    def may_ask_again(self, attempt: Attempt, outcome: Outcome, refusals: int) -> bool:
        """Return whether another attempt may give what this one did not, and nothing would be taken back by it."""
        return not self._announced and super().may_ask_again(attempt, outcome, refusals)
