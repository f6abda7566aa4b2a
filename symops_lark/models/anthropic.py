"""Models that speak Anthropic's protocol of messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from ..core.replies.calls import read_block, read_blocks
from ..core.replies.contents import ContentError, read_count, read_name, read_text
from ..core.replies.messages import Call, Finish, Message, Piece, Usage
from ..core.replies.sdk import MESSAGE_FINISHES
from .forms import Form, Way
from .providers import Provider, Settings
from .remote import RemoteModel

_MAX_TOKENS = 8192  # the protocol requires a limit
# A provider counts the tokens of the input that it read from its cache separately.
_CACHED = ("cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicModel(RemoteModel):
    """A model on a server that speaks Anthropic's protocol."""

    extra, client, method = "anthropic", "Anthropic", "messages.create"
    finishes: ClassVar[dict[str, Finish]] = MESSAGE_FINISHES
    home = "https://api.anthropic.com"
    key_header = ("X-Api-Key", "{}")

    def __init__(self, provider: Provider, settings: Settings) -> None:
        # The SDK adds the version, which other clients expect in the address.
        if settings.base_url:
            settings = replace(settings, base_url=settings.base_url.rstrip("/").removesuffix("/v1"))
        super().__init__(provider, settings)
        self.wants_strict = self.way is Way.SCHEMA

    def _import(self) -> Any:
        import anthropic

        return anthropic

    def _parameters(self, messages: tuple[Message, ...], *, stream: bool) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self.model,
            "messages": [message.to_dict() for message in messages if message.role != "system"],
            "max_tokens": self.settings.max_tokens or _MAX_TOKENS,
            "stream": stream,
        }
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        if system:
            parameters["system"] = system
        if self.settings.temperature is not None:
            # The SDK has no argument for it any more.
            parameters["extra_body"] = {"temperature": self.settings.temperature}
        match self._form, self.way:
            case Form(schema, name, description), Way.TOOL:
                # The tool must be called, once, and its input is the form.
                description = description or "Takes the answer."
                tool = {"name": name, "description": description, "input_schema": schema}
                choice = {"type": "tool", "name": name, "disable_parallel_tool_use": True}
                parameters |= {"tools": [tool], "tool_choice": choice}
            case Form(schema), Way.SCHEMA:
                format = {"type": "json_schema", "schema": dict(schema)}
                parameters["output_config"] = {"format": format}
        return parameters

    def _whole_piece(self, answer: Any) -> Piece:
        self._check(answer)
        if answer.content is None:
            raise ContentError("nothing for its content")
        calls = read_blocks(answer.content)
        finish = self._finish(answer.stop_reason)
        # An object does not show that it was cut off: the last one is written without its end.
        if finish is not None and finish.cut_off and calls:
            call = calls[-1]
            block = answer.content[call.place]
            if block is answer.content[-1] and not isinstance(block.input, str):
                calls = (*calls[:-1], replace(call, input=call.input[:-1]))
        return Piece(
            read_text(answer.content), finish, _usage(answer.usage), read_name(answer.model), calls
        )

    def _piece(self, event: Any) -> Piece:
        if event.type == "content_block_start":
            block = event.content_block
            if block.type == "tool_use":
                return Piece(calls=(read_block(block, event.index),))
            if block.type == "text":
                return Piece(read_text(block.text))
        elif event.type == "content_block_delta":
            delta = event.delta
            if delta.type == "input_json_delta":
                return Piece(calls=(Call(event.index, "", read_text(delta.partial_json)),))
            if delta.type == "text_delta":
                return Piece(read_text(delta.text))
        elif event.type == "message_start":
            return Piece(usage=_usage(event.message.usage), model=read_name(event.message.model))
        elif event.type == "message_delta":
            return Piece("", self._finish(event.delta.stop_reason), _usage(event.usage))
        # Other events, such as pings and thoughts, have no text of the reply.
        return Piece()

    def _finish(self, reason: object) -> Finish | None:
        # The call of the one tool is the reply.
        if reason == "tool_use" and self._form_for(Way.TOOL):
            return Finish.STOP
        return super()._finish(reason)

    def _calls(self, answer: Any) -> bool:
        # The last event of a stream, or a whole answer.
        ending = answer.delta if answer.type == "message_delta" else answer
        return bool(getattr(ending, "stop_reason", None) == "tool_use")


def _usage(usage: Any) -> Usage | None:
    """Return the usage; the input includes tokens of the provider's cache."""
    if usage is None:
        return None
    tokens_in = read_count(getattr(usage, "input_tokens", None))
    # The end of a stream may count parts of the input only.
    if tokens_in is not None:
        tokens_in += sum(read_count(getattr(usage, name, None)) or 0 for name in _CACHED)
    return Usage(tokens_in, read_count(usage.output_tokens))


PROVIDERS = (
    Provider(
        "anthropic", "Anthropic", AnthropicModel, key_variable="ANTHROPIC_API_KEY", way=Way.TOOL
    ),
)
