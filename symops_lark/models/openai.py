"""Models behind the OpenAI protocol of chat completions, which most servers speak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..core.replies.calls import read_calls
from ..core.replies.contents import read_count, read_name, read_text
from ..core.replies.messages import Finish, Message, Piece, Usage
from ..core.replies.sdk import CHAT_FINISHES, read_refusal
from .forms import Form, Way
from .providers import Constraint, Provider, Settings
from .remote import RemoteModel

_TOOL = "answer"  # to which the reply is said that follows a grammar


@dataclass
class _Learned:
    """What a server has shown that it does not know."""

    usage_in_streams: bool = True
    limit: str = "max_tokens"


class OpenAIModel(RemoteModel):
    """A model behind a server that speaks OpenAI's chat completions.

    Servers differ in what they know: a parameter that one refuses by name is replaced or left out, and not sent again.
    """

    extra, client, method = "openai", "OpenAI", "chat.completions.create"
    finishes: ClassVar[dict[str, Finish]] = CHAT_FINISHES

    def __init__(self, provider: Provider, settings: Settings) -> None:
        super().__init__(provider, settings)
        self._constraint = provider.constraint
        self._learned = _Learned()  # which the model in a form shares

    def _import(self) -> Any:
        import openai

        return openai

    def _parameters(self, messages: tuple[Message, ...], *, stream: bool) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self.model,
            "messages": [message.to_dict() for message in messages],
            "stream": stream,
        }
        if stream and self._learned.usage_in_streams:
            parameters["stream_options"] = {"include_usage": True}
        if self.settings.max_tokens is not None:
            parameters[self._learned.limit] = self.settings.max_tokens
        if self.settings.temperature is not None:
            parameters["temperature"] = self.settings.temperature
        if self.settings.grammar is not None and self._constraint is not None:
            parameters |= self._constraint.fields(self.settings.grammar)
        if form := self._form_for(Way.TOOL):
            parameters |= _as_function(form)
        if form := self._form_for(Way.SCHEMA):
            parameters["response_format"] = {"type": "json_schema", "json_schema": _describe(form, "schema")}
        return parameters

    def _learn(self, refusal: str, parameters: dict[str, Any]) -> bool:
        if "stream_options" in parameters and ("stream_options" in refusal or "include_usage" in refusal):
            self._learned.usage_in_streams = False
        elif "max_tokens" in parameters and "max_completion_tokens" in refusal:
            self._learned.limit = "max_completion_tokens"
        else:
            return False
        return True

    def _whole_piece(self, answer: Any) -> Piece:
        self._check(answer)
        return self._said(answer, answer.choices[0].message)

    def _piece(self, event: Any) -> Piece:
        self._check(event)
        if not event.choices:
            return Piece(usage=_usage(event), model=read_name(event.model))
        return self._said(event, event.choices[0].delta)

    def _said(self, answer: Any, message: Any) -> Piece:
        """Return what a message, or a part of one, says, and why it ended."""
        refusal = read_refusal(message)
        calls = read_calls(message)
        # What follows a grammar is the input of the one tool.
        called = "".join(call.input for call in calls) if self.settings.grammar is not None else ""
        text = called or read_text(getattr(message, "content", None)) or refusal
        finish = Finish.REFUSED if refusal else self._finish(answer.choices[0].finish_reason)
        calls = calls if self._form_for(Way.TOOL) else ()
        return Piece(text, finish, _usage(answer), read_name(answer.model), calls)

    def _calls(self, answer: Any) -> bool:
        return bool(answer.choices) and answer.choices[0].finish_reason in ("tool_calls", "function_call")


def _as_function(form: Form) -> dict[str, Any]:
    """Return the fields for a function that must be called, whose arguments are the form."""
    choice = {"type": "function", "function": {"name": form.name}}
    fields = {"tools": [{"type": "function", "function": _describe(form, "parameters")}], "tool_choice": choice}
    return fields | ({"parallel_tool_calls": False} if form.strict else {})


def _describe(form: Form, place: str) -> dict[str, Any]:
    """Return a form as the protocol writes it, its schema at a place."""
    described: dict[str, Any] = {"name": form.name, place: dict(form.schema)}
    if form.description:
        described["description"] = form.description
    return described | ({"strict": True} if form.strict else {})


def _as_tool(grammar: str) -> dict[str, Any]:
    """Return the fields for OpenAI: a custom tool that must be called, whose input follows the grammar."""
    definition = {"type": "grammar", "grammar": {"syntax": "lark", "definition": grammar}}
    custom = {"name": _TOOL, "description": "Takes the whole answer.", "format": definition}
    choice = {"type": "custom", "custom": {"name": _TOOL}}
    return {"tools": [{"type": "custom", "custom": custom}], "tool_choice": choice, "parallel_tool_calls": False}


def _usage(answer: Any) -> Usage | None:
    usage = getattr(answer, "usage", None)
    return Usage(read_count(usage.prompt_tokens), read_count(usage.completion_tokens)) if usage else None


PROVIDERS = (
    Provider(
        "openai",
        "OpenAI",
        OpenAIModel,
        key_variable="OPENAI_API_KEY",
        constraint=Constraint("llguidance", _as_tool),
        way=Way.SCHEMA,
        wants_strict=True,
    ),
    Provider(
        "openrouter",
        "OpenRouter: many providers behind one address",
        OpenAIModel,
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        way=Way.SCHEMA,
        wants_strict=True,
    ),
    Provider("ollama", "Ollama on this machine", OpenAIModel, "http://localhost:11434/v1", way=Way.SCHEMA),
    Provider(
        "vllm",
        "vLLM on this machine",  # its place for grammars is that of 0.12 and later
        OpenAIModel,
        "http://localhost:8000/v1",
        constraint=Constraint("xgrammar", lambda grammar: {"extra_body": {"structured_outputs": {"grammar": grammar}}}),
        way=Way.SCHEMA,
    ),
    Provider(
        "sglang",
        "SGLang on this machine",
        OpenAIModel,
        "http://localhost:30000/v1",
        constraint=Constraint("xgrammar", lambda grammar: {"extra_body": {"ebnf": grammar}}),
        way=Way.SCHEMA,
    ),
    Provider(
        "llama.cpp",
        "the llama.cpp server on this machine",
        OpenAIModel,
        "http://localhost:8080/v1",
        model="default",
        constraint=Constraint("gbnf", lambda grammar: {"extra_body": {"grammar": grammar}}),
        way=Way.SCHEMA,
    ),
)
