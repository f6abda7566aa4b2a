"""Models behind the Anthropic protocol of messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from .base import Finish, Message, Piece, Reply, Usage
from .contents import ContentError, read_count, read_name, read_text
from .providers import Provider, Settings
from .remote import RemoteModel

_MAX_TOKENS = 8192  # the protocol wants a limit
_INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicModel(RemoteModel):
    """A model behind a server that speaks Anthropic's messages."""

    extra, client, method = "anthropic", "Anthropic", "messages.create"
    finishes: ClassVar[dict[str, Finish]] = {
        "end_turn": Finish.STOP,
        "stop_sequence": Finish.STOP,
        "max_tokens": Finish.LENGTH,
        "model_context_window_exceeded": Finish.LENGTH,
        "refusal": Finish.REFUSED,
    }

    def __init__(self, provider: Provider, settings: Settings) -> None:
        if settings.base_url:  # the SDK adds the version, which others want in the address
            settings = replace(settings, base_url=settings.base_url.rstrip("/").removesuffix("/v1"))
        super().__init__(provider, settings)

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
        return parameters

    def _reply(self, answer: Any) -> Reply:
        self._check(answer)
        if answer.content is None:
            raise ContentError("nothing for its content")
        finish = self._finish(answer.stop_reason) or Finish.UNKNOWN
        return Reply(read_text(answer.content), finish, _usage(answer.usage), read_name(answer.model) or self.model)

    def _piece(self, event: Any) -> Piece:
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            return Piece(read_text(event.delta.text))
        if event.type == "message_start":
            return Piece(usage=_usage(event.message.usage), model=read_name(event.message.model))
        if event.type == "message_delta":
            return Piece("", self._finish(event.delta.stop_reason), _usage(event.usage))
        return Piece()

    def _calls(self, answer: Any) -> bool:
        reason = answer.delta.stop_reason if answer.type == "message_delta" else getattr(answer, "stop_reason", None)
        return bool(reason == "tool_use")


def _usage(usage: Any) -> Usage | None:
    """Read the usage; its input counts what was read from the provider's cache as well, where it is given."""
    if usage is None:
        return None
    counts = [count for name in _INPUTS if (count := read_count(getattr(usage, name, None))) is not None]
    return Usage(sum(counts) if counts else None, read_count(usage.output_tokens))


PROVIDERS = (Provider("anthropic", "Anthropic", AnthropicModel, key_variable="ANTHROPIC_API_KEY"),)
