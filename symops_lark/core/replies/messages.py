"""What every model has in common: messages go in, a reply with its finish reason and its usage comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn

from ..ground.errors import SymOpsError
from ..ground.json_objects import FieldError, JsonObject
from ..ground.members import coerce_members
from .contents import ContentError, read_member, read_text, unsendable

if TYPE_CHECKING:
    # SDKs type messages by TypedDicts of their own, to which no class of others can be assigned. So for type checkers
    # a message is also `Any`, and goes where any client wants one.
    class _Turn(dict[str, str], Any):  # type: ignore[misc]
        pass
else:
    _Turn = dict

_ROLES = ("system", "user", "assistant")
_FOREIGN_ROLES = {"developer": "system"}  # as OpenAI calls it
Messages = str | Sequence[Mapping[str, object]]  # a request, or a conversation: `Message`s, dicts, those of SDKs


class Message(_Turn):
    """One turn of a conversation: a frozen dict with `role` and `content`, which every client takes as it is.

    `role` is "system", "user" or "assistant"; raises `ModelError` for others. Both are attributes as well.
    """

    __slots__ = ()
    __match_args__ = ("role", "content")

    def __init__(self, role: str, content: str) -> None:
        if role not in _ROLES:
            raise ModelError(f"a message has the role {role!r}; there are only {', '.join(_ROLES)}")
        super().__init__(role=role, content=content)

    @property
    def role(self) -> str:
        """Who speaks."""
        return self["role"]

    @property
    def content(self) -> str:
        """What is said."""
        return self["content"]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.role, self.content))

    def __repr__(self) -> str:
        return f"Message(role={self.role!r}, content={self.content!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.role, self.content)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a Message is frozen: make another one, or change `to_dict()`, which is a plain dict")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def to_dict(self) -> dict[str, str]:
        """Return the message as a plain JSON object, which is also how most protocols write it."""
        return dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Message:
        """Read a message as most protocols write it, those of SDKs included; raise `FieldError` for anything else."""
        try:
            return _as_message(data)
        except ModelError as error:
            raise FieldError(f"the value: {error}") from None


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
class Usage(JsonObject):
    """Tokens as the provider counts them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Add up two usages; what is unknown in one is unknown in the sum."""
        return Usage(_add(self.input_tokens, other.input_tokens), _add(self.output_tokens, other.output_tokens))


@dataclass(frozen=True, slots=True)
class Reply(JsonObject):
    """A model's reply; `model` is the name that the provider gives to the model that answered."""

    text: str
    finish: Finish = Finish.UNKNOWN
    usage: Usage | None = None
    model: str = ""

    def __post_init__(self) -> None:
        coerce_members(self)


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

    def __post_init__(self) -> None:
        coerce_members(self)


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


def as_messages(messages: Messages, *, to_send: bool = True) -> tuple[Message, ...]:
    """Return a conversation of a string, of messages, or of what SDKs have for them: dicts, or objects.

    Their content may be a list of parts; thinking is left out. Raises `ModelError` for what is no text, and, unless it
    is not `to_send`, where nothing is asked.
    """
    if isinstance(messages, str):
        conversation: tuple[Message, ...] = (Message("user", messages),) if messages or to_send else ()
    else:
        conversation = tuple(_numbered(turn, number) for number, turn in enumerate(messages, 1))
    if to_send and not any(message.role != "system" for message in conversation):
        raise ModelError("there is nothing to ask: the conversation has no message of the user")
    return conversation


def _numbered(turn: object, number: int) -> Message:
    try:
        return _as_message(turn)
    except ModelError as error:
        raise ModelError(f"message {number}: {error}") from None


def _as_message(turn: object) -> Message:
    if isinstance(turn, Message):
        return turn
    role, content = read_member(turn, "role"), read_member(turn, "content")
    if not isinstance(role, str):
        raise ModelError("it has no `role`; a message is a dict with `role` and `content`")
    if kinds := unsendable(content):
        raise ModelError(f"it holds what is no text: {', '.join(kinds)}")
    try:
        return Message(_FOREIGN_ROLES.get(role, role), read_text(content))
    except ContentError as error:
        raise ModelError(f"it has {error}") from None


def _add(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
