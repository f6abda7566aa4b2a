"""Replies and stream chunks of provider SDKs, read without importing the SDKs.

The readers recognize OpenAI's chat completions and responses, Anthropic's messages, messages of
LangChain, and the JSON of these by their members. Thinking is left out. Tool calls are kept beside
the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

from .contents import ContentError, first_member, is_list, read_member, read_name, read_text
from .messages import Call, Finish, ModelError, Piece, Reply

# The finish reasons of OpenAI's chat completions, and of servers that are compatible with them.
CHAT_FINISHES: dict[str, Finish] = {
    "stop": Finish.STOP,
    "tool_calls": Finish.STOP,
    "function_call": Finish.STOP,
    "length": Finish.LENGTH,
    "model_length": Finish.LENGTH,  # Mistral
    "content_filter": Finish.FILTERED,
    "error": Finish.INTERRUPTED,  # OpenRouter: its provider broke off
    "abort": Finish.INTERRUPTED,  # vLLM
}
# The stop reasons of Anthropic's messages.
MESSAGE_FINISHES: dict[str, Finish] = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
}
# The reasons of incomplete responses of OpenAI, and the status of other ones.
_RESPONSE_FINISHES = {
    "max_output_tokens": Finish.LENGTH,
    "completed": Finish.STOP,
    "failed": Finish.INTERRUPTED,
    "cancelled": Finish.INTERRUPTED,
}
# Not in the table of a model in `models`, which offers no tools and so must not be asked for them.
_CALL_FINISHES = {"tool_use": Finish.STOP}
# The members of LangChain's metadata with the reason: the last two are Bedrock's and Ollama's.
_REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
# No name of one protocol means something else in another, so that one table serves all.
_FINISHES = CHAT_FINISHES | MESSAGE_FINISHES | _RESPONSE_FINISHES | _CALL_FINISHES


class HasChoices(Protocol):
    """A chat completion of OpenAI's protocol, or a chunk of one."""

    @property
    def choices(self) -> Sequence[object]:
        """The choices, of which the first is read."""


class HasContent(Protocol):
    """A message of Anthropic or LangChain, or in a choice of OpenAI."""

    @property
    def content(self) -> object:
        """A text, or a list of parts."""


class HasOutput(Protocol):
    """A response of OpenAI's Responses API."""

    @property
    def output(self) -> Sequence[object]:
        """The output items, of which messages are read."""


class HasType(Protocol):
    """An event in a stream of Anthropic's messages, or of OpenAI's responses."""

    @property
    def type(self) -> str:
        """The type of the event."""


# A response as a whole, or one event of its stream. None: clients have it for an empty content.
_Object = HasChoices | HasContent | HasOutput | Mapping[str, object]
Answer = str | Reply | _Object | Sequence[object] | None
Chunk = str | HasChoices | HasContent | HasType | Mapping[str, object] | None


@contextmanager
def _as_model_errors() -> Iterator[None]:
    try:
        yield
    except ContentError as error:
        raise ModelError(f"the model answers with {error}") from None


def read_answer(answer: Answer) -> Reply:
    """Return the reply in an SDK's response.

    Args:
        answer: The response, its message, the parts of its content, or its text; None is an empty
            reply.

    Returns:
        The reply, with the reason why it ended if the response has one.

    Raises:
        ModelError: The content has no text.
        TypeError: The value is not a response of a known SDK.
    """
    if isinstance(answer, Reply):
        return answer
    # Most answers are texts: they take the short way.
    if answer is None or isinstance(answer, str):
        return Reply(answer or "")
    return _read_response(answer)


@_as_model_errors()
def _read_response(answer: Answer) -> Reply:
    """Return the reply in a response that is not a text."""
    if is_list(answer):
        text, finish, calls = _read_message({"content": answer}, None)
        return Reply(text, finish or Finish.UNKNOWN, calls=calls)

    model = read_name(read_member(answer, "model")) or ""
    choices = read_member(answer, "choices")
    output = read_member(answer, "output")
    if is_list(choices):
        choice = _first_of(choices) or (choices[0] if choices else None)
        reason = read_member(choice, "finish_reason")
        text, finish, calls = _read_message(read_member(choice, "message"), reason)
    elif is_list(output):
        text, finish, calls = _read_output(answer, output)
    elif _has(answer, "content"):
        reason = read_member(answer, "stop_reason")
        reason = reason or _reason_of(read_member(answer, "response_metadata"))
        text, finish, calls = _read_message(answer, reason)
    else:
        raise _unknown(answer, "a reply")
    return Reply(text, finish or Finish.UNKNOWN, model=model, calls=calls)


@_as_model_errors()
def read_chunk(chunk: Chunk) -> Piece:
    """Return the text of one stream chunk, and why the reply ended if the chunk has a reason.

    Args:
        chunk: A chunk or an event of an SDK's stream, or its text; None is an empty piece.

    Raises:
        ModelError: The content is not text.
        TypeError: The value is not a chunk of a known SDK.
    """
    if chunk is None or isinstance(chunk, str):
        return Piece(chunk or "")

    choices = read_member(chunk, "choices")
    if is_list(choices):
        choice = _first_of(choices)
        if choice is None:
            return Piece()  # of another choice, or the last chunk, which has only the usage
        delta = read_member(choice, "delta")
        return _as_piece(_read_message(delta, read_member(choice, "finish_reason")))

    event = read_member(chunk, "type")
    # An event has a type with an underscore (`content_block_start`), or no content (`ping`). A
    # message of LangChain has a content, and a type such as "ai".
    if isinstance(event, str) and ("_" in event or not _has(chunk, "content")):
        return _read_event(event, chunk)
    if _has(chunk, "content"):
        return _as_piece(_read_message(chunk, _reason_of(read_member(chunk, "response_metadata"))))
    raise _unknown(chunk, "a piece of a reply")


def _first_of(choices: Sequence[object]) -> object:
    """Return the choice that is the reply, the first of several; None if it is not there.

    In a stream each chunk has one choice, and its index says of which reply it is a piece.
    """
    for choice in choices:
        if read_member(choice, "index") in (0, None):
            return choice
    return None


def _read_event(event: str, chunk: object) -> Piece:
    """Return the piece in an event of Anthropic's messages, or of OpenAI's responses."""
    delta = read_member(chunk, "delta")
    match event:
        case "content_block_start":
            text = _text_of(read_member(chunk, "content_block"), "text")
            return Piece(text, calls=_read_start(chunk, "index", "content_block"))
        case "content_block_delta":
            arrived = read_member(delta, "partial_json")
            return Piece(
                _text_of(delta, "text_delta"), calls=_part_of_call(chunk, "index", arrived)
            )
        case "message_delta":
            return Piece("", _finish_of(read_member(delta, "stop_reason")))
        case "response.content_part.added":
            return Piece(_text_of(read_member(chunk, "part"), "output_text"))
        case "response.output_text.delta":
            return Piece(read_text(delta))
        case "response.refusal.delta":
            return Piece(read_text(delta), Finish.REFUSED)
        case "response.output_item.added":
            return Piece(calls=_read_start(chunk, "output_index", "item"))
        case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
            return Piece(calls=_part_of_call(chunk, "output_index", delta))
        case "response.completed" | "response.incomplete" | "response.failed":
            return Piece("", _response_finish(read_member(chunk, "response")))
        case "error":
            return Piece("", Finish.INTERRUPTED)
    return Piece()


def _text_of(part: object, kind: str) -> str:
    """Return the text of a part that has this type; "" for other parts."""
    return read_text(read_member(part, "text")) if read_member(part, "type") == kind else ""


# The text of a message, why it ended, and its calls.
_Said = tuple[str, Finish | None, tuple[Call, ...]]


def _as_piece(members: _Said) -> Piece:
    text, finish, calls = members
    return Piece(text, finish, calls=calls)


def _read_start(event: object, place: str, name: str) -> tuple[Call, ...]:
    """Return the call that an event begins, if it begins one."""
    from .calls import read_blocks

    calls = read_blocks([read_member(event, name)])
    return tuple([replace(call, place=_place_of(event, place)) for call in calls])


def _part_of_call(event: object, place: str, arrived: object) -> tuple[Call, ...]:
    if not isinstance(arrived, str):
        return ()
    return (Call(_place_of(event, place), "", read_text(arrived)),)


def _place_of(event: object, name: str) -> int:
    place = read_member(event, name)
    return place if isinstance(place, int) else 0


def _read_message(message: object, reason: object) -> _Said:
    """Return what a message has; the text is that of its refusal if there is no other."""
    from .calls import read_calls

    refusal = read_refusal(message)
    text = read_text(read_member(message, "content"))
    finish = Finish.REFUSED if refusal else _finish_of(reason)
    return text or refusal, finish, read_calls(message)


def read_refusal(message: object) -> str:
    """Return the text of a refusal in a message of OpenAI, or a part of one; "" if there is none.

    Args:
        message: A message, its delta, a message of LangChain, or a part of a content.
    """
    # LangChain keeps what it has no member for.
    other = read_member(read_member(message, "additional_kwargs"), "refusal")
    refusal = read_text(read_member(message, "refusal")) or read_text(other)
    parts = read_member(message, "content")
    if refusal or not is_list(parts):
        return refusal
    return "".join([read_refusal(part) for part in parts])


def _read_output(response: object, output: Sequence[object]) -> _Said:
    """Return what the output of OpenAI's Responses API has."""
    from .calls import read_blocks

    messages = [item for item in output if read_member(item, "type") == "message"]
    text, finish, _ = _read_message({"content": messages}, None)
    return text, finish or _response_finish(response), read_blocks(output)


def _response_finish(response: object) -> Finish | None:
    # An incomplete response has details with the reason; of a complete one, the status is it.
    details = read_member(response, "incomplete_details")
    return _finish_of(read_member(details, "reason") or read_member(response, "status"))


def _reason_of(metadata: object) -> object:
    return first_member(metadata, _REASONS)


def _finish_of(reason: object) -> Finish | None:
    if not isinstance(reason, str):
        return None
    # Providers add reasons from time to time: one that is not in the table is not an error.
    return _FINISHES.get(reason, Finish.UNKNOWN)


def _has(value: object, name: str) -> bool:
    if isinstance(value, Mapping):
        return name in value
    return hasattr(value, name)


def _unknown(value: Any, expected: str) -> TypeError:
    kinds = "a string, or a response of the OpenAI, Anthropic or LangChain client"
    return TypeError(f"expected {expected}: {kinds}; got {type(value).__name__}")
