"""Messages to a model, and its reply with a finish reason and token usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn

from ..ground.errors import SymOpsError
from ..ground.json_objects import FieldError, JsonObject
from ..ground.members import as_member, coerce_members
from .contents import ContentError, clean_text, read_member, read_text, unsendable

if TYPE_CHECKING:
    # Each SDK types messages as its own TypedDicts, to which no other class can be assigned. For
    # type checkers a message is therefore also `Any`, and every client accepts it.
    class _Turn(dict[str, str], Any):  # type: ignore[misc]
        pass
else:
    _Turn = dict

_ROLES = ("system", "user", "assistant")
_ROLE_ALIASES = {"developer": "system"}  # OpenAI's name for it
# A request, or a conversation of `Message`s, dicts or an SDK's messages.
Messages = str | Sequence[Mapping[str, object]]


class Message(_Turn):
    """One turn of a conversation: an immutable dict with `role` and `content`.

    Clients of OpenAI and Anthropic accept it as it is.

    Args:
        role: "system", "user" or "assistant".
        content: The text. It gets U+FFFD for each unpaired surrogate, which cannot be sent.

    Raises:
        ModelError: The role is not one of these three.
    """

    __slots__ = ()
    __match_args__ = ("role", "content")

    def __init__(self, role: str, content: str) -> None:
        if role not in _ROLES:
            raise ModelError(f"a message has the role {role!r}; there are only {', '.join(_ROLES)}")
        # Clients may hand over None, or a list of parts: what is no text is not changed.
        text = clean_text(content) if isinstance(content, str) else content
        super().__init__(role=role, content=text)

    @property
    def role(self) -> str:
        """The role of the speaker."""
        return self["role"]

    @property
    def content(self) -> str:
        """The text of the turn."""
        return self["content"]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.role, self.content))

    def __repr__(self) -> str:
        return f"Message(role={self.role!r}, content={self.content!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.role, self.content)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            "a Message is frozen: make another one, or change `to_dict()`, which is a plain dict"
        )

    # All methods that change a dict: a message is hashable, so it must stay the same.
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def to_dict(self) -> dict[str, str]:
        """Return the message as a plain dict, which most protocols send as it is."""
        return dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Message:
        """Return the message in a dict with `role` and `content`.

        Args:
            data: A dict of a protocol, or an SDK's message.

        Raises:
            FieldError: A member is missing, or is not what it should be.
        """
        try:
            return _as_message(data)
        except ModelError as error:
            raise FieldError(f"the value: {error}") from None


class Finish(StrEnum):
    """Why a reply ended."""

    STOP = "stop"  # the model was done
    LENGTH = "length"  # a limit on tokens cut it off
    REFUSED = "refused"  # the model would not answer
    FILTERED = "filtered"  # a content filter stopped the reply
    INTERRUPTED = "interrupted"  # the connection broke, or the stream was closed
    UNKNOWN = "unknown"  # the provider gives no reason, or the reply is not finished

    @property
    def cut_off(self) -> bool:
        """Whether the reply ended before the model was done."""
        return self in (Finish.LENGTH, Finish.INTERRUPTED, Finish.FILTERED)

    @property
    def declined(self) -> bool:
        """Whether the model, or a filter behind it, would not answer."""
        return self in (Finish.REFUSED, Finish.FILTERED)

    def then(self, later: Finish | None) -> Finish:
        """Return why a reply ended for which a stream gives one reason after the other.

        Args:
            later: The next reason, or None. An orderly end does not take a refusal back.
        """
        if later is None or self.declined:
            return self
        return as_member(Finish, later, "later")


@dataclass(frozen=True, slots=True)
class Usage(JsonObject):
    """Numbers of tokens as the provider counts them; None where it gives no number."""

    input_tokens: int | None = None
    output_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of two usages; a number that is unknown in one is unknown in the sum."""
        return Usage(
            _add(self.input_tokens, other.input_tokens),
            _add(self.output_tokens, other.output_tokens),
        )


@dataclass(frozen=True, slots=True)
class Reply(JsonObject):
    """A model's reply.

    Attributes:
        text: The text of the reply.
        finish: Why it ended.
        usage: The numbers of tokens, or None if the provider gives none.
        model: The provider's name of the model that answered.
        calls: The tool calls beside the text.
    """

    text: str
    finish: Finish = Finish.UNKNOWN
    usage: Usage | None = None
    model: str = ""
    calls: tuple[Call, ...] = ()

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True, slots=True)
class Call(JsonObject):
    """A tool call, or a part of one in a stream. Parts of one call share `place`, or `id`.

    Attributes:
        place: The index of the call in the reply.
        name: The name of the tool; "" in the later parts of a call.
        input: The arguments as JSON, or a part of that text.
        id: The provider's name of the call, or "".
    """

    place: int
    name: str
    input: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """The part that one stream event adds to a reply.

    Attributes:
        text: The text; "" if the event has none.
        finish: Why the reply ended; None if there is more to come.
        usage: The numbers of tokens, or None.
        model: The provider's name of the model, or None.
        calls: Tool calls, or parts of them.
    """

    text: str = ""
    finish: Finish | None = None
    usage: Usage | None = None
    model: str | None = None
    calls: tuple[Call, ...] = ()

    def __post_init__(self) -> None:
        coerce_members(self)


class ModelError(SymOpsError):
    """A model cannot be asked, or its reply broke off.

    Args:
        message: What happened, why, and what to do.
        partial: The part of the reply that had arrived, or None.
        status: The HTTP status of the server, or None.
        retryable: Whether the same request may succeed later.
    """

    def __init__(
        self,
        message: str,
        *,
        partial: Reply | None = None,
        status: int | None = None,
        retryable: bool = False,
    ) -> None:
        self.partial = partial
        self.status = status
        self.retryable = retryable
        super().__init__(message)


def as_messages(messages: Messages, *, to_send: bool = True) -> tuple[Message, ...]:
    """Return a conversation as messages.

    Args:
        messages: A request as a string, or messages: dicts, or an SDK's objects. A content may be a
            list of parts; thinking is left out.
        to_send: Whether the conversation is to be sent to a model, and must ask something.

    Raises:
        ModelError: A message has a part that is not text, or nothing is asked.
    """
    conversation: tuple[Message, ...]
    # An empty request is a request where something is sent, and nothing where it is only read.
    if isinstance(messages, str):
        is_empty = not messages and not to_send
        conversation = () if is_empty else (Message("user", messages),)
    else:
        conversation = tuple(_numbered(turn, number) for number, turn in enumerate(messages, 1))

    # A system message alone asks nothing: most servers refuse it with a less clear error.
    if to_send and all(message.role == "system" for message in conversation):
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
    try:
        kinds = unsendable(content)
        if kinds:
            raise ModelError(f"it has parts that are not text: {', '.join(kinds)}")
        return Message(_ROLE_ALIASES.get(role, role), read_text(content))
    except ContentError as error:
        raise ModelError(f"it has {error}") from None


def _add(left: int | None, right: int | None) -> int | None:
    # Not the known one alone: a sum that is too small is worse than none.
    if left is None or right is None:
        return None
    return left + right
