"""Models that speak OpenAI's protocol of chat completions, as most servers do."""

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

_TOOL = "answer"  # the tool whose input is a reply that follows a grammar


@dataclass
class _Learned:
    """Parameters that a server has refused.

    Attributes:
        usage_in_streams: Whether a stream may be asked for its usage.
        limit: The name of the limit of tokens.
    """

    usage_in_streams: bool = True
    limit: str = "max_tokens"


class OpenAIModel(RemoteModel):
    """A model on a server that speaks OpenAI's protocol.

    Servers know different parameters: one that a server refuses by its name is replaced or left
    out, and not sent again.
    """

    extra, client, method = "openai", "OpenAI", "chat.completions.create"
    finishes: ClassVar[dict[str, Finish]] = CHAT_FINISHES
    home = "https://api.openai.com/v1"
    key_header = ("Authorization", "Bearer {}")

    def __init__(self, provider: Provider, settings: Settings) -> None:
        super().__init__(provider, settings)
        self._constraint = provider.constraint
        # Copies with a form share it.
        self._learned = _Learned()

    def _import(self) -> Any:
        import openai

        return openai

    def _parameters(self, messages: tuple[Message, ...], *, stream: bool) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self.model,
            "messages": [message.to_dict() for message in messages],
            "stream": stream,
        }
        # Without this field a stream has no usage.
        if stream and self._learned.usage_in_streams:
            parameters["stream_options"] = {"include_usage": True}
        if self.settings.max_tokens is not None:
            parameters[self._learned.limit] = self.settings.max_tokens
        if self.settings.temperature is not None:
            parameters["temperature"] = self.settings.temperature
        if self.settings.grammar is not None and self._constraint is not None:
            parameters |= self._constraint.fields(self.settings.grammar)
        match self._form, self.way:
            case Form() as form, Way.TOOL:
                # The function must be called, and its arguments are the form.
                function = {"type": "function", "function": _describe(form, "parameters")}
                choice = {"type": "function", "function": {"name": form.name}}
                parameters |= {"tools": [function], "tool_choice": choice}
                # Strict schemas are for one call at a time; other servers lack the parameter.
                if form.strict:
                    parameters["parallel_tool_calls"] = False
            case Form() as form, Way.SCHEMA:
                schema = _describe(form, "schema")
                parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
        return parameters

    def _learn(self, refusal: str, parameters: dict[str, Any]) -> bool:
        names_usage = "stream_options" in refusal or "include_usage" in refusal
        if "stream_options" in parameters and names_usage:
            self._learned.usage_in_streams = False
        elif "max_tokens" in parameters and "max_completion_tokens" in refusal:
            self._learned.limit = "max_completion_tokens"
        else:
            return False
        return True

    def _whole_piece(self, answer: Any) -> Piece:
        self._check(answer)
        return self._read_message(answer, answer.choices[0].message)

    def _piece(self, event: Any) -> Piece:
        self._check(event)
        # The last event of a stream has only the usage.
        if not event.choices:
            return Piece(usage=_usage(event), model=read_name(event.model))
        return self._read_message(event, event.choices[0].delta)

    def _read_message(self, answer: Any, message: Any) -> Piece:
        """Return the text of a message, or of a part of one, and why it ended."""
        refusal = read_refusal(message)
        calls = read_calls(message)
        text = read_text(getattr(message, "content", None)) or refusal
        # A reply that follows a grammar is the input of the one tool.
        if self.settings.grammar is not None:
            text = "".join(call.input for call in calls) or text
            calls = ()
        finish = Finish.REFUSED if refusal else self._finish(answer.choices[0].finish_reason)
        return Piece(text, finish, _usage(answer), read_name(answer.model), calls)

    def _calls(self, answer: Any) -> bool:
        if not answer.choices:
            return False
        return answer.choices[0].finish_reason in ("tool_calls", "function_call")


def _describe(form: Form, place: str) -> dict[str, Any]:
    """Return a form as the protocol writes it, with its schema under the key `place`."""
    described: dict[str, Any] = {"name": form.name, place: dict(form.schema)}
    if form.description:
        described["description"] = form.description
    # Absent, not false: other servers do not know it.
    if form.strict:
        described["strict"] = True
    return described


def _as_tool(grammar: str) -> dict[str, Any]:
    """Return the fields for OpenAI: a tool that must be called, whose input follows a grammar."""
    definition = {"type": "grammar", "grammar": {"syntax": "lark", "definition": grammar}}
    custom = {"name": _TOOL, "description": "Takes the whole answer.", "format": definition}
    return {
        "tools": [{"type": "custom", "custom": custom}],
        "tool_choice": {"type": "custom", "custom": {"name": _TOOL}},
        "parallel_tool_calls": False,
    }


def _usage(answer: Any) -> Usage | None:
    usage = getattr(answer, "usage", None)
    if not usage:
        return None
    return Usage(read_count(usage.prompt_tokens), read_count(usage.completion_tokens))


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
        "OpenRouter: many providers at one address",
        OpenAIModel,
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        way=Way.SCHEMA,
        wants_strict=True,
    ),
    Provider(
        "ollama", "Ollama on this machine", OpenAIModel, "http://localhost:11434/v1", way=Way.SCHEMA
    ),
    Provider(
        "vllm",
        "vLLM on this machine",
        OpenAIModel,
        "http://localhost:8000/v1",
        # This field has its name since version 0.12.
        constraint=Constraint(
            "xgrammar", lambda grammar: {"extra_body": {"structured_outputs": {"grammar": grammar}}}
        ),
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
