"""The three stages: their order, what each is asked, what each takes for an answer, and what is recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import ModelError, SymOpsError
from symops_lark.answers.judgment import (
    EVALUATION_SCHEMA,
    JUDGMENT_SCHEMA,
    Judgment,
    JudgmentCancelled,
    Rule,
    Stage,
    StatusNotFound,
    build_instruction,
    judge_status,
    to_judgment_match_method,
    write_table,
)
from symops_lark.answers.structured import prompt_suffix
from symops_lark.models import Finish, Message, Reply, ScriptedModel, Usage

RULES = ("The change is approved.", "The change needs a fix.", "The reviewer is blocked.")
REPORT = "# Review\n\nTwo tests fail.\n"
PROSE = "Hmm, that is hard to say."


def answer(step: Any, **more: Any) -> str:
    return json.dumps({"step": step, "reason": "tests"} | more)


def match(index: Any) -> str:
    return json.dumps({"matched_index": index, "reason": "tests"})


def judge(*script: Any, rules: Sequence[Any] = RULES, **more: Any) -> tuple[Judgment, ScriptedModel]:
    model = ScriptedModel(script)
    return judge_status(rules, REPORT, model, step="review", **more), model


def fail(*script: Any, rules: Sequence[Any] = RULES, **more: Any) -> tuple[StatusNotFound, ScriptedModel]:
    model = ScriptedModel(script)
    with pytest.raises(StatusNotFound) as caught:
        judge_status(rules, REPORT, model, step="review", **more)
    return caught.value, model


def told(stages: Sequence[Stage]) -> list[tuple[int, str, str]]:
    return [(stage.stage, stage.method, stage.status) for stage in stages]


FIRST = (1, "structured_output", "invalid")
SECOND = (2, "phase3_tag", "invalid")


def test_the_first_stage_answers() -> None:
    result, model = judge(answer(2))
    assert (result.rule_index, result.method, result.tag, result.reason) == (
        1,
        "structured_output",
        "[REVIEW:2]",
        "tests",
    )
    assert told(result.stages) == [(1, "structured_output", "answered")]
    assert len(model.requests) == 1 and result.stages[0].response == answer(2)
    assert result.stages[0].instruction == model.requests[0][-1].content
    assert result.to_dict()["logged"] == "structured_output"


def test_the_second_stage_answers() -> None:
    result, _model = judge(PROSE, "[review:3]")
    assert (result.rule_index, result.method, result.tag) == (2, "phase3_tag", "[REVIEW:3]")
    assert told(result.stages) == [FIRST, (2, "phase3_tag", "answered")]


@pytest.mark.parametrize("said", [match(2), f"```json\n{match(2.0)}\n```", "[JUDGE:2]", "The answer is [judge:2]."])
def test_the_third_stage_answers(said: str) -> None:
    result, _model = judge(PROSE, PROSE, said)
    assert (result.rule_index, result.method, result.tag) == (1, "ai_judge", "[REVIEW:2]")
    assert told(result.stages) == [FIRST, SECOND, (3, "ai_judge", "answered")]
    assert result.stages[-1].error == ""


def test_nothing_is_found() -> None:
    error, model = fail(PROSE, PROSE, PROSE)
    assert told(error.stages) == [FIRST, SECOND, (3, "ai_judge", "invalid")]
    assert "no rule of review was found: stage 1 (structured_output): " in str(error)
    assert len(model.requests) == 3


def test_each_question_is_a_conversation_of_its_own() -> None:
    _, model = fail(PROSE, PROSE, PROSE)
    assert [[message.role for message in request] for request in model.requests] == [["user"]] * 3
    first, two, three = (request[0].content for request in model.requests)
    assert len({first, two, three}) == 3
    for item in (first, two, three):
        assert "Two tests fail." in item and all(f"| {n} | {rule} |" in item for n, rule in enumerate(RULES, 1))
        assert PROSE not in item
    assert first.endswith(prompt_suffix(JUDGMENT_SCHEMA)) and three.endswith(prompt_suffix(EVALUATION_SCHEMA))
    assert "JSON" not in two and "Write exactly one of these tags" in two
    assert "[REVIEW" not in three and "step" not in three, "the last is given the report, not the instruction"
    assert "1-based" in EVALUATION_SCHEMA["properties"]["matched_index"]["description"]


WRONG = [answer(0), answer(4), answer(-1), answer(True), answer("2"), answer(1.5), answer(None), "{}", "", "[2]", "2"]
WRONG += [
    answer(2, more=1),
    '{"step": 2}',
    '{"step": 2, "step": 3, "reason": ""}',
    json.dumps([{"step": 2, "reason": ""}]),
]


@pytest.mark.parametrize("said", WRONG)
def test_what_is_no_number_of_a_rule_leads_to_the_next_stage(said: str) -> None:
    result, _ = judge(said, "[REVIEW:1]")
    assert result.method == "phase3_tag" and result.rule_index == 0
    status = {answer(0): "out_of_range", answer(4): "out_of_range", answer(-1): "out_of_range", "": "empty"}
    assert result.stages[0].status == status.get(said, "invalid")


@pytest.mark.parametrize("said", [match(0), match(4), match(True), "[JUDGE:0]", "[JUDGE:4]", "[REVIEW:2]", "[STEP:2]"])
def test_the_last_stage_takes_its_own_numbers_only(said: str) -> None:
    error, _ = fail(PROSE, PROSE, said)
    assert error.stages[-1].status in ("out_of_range", "invalid")


def test_a_reply_that_was_cut_off_is_no_answer() -> None:
    cut = Reply("[REVIEW:1]\n[REVIEW:2]", Finish.LENGTH)
    result, _ = judge(Reply(answer(2)[:-2], Finish.LENGTH), cut, match(3))
    assert [stage.status for stage in result.stages] == ["cut_off", "cut_off", "answered"]
    assert result.rule_index == 2


def test_refusals_are_asked_again_and_no_stage_takes_more_than_its_turns() -> None:
    refusal = Reply("No.", Finish.REFUSED)
    error, model = fail(*[refusal] * 7)
    assert told(error.stages) == [
        *[(1, "structured_output", "refused")] * 3,
        *[(2, "phase3_tag", "refused")] * 3,
        (3, "ai_judge", "refused"),
    ]
    assert len(model.requests) == 7


def test_failures_are_recorded_and_the_next_stage_is_asked() -> None:
    broken = ModelError("the server is gone", partial=Reply("[REVIEW:1]", usage=Usage(3, 4)))
    result, _ = judge(broken, broken, match(2))
    assert [stage.status for stage in result.stages] == ["failed", "failed", "answered"]
    assert all("the server is gone" in stage.error for stage in result.stages[:2])
    assert result.stages[1].response == "[REVIEW:1]" and result.stages[1].usage == Usage(3, 4)
    error, _ = fail(*[ModelError("the server is gone")] * 3)
    assert "the server is gone" in str(error) and len(error.stages) == 3


def raise_it(messages: Sequence[Message]) -> str:
    raise RuntimeError("a bug of the model's")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_stages_are_told_of_also_where_an_exception_ends_them(place: int) -> None:
    stages: list[Stage] = []
    script: list[Any] = [PROSE] * 3
    script[place] = raise_it
    with pytest.raises(RuntimeError):
        judge(*script, on_stage=stages.append)
    assert [stage.stage for stage in stages] == [1, 2, 3][: place + 1]
    assert stages[-1].status == "failed" and "a bug of the model's" in stages[-1].error and stages[-1].instruction


def test_usage_is_recorded() -> None:
    stages: list[Stage] = []
    result, _ = judge(Reply(PROSE, usage=Usage(5, 6)), Reply("[REVIEW:1]", usage=Usage(7, 8)), on_stage=stages.append)
    assert [stage.usage for stage in result.stages] == [Usage(5, 6), Usage(7, 8)]
    assert tuple(stages) == result.stages
    assert json.loads(json.dumps(result.to_dict()))["stages"][0]["usage"] == {"input_tokens": 5, "output_tokens": 6}


@pytest.mark.parametrize("calls", range(4))
def test_who_is_cancelled_starts_no_call(calls: int) -> None:
    model = ScriptedModel([PROSE] * 9)
    with pytest.raises(JudgmentCancelled) as caught:
        judge_status(RULES, REPORT, model, step="review", cancelled=lambda: len(model.requests) >= calls)
    assert len(model.requests) == len(caught.value.stages) == calls


# ---- rules


def test_one_rule_needs_no_model() -> None:
    for rules in (["approved"], [Rule("approved")], [{"condition": "approved"}]):
        judgment = judge_status(rules, "", None, step="review")
        assert (judgment.rule_index, judgment.method, judgment.tag, judgment.stages) == (
            0,
            "auto_select",
            "[REVIEW:1]",
            (),
        )


def test_the_last_rule_beside_some_about_the_parts_holds_only_if_the_parts_are_known() -> None:
    rules = ['any("needs a fix")', "All is fine."]
    with pytest.raises(SymOpsError, match="what they matched is needed"):
        judge_status(rules, "One part needs a fix.", None, step="review")
    judgment = judge_status(rules, "", None, step="review", parts=["needs a fix", None])
    assert (judgment.rule_index, judgment.method) == (0, "aggregate")
    assert judge_status(rules, "", None, step="review", parts=["approved"]).method == "auto_select"
    hidden: list[Rule | str] = [Rule("x", any_of=("a",), interactive_only=True), "All is fine."]  # does not count
    assert judge_status(hidden, "", None, step="review", interactive=False).method == "auto_select"


def test_no_rules_no_source_no_model() -> None:
    model = ScriptedModel([])
    with pytest.raises(SymOpsError, match="at least one rule is needed"):
        judge_status([], REPORT, model, step="review")
    with pytest.raises(SymOpsError, match="at least one rule is needed"):
        judge_status([Rule("a", interactive_only=True)], REPORT, model, step="review", interactive=False)
    with pytest.raises(SymOpsError, match="nothing to judge"):
        judge_status(RULES, " \n", model, step="review")
    with pytest.raises(SymOpsError, match="no model"):
        judge_status(RULES, REPORT, None, step="review")
    with pytest.raises(SymOpsError, match="no condition"):
        judge_status(["a", " "], REPORT, model, step="review")
    with pytest.raises(SymOpsError, match="a rule is a condition with"):
        judge_status(["a", {"condtion": "b"}], REPORT, model, step="review")
    assert model.requests == []


MIXED = [
    Rule("ask the user", interactive_only=True),
    Rule("approved"),
    Rule("errors are left", when="errors > 0"),
    Rule("stop", interactive_only=True),
    Rule("needs a fix"),
    Rule("blocked"),
]


def test_indices_are_those_of_the_caller_s_list() -> None:
    for number, index in ((1, 1), (2, 4), (3, 5)):
        result, model = judge(answer(number), rules=MIXED, interactive=False, facts={"errors": 0})
        assert (result.rule_index, result.tag) == (index, f"[REVIEW:{index + 1}]")
        content = model.requests[0][0].content
        assert "| 2 | needs a fix |" in content and "ask the user" not in content and "errors" not in content
        assert "[REVIEW:3]" in content and "[REVIEW:4]" not in content
        result, _ = judge(PROSE, f"[REVIEW:{number}]", rules=MIXED, interactive=False, facts={"errors": 0})
        assert result.rule_index == index
        result, _ = judge(PROSE, PROSE, match(number), rules=MIXED, interactive=False, facts={"errors": 0})
        assert result.rule_index == index
    result, _ = judge(answer(1), rules=MIXED, facts={"errors": 0})
    assert result.rule_index == 0


def test_facts_decide_without_a_model() -> None:
    judgment = judge_status(MIXED, "", None, step="review", facts={"errors": 2})
    assert (judgment.rule_index, judgment.method, to_judgment_match_method(judgment.method)) == (2, "when", None)
    with pytest.raises(SymOpsError, match="no fact is called errors"):
        judge_status(MIXED, REPORT, None, step="review")
    with pytest.raises(StatusNotFound, match="by the facts"):
        judge_status([Rule("left", when="errors > 0")], REPORT, None, step="review", facts={"errors": 0})
    left = judge_status([Rule("left", when="errors > 0"), Rule("else")], "", None, step="x", facts={"errors": 0})
    assert (left.rule_index, left.method) == (1, "auto_select")


def by_content(wanted: str, key: str) -> Callable[[Sequence[Message]], str]:
    """Return a model that finds a condition in the table and answers with its number."""

    def reply(messages: Sequence[Message]) -> str:
        number = re.search(rf"^\| (\d+) \| {re.escape(wanted)} \|$", messages[-1].content, re.MULTILINE)
        assert number is not None
        return {"tag": f"[STEP:{number[1]}]"}.get(key) or json.dumps({key: int(number[1]), "reason": ""})

    return reply


@pytest.mark.parametrize("order", list(permutations(range(4))))
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_rules_in_any_order_give_the_same_rule(order: tuple[int, ...], stage: int) -> None:
    rules = [[MIXED[0], *map(Rule, RULES)][place] for place in order]
    for rule in RULES:
        script = [PROSE] * (stage - 1) + [by_content(rule, ("step", "tag", "matched_index")[stage - 1])]
        result, _ = judge(*script, rules=rules, interactive=False)
        assert rules[result.rule_index].condition == rule


@given(st.lists(st.text(max_size=40), min_size=3, max_size=3), st.integers(2, 5))
def test_any_replies_give_an_index_in_range_or_no_status(texts: list[str], count: int) -> None:
    rules = [f"rule {number}" for number in range(count)]
    model = ScriptedModel([*texts, *texts, *texts])
    try:
        judgment = judge_status(rules, REPORT, model, step="review")
    except StatusNotFound as error:
        stages = error.stages
    else:
        stages = judgment.stages
        assert 0 <= judgment.rule_index < count
    assert [stage.stage for stage in stages] == sorted(stage.stage for stage in stages)
    assert len(model.requests) == len(stages) <= 7


# ---- instructions


def test_modes_of_the_instruction() -> None:
    native = build_instruction(RULES, REPORT, "ai review")
    assert "`step`" in native and "`reason`" in native
    assert native.count("[AI REVIEW:") == 1 and "[AI REVIEW:N]" in native, "one sentence, and no list of tags"
    listed = build_instruction(RULES, REPORT, "ai review", list_tags=True)
    assert listed.startswith(native) and [f"[AI REVIEW:{n}]" in listed for n in (1, 2, 3, 4)] == [True] * 3 + [False]
    tags = build_instruction(RULES, REPORT, "ai review", structured_output=False)
    assert "exactly one" in tags and "`step`" not in tags and "JSON" not in tags
    for item in (native, listed, tags):
        assert write_table(RULES) in item
    assert "ルール番号" in build_instruction(RULES, REPORT, "review", language="ja")
    with pytest.raises(SymOpsError, match="no instructions in 'fr'"):
        build_instruction(RULES, REPORT, "review", language="fr")


def test_without_structured_output_the_first_stage_is_left_out() -> None:
    result, _model = judge("[REVIEW:2]", structured_output=False)
    assert told(result.stages) == [(2, "phase3_tag", "answered")]


def test_japanese_from_the_rules_to_the_answer() -> None:
    rules = ["承認された", "修正が必要", "判断できない"]
    model = ScriptedModel(["わかりません。", "テストが失敗しています。\nよって、該当するタグは [レビュー:2] です。"])
    judgment = judge_status(rules, "テストが二つ失敗しました。", model, step="レビュー", language="ja")
    assert (judgment.rule_index, judgment.tag) == (1, "[レビュー:2]")
    assert all("テストが二つ失敗しました。" in request[0].content for request in model.requests)


CELLS = st.lists(
    st.text(alphabet="ab|\n\r\\ \u2028条", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=4
)


@given(CELLS)
def test_the_table_has_a_row_for_each_rule_whatever_it_says(rules: list[str]) -> None:
    _head, _line, *rows = write_table(rules).split("\n")
    assert len(rows) == len(rules)
    for number, row in enumerate(rows, 1):
        assert row.startswith(f"| {number} | ") and row.endswith(" |")
        assert len(re.findall(r"(?<!\\)\|", row)) == 3, "bars in a condition are escaped"
        assert len(row.splitlines()) == 1


@given(st.text(alphabet="`a\n~", max_size=60))
def test_nothing_in_a_report_ends_its_fence(report: str) -> None:
    instruction = build_instruction(RULES, report, "review")
    mark = re.search(r"^`{3,}$", instruction, re.MULTILINE)
    assert mark is not None
    fences = [line for line in instruction.split("\n") if re.fullmatch(r"`{3,}", line) and len(line) >= len(mark[0])]
    assert len(fences) == 2


METHODS = {
    "structured_output": "structured_output",
    "phase3_tag": "tag_fallback",
    "phase1_tag": "tag_fallback",
    "ai_judge": "ai_judge",
    "ai_judge_fallback": "ai_judge",
    "auto_select": None,
    "aggregate": None,
    "when": None,
    "": None,
    "anything": None,
}


@pytest.mark.parametrize("method", METHODS)
def test_what_a_log_calls_a_method(method: str) -> None:
    assert to_judgment_match_method(method) == METHODS[method]


SEVERAL = {
    f"{answer(1)}\n\nWait, that is wrong.\n\n{answer(2)}": 1,
    f"{answer(2)}\n\nIn another case it would be {answer(1)}": None,
    f"{answer(2)}\n\nFor example:\n```json\n{answer(1)}\n```": None,
    f"{answer(1)}\n{answer(2)}\n{answer(3)}": None,
    f"{answer(1)}, {answer(2)},\n{answer(3)}": None,
    f"{answer(1)}\n{answer(2)}": None,
    f"{answer(2)}\n{answer(2)}": 1,
    f"For example {answer(2)}": None,
}


@pytest.mark.parametrize("said", SEVERAL)
def test_of_several_objects_the_last_counts_unless_it_is_no_answer(said: str) -> None:
    result, _ = judge(said, "[REVIEW:3]")
    assert result.rule_index == (2 if SEVERAL[said] is None else SEVERAL[said])
    assert result.stages[0].status == ("invalid" if SEVERAL[said] is None else "answered")
