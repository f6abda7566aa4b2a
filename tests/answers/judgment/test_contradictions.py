"""Replies whose object and tag contradict each other."""

from __future__ import annotations

import json

import pytest

from symops_lark.answers.judgment import Judgment, StatusNotFound, judge_status
from symops_lark.models import ScriptedModel

RULES = ("The change is approved.", "The change needs a fix.", "The reviewer is blocked.")
PROSE = "Hmm, that is hard to say."


def answer(step: int, reason: str = "tests") -> str:
    return json.dumps({"step": step, "reason": reason})


def match(index: int) -> str:
    return json.dumps({"matched_index": index, "reason": "tests"})


def judge(*script: str) -> Judgment:
    return judge_status(RULES, "Two tests fail.", ScriptedModel(script), step="review")


CONTRADICTIONS = (
    answer(1) + "\n\n[REVIEW:2]",
    "[REVIEW:2]\n\n" + answer(1),
    f"```json\n{answer(1)}\n```\n\n[STEP:2]",
    answer(1, reason="[REVIEW:2]"),
)


@pytest.mark.parametrize("said", CONTRADICTIONS)
def test_an_object_and_a_tag_that_contradict_each_other_are_told(said: str) -> None:
    """Neither counts: the next stage is asked, and the record has both numbers."""
    judgment = judge(said, said.replace(answer(1), answer(3)), match(3))
    assert (judgment.rule_index, judgment.method) == (2, "ai_judge")
    first = judgment.stages[0]
    assert (first.stage, first.status) == (1, "invalid")
    assert first.error == "its object and its tag contradict each other: they name the rules 1 and 2"


def test_a_tag_with_an_object_that_contradicts_it_is_no_answer() -> None:
    judgment = judge(PROSE, "[REVIEW:2]\n\n" + answer(1), match(3))
    assert (judgment.rule_index, judgment.stages[-2].status) == (2, "invalid")
    assert "they name the rules 2 and 1" in judgment.stages[-2].error
    with pytest.raises(StatusNotFound, match=r"stage 3 \(ai_judge\): its object and its tag contradict"):
        judge(PROSE, PROSE, match(1) + "\n\n[JUDGE:3]")


@pytest.mark.parametrize(
    "said",
    [
        answer(2) + "\n\n[REVIEW:2]",
        "[REVIEW:1] does not apply.\n\n" + answer(2),
        "One of [REVIEW:1], [REVIEW:2], [REVIEW:3] is asked for.\n\n" + answer(2),
        answer(2, reason="[REVIEW:1] is for reviews without failures"),
    ],
)
def test_tags_that_agree_or_are_only_named_change_nothing(said: str) -> None:
    judgment = judge(said)
    assert (judgment.rule_index, judgment.method, judgment.stages[0].error) == (1, "structured_output", "")


def test_the_tag_of_the_last_stage_and_an_object_of_the_first_contradict_each_other() -> None:
    text = '{"step": 1, "reason": "green"}\n\n[JUDGE:3]'
    with pytest.raises(StatusNotFound) as caught:
        judge_status(["a", "b", "c"], "The report.", ScriptedModel(["?", "?", text]), step="review")
    assert "they name the rules 3 and 1" in caught.value.stages[-1].error
