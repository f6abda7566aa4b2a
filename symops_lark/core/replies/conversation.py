"""Leading a conversation with a model: it is a generator that gives messages and takes replies."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from ..result import Result
from .messages import Message, ModelError, Reply


class Asked(Protocol):
    """A model, as far as a conversation needs one (`models.Model`)."""

    def generate(self, messages: tuple[Message, ...]) -> Reply:
        """Ask and wait for the whole reply."""

    async def agenerate(self, messages: tuple[Message, ...]) -> Reply:
        """Ask and wait for the whole reply; to cancel the task ends the request."""


Conversation = Generator[tuple[Message, ...], Reply, Result]


def drive(conversation: Conversation, model: Asked | None) -> Result:
    """Return the result of a conversation with a model; without one, it must ask nothing."""
    turn = _send(conversation, None)
    while not isinstance(turn, Result):
        assert model is not None, "only a corrector asks"
        try:
            reply: Reply | ModelError = model.generate(turn)
        except ModelError as error:
            reply = error
        turn = _send(conversation, reply)
    return turn


async def adrive(conversation: Conversation, model: Asked | None) -> Result:
    """Return what `drive` does, and wait for the model without blocking other tasks."""
    turn = _send(conversation, None)
    while not isinstance(turn, Result):
        assert model is not None, "only a corrector asks"
        try:
            reply: Reply | ModelError = await model.agenerate(turn)
        except ModelError as error:
            reply = error
        turn = _send(conversation, reply)
    return turn


def _send(conversation: Conversation, reply: Reply | ModelError | None) -> tuple[Message, ...] | Result:
    """Return what is to be sent next, or the result; without a reply, the conversation begins."""
    try:
        if isinstance(reply, ModelError):
            return conversation.throw(reply)
        return next(conversation) if reply is None else conversation.send(reply)
    except StopIteration as stop:
        result: Result = stop.value
        return result
