"""An answer as it arrives: what was given is not taken back, whatever the model and the server do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_server import Answer as Said
from model_server import Failure, Line, Request, model_server
from remote_models import natively, set_keys

from symops_lark import ModelError
from symops_lark.answers.structured import Answer, AnswerStream, Attempt, Member, Status, ask_json, stream_json
from symops_lark.models import Finish, Reply, ScriptedModel, Usage, Way, load_model

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "step": {"type": "integer"},
        "reason": {"type": "string"},
        "files": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["step"],
    "additionalProperties": False,
}
VALUE = {"step": 2, "reason": "緑 {pass}", "files": ["a", "b"]}
GOOD = json.dumps(VALUE, ensure_ascii=False)
FENCED = f"Here it is:\n```json\n{GOOD}\n```\n"
REFUSES = "I'm sorry, but I can't help with that."
both = pytest.mark.parametrize("asynchronously", [False, True])
INNER = [("/step", 2), ("/reason", "緑 {pass}"), ("/files/0", "a"), ("/files/1", "b"), ("/files", ["a", "b"])]
OUTER = [INNER[0], INNER[1], INNER[4]]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys(monkeypatch)


def read(stream: AnswerStream, asynchronously: bool = False) -> tuple[list[Member], Answer]:
    async def collect() -> list[Member]:
        return [member async for member in stream]

    members = asyncio.run(collect()) if asynchronously else list(stream)
    assert stream.answer is not None
    return members, stream.answer


def exchange(
    lines: Sequence[Line], provider: str, way: Way, asynchronously: bool = False
) -> tuple[list[tuple[str, Any]], Answer, list[Request]]:
    with model_server(lines) as server:
        model = load_model(provider, "m", base_url=server.url, way=way, max_retries=0)
        members, answer = read(stream_json(model, "Which?", SCHEMA), asynchronously)
        return [member_pair(member) for member in members], answer, server.requests


def member_pair(member: Member) -> tuple[str, Any]:
    return member.pointer, member.value


@both
@natively
def test_members_arrive_before_the_answer_is_whole(provider: str, way: Way, asynchronously: bool) -> None:
    members, answer, [request] = exchange([Said(GOOD, spoken="I call it.")], provider, way, asynchronously)
    assert members == (OUTER if provider == "openai" else INNER)
    assert (answer.value, answer.way, answer.usage) == (VALUE, way, Usage(7, 5))
    assert request.body["stream"] is True


@pytest.mark.parametrize("way", [Way.SCHEMA, Way.TOOL])
def test_nulls_for_what_is_absent_are_not_given(way: Way) -> None:
    members, answer, _ = exchange(['{"step": 1, "reason": null, "files": null}'], "openai", way)
    assert (members, answer.value) == ([("/step", 1)], {"step": 1})


@natively
@pytest.mark.parametrize(
    "line", [Failure(400, "json_schema"), "No idea.", Said(REFUSES, calls=False), '{"rule": 1}', '{"step": "1"}']
)
def test_before_anything_was_given_it_is_asked_once_more_by_words(provider: str, way: Way, line: Line) -> None:
    members, answer, [_, second] = exchange([line, GOOD], provider, way)
    assert members == INNER and answer.value == VALUE
    assert [attempt.way for attempt in answer.attempts] == [way, Way.PROMPT]
    assert "tools" not in second.body and "response_format" not in second.body


@both
@natively
@pytest.mark.parametrize("broken", [GOOD[:14], GOOD[:12] + ', "reason": 7}', GOOD[:12] + ', "step": 3}'])
def test_after_something_was_given_nothing_is_asked_again(
    provider: str, way: Way, broken: str, asynchronously: bool
) -> None:
    members, answer, [_] = exchange([Said(broken, finish="length"), GOOD], provider, way, asynchronously)
    assert members == [("/step", 2)]
    assert (answer.value, len(answer.attempts)) == (None, 1)


def test_an_answer_in_a_fence_is_given_whole_at_the_end() -> None:
    members, answer = read(stream_json(ScriptedModel([FENCED]), "Which?", SCHEMA))
    assert (members, answer.value) == ([], VALUE)


def test_a_stream_that_breaks_gives_what_had_arrived() -> None:
    members, answer, [_] = exchange([Said(GOOD, fault="cut", at=30), GOOD], "vllm", Way.SCHEMA)
    assert members == INNER[:1]
    [attempt] = answer.attempts
    assert (attempt.status, attempt.response) == (Status.FAILED, GOOD[:30]) and "broke off" in attempt.error


def test_leaving_early_ends_the_request() -> None:
    attempts: list[Attempt] = []
    with model_server([Said(GOOD, fault="hold", at=30)]) as server:
        model = load_model("vllm", "m", base_url=server.url)
        for member in stream_json(model, "Which?", SCHEMA, on_attempt=attempts.append):
            assert member.pointer == "/step"
            break
        assert server.requests[0].hung_up.wait(5)
    assert [attempt.error for attempt in attempts] == ["closed by its reader"]


def test_another_iteration_asks_nothing() -> None:
    model = ScriptedModel([GOOD, GOOD])
    stream = stream_json(model, "Which?", SCHEMA)
    assert list(stream)
    answer = stream.answer
    assert answer is not None and list(stream) == [] and stream.answer is answer
    left = stream_json(model, "Which?", SCHEMA)
    assert next(iter(left)) and list(left) == [] and left.answer is None
    assert len(model.requests) == 2


def test_whoever_is_cancelled_starts_no_call() -> None:
    model = ScriptedModel([GOOD])
    members, answer = read(stream_json(model, "Which?", SCHEMA, cancelled=lambda: True))
    assert (members, answer.cancelled, model.requests) == ([], True, [])


TEXTS = st.sampled_from(
    [GOOD, FENCED, REFUSES, "", GOOD[:30], f"{GOOD}\n{GOOD}", f'{GOOD} {{"step": 3}}', '{"step": 2.0}']
)
REPLIES = st.lists(
    st.builds(Reply, TEXTS | st.text(max_size=20), st.sampled_from(list(Finish)))
    | st.sampled_from([ModelError("no", status=status, partial=Reply('{"step": 1,')) for status in (400, 429)]),
    min_size=4,
    max_size=4,
)


def lookup(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        value = value[int(part) if isinstance(value, list) else part]
    return value


@pytest.mark.slow
@settings(max_examples=50)
@given(REPLIES, st.sampled_from(list(Way)), st.integers(1, 9), st.booleans())
def test_what_was_given_is_in_the_answer_or_there_is_none(
    replies: list[Reply | ModelError], way: Way, size: int, strict: bool
) -> None:
    def model() -> ScriptedModel:
        scripted_model = ScriptedModel(replies, way=way, chunk_size=size)
        scripted_model.wants_strict = strict
        return scripted_model

    members, answer = read(stream_json(model(), "Which?", SCHEMA))
    assert len({member.pointer for member in members}) == len(members)
    if answer.value is not None:
        assert all(lookup(answer.value, member.pointer) == member.value for member in members)
        assert answer.value == ask_json(model(), "Which?", SCHEMA).value
    if not members:
        assert answer == ask_json(model(), "Which?", SCHEMA), "where nothing was given, it is the same"
    assert read(stream_json(model(), "Which?", SCHEMA), asynchronously=True) == (members, answer)
