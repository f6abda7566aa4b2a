"""Judgments by the real SDKs against a server on loopback: natively, by prose, refused, cut off, broken."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from model_server import Answer, Failure, Line, Request, model_server
from remote_models import natively, set_keys

from symops_lark.answers.judgment import EVALUATION_SCHEMA, Judgment, StatusNotFound, judge_status
from symops_lark.answers.structured import prompt_suffix
from symops_lark.models import Usage, Way, load_model

RULES = ["The change is approved.", "The change needs a fix.", "レビューできない。"]
REPORT = "# レビュー\n\nテストが二つ失敗しました。"
GOOD = json.dumps({"step": 2, "reason": "テストが失敗"}, ensure_ascii=False)
MATCH = json.dumps({"matched_index": 3, "reason": ""})


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys(monkeypatch)


def judge(lines: Sequence[Line], provider: str, way: Way) -> tuple[Judgment, list[Request]]:
    with model_server(lines) as server:
        model = load_model(provider, "m", base_url=server.url, way=way, max_retries=0)
        return judge_status(RULES, REPORT, model, step="review"), server.requests


def prose(text: str) -> Answer:
    return Answer(text, calls=False)


@natively
def test_a_native_answer(provider: str, way: Way) -> None:
    result, [request] = judge([GOOD], provider, way)
    assert (result.rule_index, result.method, result.reason) == (1, "structured_output", "テストが失敗")
    assert "judgment" in json.dumps(request.body) and REPORT in request.prompt
    assert "[REVIEW:1]" not in request.prompt and "[REVIEW:N]" in request.prompt, "natively no tags are listed"
    assert result.stages[0].usage == Usage(7, 5)


def test_a_model_that_is_only_told_is_shown_the_tags() -> None:
    result, [request] = judge([GOOD], "vllm", Way.PROMPT)
    assert result.method == "structured_output"
    assert all(f"[REVIEW:{number}]" in request.prompt for number in (1, 2, 3)) and "response_format" not in request.body


@natively
def test_a_gateway_that_refuses_the_format_is_asked_by_words(provider: str, way: Way) -> None:
    result, [_, request] = judge([Failure(400, "response_format is not supported"), GOOD], provider, way)
    assert (result.rule_index, result.method) == (1, "structured_output")
    assert [stage.status for stage in result.stages] == ["failed", "answered"]
    assert "json_schema" not in json.dumps(request.body) and '"type": "object"' in request.prompt


@natively
def test_prose_leads_to_a_tag(provider: str, way: Way) -> None:
    lines = [prose("Rule two, I think."), prose("Rule two."), prose("テストが失敗しています。\n\n[REVIEW:2]")]
    result, requests = judge(lines, provider, way)
    assert (result.rule_index, result.method) == (1, "phase3_tag")
    assert [stage.stage for stage in result.stages] == [1, 1, 2]
    assert [len([m for m in request.messages if m["role"] != "system"]) for request in requests] == [1, 1, 1]
    assert "tools" not in requests[2].body and "response_format" not in requests[2].body


@natively
def test_what_is_cut_off_is_no_answer(provider: str, way: Way) -> None:
    cut = Answer(GOOD[:-1], finish="length")
    tags = Answer("[REVIEW:1]\n[REVIEW:2]", finish="length", calls=False)
    result, _ = judge([cut, Answer(GOOD[:-4], finish="length", calls=False), tags, MATCH], provider, way)
    assert (result.rule_index, result.method) == (2, "ai_judge")
    assert [stage.status for stage in result.stages] == ["cut_off", "cut_off", "cut_off", "answered"]


@natively
def test_refusals_and_broken_servers(provider: str, way: Way) -> None:
    refused = Answer("No.", finish="refused", calls=False)
    with model_server([refused] * 9) as server:
        model = load_model(provider, "m", base_url=server.url, way=way, max_retries=0)
        with pytest.raises(StatusNotFound) as caught:
            judge_status(RULES, REPORT, model, step="review")
    assert [stage.stage for stage in caught.value.stages] == [1, 1, 1, 2, 2, 2, 3]
    assert {stage.status for stage in caught.value.stages} == {"refused"}
    with model_server([Failure(503)] * 9) as server:
        model = load_model(provider, "m", base_url=server.url, way=way, max_retries=0)
        with pytest.raises(StatusNotFound, match="503") as caught:
            judge_status(RULES, REPORT, model, step="review")
    assert [(stage.stage, stage.status) for stage in caught.value.stages] == [
        (1, "failed"),
        (2, "failed"),
        (3, "failed"),
    ]


def test_the_question_of_the_last_stage_ends_with_its_schema() -> None:
    lines = [prose("Hm."), prose("Hm."), prose("[JUDGE:2]")]
    result, requests = judge(lines, "vllm", Way.PROMPT)
    assert (result.rule_index, result.method) == (1, "ai_judge")
    assert requests[2].prompt.endswith(prompt_suffix(EVALUATION_SCHEMA))
