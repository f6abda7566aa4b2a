"""Answers without a text: tool calls are read, refusals and filters are named, by the real clients over loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from calling_clients import CLIENTS, OPENAI, Said, cut, message_whole, serving
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, AIMessageChunk
from model_server import Answer as Line
from model_server import model_server

from symops_lark import ModelError, ProtocolError, StreamParser, process
from symops_lark.adapters.langchain import SymOpsOutputParser
from symops_lark.answers.structured import Status, ask_json
from symops_lark.core.replies.calls import join_calls, read_calls, write_calls
from symops_lark.core.replies.messages import Call
from symops_lark.core.replies.sdk import read_answer, read_chunk
from symops_lark.core.result import Reason
from symops_lark.models import Finish, Reply, ScriptedModel, load_model

CALLS = [
    ("write_file", {"path": "a.py", "content": 'print("</tool_call>")\nx = 1\n'}),
    ("bash", {"command": "python a.py"}),
]
WANTED = [("create", "a.py", 'print("</tool_call>")\nx = 1'), ("run", "python a.py", None)]
WEATHER = [("get_weather", {"city": "Kyoto"})]
NO = "I can't help with that request."


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")


def ask(name: str, said: Said) -> tuple[Any, StreamParser]:
    """Return the whole answer of a client, and a parser that has read its stream."""
    with serving(said) as url:
        answer = CLIENTS[name](url, False)
        parser = StreamParser()
        list(parser.events(CLIENTS[name](url, True)))
    return answer, parser


def actions_of(result: Any) -> list[tuple[str, str, str | None]]:
    return [(action.type, action.path, action.content) for action in result.document.actions]


def failure_of(answer: Any) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        process(answer)
    return caught.value


@pytest.mark.parametrize("name", CLIENTS)
def test_calls_without_a_text_are_read(name: str) -> None:
    answer, parser = ask(name, Said(calls=CALLS))
    assert read_answer(answer).finish is Finish.STOP
    streamed = parser.close()
    for result in (process(answer), process(answer.model_dump()), streamed.result):
        assert actions_of(result) == WANTED
    assert streamed.result == process(answer)


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("text", ["Let me write the file.", "\n"])
def test_calls_beside_prose_are_read(name: str, text: str) -> None:
    answer, parser = ask(name, Said(text, CALLS))
    assert actions_of(process(answer)) == actions_of(parser.close().result) == WANTED


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
def test_a_section_in_the_text_counts_and_not_the_calls(name: str) -> None:
    answer, parser = ask(name, Said("::create @b.py\n<<<\nb = 1\n>>>\n", CALLS))
    for result in (process(answer), parser.close().result):
        assert actions_of(result) == [("create", "b.py", "b = 1")]


@pytest.mark.parametrize("name", CLIENTS)
def test_calls_that_name_no_action_are_said(name: str) -> None:
    answer, parser = ask(name, Said(calls=WEATHER))
    error = failure_of(answer)
    assert (error.reason, str(error)) == (
        Reason.TOOL_CALLS,
        "the reply calls get_weather: no file or command was found in its tool calls",
    )
    assert any(step.text.startswith('<tool_call>\n{"name": "get_weather"') for step in error.trace)
    assert parser.close().error == error


@pytest.mark.parametrize("name", CLIENTS)
def test_a_refusal_is_said_with_its_text(name: str) -> None:
    answer, parser = ask(name, Said(refusal=NO))
    error = failure_of(answer)
    assert (error.reason, str(error)) == (Reason.REFUSED, f"the model refused: {NO}")
    assert error.trace[0].text == NO
    repeated_closed = parser.close()
    assert (
        repeated_closed.error == error and type(repeated_closed).from_dict(repeated_closed.to_dict()) == repeated_closed
    )


@pytest.mark.parametrize("name", OPENAI)
@pytest.mark.parametrize("text", ["", "Sure, first we "])
def test_a_filter_is_told_from_a_refusal(name: str, text: str) -> None:
    answer, parser = ask(name, Said(text, finish="filter"))
    error = failure_of(answer)
    line_text = f": {text.strip()}" if text else ""
    assert (error.reason, str(error)) == (Reason.FILTERED, f"a content filter stopped the reply{line_text}")
    assert parser.close().error == error


@pytest.mark.parametrize("name", OPENAI)
def test_what_a_filter_left_of_an_action_is_not_whole(name: str) -> None:
    text = "::create @a.py\n<<<\nx = 1\ny ="
    answer, parser = ask(name, Said(text, finish="filter"))
    assert process(answer) == parser.close().result == process(text, cut_off=True)


def test_a_text_that_is_none_of_these_has_its_own_reason() -> None:
    assert failure_of("Nothing to do.").reason is Reason.NO_SECTION
    assert failure_of(None).reason is Reason.NO_SECTION


# ---- LangChain, whose messages need no server


def langchain_call(name: str, inputs: dict[str, str], at: int) -> dict[str, Any]:
    return {"name": name, "args": inputs, "id": f"c{at}", "type": "tool_call"}


def test_messages_of_langchain_are_read() -> None:
    calls: Any = [langchain_call(name, inputs, at) for at, (name, inputs) in enumerate(CALLS)]
    blocks: Any = message_whole(Said(calls=CALLS))["content"]
    for message in (AIMessage("", tool_calls=calls), AIMessage(blocks, tool_calls=calls), AIMessage(blocks)):
        assert actions_of(process(message)) == WANTED
        assert actions_of(SymOpsOutputParser().invoke(message)) == WANTED


def test_chunks_of_langchain_are_read() -> None:
    for blocks in (False, True):
        chunks = []
        for at, (name, inputs) in enumerate(CALLS):
            for number, part in enumerate(["", *cut(json.dumps(inputs))]):
                first = number == 0
                part_of: Any = {"name": name if first else None, "args": part, "id": f"c{at}" if first else None}
                begun = {"type": "tool_use", "id": f"c{at}", "name": name, "input": {}, "index": at}
                later = {"type": "input_json_delta", "partial_json": part, "index": at}
                content: Any = [begun if first else later] if blocks else ""
                chunks.append(AIMessageChunk(content=content, tool_call_chunks=[part_of | {"index": at}]))
        parser = StreamParser()
        list(parser.events(chunks))
        joined = chunks[0]
        for chunk in chunks[1:]:
            joined += chunk
        assert actions_of(parser.close().result) == actions_of(process(joined)) == WANTED


def test_refusals_and_filters_of_langchain_are_said() -> None:
    refused = AIMessage("", additional_kwargs={"refusal": NO})
    filtered = AIMessage("", response_metadata={"finish_reason": "content_filter"})
    assert failure_of(refused).reason is Reason.REFUSED and failure_of(filtered).reason is Reason.FILTERED
    with pytest.raises(OutputParserException, match=f"the model refused: {NO}"):
        SymOpsOutputParser().invoke(refused)


# ---- other shapes of calls


@pytest.mark.parametrize(
    ("message", "name", "said"),
    [
        ({"function_call": {"name": "f", "arguments": '{"a": 1}'}}, "f", '{"a": 1}'),
        ({"tool_calls": [{"id": "1", "custom": {"name": "f", "input": "ls -l"}}]}, "f", "ls -l"),
        ({"tool_calls": [{"function": {"name": "f", "arguments": {"a": "é"}}}]}, "f", '{"a": "é"}'),
        ({"invalid_tool_calls": [{"name": "f", "args": '{"a', "id": "1", "error": None}]}, "f", '{"a'),
        ({"content": [{"type": "custom_tool_call", "name": "f", "input": "ls"}]}, "f", "ls"),
    ],
)
def test_other_calls_are_read(message: dict[str, Any], name: str, said: str) -> None:
    [call] = read_calls(message)
    assert (call.name, call.input) == (name, said)


# How each protocol writes a call as a part of a list: its name, its arguments as an object and as JSON, its id.
PARTS: dict[str, Callable[[str, Any, str, str], dict[str, Any]]] = {
    "anthropic": lambda name, value, _, key: {"type": "tool_use", "name": name, "input": value, "id": key},
    "responses": lambda name, _, text, key: {
        "type": "function_call", "name": name, "arguments": text, "call_id": key, "id": "fc_0",
    },
    "custom": lambda name, _, text, key: {"type": "custom_tool_call", "name": name, "input": text, "call_id": key},
    "langchain": lambda name, value, _, key: {"type": "tool_call", "name": name, "args": value, "id": key},
    "langchain's pieces": lambda name, _, text, key: {"type": "tool_call_chunk", "name": name, "args": text, "id": key},
    "invalid": lambda name, _, text, key: {"type": "invalid_tool_call", "name": name, "args": text, "id": key},
    "gemini": lambda name, value, _, key: {"functionCall": {"name": name, "args": value, "id": key}},
    "gemini's client": lambda name, value, _, key: {"function_call": {"name": name, "args": value, "id": key}},
    "bedrock": lambda name, value, _, key: {"toolUse": {"name": name, "input": value, "toolUseId": key}},
    "vercel 4": lambda name, value, _, key: {"type": "tool-call", "toolName": name, "args": value, "toolCallId": key},
    "vercel 5": lambda name, value, _, key: {"type": "tool-call", "toolName": name, "input": value, "toolCallId": key},
    "dynamic": lambda name, value, _, key: {
        "type": "dynamic-tool", "toolName": name, "input": value, "toolCallId": key,
    },
    "invocation": lambda name, value, _, key: {
        "type": "tool-invocation", "toolInvocation": {"toolName": name, "args": value, "toolCallId": key},
    },
}  # fmt: skip


@pytest.mark.parametrize("protocol", PARTS)
@given(name=st.text(min_size=1), value=st.dictionaries(st.text(), st.text(), min_size=1), key=st.text(min_size=1))
def test_a_call_in_a_list_is_read_in_every_protocol(protocol: str, name: str, value: dict[str, str], key: str) -> None:
    part = PARTS[protocol](name, value, json.dumps(value), key)
    for text, parts in (("", [part]), ("Hi.", [{"type": "text", "text": "Hi."}, part])):
        answers: list[Any] = [parts, {"content": parts}, {"choices": [{"message": {"content": parts}}]}]
        for answer in answers:
            reply = read_answer(answer)
            [call] = reply.calls
            assert (reply.text, call.name, json.loads(call.input), call.id) == (text, name, value, key)


# Parts that are neither the answer nor a call to run: thinking, calls that a server runs, and results.
SILENT: list[dict[str, Any]] = [
    *({"type": kind, "text": "x"} for kind in ("thinking", "redacted_thinking", "reasoning", "reasoning_content")),
    *({"type": kind, "name": "f", "input": {}} for kind in ("server_tool_use", "mcp_tool_use", "server_tool_call")),
    *({"type": kind} for kind in ("web_search_call", "computer_call", "mcp_call", "web_search_tool_result")),
    *({"type": kind, "toolName": "f"} for kind in ("tool-result", "tool-error")),
    {"text": "x", "thought": True},
    {"reasoningContent": {"reasoningText": {"text": "x"}}},
]


@pytest.mark.parametrize("part", SILENT)
def test_parts_beside_the_answer_are_left_out(part: dict[str, Any]) -> None:
    answers: list[Any] = [[part], {"content": [part]}, [part, "Hi."]]
    assert [read_answer(answer) for answer in answers] == [Reply(""), Reply(""), Reply("Hi.")]


def test_a_refusal_among_parts_is_read() -> None:
    part = {"type": "refusal", "refusal": NO}
    item = {"type": "message", "content": [part]}
    answers: list[Any] = [[part], [item], {"content": [part]}, {"output": [item]}]
    assert [read_answer(answer) for answer in answers] == [Reply(NO, Finish.REFUSED)] * 4


def test_items_of_a_response_are_read_as_the_response() -> None:
    text = {"type": "message", "content": [{"type": "output_text", "text": "Hi."}]}
    items: list[Any] = [{"type": "reasoning", "summary": []}, text, PARTS["responses"]("f", {}, "{}", "c")]
    assert read_answer(items) == read_answer({"output": items}) == Reply("Hi.", calls=(Call(2, "f", "{}", "c"),))


@pytest.mark.parametrize("data", [b"::", bytearray(b"::"), memoryview(b"::")])
def test_bytes_are_neither_a_text_nor_a_list(data: Any) -> None:
    for take in (read_answer, read_chunk):
        for item in (data, {"choices": data}, {"output": data}):
            with pytest.raises(TypeError, match=r"expected a (reply|piece of a reply): a string, or a response"):
                take(item)


@pytest.mark.parametrize(
    ("metadata", "finish"),
    [
        ({"stopReason": "max_tokens"}, Finish.LENGTH),
        ({"done_reason": "length"}, Finish.LENGTH),
        ({"finish_reason": "model_length"}, Finish.LENGTH),
        ({"stop_reason": "end_turn"}, Finish.STOP),
    ],
)
def test_reasons_of_other_providers_are_read(metadata: dict[str, Any], finish: Finish) -> None:
    assert read_answer(AIMessage("x", response_metadata=metadata)).finish is finish


def test_arguments_that_broke_off_are_kept_as_they_are() -> None:
    text = write_calls([Call(0, "write_file", '{"path": "a.py", "content": "x = ')])
    assert text == '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", "content": "x = }\n</tool_call>'
    assert write_calls([Call(0, "shell", "ls -l\n"), Call(1, "stop", "")]) == (
        '<tool_call>\n{"name": "shell", "arguments": {"input": "ls -l\\n"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "stop", "arguments": {}}\n</tool_call>'
    )


NAMES = st.text(min_size=1)
VALUES = st.dictionaries(st.text(), st.text())


@given(st.lists(st.tuples(NAMES, VALUES), max_size=4), st.integers(1, 9))
def test_calls_in_any_pieces_are_the_calls(calls: list[tuple[str, dict[str, str]]], size: int) -> None:
    whole_calls = tuple(Call(at, name, json.dumps(inputs), f"c{at}") for at, (name, inputs) in enumerate(calls))
    parts = []
    for call in whole_calls:
        parts.append(Call(call.place, call.name, "", call.id))
        parts += [Call(call.place, "", part) for part in cut(call.input, size)]
    assert join_calls(parts) == whole_calls
    assert Reply.from_dict(json.loads(json.dumps(Reply("", calls=whole_calls).to_dict()))) == Reply(
        "", calls=whole_calls
    )
    # Each call is one JSON object between two lines, whatever its strings hold.
    lines = write_calls(whole_calls).split("\n")
    assert [json.loads(line) for line in lines[1::3]] == [{"name": name, "arguments": inputs} for name, inputs in calls]


@given(st.lists(st.tuples(NAMES, VALUES), max_size=4), st.integers(1, 9), st.booleans())
def test_calls_without_ids_at_one_place_stay_apart(
    calls: list[tuple[str, dict[str, str]]], size: int, repeats: bool
) -> None:
    parts = []
    for name, inputs in calls:
        first, *later = cut(json.dumps(inputs), size)
        parts.append(Call(0, name, first))
        parts += [Call(0, name if repeats else "", part) for part in later]
    joined = [(call.name, json.loads(call.input)) for call in join_calls(parts)]
    assert joined == calls


@given(st.lists(st.sampled_from(Finish)))
def test_a_refusal_is_not_taken_back(reasons: list[Finish]) -> None:
    reached = Finish.UNKNOWN
    for reason in reasons:
        reached = reached.then(reason).then(None)
    first = next((reason for reason in reasons if reason.declined), None)
    assert reached is (first or (reasons[-1] if reasons else Finish.UNKNOWN))


# ---- models behind the same clients


@pytest.mark.parametrize(("finish", "wanted"), [("content_filter", Finish.FILTERED), ("refusal", Finish.REFUSED)])
def test_models_say_which_of_the_two_it_was(finish: str, wanted: Finish) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    with model_server([Line(NO, finish=finish)] * 9) as server:
        model = load_model("vllm", "any", base_url=server.url)
        assert model.generate("Go.").finish is model.stream("Go.").read().finish is wanted
        answer = ask_json(model, "Go.", schema)
    assert answer.status is Status.REFUSED and answer.attempts[-1].finish is wanted


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("provider", ["vllm", "anthropic"])
@pytest.mark.parametrize("finish", ["stop", "done"])
def test_a_model_that_only_calls_tools_is_an_error_whatever_its_reason(provider: str, finish: str) -> None:
    with serving(Said(calls=CALLS, finish=finish)) as url:
        model = load_model(provider, "any", base_url=f"{url}/v1")
        for read in (model.generate, lambda messages: model.stream(messages).read()):
            with pytest.raises(ModelError, match="calls a tool instead of answering"):
                read("Go.")
    with serving(Said("I write.", CALLS, finish=finish)) as url:
        model = load_model(provider, "any", base_url=f"{url}/v1")
        replies = [model.generate("Go."), model.stream("Go.").read()]
    assert [(reply.text, reply.calls) for reply in replies] == [("I write.", ())] * 2


def test_recorded_replies_keep_their_calls() -> None:
    calls = tuple(Call(at, name, json.dumps(inputs), f"c{at}") for at, (name, inputs) in enumerate(CALLS))
    reply = Reply("", Finish.STOP, calls=calls, model="m")
    model = ScriptedModel([reply] * 2 + [ModelError("broken", partial=reply)])
    assert model.generate("Go.") == asyncio.run(model.agenerate("Go.")) == reply
    assert actions_of(process(reply)) == WANTED
    stream = model.stream("Go.")
    with pytest.raises(ModelError):
        stream.read()
    assert stream.reply.calls == calls
