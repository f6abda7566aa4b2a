"""Models that must follow a grammar: what each provider is sent, and how its reply is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from grammar_engines import MISSING, library_of, start_engine
from model_server import Answer, Failure, Request, model_server
from remote_models import set_every_key

from symops_lark import ModelError
from symops_lark.exports import list_exports
from symops_lark.exports.decoding import load_grammar_for
from symops_lark.models import PROVIDERS, Finish, Reply, load_model


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    set_every_key(monkeypatch)


GOOD = ">> Go.\n\n:: create @a.py\n<<<\nx = 1\n>>>\n"
# Where each provider takes a grammar: of OpenAI's, the custom tool is looked at below.
PLACES: dict[str, Callable[[dict[str, Any]], str]] = {
    "openai": lambda body: str(body["tools"][0]["custom"]["format"]["grammar"]["definition"]),
    "vllm": lambda body: str(body["structured_outputs"]["grammar"]),
    "sglang": lambda body: str(body["ebnf"]),
    "llama.cpp": lambda body: str(body["grammar"]),
}
FREE = sorted(PROVIDERS.keys() - PLACES.keys())


def ask(provider: str, way: str, line: Answer | Failure) -> tuple[Reply, Request]:
    with model_server([line] * 3) as server:
        grammar = load_grammar_for(provider, "v2")
        model = load_model(provider, "m", base_url=server.url, grammar=grammar)
        if way == "generate":
            reply = model.generate("Write a.py.")
        elif way == "agenerate":
            reply = asyncio.run(model.agenerate("Write a.py."))
        else:
            reply = model.stream("Write a.py.").read()
    return reply, server.requests[0]


@pytest.mark.parametrize("way", ["generate", "agenerate", "stream"])
@pytest.mark.parametrize("provider", PLACES)
def test_a_grammar_is_sent_where_the_provider_takes_it(provider: str, way: str) -> None:
    reply, request = ask(provider, way, Answer(GOOD))
    assert (reply.text, reply.finish) == (GOOD, Finish.STOP)
    sent = PLACES[provider](request.body)
    assert sent == load_grammar_for(provider, "v2")
    constraint = PROVIDERS[provider].constraint
    assert constraint is not None
    if library_of(constraint.notation) not in MISSING:
        engine = start_engine(constraint.notation, sent)
        assert engine.accepts(GOOD) and not engine.accepts("Sure! " + GOOD)


@pytest.mark.parametrize("way", ["generate", "stream"])
def test_openai_calls_the_one_tool_that_there_is(way: str) -> None:
    reply, request = ask("openai", way, Answer(GOOD, finish="length"))
    assert (reply.text, reply.finish) == (GOOD, Finish.LENGTH)
    [tool] = request.body["tools"]
    name = tool["custom"]["name"]
    assert tool["type"] == "custom" and tool["custom"]["format"]["type"] == "grammar"
    assert tool["custom"]["format"]["grammar"]["syntax"] == "lark"
    assert request.body["tool_choice"] == {"type": "custom", "custom": {"name": name}}
    assert request.body["parallel_tool_calls"] is False


@pytest.mark.parametrize("provider", PLACES)
def test_nothing_of_it_is_sent_where_nobody_asked(provider: str) -> None:
    with model_server([GOOD]) as server:
        load_model(provider, "m", base_url=server.url).generate("Write a.py.")
    assert not server.requests[0].body.keys() & {"tools", "tool_choice", "structured_outputs", "ebnf", "grammar"}


@pytest.mark.parametrize("provider", FREE)
def test_who_takes_no_grammar_says_so(provider: str) -> None:
    with pytest.raises(ModelError, match=rf"'{provider}' takes no grammar .* llama\.cpp, openai, sglang, vllm$"):
        load_model(provider, "m", grammar="root ::= root")
    with pytest.raises(ModelError, match="takes no grammar"):
        load_grammar_for(provider, "v2")


def test_every_notation_is_an_export() -> None:
    notations = {provider.constraint.notation for provider in PROVIDERS.values() if provider.constraint}
    assert notations == set(list_exports("constraint"))
