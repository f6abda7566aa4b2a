"""The protocol of all models, the scripted one, and the providers by name."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from symops_lark import ModelError, PromptBuilder, SymOpsError
from symops_lark.models import PROVIDERS, Finish, Message, Model, Reply, ScriptedModel, Usage, as_messages, load_model

NAMES = ("anthropic", "command", "llama.cpp", "ollama", "openai", "openrouter", "vllm")
ASK = "Hello."


# ---- the protocol


def test_usages_add_up() -> None:
    assert Usage(1, 2) + Usage(10, 20) == Usage(11, 22)
    assert Usage(1, 2) + Usage(None, 20) == Usage(None, 22), "what is unknown stays unknown"
    assert sum([Usage(1, 2), Usage(3, 4)], Usage(0, 0)) == Usage(4, 6)


def test_a_reply_is_json() -> None:
    reply = Reply("Yes.", Finish.LENGTH, Usage(1, None), "m")
    assert json.loads(json.dumps(reply.to_dict())) == {
        "text": "Yes.",
        "finish": "length",
        "usage": {"input_tokens": 1, "output_tokens": None},
        "model": "m",
        "calls": [],
    }
    assert Reply("Yes.").to_dict()["usage"] is None


def test_a_string_is_a_message_of_the_user() -> None:
    assert as_messages(ASK) == (Message("user", ASK),)
    assert as_messages([Message("system", "S"), Message("user", "U")])[0].role == "system"


@pytest.mark.parametrize("messages", [[], [Message("system", "Be brief.")]])
def test_there_must_be_something_to_ask(messages: list[Message]) -> None:
    model = ScriptedModel(["Yes."])
    with pytest.raises(ModelError, match="nothing to ask"):
        model.generate(messages)
    assert model.requests == []


def test_a_part_whose_text_is_a_number_is_named() -> None:
    with pytest.raises(ModelError, match="message 1: it has a number for the text of a part"):
        as_messages([{"role": "user", "content": [{"type": "text", "text": 5}]}])


def test_halves_of_characters_are_replaced_in_all_messages() -> None:
    half, sent = "caf\udce9", "caf\ufffd"
    conversations: list[Any] = [half, [Message("user", half)], [{"role": "user", "content": half}]]
    conversations.append([{"role": "user", "content": [{"type": "text", "text": half}]}])
    for conversation in conversations:
        assert as_messages(conversation) == (Message("user", sent),)
    built = PromptBuilder("v2").messages(half, {"branch": half, half: "x", "files": {f"{half}.py": half}})
    assert all(message.content.encode() for message in built)


def test_roles_are_known() -> None:
    with pytest.raises(ModelError, match=r"'robot'.*system, user, assistant"):
        Message("robot", "Hi.")


# ---- scripted models


def test_a_script_is_followed_and_recorded() -> None:
    def echo(messages: Sequence[Message]) -> str:
        return f"You said {messages[-1].content}"

    model: Model = ScriptedModel(["One.", Reply("Two", Finish.LENGTH, Usage(1, 2), "m"), echo])
    assert model.generate(ASK) == Reply("One.", Finish.STOP, None, "scripted")
    turns = [Message("system", "S"), Message("user", "U")]
    assert model.generate(turns) == Reply("Two", Finish.LENGTH, Usage(1, 2), "m")
    assert asyncio.run(model.agenerate("this")).text == "You said this"
    assert isinstance(model, ScriptedModel)
    assert [turns[-1].content for turns in model.requests] == [ASK, "U", "this"]
    assert repr(model) == "<ScriptedModel scripted: 3 of 3 replies given>"


def test_a_script_that_runs_out_says_so() -> None:
    model = ScriptedModel(["One."])
    model.generate(ASK)
    with pytest.raises(ModelError, match="the script has 1 reply, and request 2 came"):
        model.generate(ASK)
    with pytest.raises(ModelError, match="request 3 came"):
        list(model.stream(ASK))


@pytest.mark.parametrize(("size", "pieces"), [(None, ["abcdef"]), (1, list("abcdef")), (4, ["abcd", "ef"])])
def test_pieces_have_the_size_that_was_asked_for(size: int | None, pieces: list[str]) -> None:
    async def read() -> list[str]:
        return [piece async for piece in model.astream(ASK)]

    model = ScriptedModel(["abcdef"] * 2, chunk_size=size)
    assert list(model.stream(ASK)) == pieces
    assert asyncio.run(read()) == pieces


def test_a_scripted_failure_comes_after_what_had_arrived() -> None:
    cut = ModelError("cut", partial=Reply("abc", Finish.INTERRUPTED), retryable=True)
    stream = ScriptedModel([cut], chunk_size=2).stream(ASK)
    assert [next(stream), next(stream)] == ["ab", "c"]
    with pytest.raises(ModelError, match="cut") as caught:
        next(stream)
    assert caught.value is cut and stream.reply == Reply("abc", Finish.INTERRUPTED, None, "scripted")
    assert list(stream) == []


def test_the_reply_so_far() -> None:
    stream = ScriptedModel(["abcdef"], chunk_size=2).stream(ASK)
    assert stream.reply == Reply("", Finish.UNKNOWN, None, "scripted")
    next(stream)
    assert stream.reply.text == "ab" and stream.reply.finish is Finish.UNKNOWN
    stream.close()
    assert stream.reply == Reply("ab", Finish.INTERRUPTED, None, "scripted")
    assert list(stream) == []
    stream.close()


def test_closing_a_finished_stream_changes_nothing() -> None:
    with ScriptedModel(["abc"]).stream(ASK) as stream:
        assert list(stream) == ["abc"]
    assert stream.reply.finish is Finish.STOP


def test_leaving_an_asynchronous_stream() -> None:
    async def leave() -> Reply:
        async with ScriptedModel(["abcdef"], chunk_size=2).astream(ASK) as stream:
            async for _ in stream:
                break
        return stream.reply

    assert asyncio.run(leave()) == Reply("ab", Finish.INTERRUPTED, None, "scripted")


def test_a_chunk_has_a_size() -> None:
    with pytest.raises(ModelError, match="chunk_size"):
        ScriptedModel([], chunk_size=0)


# ---- providers


def test_the_providers_are_known() -> None:
    assert set(NAMES) <= set(PROVIDERS)
    assert all(provider.name == name and provider.summary for name, provider in PROVIDERS.items())
    with pytest.raises(ModelError, match="no provider 'acme'; there are anthropic, "):
        load_model("acme", "m")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"timeout": 0}, "timeout is 0 s"),
        ({"max_retries": -1}, "max_retries is -1"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"max_tokens": "5"}, "max_tokens is '5'; it must be a whole number"),
        ({"max_tokens": True}, "max_tokens is True"),
        ({"max_tokens": 5.5}, "max_tokens is 5.5"),
        ({"max_retries": None}, "max_retries is None"),
        ({"timeout": "5"}, "timeout is '5' s"),
        ({"timeout": float("nan")}, "timeout is nan s"),
        ({"temperature": float("nan")}, "temperature is nan; it must be a finite number"),
        ({"temperature": float("-inf")}, "temperature is -inf"),
        ({"temperature": "hot"}, "temperature is 'hot'"),
        ({"base_url": "localhost:8000"}, "begins with http"),
        ({"base_url": "http://[1"}, "IPv6 in brackets"),
        ({"base_url": "http://me:secret@localhost/v1"}, "keys belong in the environment"),
        ({"base_url": "http://localhost/v1?key=secret"}, "keys belong in the environment"),
        ({"key_variable": "NO_SUCH_VARIABLE"}, "set the environment variable NO_SUCH_VARIABLE"),
        ({"model": None}, "name one"),
    ],
)
def test_wrong_settings_are_told(settings: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        load_model("vllm", **{"model": "m", **settings})
    assert "secret" not in str(caught.value)
    assert isinstance(caught.value, SymOpsError)


@pytest.mark.parametrize(("name", "library"), [("openai", "openai"), ("ollama", "openai"), ("anthropic", "anthropic")])
def test_a_missing_library_names_its_extra(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(variable, "a-key-for-tests")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModelError, match=rf"needs the library {library}: pip install 'symops-lark\[{library}\]'"):
        load_model(name, "m")


def test_looking_at_the_providers_imports_no_sdk() -> None:
    code = "import sys; from symops_lark.models import PROVIDERS; print(len(PROVIDERS), *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, *modules = done.stdout.split()
    assert int(count) == len(PROVIDERS)
    assert {"openai", "anthropic", "httpx2", "pydantic"} & set(modules) == set()
