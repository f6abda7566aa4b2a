"""Requests read by models: by the real SDKs on loopback, by the small model of this machine, by scripts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from model_server import Failure, model_server
from remote_models import NATIVE, set_keys
from wings import need_wing

from symops_lark.answers.structured import find_problems, strict_projection
from symops_lark.code_intelligence import Decomposer, QueryFrame
from symops_lark.code_intelligence.requests.decomposer import build_prompt, decomposition_schema
from symops_lark.models import Way, load_model
from symops_lark.models.scripted import ScriptedModel

QUERY = "ログイン機能でパスワードを入力したときに、エラーが出るので、修正して"
GOOD: dict[str, Any] = {
    "target_feature": {"value": "ログイン機能", "quote": "ログイン機能で"},
    "trigger_condition": {"value": "パスワードを入力したとき", "quote": "パスワードを入力したときに"},
    "observed_issue": {"value": "エラーが出る", "quote": "エラーが出るので"},
    "desired_action": {"value": "修正", "quote": "修正して"},
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys(monkeypatch)


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def read(reply: object, query: str = QUERY) -> QueryFrame:
    return Decomposer(ScriptedModel([reply if isinstance(reply, str) else dump(reply)] * 2)).decompose(query, "MODIFY")


@pytest.mark.parametrize(("provider", "way"), [*NATIVE, ("vllm", Way.PROMPT)])
def test_by_the_sdks(provider: str, way: Way) -> None:
    hallucinated = {**GOOD, "observed_issue": {"value": "画面が白くなる", "quote": "画面が白くなるので"}}
    with model_server([dump(hallucinated)]) as server:
        model = load_model(provider, "m", base_url=server.url, way=way, max_retries=0)
        frame = Decomposer(model).decompose(QUERY, "MODIFY")
        [request] = server.requests
    assert QUERY in request.prompt
    assert (frame.target_feature, frame.observed_issue, frame.missing_slots) == (
        "ログイン機能",
        None,
        ["observed_issue"],
    )
    assert frame.extraction_confidence == 0.75 and frame.slot_quotes["desired_action"] == "修正して"
    assert frame.slot_refusals["observed_issue"]["quote"] == "画面が白くなるので", "what is refused is shown"
    assert frame.slot_source == {}


def test_a_server_that_fails_leaves_every_slot_missing() -> None:
    with model_server([Failure(400, "no"), Failure(400, "no"), Failure(400, "no")]) as server:
        model = load_model("openai", "m", base_url=server.url, max_retries=0)
        frame = Decomposer(model).decompose(QUERY)
    assert len(frame.missing_slots) == 4 and frame.extraction_error


@pytest.mark.parametrize("reply", ["", "I cannot help with that.", "[]", '{"target_feature": "ログイン機能"}', "{}"])
def test_replies_that_say_nothing(reply: str) -> None:
    frame = read(reply)
    assert len(frame.missing_slots) == 4 and frame.extraction_confidence == 0


def test_what_is_null_is_missing() -> None:
    frame = read({**GOOD, "trigger_condition": None})
    assert frame.missing_slots == ["trigger_condition"] and frame.extraction_confidence == 1


@pytest.mark.parametrize(
    "query", ["{target_feature} {} {0} %s を直して", "```\n直して\n```", "````` xy", '\\ " を修正']
)
def test_the_request_is_delimited(query: str) -> None:
    prompt = build_prompt(query, "MODIFY")
    before, _, after = prompt.rpartition(query)
    mark = before.rstrip("\n").rsplit("\n", 1)[-1]
    assert set(mark) == {"`"} and mark not in query and after.startswith(f"\n{mark}\n"), (
        "nothing in it closes the fence"
    )
    assert read({"desired_action": {"value": query, "quote": query}}, query).desired_action == query


def test_the_prompt_is_in_the_language_of_the_request() -> None:
    assert "依頼文" in build_prompt(QUERY) and "依頼文" not in build_prompt("fix the login")
    assert "MODIFY" in build_prompt("fix the login", "modify")


def test_the_schema_and_its_strict_projection() -> None:
    assert find_problems(GOOD, decomposition_schema()) == []
    assert find_problems({"target_feature": {"value": "x"}}, decomposition_schema()) != []
    strict = strict_projection(decomposition_schema())
    assert strict["required"] == list(GOOD) and strict["additionalProperties"] is False


@pytest.mark.slow
def test_by_the_small_model_of_this_machine() -> None:
    """Held to the schema's grammar it always answers in form; what it did not quote is refused, and shown."""
    need_wing("lab")
    from benchmarks.structured.local import load_local
    from symops_lark.lab.benchmark.sources.local_model import LocalServer

    server, query = LocalServer(0), "The login page shows an error, fix it"
    strict = strict_projection(decomposition_schema())
    model = load_local(server.address, 200, None, strict)
    decomposer = Decomposer(model)
    frame = decomposer.decompose(query, "MODIFY")
    assert decomposer.last_answer is not None
    response = decomposer.last_answer.attempts[-1].response
    assert response.lstrip().startswith("{"), response
    answered = {slot for slot, value in (decomposer.last_answer.value or {}).items() if value is not None}
    assert answered and answered == set(frame.slot_quotes) | set(frame.slot_refusals), "nothing is dropped in silence"
    assert all(quote in query for quote in frame.slot_quotes.values())
    for refused in frame.slot_refusals.values():
        assert refused["reason_code"] and (
            refused["quote"] not in query or refused["reason_code"] != "quote_not_in_query"
        )
