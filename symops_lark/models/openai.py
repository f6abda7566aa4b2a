"""Models behind the OpenAI protocol of chat completions, which most servers speak."""

from __future__ import annotations

from typing import Any, ClassVar

from .base import Finish, Message, Piece, Reply, Usage
from .contents import read_count, read_name, read_text
from .providers import Provider, Settings
from .remote import RemoteModel


class OpenAIModel(RemoteModel):
    """A model behind a server that speaks OpenAI's chat completions.

    Servers differ in what they know: a parameter that one refuses by name is replaced or left out, and not sent again.
    """

    extra, client, method = "openai", "OpenAI", "chat.completions.create"
    finishes: ClassVar[dict[str, Finish]] = {
        "stop": Finish.STOP,
        "length": Finish.LENGTH,
        "content_filter": Finish.REFUSED,
        "error": Finish.INTERRUPTED,  # OpenRouter: the provider behind it broke off
        "abort": Finish.INTERRUPTED,  # vLLM
    }

    def __init__(self, provider: Provider, settings: Settings) -> None:
        super().__init__(provider, settings)
        self._usage_in_streams = True
        self._limit = "max_tokens"

    def _import(self) -> Any:
        import openai

        return openai

    def _parameters(self, messages: tuple[Message, ...], *, stream: bool) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self.model,
            "messages": [message.to_dict() for message in messages],
            "stream": stream,
        }
        if stream and self._usage_in_streams:
            parameters["stream_options"] = {"include_usage": True}
        if self.settings.max_tokens is not None:
            parameters[self._limit] = self.settings.max_tokens
        if self.settings.temperature is not None:
            parameters["temperature"] = self.settings.temperature
        return parameters

    def _learn(self, refusal: str, parameters: dict[str, Any]) -> bool:
        if "stream_options" in parameters and ("stream_options" in refusal or "include_usage" in refusal):
            self._usage_in_streams = False
        elif "max_tokens" in parameters and "max_completion_tokens" in refusal:
            self._limit = "max_completion_tokens"
        else:
            return False
        return True

    def _reply(self, answer: Any) -> Reply:
        self._check(answer)
        choice = answer.choices[0]
        text, finish = self._said(choice.message, choice.finish_reason)
        return Reply(text, finish or Finish.UNKNOWN, _usage(answer), read_name(answer.model) or self.model)

    def _piece(self, event: Any) -> Piece:
        self._check(event)
        if not event.choices:
            return Piece(usage=_usage(event), model=read_name(event.model))
        choice = event.choices[0]
        text, finish = self._said(choice.delta, choice.finish_reason)
        return Piece(text, finish, _usage(event), read_name(event.model))

    def _said(self, message: Any, reason: object) -> tuple[str, Finish | None]:
        """Return what a message, or a part of one, says, and why it ended."""
        refusal = read_text(getattr(message, "refusal", None))
        text = read_text(getattr(message, "content", None)) or refusal
        return text, Finish.REFUSED if refusal else self._finish(reason)

    def _calls(self, answer: Any) -> bool:
        return bool(answer.choices) and answer.choices[0].finish_reason in ("tool_calls", "function_call")


def _usage(answer: Any) -> Usage | None:
    usage = getattr(answer, "usage", None)
    return Usage(read_count(usage.prompt_tokens), read_count(usage.completion_tokens)) if usage else None


PROVIDERS = (
    Provider("openai", "OpenAI", OpenAIModel, key_variable="OPENAI_API_KEY"),
    Provider(
        "openrouter",
        "OpenRouter: many providers behind one address",
        OpenAIModel,
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
    ),
    Provider("ollama", "Ollama on this machine", OpenAIModel, "http://localhost:11434/v1"),
    Provider("vllm", "vLLM on this machine", OpenAIModel, "http://localhost:8000/v1"),
    Provider(
        "llama.cpp", "the llama.cpp server on this machine", OpenAIModel, "http://localhost:8080/v1", model="default"
    ),
)
