"""Ask a model for a JSON object: at once, or member by member while it arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator

from ...models import Message, Messages, Model
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
    """Ask a model for a JSON object that fits a schema.

    The model's native way is tried first (`model.way`), then once without a format. A `ModelError`
    is recorded in the answer, not raised.

    Args:
        model: The model.
        messages: The question, as a text or messages.
        schema: The schema of an object.
        name: The name of the answer in a native way.
        description: Its description there.
        cancelled: Returns whether to stop; it is called before each request.
        on_attempt: Receives each attempt when it is over, also if another exception ends it.

    Raises:
        SymOpsError: The schema is invalid, or is not the schema of an object. The model was not
            asked.
    """
    asking = Asking(model, messages, schema, name, description, cancelled, on_attempt)
    for target, instruction in asking.requests():
        with asking.watched():
            asking.outcome = target.generate(instruction)
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
    """Ask as `ask_json` does, asynchronously; cancelling the task ends the request.

    Args:
        model: The model.
        messages: The question, as a text or messages.
        schema: The schema of an object.
        name: The name of the answer in a native way.
        description: Its description there.
        cancelled: Returns whether to stop; it is called before each request.
        on_attempt: Receives each attempt when it is over.
    """
    asking = Asking(model, messages, schema, name, description, cancelled, on_attempt)
    for target, instruction in asking.requests():
        with asking.watched():
            asking.outcome = await target.agenerate(instruction)
    return asking.answer


class AnswerStream:
    """The members of an answer as they become complete, for `for` or `async for`.

    A member that was yielded is never withdrawn. After one, the model is not asked again: an answer
    that then does not fit, or is cut off, has no value. To stop early, close the iterator; its
    request ends with it. Another iteration yields nothing: it would be another request.
    """

    def __init__(self, asking: _ArrivingAsking) -> None:
        self._asking = asking
        self._requests = asking.requests()

    @property
    def answer(self) -> Answer | None:
        """The answer, after the last member; None before."""
        return getattr(self._asking, "answer", None)

    def __iter__(self) -> Iterator[Member]:
        for target, instruction in self._take_requests():
            self._asking.begin()
            with self._asking.watched():
                with target.stream(instruction) as stream:
                    for piece in stream:
                        yield from self._asking.feed(piece)
                self._asking.outcome = stream.reply

    async def __aiter__(self) -> AsyncIterator[Member]:
        for target, instruction in self._take_requests():
            self._asking.begin()
            with self._asking.watched():
                async with target.astream(instruction) as stream:
                    async for piece in stream:
                        for member in self._asking.feed(piece):
                            yield member
                self._asking.outcome = stream.reply

    def _take_requests(self) -> Iterator[tuple[Model, tuple[Message, ...]]]:
        """Return the requests to make; none after the first iteration began."""
        requests = self._requests
        self._requests = iter(())
        return requests


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
    """Return the members of a model's answer as they arrive.

    The model is asked when the iteration begins. For a model that answers strictly, with null for
    absent members, only members of the object itself are yielded, not those inside them.

    Args:
        model: The model.
        messages: The question, as a text or messages.
        schema: The schema of an object.
        name: The name of the answer in a native way.
        description: Its description there.
        cancelled: Returns whether to stop; it is called before each request.
        on_attempt: Receives each attempt when it is over.
    """
    asking = _ArrivingAsking(model, messages, schema, name, description, cancelled, on_attempt)
    return AnswerStream(asking)


class _ArrivingAsking(Asking):
    """A request for an object that is read while it arrives."""

    def begin(self) -> None:
        """Reset the state for another reply."""
        self._object = ObjectStream(self.schema if self.strict is None else self.strict)
        self._yielded: dict[str, object] = {}  # members of a strict answer
        self._visited: set[str] = set()
        self._has_yielded = False

    def feed(self, piece: str) -> Iterator[Member]:
        """Yield the members that become complete by a piece of the reply."""
        members: Iterable[Member] = self._object.feed(piece)
        # A strict answer is read as a whole: inside it, a null may be a value or an absence.
        if self.strict is not None and members:
            members = self._without_nulls()
        for member in members:
            self._has_yielded = True
            yield member

    def _without_nulls(self) -> Iterator[Member]:
        """Yield the new members of the object itself, each carried back from strict mode once."""
        for name, value in self._object.value.items():
            if name in self._visited:
                continue
            self._visited.add(name)
            try:
                carried = from_strict({name: value}, self.schema)
            except TooComplexError:
                return  # `find` reports it
            # A null that stands for an absent member is gone now.
            self._yielded |= carried
            for key, item in carried.items():
                yield Member(pointer_to((key,)), item)

    def find(self, text: str) -> Extraction:
        """Return the object of the reply; an empty result if it contradicts the members."""
        if self.strict is None:
            return self._object.close()
        extraction = super().find(text)
        value = extraction.value
        if value is None or all(value.get(name) == self._yielded[name] for name in self._yielded):
            return extraction
        return refuse_second(extraction, text)

    def may_ask_again(self, attempt: Attempt, outcome: Outcome, refusals: int) -> bool:
        """Return whether another attempt may help, and would not withdraw a member."""
        return not self._has_yielded and super().may_ask_again(attempt, outcome, refusals)
