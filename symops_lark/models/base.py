"""What every model has in common: messages go in, a reply with its finish reason and its usage comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..errors import SymOpsError
from ..json_objects import write_object

_ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; `role` is "system", "user" or "assistant"."""

    role: str
    content: str

    def __post_init__(self) -> None:
        if self.role not in _ROLES:
            raise ModelError(f"a message has the role {self.role!r}; there are only {', '.join(_ROLES)}")

    def to_dict(self) -> dict[str, str]:
        """Return the message as a JSON object, which is also how most protocols write it."""
        return write_object(self)


class Finish(StrEnum):
    """Why a reply ended."""

    STOP = "stop"  # the model was done
    LENGTH = "length"  # a limit on tokens cut it off
    REFUSED = "refused"  # the model, or a filter behind it, would not answer
    INTERRUPTED = "interrupted"  # the connection broke, or somebody closed the stream
    UNKNOWN = "unknown"  # the provider does not say, or the reply still runs

    @property
    def cut_off(self) -> bool:
        """Whether the reply ended before the model was done."""
        return self in (Finish.LENGTH, Finish.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Add up two usages; what is unknown in one is unknown in the sum."""
        return Usage(_add(self.input_tokens, other.input_tokens), _add(self.output_tokens, other.output_tokens))

    def to_dict(self) -> dict[str, int | None]:
        """Return the usage as a JSON object."""
        return write_object(self)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply; `model` is the name that the provider gives to the model that answered."""

    text: str
    finish: Finish = Finish.UNKNOWN
    usage: Usage | None = None
    model: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the reply as a JSON object."""
        return write_object(self)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool, or a part of one that arrives: the parts of one call have its place, or its id, in common."""

    place: int
    name: str
    input: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one event of a stream tells, or a whole answer: text, something about the reply, calls of tools."""

    text: str = ""
    finish: Finish | None = None
    usage: Usage | None = None
    model: str | None = None
    calls: tuple[Call, ...] = ()


class ModelError(SymOpsError):
    """A model cannot be asked, or its reply broke off: `partial` is what had arrived, `status` that of the server.

    `retryable` tells whether the same request may succeed later.
    """

    def __init__(
        self, message: str, *, partial: Reply | None = None, status: int | None = None, retryable: bool = False
    ) -> None:
        self.partial = partial
        self.status = status
        self.retryable = retryable
        super().__init__(message)


def as_messages(messages: Sequence[Message] | str) -> tuple[Message, ...]:
    """Return a conversation of a string; raise `ModelError` where nothing is asked."""
    conversation = (Message("user", messages),) if isinstance(messages, str) else tuple(messages)
    if not any(message.role != "system" for message in conversation):
        raise ModelError("there is nothing to ask: the conversation has no message of the user")
    return conversation


def _add(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
