"""The interface of a model: it receives messages, and returns a reply, whole or in pieces."""

from __future__ import annotations

from typing import Protocol

from ..core.replies.messages import Messages, Reply
from .streams import AsyncReplyStream, ReplyStream


class Model(Protocol):
    """A model of any provider.

    Each failure is a `ModelError`, which has the part of the reply that arrived. `messages` is a
    list of `Message` objects or dicts, or a string for one message of the user.
    """

    @property
    def name(self) -> str:
        """The provider and the model, such as `ollama:qwen3`; for people and records."""

    def generate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply."""

    async def agenerate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply; to cancel the task ends the request."""

    def stream(self, messages: Messages) -> ReplyStream:
        """Return the reply in pieces as they arrive; the model is asked when the first one is."""

    def astream(self, messages: Messages) -> AsyncReplyStream:
        """Return the reply in pieces as they arrive, for `async for`."""
