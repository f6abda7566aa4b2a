"""Models that must answer with a JSON object: what each way sends, and how what comes back is read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_replies import JUDGMENT
from model_events import MODEL
from model_server import Answer, Line, Request, model_server

from symops_lark import ModelError
from symops_lark.answers.structured import Status, ask_json
from symops_lark.core.replies.contents import ContentError
from symops_lark.core.replies.messages import Call, Piece
from symops_lark.models import (
    PROVIDERS,
    CommandModel,
    Finish,
    Form,
    Model,
    Reply,
    ScriptedModel,
    Usage,
    Way,
    load_model,
)
from symops_lark.models.forms import Calls

pytestmark = pytest.mark.usefixtures("keys")

FORM = Form(JUDGMENT, "judgment", "Which rule holds.")
GOOD = '{"step": 2, "reason": "緑 is grün"}'
NATIVE = [(provider, way) for provider in ("openai", "anthropic", "vllm") for way in (Way.TOOL, Way.SCHEMA)]
TOOLS = [(provider, way) for provider, way in NATIVE if way is Way.TOOL]
READS: dict[str, Callable[[Model], Reply]] = {
    "generate": lambda model: model.generate("Which?"),
    "stream": lambda model: model.stream("Which?").read(),
    "agenerate": lambda model: asyncio.run(model.agenerate("Which?")),
    "astream": lambda model: asyncio.run(model.astream("Which?").read()),
}
every_read = pytest.mark.parametrize("read", READS)


def ask(provider: str, way: Way, line: Line, read: str = "generate", form: Form = FORM) -> tuple[Reply, Request]:
    with model_server([line]) as server:
        model: Any = load_model(provider, "m", base_url=server.url, way=way)
        assert model.way is way
        reply = READS[read](model.in_form(form))
    return reply, server.requests[0]


# ---- what is sent, and what comes back


@every_read
@pytest.mark.parametrize(("provider", "way"), NATIVE)
def test_a_form_is_asked_for_and_comes_back_as_text(provider: str, way: Way, read: str) -> None:
    reply, request = ask(provider, way, Answer(GOOD), read)
    assert (json.loads(reply.text), reply.finish) == (json.loads(GOOD), Finish.STOP)
    assert (reply.usage, reply.model) == (Usage(7, 5), MODEL)
    sent = request.body
    if way is Way.SCHEMA:
        assert not sent.keys() & {"tools", "tool_choice"}
        if provider == "anthropic":
            assert sent["output_config"] == {"format": {"type": "json_schema", "schema": JUDGMENT}}
        else:
            described = {"name": "judgment", "description": "Which rule holds.", "schema": JUDGMENT}
            assert sent["response_format"] == {"type": "json_schema", "json_schema": described}
    elif provider == "anthropic":
        [tool] = sent["tools"]
        assert tool == {"name": "judgment", "description": "Which rule holds.", "input_schema": JUDGMENT}
        assert sent["tool_choice"] == {"type": "tool", "name": "judgment", "disable_parallel_tool_use": True}
    else:
        function = {"name": "judgment", "description": "Which rule holds.", "parameters": JUDGMENT}
        assert sent["tools"] == [{"type": "function", "function": function}]
        assert sent["tool_choice"] == {"type": "function", "function": {"name": "judgment"}}


@pytest.mark.parametrize("way", [Way.TOOL, Way.SCHEMA])
def test_a_strict_form_says_so(way: Way) -> None:
    _, request = ask("openai", way, Answer(GOOD), form=Form(JUDGMENT, strict=True))
    if way is Way.TOOL:
        assert request.body["tools"][0]["function"]["strict"] is True
        assert request.body["parallel_tool_calls"] is False
    else:
        assert request.body["response_format"]["json_schema"] == {"name": "answer", "schema": JUDGMENT, "strict": True}


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_nothing_of_it_is_sent_where_nobody_asked(provider: str) -> None:
    with model_server([GOOD]) as server:
        load_model(provider, "m", base_url=server.url, command="cat").generate("Which?")
    for request in server.requests:
        assert not request.body.keys() & {"tools", "tool_choice", "response_format", "output_config"}


@every_read
@pytest.mark.parametrize(("provider", "way"), TOOLS)
def test_what_is_said_beside_the_tool_is_left_out(provider: str, way: Way, read: str) -> None:
    reply, _ = ask(provider, way, Answer(GOOD, spoken='I call it now: {"step": 9}'), read)
    assert json.loads(reply.text) == json.loads(GOOD)


@every_read
@pytest.mark.parametrize(("provider", "way"), TOOLS)
def test_where_the_tool_is_not_called_what_is_said_counts(provider: str, way: Way, read: str) -> None:
    reply, _ = ask(provider, way, Answer("Rule two holds.", calls=False), read)
    assert (reply.text, reply.finish) == ("Rule two holds.", Finish.STOP)


@pytest.mark.alike(6)
@pytest.mark.parametrize("read", ["stream", "astream"])
@pytest.mark.parametrize(("provider", "way"), TOOLS)
@pytest.mark.parametrize("fault", ["cut", "end", "garble", "error"])
@pytest.mark.parametrize("calls", [False, True])
def test_what_had_arrived_is_kept_where_a_stream_breaks(
    provider: str, way: Way, read: str, fault: str, calls: bool
) -> None:
    text = "Rule two holds, as the tests pass."
    with pytest.raises(ModelError) as caught:
        ask(provider, way, Answer(text, calls=calls, spoken="I call.", fault=fault, at=12), read)
    assert caught.value.partial is not None and caught.value.partial.text == text[:12]


@every_read
@pytest.mark.parametrize(("provider", "way"), TOOLS)
def test_an_input_that_is_cut_off_says_so(provider: str, way: Way, read: str) -> None:
    reply, _ = ask(provider, way, Answer('{"step": 2, "rea', finish="length"), read)
    assert (reply.text, reply.finish) == ('{"step": 2, "rea', Finish.LENGTH)


@every_read
@pytest.mark.parametrize(("provider", "way"), TOOLS)
def test_a_call_without_an_input_is_an_empty_object(provider: str, way: Way, read: str) -> None:
    reply, _ = ask(provider, way, Answer(""), read)
    assert (reply.text, reply.finish) == ("{}", Finish.STOP)


@pytest.mark.alike(6)
@every_read
@pytest.mark.parametrize(("provider", "way"), TOOLS)
@pytest.mark.parametrize("finish", ["length", "refused"])
def test_a_call_that_is_cut_off_before_its_input_is_no_object(provider: str, way: Way, read: str, finish: str) -> None:
    reply, _ = ask(provider, way, Answer("", finish=finish), read)
    assert (reply.text, reply.finish.cut_off or reply.finish.declined) == ("", True)


@pytest.mark.parametrize(("text", "said"), [("{}", ""), ('{"step": 2}', '{"step": 2')])
def test_an_object_of_a_reply_that_was_cut_off_has_no_end(text: str, said: str) -> None:
    reply, _ = ask("anthropic", Way.TOOL, Answer(text, finish="length"))
    assert (reply.text, reply.finish) == (said, Finish.LENGTH)


@pytest.mark.parametrize(("provider", "way"), TOOLS)
def test_a_call_that_is_cut_off_is_no_answer(provider: str, way: Way) -> None:
    schema = {"type": "object", "properties": {"step": {"type": "integer"}}}
    lines = [Answer("", finish="length"), Answer('{"step": 2}')]
    with model_server(lines) as server:
        answer = ask_json(load_model(provider, "m", base_url=server.url, way=way), "Which?", schema)
    assert answer.value == {"step": 2}
    assert [attempt.status for attempt in answer.attempts] == [Status.CUT_OFF, Status.ANSWERED]


@pytest.mark.alike(6)
@every_read
@pytest.mark.parametrize(("provider", "way"), TOOLS)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        (Answer(GOOD, also='{"step": 3, "reason": ""}'), "two calls of the one tool"),
        (Answer(GOOD, called="bash"), "a call of a tool 'bash', which it was not given"),
    ],
)
def test_other_calls_than_the_one_are_errors(provider: str, way: Way, read: str, line: Answer, told: str) -> None:
    with pytest.raises(ModelError, match=told) as caught:
        ask(provider, way, line, read)
    assert not caught.value.retryable and caught.value.status is None
    if "stream" not in read:
        assert caught.value.partial is not None and caught.value.partial.usage == Usage(7, 5)


@every_read
@pytest.mark.parametrize("way", [Way.TOOL, Way.SCHEMA])
def test_a_refusal_is_one_in_every_way(way: Way, read: str) -> None:
    reply, _ = ask("openai", way, Answer("I will not.", finish="refusal"), read)
    assert (reply.text, reply.finish) == ("I will not.", Finish.REFUSED)


# ---- settings


def test_each_provider_presets_a_way_and_a_setting_says_otherwise() -> None:
    preset = {name: provider.way for name, provider in PROVIDERS.items()}
    assert preset == dict.fromkeys(PROVIDERS, Way.SCHEMA) | {"anthropic": Way.TOOL, "command": Way.PROMPT}
    model: Any = load_model("vllm", "m", way="prompt")
    assert model.way is Way.PROMPT
    with pytest.raises(ModelError, match=r"no way 'magic' .* native_tool, native_schema, prompt"):
        load_model("vllm", "m", way="magic")


def test_only_some_ways_want_strict_schemas() -> None:
    def wants(provider: str, way: Way | None = None) -> bool:
        model: Any = load_model(provider, "m", way=way)
        return bool(model.wants_strict)

    assert [wants("openai"), wants("openrouter"), wants("llama.cpp"), wants("anthropic")] == [True, True, False, False]
    assert wants("anthropic", Way.SCHEMA)


def test_a_model_with_a_grammar_is_asked_by_words() -> None:
    model: Any = load_model("llama.cpp", grammar='root ::= "{}"')
    assert model.way is Way.PROMPT


def test_a_form_has_a_name_that_protocols_take() -> None:
    with pytest.raises(ModelError, match="1 to 64 ASCII letters"):
        Form(JUDGMENT, "my answer")


# ---- commands, scripts


def test_a_command_that_names_the_variable_finds_the_schema_there() -> None:
    model = CommandModel('cat > /dev/null; printf "%s" "$SYMOPS_SCHEMA"')
    assert model.way is Way.SCHEMA
    assert json.loads(model.in_form(FORM).generate("Which?").text) == JUDGMENT
    assert model.generate("Which?").text == "", "and nothing where it is not asked for"
    assert CommandModel("cat").way is Way.PROMPT
    with pytest.raises(ModelError, match="SYMOPS_SCHEMA, which this one does not use"):
        load_model("command", command="cat", way=Way.TOOL)


def test_a_script_records_the_forms() -> None:
    model = ScriptedModel([GOOD, "Two."], way=Way.TOOL)
    assert [model.in_form(FORM).generate("Which?").text, model.generate("Which?").text] == [GOOD, "Two."]
    assert model.forms == [FORM, None] and len(model.requests) == 2


# ---- laws

PARTS = st.lists(st.tuples(st.sampled_from(["call", "text"]), st.text(max_size=5)), max_size=8)


@given(PARTS, st.sampled_from(Finish))
def test_what_was_given_is_not_taken_back_and_the_call_is_what_counts(
    parts: list[tuple[str, str]], finish: Finish
) -> None:
    calls, given_so_far = Calls("t"), ""
    for number, (kind, text) in enumerate(parts):
        by_name = "t" if number == 0 else ""
        piece = Piece(calls=(Call(0, by_name, text),)) if kind == "call" else Piece(text)
        given_so_far += calls.read(piece).text
    given_so_far += calls.read(Piece(finish=finish)).text
    called = [text for kind, text in parts if kind == "call"]
    spoken = "".join(text for kind, text in parts if kind == "text")
    empty = "{}" if finish in (Finish.STOP, Finish.UNKNOWN) else ""
    assert given_so_far == (("".join(called) or empty) if called else spoken)


@pytest.mark.parametrize(
    "calls",
    [
        [Call(0, "t", "", "a"), Call(0, "t", "", "b")],  # servers that count all calls as the first
        [Call(0, "t", "{"), Call(1, "", "}")],
        [Call(0, "u", "")],
    ],
)
def test_parts_of_other_calls(calls: list[Call]) -> None:
    *begun, last = calls
    heard = Calls("t")
    for call in begun:
        heard.read(Piece(calls=(call,)))
    with pytest.raises(ContentError):
        heard.read(Piece(calls=(last,)))
