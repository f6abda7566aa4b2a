"""Rules of steps that were not asked about their status: which way finds them, in which order, and by which index."""

from __future__ import annotations

import json
from typing import Any

import pytest

from symops_lark import SymOpsError
from symops_lark.answers.judgment import JudgmentCancelled, Rule, StatusNotFound, as_rule, detect_matched_rule
from symops_lark.models import ScriptedModel

RULES = ["approved", "needs a fix", "blocked"]
PARTS = ['all("approved")', 'any("needs a fix", "blocked")']


def match(index: int) -> str:
    return json.dumps({"matched_index": index, "reason": "so it says"})


def detect(rules: Any = RULES, *script: Any, **more: Any) -> tuple[int, str, str]:
    matched_rule = detect_matched_rule(rules, step="review", model=ScriptedModel(script) if script else None, **more)
    return matched_rule.rule_index, str(matched_rule.method), matched_rule.tag


def test_parallel_parts_come_first() -> None:
    tags = {"phase3": "[REVIEW:3]", "phase1": "[REVIEW:3]"}
    assert detect([*PARTS, "c"], parts=["approved", "approved"], **tags) == (0, "aggregate", "[REVIEW:1]")
    assert detect([*PARTS, "c"], parts=["approved", "blocked"], **tags) == (1, "aggregate", "[REVIEW:2]")
    assert detect([*PARTS, "c"], parts=["approved", None], **tags) == (2, "phase3_tag", "[REVIEW:3]")
    assert detect([*PARTS, "c"], parts=[], **tags) == (2, "phase3_tag", "[REVIEW:3]"), "no parts are not all parts"
    several = ['all("a", "b")', "c"]
    assert detect(several, parts=["a", "b"], phase1="[STEP:2]")[0] == 0
    assert detect(several, parts=["b", "a"], phase1="[STEP:2]")[0] == 1
    assert detect(several, parts=["a", "b", "b"], phase1="[STEP:2]")[0] == 1


def test_facts_come_before_what_was_said() -> None:
    rules = [Rule("clean", when="errors == 0"), Rule("fix"), Rule("stop")]
    assert detect(rules, facts={"errors": 0}, phase3="[REVIEW:2]") == (0, "when", "[REVIEW:1]")
    assert detect(rules, facts={"errors": 1}, phase3="[REVIEW:2]") == (1, "phase3_tag", "[REVIEW:2]")
    with pytest.raises(StatusNotFound):
        detect(rules, facts={"errors": 1}, phase3="[REVIEW:1]")  # a model does not overrule a fact
    with pytest.raises(SymOpsError, match="no fact is called errors"):
        detect(rules, phase3="[REVIEW:2]")


def test_the_tag_of_the_status_counts_more_than_that_of_the_step() -> None:
    assert detect(phase3="[REVIEW:1]", phase1="[REVIEW:2]") == (0, "phase3_tag", "[REVIEW:1]")
    assert detect(phase3="unclear", phase1="Done.\n[REVIEW:2]") == (1, "phase1_tag", "[REVIEW:2]")


def test_a_model_is_asked_about_ai_conditions_and_then_about_all() -> None:
    rules = ["approved", 'ai("two tests fail")', "blocked", 'ai("nobody knows")']
    model = ScriptedModel([match(1)])
    matched_rule = detect_matched_rule(rules, step="review", phase1="Two tests fail.", model=model)
    assert (matched_rule.rule_index, matched_rule.method, matched_rule.reason) == (1, "ai_judge", "so it says")
    content = model.requests[0][0].content
    assert "| 1 | two tests fail |" in content and "| 2 | nobody knows |" in content and "approved" not in content
    model = ScriptedModel([match(0), match(3)])
    matched_rule = detect_matched_rule(rules, step="review", phase1="Two tests fail.", model=model)
    assert (matched_rule.rule_index, matched_rule.method) == (2, "ai_judge_fallback")
    assert [(stage.method, stage.status) for stage in matched_rule.stages] == [
        ("ai_judge", "out_of_range"),
        ("ai_judge_fallback", "answered"),
    ]
    assert "number is 0" in model.requests[0][0].content and "number is 0" not in model.requests[1][0].content


def test_without_ai_conditions_all_are_asked_about() -> None:
    assert detect(RULES, "[JUDGE:2]", phase1="Two tests fail.") == (1, "ai_judge_fallback", "[REVIEW:2]")


def test_nothing_matches() -> None:
    with pytest.raises(StatusNotFound, match="there is no tag, and nobody to ask") as caught:
        detect(phase1="Two tests fail.")
    assert caught.value.stages == ()
    with pytest.raises(StatusNotFound, match="matched_index is 0") as caught:
        detect(RULES, match(0), phase1="Two tests fail.")
    assert len(caught.value.stages) == 1
    with pytest.raises(StatusNotFound):
        detect(RULES, match(1))  # nothing was said that could be judged
    with pytest.raises(SymOpsError, match="at least one rule is needed"):
        detect([])
    with pytest.raises(SymOpsError, match="at least one rule is needed"):
        detect([Rule("a", interactive_only=True)], interactive=False)


HIDDEN = [Rule("ask", interactive_only=True), Rule("approved"), Rule("say", interactive_only=True), Rule('ai("fix")')]


@pytest.mark.parametrize(
    ("interactive", "number", "index"), [(False, 1, 1), (False, 2, 3), (True, 1, 0), (True, 4, 3), (True, 3, 2)]
)
def test_numbers_of_rules_that_are_shown_become_indices_of_all(interactive: bool, number: int, index: int) -> None:
    table: dict[str, Any] = {"interactive": interactive}
    assert detect(HIDDEN, phase3=f"[REVIEW:{number}]", **table) == (index, "phase3_tag", f"[REVIEW:{index + 1}]")
    assert detect(HIDDEN, phase1=f"[REVIEW:{number}]", **table)[0] == index
    assert detect(HIDDEN, match(number), phase1="x", **table)[:2] == (index, "ai_judge_fallback")


def test_hidden_rules_are_not_found() -> None:
    rules = [Rule("x", interactive_only=True, when="true"), Rule("a"), Rule("b")]
    assert detect(rules, facts={}, phase1="[REVIEW:1]", interactive=False)[0] == 1
    assert detect(rules, facts={}, phase1="[REVIEW:1]")[:2] == (0, "when")


def test_who_is_cancelled_starts_no_call() -> None:
    model = ScriptedModel([match(1)])
    with pytest.raises(JudgmentCancelled):
        detect_matched_rule(RULES, step="x", phase1="said", model=model, cancelled=lambda: True)
    assert model.requests == []


def test_a_run_that_is_cancelled_while_a_model_answers_ends_as_cancelled() -> None:
    model = ScriptedModel(["I cannot tell."])
    with pytest.raises(JudgmentCancelled) as caught:
        detect_matched_rule(RULES, step="x", phase1="said", model=model, cancelled=lambda: bool(model.requests))
    assert len(caught.value.stages) == 1


def test_conditions_that_are_calls() -> None:
    assert as_rule('ai("it \\"works\\"")').ai == 'it "works"'
    assert as_rule('all("a", "b, c")').all_of == ("a", "b, c")
    assert as_rule("when(errors < 3)").when == "errors < 3"
    for words in ("all tests pass", "any (of them)", "ai()", 'ai("a", "b")', "ai(a)", 'all("")', 'any("a" "b")'):
        rule = as_rule(words)
        assert not rule.is_decided and rule.ai is None and rule.condition == words
    assert as_rule({"condition": "a", "any": ("b",)}) == Rule("a", any_of=("b",))
    assert as_rule({"when": "errors < 3"}) == Rule("errors < 3", when="errors < 3")
    for bad in (3, None, ["a"], {}, {"next": "b"}, {"condition": "a", "colour": "red"}):
        with pytest.raises(SymOpsError, match="a rule is a condition"):
            as_rule(bad)  # type: ignore[arg-type]
    with pytest.raises(SymOpsError, match="more than one of"):
        Rule("x", ai="a", when="true")
    with pytest.raises(SymOpsError, match="ends too early"):
        as_rule("when(errors <)")


def test_lists_of_json_and_a_single_text_are_conditions_on_the_parts() -> None:
    for key, parts in (("all", ["approved", "approved"]), ("any", ["blocked", "approved"])):
        for item in (["approved"], "approved", ("approved",)):
            rules = [{"condition": "every part", key: item}, "else"]
            assert detect(rules, parts=parts)[:2] == (0, "aggregate"), item
    # A part of a condition is another condition.
    rules = [{"condition": "some part", "any": "needs a fix"}, "else"]
    for part in ("fix", "", None):
        with pytest.raises(StatusNotFound):
            detect(rules, parts=[part])


@pytest.mark.parametrize(
    "fields",
    [
        {"when": 3},
        {"ai": True},
        {"next": 2},
        {"interactive_only": "false"},
        {"any": 3},
        {"all": ["a", 1]},
        {"any": [""]},
        {"any": None},
    ],
)
def test_a_field_of_another_kind_is_an_error(fields: dict[str, Any]) -> None:
    with pytest.raises(SymOpsError, match=f"{next(iter(fields))} of a rule is"):
        as_rule({"condition": "c", **fields})
    with pytest.raises(SymOpsError, match="condition of a rule is a text"):
        Rule(3)  # type: ignore[arg-type]
