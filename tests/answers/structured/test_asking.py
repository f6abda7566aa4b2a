"""Asking for JSON: every way against the real SDKs over loopback, what fails natively, refusals, cancelling."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_replies import JUDGMENT
from model_server import Answer as Said
from model_server import Failure, Line, Request, model_server
from remote_models import NATIVE, natively, set_keys

from symops_lark import ModelError
from symops_lark.answers.structured import (
    Answer,
    Attempt,
    Status,
    aask_json,
    ask_json,
    prompt_suffix,
    strict_projection,
)
from symops_lark.models import CommandModel, Finish, Message, Reply, ScriptedModel, Usage, Way, load_model

VALUE = {"step": 2, "reason": "tests {pass}"}
GOOD = json.dumps(VALUE)
FENCED = f"Here it is:\n```json\n{GOOD}\n```\n"
ASK = "Which rule holds?"
TOOLS = [pair for pair in NATIVE if pair[1] is Way.TOOL]
REFUSES = "I'm sorry, but I can't help with that."

Ask = Callable[..., Answer]
ASKS: dict[str, Ask] = {"ask_json": ask_json, "aask_json": lambda *args, **more: asyncio.run(aask_json(*args, **more))}
both = pytest.mark.parametrize("ask", ASKS)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys(monkeypatch)


def exchange(
    lines: Sequence[Line], provider: str, way: Way, ask: str = "ask_json", **more: Any
) -> tuple[Answer, list[Request]]:
    with model_server(lines) as server:
        model = load_model(provider, "m", base_url=server.url, way=way, max_retries=0)
        return ASKS[ask](model, [Message("system", "Judge."), Message("user", ASK)], JUDGMENT, **more), server.requests


def native_fields(request: Request) -> set[str]:
    return set(request.body) & {"tools", "tool_choice", "response_format", "output_config", "parallel_tool_calls"}


def statuses(answer: Answer) -> list[tuple[Way, Status]]:
    return [(attempt.way, attempt.status) for attempt in answer.attempts]


# ---- natively


@both
@natively
def test_a_native_answer_takes_one_call(provider: str, way: Way, ask: str) -> None:
    answer, [request] = exchange([GOOD], provider, way, ask, name="judgment")
    assert (answer.value, answer.method, answer.way, answer.refused) == (VALUE, "structured_output", way, False)
    assert statuses(answer) == [(way, Status.ANSWERED)]
    assert request.prompt == ASK, "nothing is added to what is asked"
    assert answer.usage == Usage(7, 5)
    if way is Way.TOOL:
        assert "judgment" in json.dumps(request.body["tool_choice"])
        [tool] = request.body["tools"]
        assert (tool.get("input_schema") or tool["function"]["parameters"]) == JUDGMENT
    else:
        described = request.body["response_format"]["json_schema"]
        assert (described["name"], described["schema"]) == ("judgment", JUDGMENT)


LOOSE: dict[str, Any] = {
    "type": "object",
    "properties": {"step": {"type": "integer", "minimum": 1}, "note": {"type": "string"}, "x": {"type": ["null"]}},
    "required": ["step"],
}


def asks_strictly(text: str, way: Way, schema: dict[str, Any]) -> tuple[Answer, Request]:
    with model_server([text, "No."]) as server:
        answer = ask_json(load_model("openai", "m", base_url=server.url, way=way), ASK, schema)
    return answer, server.requests[0]


@pytest.mark.parametrize("way", [Way.TOOL, Way.SCHEMA])
@pytest.mark.parametrize(
    ("said", "value"),
    [
        ({"step": 1, "note": None, "x": None}, {"step": 1}),
        ({"step": 1, "note": "y", "x": None}, {"step": 1, "note": "y"}),
        ({"step": 1}, {"step": 1}),  # a gateway that is not strict
        ({"step": 0, "note": None, "x": None}, None),  # what strict mode does not know is compared afterwards
    ],
)
def test_openai_is_asked_strictly_and_nulls_for_what_is_absent_go(way: Way, said: Any, value: Any) -> None:
    answer, request = asks_strictly(json.dumps(said), way, LOOSE)
    assert answer.value == value and answer.attempts[0].status is (Status.ANSWERED if value else Status.INVALID)
    sent = request.body["tools"][0]["function"] if way is Way.TOOL else request.body["response_format"]["json_schema"]
    assert sent["strict"] is True
    question = sent["parameters" if way is Way.TOOL else "schema"]
    assert question == strict_projection(LOOSE) and set(question["required"]) == {"step", "note", "x"}


OTHERS = {"type": "object", "additionalProperties": {"type": "integer"}}


@pytest.mark.parametrize("schema", [OTHERS, OTHERS | {"properties": {"step": {}}}, {"type": "object"}])
def test_what_has_no_strict_form_is_asked_for_as_it_is(schema: dict[str, Any]) -> None:
    answer, request = asks_strictly('{"any": 1}', Way.SCHEMA, schema)
    assert answer.value == {"any": 1}
    assert request.body["response_format"]["json_schema"] == {"name": "answer", "schema": schema}


GATEWAYS = [
    Failure(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
    Failure(400, "Tool choice must be auto"),
    Failure(404, "No endpoints found that can handle the requested parameters."),
    Failure(422, "Extra inputs are not permitted"),
    Failure(500, "failed to parse grammar"),
    Failure(501, "not implemented"),
]
FAILS: dict[str, tuple[Line, Status]] = {
    **{f"{gateway.status}: {gateway.message}": (gateway, Status.FAILED) for gateway in GATEWAYS},
    "prose": (Said("Rule two holds, as the tests pass.", calls=False), Status.INVALID),
    "another shape": ('{"rule": 2}', Status.INVALID),
    "another type": ('{"step": "2", "reason": ""}', Status.INVALID),
    "malformed": ('{"step": 2, "reason": "tests', Status.INVALID),
    "not quite JSON": ("{'step': 2, 'reason': 'x',}", Status.INVALID),
    "nothing": (Said("", calls=False), Status.EMPTY),
    "cut off": (Said('{"step": 2, "reason": "te', finish="length"), Status.CUT_OFF),
    "a refusal": (Said("I will not.", finish="refusal"), Status.REFUSED),
    "a filter": (Said("No.", calls=False, finish="refused"), Status.REFUSED),
    "a refusal in words": (Said(REFUSES, calls=False), Status.REFUSED),
}


@pytest.mark.alike(6)
@natively
@pytest.mark.parametrize("case", FAILS)
def test_what_fails_natively_is_asked_once_more_by_words(provider: str, way: Way, case: str) -> None:
    line, status = FAILS[case]
    ask = list(ASKS)[len(case) % 2]  # both in turn
    answer, [first, second] = exchange([line, Said(FENCED, usage=(3, 2))], provider, way, ask)
    assert answer.value == VALUE
    assert statuses(answer) == [(way, status), (Way.PROMPT, Status.ANSWERED)]
    assert native_fields(first) and not native_fields(second)
    assert [m["content"] for m in second.messages if m["role"] == "user"] == [ASK + prompt_suffix(JUDGMENT)]
    assert not [m for m in second.messages if m["role"] == "assistant"], "a fresh conversation"
    assert answer.attempts[1].instruction[-1].content == second.prompt
    assert answer.attempts[1].strategy == "code_block"
    if status is Status.FAILED:
        assert isinstance(line, Failure) and line.message in answer.attempts[0].error
        assert answer.usage == Usage(3, 2), "nobody is charged for a request that is refused"
    else:
        assert answer.usage == Usage(10, 7)


@pytest.mark.parametrize(("provider", "way"), TOOLS)
@pytest.mark.parametrize("line", [Said(GOOD, also='{"step": 3, "reason": ""}'), Said(GOOD, called="bash")])
def test_other_calls_than_the_one_are_no_answer(provider: str, way: Way, line: Said) -> None:
    answer, [_, second] = exchange([line, GOOD], provider, way)
    assert answer.value == VALUE and not native_fields(second)
    assert statuses(answer) == [(way, Status.FAILED), (Way.PROMPT, Status.ANSWERED)]
    assert answer.usage == Usage(14, 10), "the call that failed was paid for"


@natively
def test_a_gateway_that_overlooks_the_format_is_read(provider: str, way: Way) -> None:
    answer, [_] = exchange([Said(FENCED, calls=False)], provider, way)
    assert answer.value == VALUE and answer.attempts[0].strategy == "code_block"


@both
@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_what_the_next_question_would_meet_as_well_is_not_asked_again(status: int, ask: str) -> None:
    answer, [_] = exchange([Failure(status, "no"), GOOD], "openai", Way.SCHEMA, ask)
    assert (answer.value, statuses(answer)) == (None, [(Way.SCHEMA, Status.FAILED)])
    assert str(status) in answer.attempts[0].error


def test_a_server_that_cannot_be_reached_is_asked_once() -> None:
    model = load_model("vllm", "m", base_url="http://127.0.0.1:9/v1", max_retries=0)
    answer = ask_json(model, ASK, JUDGMENT)
    assert statuses(answer) == [(Way.SCHEMA, Status.FAILED)] and "cannot be reached" in answer.attempts[0].error


def test_what_a_server_does_not_know_is_learned_once() -> None:
    with model_server(["unused", GOOD, GOOD], refuses=["max_tokens"]) as server:
        model = load_model("openai", "m", base_url=server.url, max_tokens=99)
        assert [ask_json(model, ASK, JUDGMENT).value for _ in range(2)] == [VALUE, VALUE]
    assert [request.body.get("max_completion_tokens") for request in server.requests] == [None, 99, 99]
    assert all(native_fields(request) for request in server.requests)


@natively
def test_the_retry_is_the_only_one(provider: str, way: Way) -> None:
    answer, requests = exchange(["No idea.", "No idea.", GOOD], provider, way)
    assert len(requests) == 2 and answer.value is None
    assert statuses(answer) == [(way, Status.INVALID), (Way.PROMPT, Status.INVALID)]
    assert answer.diagnostics[0].code == "no-object"


AGENT = """
import json, sys
asked = sys.argv[sys.argv.index("--json-schema") + 1] if "--json-schema" in sys.argv else None
names = ",".join(json.loads(asked)["required"]) if asked else "by words"
print("The tool failed." if asked and "--broken" in sys.argv else json.dumps({"step": 2, "reason": names}))
"""


@pytest.mark.parametrize("broken", [False, True])
def test_a_command_is_told_the_schema_and_by_words_nothing_of_it(broken: bool, tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    flags = '${SYMOPS_SCHEMA:+--json-schema "$SYMOPS_SCHEMA"}' + (" --broken" if broken else "")
    answer = ask_json(CommandModel(f"{shlex.quote(sys.executable)} {shlex.quote(str(agent))} {flags}"), ASK, JUDGMENT)
    assert [attempt.way for attempt in answer.attempts] == [Way.SCHEMA, Way.PROMPT][: 1 + broken]
    assert answer.value == {"step": 2, "reason": "by words" if broken else "step,reason"}


# ---- by words


def test_who_can_nothing_natively_is_asked_by_words() -> None:
    model = ScriptedModel([f"<think>{{}}</think>Sure.\n{GOOD}"])
    answer = ask_json(model, ASK, JUDGMENT)
    assert (answer.value, answer.way, answer.attempts[0].strategy) == (VALUE, Way.PROMPT, "braces")
    assert model.requests == [(Message("user", ASK + prompt_suffix(JUDGMENT)),)]


def test_behind_words_of_the_assistant_the_suffix_is_a_turn_of_its_own() -> None:
    model = ScriptedModel([GOOD])
    ask_json(model, [Message("user", ASK), Message("assistant", "Hm.")], JUDGMENT)
    assert [message.role for message in model.requests[0]] == ["user", "assistant", "user"]


def test_a_repaired_value_says_so() -> None:
    answer = ask_json(ScriptedModel(["{'step': 2, 'reason': 'x',}"]), ASK, JUDGMENT)
    assert answer.value == {"step": 2, "reason": "x"} and answer.repaired
    assert "repaired" in [finding.code for finding in answer.diagnostics]


CUT = [
    GOOD[:-1],
    GOOD[:-1] + ",",
    f"First I thought {GOOD}, but",
    f"```json\n{GOOD}\n```\nOn second",
    "{'step': 2, 'reason': 'x',}",
]


@pytest.mark.parametrize("text", CUT)
@pytest.mark.parametrize("finish", [Finish.LENGTH, Finish.INTERRUPTED])
def test_a_reply_that_was_cut_off_is_no_answer(text: str, finish: Finish) -> None:
    answer = ask_json(ScriptedModel([Reply(text, finish)]), ASK, JUDGMENT)
    assert (answer.value, answer.status) == (None, Status.CUT_OFF)


def test_an_object_that_is_all_of_a_reply_was_whole_before_the_limit() -> None:
    assert ask_json(ScriptedModel([Reply(GOOD + " \n\n", Finish.LENGTH)]), ASK, JUDGMENT).value == VALUE


# ---- refusals


@both
@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("refusals", range(5))
def test_a_refusal_is_asked_again_at_most_twice(way: Way, refusals: int, ask: str) -> None:
    model = ScriptedModel([REFUSES] * refusals + [GOOD], way=way)
    answer = ASKS[ask](model, ASK, JUDGMENT)
    smallest = min(refusals, 2) + 1
    assert len(model.requests) == len(answer.attempts) == smallest
    assert (answer.value is None, answer.refused) == ((refusals > 2),) * 2
    assert [form is not None for form in model.forms] == [way is not Way.PROMPT] + [False] * (smallest - 1)
    assert all(len(request) == 1 for request in model.requests), "fresh conversations"


def test_words_beside_an_answer_are_no_refusal() -> None:
    assert ask_json(ScriptedModel([f"I'm sorry, I can't say more than {GOOD}"]), ASK, JUDGMENT).value == VALUE


# ---- what is recorded


@both
@pytest.mark.parametrize("calls", range(3))
def test_whoever_is_cancelled_starts_no_further_call(calls: int, ask: str) -> None:
    model = ScriptedModel([REFUSES] * 3)
    answer = ASKS[ask](model, ASK, JUDGMENT, cancelled=lambda: len(model.requests) == calls)
    assert (len(model.requests), len(answer.attempts), answer.cancelled, answer.value) == (calls, calls, True, None)
    assert answer.status is (Status.REFUSED if calls else None)


@both
def test_an_exception_that_is_none_of_a_model_is_recorded_and_passed_on(ask: str) -> None:
    def fail(messages: tuple[Message, ...]) -> str:
        raise KeyError("a bug")

    attempts: list[Attempt] = []
    with pytest.raises(KeyError, match="a bug"):
        ASKS[ask](ScriptedModel(["No.", fail], way=Way.TOOL), ASK, JUDGMENT, on_attempt=attempts.append)
    assert [(a.way, a.status, a.error) for a in attempts] == [
        (Way.TOOL, Status.INVALID, ""),
        (Way.PROMPT, Status.FAILED, "KeyError: 'a bug'"),
    ]


def test_what_had_arrived_before_a_failure_is_recorded() -> None:
    error = ModelError("it broke off", partial=Reply('{"st', Finish.INTERRUPTED, Usage(4, 1)), retryable=True)
    answer = ask_json(ScriptedModel([error]), ASK, JUDGMENT)
    [attempt] = answer.attempts
    assert (attempt.response, attempt.error, attempt.usage) == ('{"st', "it broke off", Usage(4, 1))


def test_to_cancel_the_task_ends_the_request() -> None:
    attempts: list[Attempt] = []

    async def leave(server: Any) -> None:
        model = load_model("openai", "m", base_url=server.url)
        task = asyncio.create_task(aask_json(model, ASK, JUDGMENT, on_attempt=attempts.append))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with model_server([Said(GOOD, fault="hold")]) as server:
        asyncio.run(leave(server))
        assert server.requests[0].hung_up.wait(5) and len(server.requests) == 1
    assert [attempt.error.split(":")[0] for attempt in attempts] == ["CancelledError"]


def test_an_answer_is_json() -> None:
    answer = ask_json(ScriptedModel(["No.", Reply(GOOD, Finish.STOP, Usage(1, 2))], way=Way.TOOL), ASK, JUDGMENT)
    data = json.loads(json.dumps(answer.to_dict()))
    assert data["value"] == VALUE and data["method"] == "structured_output" and data["way"] == "prompt"
    assert [attempt["status"] for attempt in data["attempts"]] == ["invalid", "answered"]
    assert data["attempts"][0]["instruction"] == [{"role": "user", "content": ASK}]
    assert answer.usage == Usage(None, None), "what the first attempt took is unknown"
    assert ask_json(ScriptedModel([GOOD]), ASK, JUDGMENT).usage is None


# ---- laws

REPLIES = st.lists(
    st.builds(
        Reply,
        st.text() | st.sampled_from([GOOD, FENCED, REFUSES, "{}", '{"step": true, "reason": ""}', GOOD[:9], *CUT]),
        st.sampled_from(list(Finish)),
        st.none() | st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
    )
    | st.sampled_from([ModelError("no", status=status) for status in (400, 401, 404, 429, 500)] + [ModelError("no")]),
    min_size=4,
    max_size=4,
)


def fits(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"step", "reason"} and type(value["step"]) is int


@given(REPLIES, st.sampled_from(list(Way)))
def test_any_replies_give_a_value_that_fits_or_none(replies: list[Reply | ModelError], way: Way) -> None:
    model = ScriptedModel(replies, way=way)
    attempts: list[Attempt] = []
    answer = ask_json(model, ASK, JUDGMENT, on_attempt=attempts.append)
    assert tuple(attempts) == answer.attempts and 1 <= len(attempts) == len(model.requests) <= 3
    assert (answer.value is not None) == (answer.status is Status.ANSWERED)
    assert answer.value is None or fits(answer.value)
    assert [a.way for a in attempts] == [way, Way.PROMPT, Way.PROMPT][: len(attempts)]
    assert all(attempt.status is not Status.ANSWERED for attempt in attempts[:-1])
    assert asyncio.run(aask_json(ScriptedModel(replies, way=way), ASK, JUDGMENT)) == answer


def test_every_status_has_its_case() -> None:
    assert {status for _, status in FAILS.values()} == set(Status) - {Status.ANSWERED}
