"""What clients of others give, read without them: whole answers, and the pieces of one that arrives.

OpenAI's chat completions and responses, Anthropic's messages, messages of LangChain, and the JSON of all of these are
told apart by their members, so nothing is imported for it. Thinking and calls of tools are no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from .contents import ContentError, read_member, read_name, read_text
from .messages import Finish, ModelError, Piece, Reply

CHAT_FINISHES: dict[str, Finish] = {
    "stop": Finish.STOP,
    "tool_calls": Finish.STOP,  # the call of the one tool that there is, if any: see `_as_tool` in `openai`
    "length": Finish.LENGTH,
    "content_filter": Finish.REFUSED,
    "error": Finish.INTERRUPTED,  # OpenRouter: the provider behind it broke off
    "abort": Finish.INTERRUPTED,  # vLLM
}
MESSAGE_FINISHES: dict[str, Finish] = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
}
_FINISHES = CHAT_FINISHES | MESSAGE_FINISHES | {"max_output_tokens": Finish.LENGTH, "completed": Finish.STOP}


class HasChoices(Protocol):
    """A chat completion of OpenAI's protocol, or a chunk of one."""

    @property
    def choices(self) -> Sequence[object]:
        """The first one counts."""


class HasContent(Protocol):
    """A message: of Anthropic, of LangChain, or in a choice of OpenAI's."""

    @property
    def content(self) -> object:
        """A text, or parts of which some are texts."""


class HasOutput(Protocol):
    """A response of OpenAI's."""

    @property
    def output(self) -> Sequence[object]:
        """Its items, of which messages count."""


class HasType(Protocol):
    """An event of a stream of Anthropic's messages, or of OpenAI's responses."""

    @property
    def type(self) -> str:
        """What kind of event it is; those without text say nothing."""


Answer = str | Reply | HasChoices | HasContent | HasOutput | Mapping[str, object] | Sequence[object] | None
Chunk = str | HasChoices | HasContent | HasType | Mapping[str, object] | None


@contextmanager
def _as_model_errors() -> Iterator[None]:
    try:
        yield
    except ContentError as error:
        raise ModelError(f"the model answers with {error}") from None


@_as_model_errors()
def read_answer(answer: Answer) -> Reply:
    """Return the reply in what a client gives, with the reason why it ended, where it tells one.

    That may be its text, None where it has none, the answer as a whole, its message, or the parts of its content.
    Raises `ModelError` for a content without a text, and `TypeError` for what is none of these.
    """
    if isinstance(answer, Reply):
        return answer
    if answer is None or isinstance(answer, str):
        return Reply(answer or "")
    if isinstance(answer, Sequence):
        return Reply(read_text(list(answer)))
    model = read_name(read_member(answer, "model")) or ""
    choices, output = read_member(answer, "choices"), read_member(answer, "output")
    if isinstance(choices, Sequence):
        first = choices[0] if choices else None
        text, finish = _read_said(read_member(first, "message"), read_member(first, "finish_reason"))
    elif isinstance(output, Sequence) and not isinstance(output, str):
        contents = [read_member(item, "content") for item in output if read_member(item, "type") == "message"]
        parts = [part for content in contents for part in content or ()]
        refusal = "".join(read_text(read_member(part, "refusal")) for part in parts)
        text = "".join(read_text([part]) for part in parts if read_member(part, "type") != "refusal")
        finish = Finish.REFUSED if refusal else _response_finish(answer)
        text = text or refusal
    elif _has(answer, "content"):
        reason = read_member(answer, "stop_reason") or _reason_of(read_member(answer, "response_metadata"))
        text, finish = _read_said(answer, reason)
    else:
        raise _unknown(answer, "a reply")
    return Reply(text, finish or Finish.UNKNOWN, model=model)


@_as_model_errors()
def read_chunk(chunk: Chunk) -> Piece:
    """Return what a piece of a stream says: its text, and the reason why the reply ended, if it tells that.

    Raises `ModelError` for a content that is no text, and `TypeError` for what is no piece of a stream.
    """
    if chunk is None or isinstance(chunk, str):
        return Piece(chunk or "")
    choices, kind = read_member(chunk, "choices"), read_member(chunk, "type")
    if isinstance(choices, Sequence):
        if not choices:
            return Piece()
        return Piece(*_read_said(read_member(choices[0], "delta"), read_member(choices[0], "finish_reason")))
    delta = read_member(chunk, "delta")
    match kind:
        case "content_block_delta":
            return Piece(read_text(read_member(delta, "text")) if read_member(delta, "type") == "text_delta" else "")
        case "message_delta":
            return Piece("", _finish(read_member(delta, "stop_reason")))
        case "response.output_text.delta" | "response.refusal.delta":
            return Piece(read_text(delta), Finish.REFUSED if "refusal" in kind else None)
        case "response.completed" | "response.incomplete":
            return Piece("", _response_finish(read_member(chunk, "response")))
    if _has(chunk, "content") and not (isinstance(kind, str) and "_" in kind):  # a message of LangChain's
        return Piece(*_read_said(chunk, _reason_of(read_member(chunk, "response_metadata"))))
    if not isinstance(kind, str):
        raise _unknown(chunk, "a piece of a reply")
    return Piece()


def _read_said(message: object, reason: object) -> tuple[str, Finish | None]:
    """Return the text of a message, or of a part of one, and why it ended; a refusal is one where there is no other."""
    refusal = read_text(read_member(message, "refusal"))
    text = read_text(read_member(message, "content"))
    return text or refusal, Finish.REFUSED if refusal else _finish(reason)


def _response_finish(response: object) -> Finish | None:
    details = read_member(response, "incomplete_details")
    return _finish(read_member(details, "reason") or read_member(response, "status"))


def _reason_of(metadata: object) -> object:
    return read_member(metadata, "finish_reason") or read_member(metadata, "stop_reason")


def _finish(reason: object) -> Finish | None:
    return _FINISHES.get(reason, Finish.UNKNOWN) if isinstance(reason, str) else None


def _has(value: object, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def _unknown(value: Any, wanted: str) -> TypeError:
    known = "a text, or what the clients of OpenAI, Anthropic and LangChain give"
    return TypeError(f"{wanted} is expected: {known}; this is {type(value).__name__}")
