"""What the clients of OpenAI and Anthropic give is read as it is, by their real libraries; messages fit all of them."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.types import Message as AnthropicMessage
from anthropic.types import MessageParam, ThinkingBlock
from hypothesis import given
from hypothesis import strategies as st
from model_server import Answer, model_server
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import Response, ResponseTextDeltaEvent

from symops_lark import (
    Completeness,
    ModelError,
    PromptBuilder,
    ProtocolError,
    SelfCorrector,
    StreamParser,
    SymOpsProcessor,
    parse,
    process,
)
from symops_lark.core.ground.json_objects import FieldError
from symops_lark.core.replies.sdk import read_answer, read_chunk
from symops_lark.models import Finish, Message, Reply, ScriptedModel, as_messages

TEXT = "::create @a.py\n<<<\nx = 1\ny = 2\n>>>\n"
MESSAGES = PromptBuilder("v2").messages("Write a.py.")
SYSTEM, *TURNS = MESSAGES


def ask_openai(url: str, stream: bool) -> Any:
    client = OpenAI(base_url=url, api_key="none", max_retries=0)
    return client.chat.completions.create(model="m", messages=MESSAGES, stream=stream)


def ask_anthropic(url: str, stream: bool) -> Any:
    client = Anthropic(base_url=url.removesuffix("/v1"), api_key="none", max_retries=0)
    system = SYSTEM["content"]
    return client.messages.create(model="m", max_tokens=99, system=system, messages=TURNS, stream=stream)


CLIENTS = {"openai": ask_openai, "anthropic": ask_anthropic}


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize(("finish", "text"), [("stop", TEXT), ("length", TEXT[:-9])])
def test_answers_of_clients_are_read_whole_and_as_they_arrive(name: str, finish: str, text: str) -> None:
    ask = CLIENTS[name]
    with model_server([Answer(text, finish=finish, chunk_size=3)] * 2) as server:
        answer = ask(server.url, False)
        parser = StreamParser("v2")
        events = list(parser.events(ask(server.url, True)))
        messages = server.requests[0].messages
    assert [message["content"] for message in messages][-len(TURNS) :] == [turn.content for turn in TURNS]
    plain = StreamParser("v2")
    assert events == list(plain.events([text], cut_off=True if finish == "length" else None))
    for result in (process(answer), parser.close().result, process(answer.model_dump())):
        assert result is not None and result == process(text, cut_off=finish == "length")
        expected = Completeness.COMPLETE if finish == "stop" else Completeness.TRUNCATED
        assert [action.completeness for action in result.document.actions] == [expected]
    assert read_answer(answer).finish is (Finish.STOP if finish == "stop" else Finish.LENGTH)


def test_the_helper_of_anthropic_says_nothing_twice() -> None:
    with model_server([Answer(TEXT, chunk_size=3)] * 2) as server:
        client = Anthropic(base_url=server.url.removesuffix("/v1"), api_key="none")
        for take in (list, lambda stream: list(stream.text_stream)):
            parser = StreamParser("v2")
            with client.messages.stream(model="m", max_tokens=9, messages=TURNS) as stream:
                list(parser.events(take(stream)))
            assert parser.close().document == parse(TEXT)


THINKING = ThinkingBlock(type="thinking", thinking="::run @rm -rf /", signature="s")
BLOCKS = [THINKING.model_dump(), {"type": "text", "text": TEXT, "citations": None}]
CONTENT: dict[str, Any] = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": BLOCKS}
WHOLE = AnthropicMessage.model_validate(
    CONTENT | {"stop_reason": "max_tokens", "usage": {"input_tokens": 1, "output_tokens": 1}}
)
RESPONSE: dict[str, Any] = {
    "id": "1",
    "created_at": 0,
    "model": "m",
    "object": "response",
    "parallel_tool_calls": False,
}
ITEM = {
    "id": "2",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": TEXT, "annotations": []}],
}
RESPONDED = Response.model_validate(
    RESPONSE
    | {
        "tools": [],
        "tool_choice": "auto",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
    }
    | {"output": [{"id": "0", "type": "reasoning", "summary": []}, ITEM]}
)


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (TEXT, Finish.UNKNOWN),
        (Reply(TEXT, Finish.STOP), Finish.STOP),
        (WHOLE, Finish.LENGTH),
        (WHOLE.content, Finish.UNKNOWN),
        (RESPONDED, Finish.LENGTH),
        (RESPONDED.model_dump(), Finish.LENGTH),
        ({"choices": [{"message": {"content": TEXT}, "finish_reason": "stop"}]}, Finish.STOP),
        ({"choices": [{"message": {"content": None, "refusal": TEXT}}]}, Finish.REFUSED),
        ({"role": "assistant", "content": TEXT}, Finish.UNKNOWN),
        ({"status": "failed", "output": [ITEM]}, Finish.INTERRUPTED),
        ({"choices": [{"index": 1, "message": {"content": TEXT}, "finish_reason": "stop"}]}, Finish.STOP),
        (
            {"choices": [{"index": 1, "message": {"content": ""}}, {"index": 0, "message": {"content": TEXT}}]},
            Finish.UNKNOWN,
        ),
    ],
)
def test_all_forms_of_answers_say_their_text(answer: Any, finish: Finish) -> None:
    reply = read_answer(answer)
    assert (reply.text, reply.finish) == (TEXT, finish)
    assert process(answer).document == parse(TEXT)


def test_a_stream_of_two_choices_is_the_first_reply() -> None:
    """They were mixed line by line, and the mix could be valid."""
    parser = StreamParser("v2")
    for piece, other in zip(TEXT.splitlines(True), ("::run @ls\n", ">> a\n", "b\n", "::run @rm a\n", ""), strict=True):
        for index, text in enumerate((piece, other)):
            parser.receive({"choices": [{"index": index, "delta": {"content": text}}]})
    assert parser.close().document == parse(TEXT)


def test_an_answer_without_a_text_is_an_empty_reply() -> None:
    empty: dict[str, object] = {"choices": [{"message": {"content": None}}]}
    nothings: list[Any] = [None, "", {"choices": []}, empty, [THINKING]]
    for nothing in nothings:
        assert read_answer(nothing).text == ""
        with pytest.raises(ProtocolError):
            process(nothing)


def test_what_is_no_answer_is_told() -> None:
    for item in (5, {"text": "x"}, object()):
        with pytest.raises(TypeError, match=r"expected a reply: a string, or a response of the OpenAI, Anthropic"):
            process(item)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="expected a piece of a reply"):
            StreamParser("v2").receive(item)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="has no text"):
        process([{"type": "image"}])


CHUNKS: list[tuple[Any, str, Finish | None]] = [
    (None, "", None),
    ("x", "x", None),
    ({"choices": []}, "", None),
    ({"choices": [{"delta": {"content": "x"}, "finish_reason": None}]}, "x", None),
    ({"choices": [{"delta": {}, "finish_reason": "length"}]}, "", Finish.LENGTH),
    ({"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "stop"}]}, "", None),
    ({"choices": [{"index": 1, "delta": {"content": "y"}}, {"index": 0, "delta": {"content": "x"}}]}, "x", None),
    ({"type": "content_block_start", "content_block": {"type": "text", "text": ""}}, "", None),
    ({"type": "content_block_start", "content_block": {"type": "text", "text": "x"}}, "x", None),
    ({"type": "content_block_start", "content_block": {"type": "thinking", "thinking": "x"}}, "", None),
    ({"type": "response.content_part.added", "part": {"type": "output_text", "text": "x"}}, "x", None),
    ({"type": "response.content_part.added", "part": {"type": "reasoning_text", "text": "x"}}, "", None),
    ({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "x"}}, "", None),
    ({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, "", Finish.LENGTH),
    (
        ResponseTextDeltaEvent(
            type="response.output_text.delta",
            delta="x",
            content_index=0,
            item_id="1",
            logprobs=[],
            output_index=0,
            sequence_number=1,
        ),
        "x",
        None,
    ),
    (
        {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}},
        "",
        Finish.LENGTH,
    ),
    ({"type": "response.failed", "response": {"status": "failed", "error": {}}}, "", Finish.INTERRUPTED),
    ({"type": "response.incomplete", "response": {"status": "cancelled"}}, "", Finish.INTERRUPTED),
    ({"type": "error", "error": {"type": "overloaded_error"}}, "", Finish.INTERRUPTED),
    ({"type": "ping"}, "", None),
]


@pytest.mark.parametrize(("chunk", "text", "finish"), CHUNKS)
def test_chunks_say_their_text(chunk: Any, text: str, finish: Finish | None) -> None:
    piece = read_chunk(chunk)
    assert (piece.text, piece.finish) == (text, finish)


# ---- messages


def test_messages_are_frozen_dicts() -> None:
    message = Message("user", "Do it.")
    assert message == {"role": "user", "content": "Do it."} == message.to_dict() and type(message.to_dict()) is dict
    assert (message.role, message.content) == ("user", "Do it.") and json.loads(json.dumps(message)) == message
    assert repr(message) == "Message(role='user', content='Do it.')" and hash(message) == hash(Message(**message))
    changes: Iterable[Callable[[], object]] = (
        lambda: message.update(role="x"),
        lambda: message.pop("role"),
        message.clear,
        lambda: message.__setitem__("role", "x"),
    )
    for change in changes:
        with pytest.raises(TypeError, match="frozen"):
            change()
    for item in (copy.copy(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert item == message and type(item) is Message


@given(st.sampled_from(["system", "user", "assistant"]), st.text())
def test_messages_come_back(role: str, content: str) -> None:
    message = Message(role, content)
    assert Message.from_dict(message) is message
    if content.isascii():
        assert Message.from_dict(message.to_dict()) == message


def test_messages_of_clients_are_taken_everywhere() -> None:
    openai: list[ChatCompletionMessageParam] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Do "}, {"type": "text", "text": "it."}]},
        {"role": "assistant", "content": None},
    ]
    anthropic: list[MessageParam] = [{"role": "assistant", "content": WHOLE.content}]
    expected = (Message("system", "Be brief."), Message("user", "Do it."), Message("assistant", ""))
    assert as_messages(openai) == expected and as_messages(anthropic) == (Message("assistant", TEXT),)
    model = ScriptedModel([TEXT, TEXT])
    assert model.generate(openai).text == TEXT
    processor = SymOpsProcessor("v2", corrector=SelfCorrector(model))
    assert processor.process("create a.py\n", openai).document == parse(TEXT)
    assert model.requests[0] == expected and model.requests[1][:3] == expected


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        ({"content": "x"}, "message 2: it has no `role`; a message is a dict with `role` and `content`"),
        ({"role": "tool", "content": "x"}, "message 2: a message has the role 'tool'; there are only system, user"),
        ({"role": "user", "content": 5}, "message 2: it has a number for its content, where a text is expected"),
        ({"role": "user", "content": [{"type": "image_url"}]}, "message 2: it has parts that are not text: image_url"),
    ],
)
def test_messages_that_cannot_be_sent_are_told(turn: dict[str, object], told: str) -> None:
    with pytest.raises(ModelError) as caught:
        as_messages([Message("user", "x"), turn])
    assert str(caught.value).startswith(told)
    with pytest.raises(FieldError):
        Message.from_dict(turn)
