"""Models behind the Anthropic protocol of messages."""

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

_MAX_TOKENS = 8192  # the protocol wants a limit
_INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicModel(RemoteModel):
    """A model behind a server that speaks Anthropic's messages."""

    extra, client, method = "anthropic", "Anthropic", "messages.create"
    finishes: ClassVar[dict[str, Finish]] = MESSAGE_FINISHES

    def __init__(self, provider: Provider, settings: Settings) -> None:
        if settings.base_url:  # the SDK adds the version, which others want in the address
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
            parameters["extra_body"] = {"temperature": self.settings.temperature}  # the SDK has no name for it any more
        if form := self._form_for(Way.TOOL):
            parameters |= _as_tool(form)
        if form := self._form_for(Way.SCHEMA):
            parameters["output_config"] = {"format": {"type": "json_schema", "schema": dict(form.schema)}}
        return parameters

    def _whole_piece(self, answer: Any) -> Piece:
        self._check(answer)
        if answer.content is None:
            raise ContentError("nothing for its content")
        calls = read_blocks(answer.content)
        finish = self._finish(answer.stop_reason)
        return Piece(read_text(answer.content), finish, _usage(answer.usage), read_name(answer.model), calls)

    def _piece(self, event: Any) -> Piece:
        if event.type == "content_block_start":
            begun = event.content_block
            return Piece(calls=(read_block(begun, event.index),) if begun.type == "tool_use" else ())
        if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            return Piece(calls=(Call(event.index, "", read_text(event.delta.partial_json)),))
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            return Piece(read_text(event.delta.text))
        if event.type == "message_start":
            return Piece(usage=_usage(event.message.usage), model=read_name(event.message.model))
        if event.type == "message_delta":
            return Piece("", self._finish(event.delta.stop_reason), _usage(event.usage))
        return Piece()

    def _finish(self, reason: object) -> Finish | None:
        return Finish.STOP if reason == "tool_use" and self._form_for(Way.TOOL) else super()._finish(reason)

    def _calls(self, answer: Any) -> bool:
        reason = answer.delta.stop_reason if answer.type == "message_delta" else getattr(answer, "stop_reason", None)
        return bool(reason == "tool_use")


def _as_tool(form: Form) -> dict[str, Any]:
    """Return the fields for a tool that must be called, once, whose input is the form."""
    tool = {"name": form.name, "description": form.description or "Takes the answer.", "input_schema": form.schema}
    choice = {"type": "tool", "name": form.name, "disable_parallel_tool_use": True}
    return {"tools": [tool], "tool_choice": choice}


def _usage(usage: Any) -> Usage | None:
    """Read the usage; its input counts what was read from the provider's cache as well, where it is given."""
    if usage is None:
        return None
    counts = [count for name in _INPUTS if (count := read_count(getattr(usage, name, None))) is not None]
    return Usage(sum(counts) if counts else None, read_count(usage.output_tokens))


PROVIDERS = (Provider("anthropic", "Anthropic", AnthropicModel, key_variable="ANTHROPIC_API_KEY", way=Way.TOOL),)
