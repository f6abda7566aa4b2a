"""Run a conversation with a model, which is a generator without input and output.

The generator yields messages, receives replies and returns a result. `drive` and `adrive` ask the
model, so that one conversation serves callers that block and callers that await.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Protocol

from ..grammar.dialect import Dialect
from ..result import Result
from .messages import Finish, Message, Messages, ModelError, Reply


class Asked(Protocol):
    """The part of a model that a conversation uses (`models.Model` has more)."""

    def generate(self, messages: tuple[Message, ...]) -> Reply:
        """Return the complete reply."""

    async def agenerate(self, messages: tuple[Message, ...]) -> Reply:
        """Return the complete reply; cancelling the task ends the request."""


# Yields the messages to send, receives the reply to each, and returns the result.
Conversation = Generator[tuple[Message, ...], Reply, Result]


class Corrector(Protocol):
    """Asks a model again (`SelfCorrector`); the core only runs the conversation."""

    @property
    def model(self) -> Asked:
        """The model that is asked."""

    def correct(
        self,
        first: Result,
        dialect: Dialect,
        prompt: Messages,
        finish: Finish,
        read: Callable[..., Result],
    ) -> Conversation:
        """Yield the messages to the model, receive its replies, and return the result.

        Args:
            first: The result of the first reply.
            dialect: The dialect of that reply.
            prompt: The request that was sent, as a string or messages.
            finish: Why the first reply ended.
            read: Reads a further reply.
        """


def drive(conversation: Conversation, model: Asked | None) -> Result:
    """Return the result of a conversation.

    Args:
        conversation: The conversation, not started yet.
        model: Who is asked; None for a conversation that asks nothing.
    """
    turn = _send(conversation, None)
    while not isinstance(turn, Result):
        assert model is not None, "only a corrector asks"
        try:
            reply: Reply | ModelError = model.generate(turn)
        except ModelError as error:
            reply = error  # the conversation decides whether it ends
        turn = _send(conversation, reply)
    return turn


# The same code as `drive`, but for `await`: Python has no function that is both.
async def adrive(conversation: Conversation, model: Asked | None) -> Result:
    """Return the result of a conversation; other tasks run while the model answers.

    Args:
        conversation: The conversation, not started yet.
        model: Who is asked; None for a conversation that asks nothing.
    """
    turn = _send(conversation, None)
    while not isinstance(turn, Result):
        assert model is not None, "only a corrector asks"
        try:
            reply: Reply | ModelError = await model.agenerate(turn)
        except ModelError as error:
            reply = error
        turn = _send(conversation, reply)
    return turn


def _send(
    conversation: Conversation, reply: Reply | ModelError | None
) -> tuple[Message, ...] | Result:
    """Return the next messages to send, or the result; no reply starts the conversation."""
    try:
        if reply is None:
            return next(conversation)
        # The conversation may have a use for the partial reply of a model that failed.
        if isinstance(reply, ModelError):
            return conversation.throw(reply)
        return conversation.send(reply)
    except StopIteration as stop:  # how a generator returns a value
        result: Result = stop.value
        return result
