"""A task: its defaults, the edges of its limits, and its rules, however they are given."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from agent_shop import FRAME, RULES, make_task

from symops_lark import Policy, SymOpsError
from symops_lark.agent import Limits, Task
from symops_lark.agent.task import read_rules
from symops_lark.answers.judgment import Rule, RulesError, RulesFile, Step, as_rule
from symops_lark.core.replies.messages import Reply
from symops_lark.routing.verifiers import Verdict

ROUND = Rule("it failed", "fix", when="failed > 0")


class Yes:
    def judge(self, reply: Reply) -> Verdict:
        return Verdict(True)


def test_what_a_task_is_by_default() -> None:
    task = Task("Fix it")
    assert task == Task("Fix it", ".", None, None, "deterministic", "v2", 8_000, (), (), None, None, None, 3)
    assert (task.write, task.policy, task.level, task.limits) == (False, Policy(), "auto", Limits(900, 200_000, 40))
    assert (task.run_code, task.keep_prompts, task.writes) == (False, False, True)
    [step] = task.rules_file.steps
    assert [(rule.condition, rule.next, rule.when) for rule in step.rules] == [
        ("all tests pass", "COMPLETE", "failed == 0 and total > 0"),
        ("a test fails", "fix", "failed > 0"),
    ]


@pytest.mark.parametrize("name", ["seconds", "tokens", "calls"])
def test_no_limit_is_nothing(name: str) -> None:
    changes: dict[str, Any] = {name: 1}
    assert getattr(Limits(**changes), name) == 1
    for value in (0, -1):
        with pytest.raises(SymOpsError, match="limits: seconds, tokens and calls are more than 0"):
            Limits(**{name: value})
    values: tuple[Any, ...] = (math.inf, math.nan, 10**30, "5", True, None)
    for value in values:
        with pytest.raises(SymOpsError, match="limits"):
            Limits(**{name: value})


WITHOUT_REQUEST: tuple[Any, ...] = ({}, [], None)
ODD: tuple[Any, ...] = (
    None,
    True,
    5,
    2.5,
    math.inf,
    "x",
    "3",
    b"x",
    [],
    [5],
    ["x"],
    {},
    {"x": 1},
    {1: 2},
    object(),
    set(),
)


@pytest.mark.parametrize("name", [*Task.__dataclass_fields__, "more"])
def test_a_task_is_json_or_is_refused(name: str) -> None:
    """No kind of value raises another error, and what is accepted is what the log says."""
    for value in ODD:
        members = {"request": "Fix it", name: value}
        try:
            task = Task.from_dict(members)
        except SymOpsError:
            continue
        assert Task.from_dict(json.loads(json.dumps(task.to_dict(), allow_nan=False))) == task
        if name in Task.__dataclass_fields__ and name != "verifier":
            assert Task(**members) == task
    for data in WITHOUT_REQUEST:
        with pytest.raises(SymOpsError, match="request: missing"):
            Task.from_dict(data)


def test_paths_of_a_task_may_be_paths(tmp_path: Path) -> None:
    root: Any = tmp_path
    assert Task("Fix it", root=root) == Task("Fix it", root=str(tmp_path))
    needs: Any = [Path("node_modules")]
    assert Task("Fix it", needs=needs) == Task("Fix it", needs=("node_modules",))


@pytest.mark.parametrize("name", ["tests", "needs"])
def test_lists_of_a_task_may_be_any_iterable(name: str) -> None:
    expected = Task.from_dict({"request": "Fix it", name: ["true"]})
    values: list[Any] = [["true"], ("true",), {"true"}, {"true": 1}.keys(), (line for line in ["true"])]
    for value in values:
        assert Task(**{"request": "Fix it", name: value}) == expected
    wrong: list[Any] = ["true", b"true", {"true": 1}, 3, None, [3]]
    for value in wrong:
        with pytest.raises(SymOpsError, match=name):
            Task(**{"request": "Fix it", name: value})


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ({"request": "x" * 20_000}, {"request": "x" * 20_001}, "request: it has 20,001 characters, at most 20,000"),
        ({"request": " x "}, {"request": " \n"}, "request: it is empty"),
        ({"request": "x"}, {"request": 3}, "request: expected a string, got a number"),
        ({"rounds": 1}, {"rounds": 0}, "rounds: expected 1 to 10, got 0"),
        ({"rounds": 10}, {"rounds": 11}, "rounds: expected 1 to 10, got 11"),
        ({"explore": "model"}, {"explore": "both"}, "explore: expected one of deterministic, model, got 'both'"),
        ({"context_tokens": 1}, {"context_tokens": 0}, "context_tokens: expected 1 or more, got 0"),
        ({"level": "strict"}, {"level": "lax"}, "level: expected auto or strict, got 'lax'"),
        ({"root": "a"}, {"root": "a\0"}, "root: it cannot be the name of a folder"),
        ({"tests": ["true"]}, {"tests": "true"}, "tests: expected a list, got 'true'"),
        ({"needs": ["lib"]}, {"needs": "lib"}, "needs: expected a list, got 'lib'"),
        ({"needs": ["a/b"]}, {"needs": ["../b"]}, "needs: ../b: "),
        ({"tests": ["make test"]}, {"tests": ["make | cat"]}, "tests: "),
        ({"frame": {"target_feature": None}}, {"frame": {"target": None}}, "frame: unknown slot 'target'"),
        (
            {"frame": FRAME},
            {"frame": {"target_feature": [1]}},
            "frame.target_feature: expected {value, quote}, got [1]",
        ),
        ({"frame": {}}, {"frame": []}, "frame: expected an object with "),
        ({"frame": {"target_feature": {}}}, {"frame": {"target_feature": {"value": b""}}}, "frame: it is not JSON: "),
        ({"write": True}, {"write": "no"}, "write: expected true or false, got 'no'"),
        ({"limits": {"calls": 2}}, {"limits": {"call": 2}}, "limits.call: no such key"),
        ({"policy": {"ask_from": 0.1}}, {"policy": {"ask_from": 2}}, "Policy: thresholds must be "),
        ({"rules": ["it is done"]}, {"rules": []}, "rules: at least one rule is needed (fix)"),
        ({"rules": None}, {"rules": "done"}, "rules: a list of rules is expected"),
        ({"verifier": None}, {"verifier": 5}, "verifier: an object with a method `judge` is expected"),
    ],
)
def test_the_edges_of_what_is_taken(right: dict[str, Any], wrong: dict[str, Any], message: str) -> None:
    assert Task(**{"request": "Fix it", **right})
    with pytest.raises(SymOpsError) as caught:
        Task(**{"request": "Fix it", **wrong})
    assert str(caught.value).startswith(f"wrong task: {message}")


@pytest.mark.parametrize(
    ("intent", "expected", "writes"),
    [(None, None, True), ("MODIFY", "MODIFY", True), ("IMPLEMENT", "IMPLEMENT", True), ("QUESTION", "QUESTION", False)],
)
def test_questions_write_nothing(intent: str | None, expected: str | None, writes: bool) -> None:
    task = Task("Fix it", intent=intent)
    assert (task.intent, task.writes) == (expected, writes)


def test_rules_of_a_list_are_those_of_one_step() -> None:
    rules = read_rules([{"condition": "done", "next": "COMPLETE"}, ROUND, "go on"], "check")
    assert rules is not None and [step.name for step in rules.steps] == ["check"]
    assert [rule.next for rule in rules.steps[0].rules] == ["COMPLETE", "fix", None]
    assert rules.steps[0].rules[1].when == "failed > 0"
    assert read_rules(rules, "other") is rules and read_rules(None) is None
    alone = read_rules([ROUND])
    assert alone is not None and alone.steps[0].name == "fix"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"when": "faild == 0", "next": "COMPLETE"}, "no fact is called faild"),
        ({"when": "failed == 'none'"}, "cannot be compared"),
        ({"when": "failed == 0", "next": "COMPLET"}, "no step is called 'COMPLET'; there are fix, COMPLETE, ABORT"),
        ({"condition": "done", "next": "check"}, "no step is called 'check'"),
    ],
)
def test_rules_are_checked_before_a_run(rule: dict[str, str], message: str) -> None:
    with pytest.raises(SymOpsError, match=message):
        Task("Fix it", rules=[RULES[0], rule])
    file = RulesFile((Step("fix", (Rule("done", "later"),)), Step("later", (as_rule(rule),), facts=("faild",))))
    with pytest.raises(SymOpsError, match=message.partition(";")[0]):
        Task("Fix it", rules=file, step="fix")


def test_steps_that_no_run_reaches_may_have_other_facts() -> None:
    review = Step("review", (Rule("few", "nowhere", when="errors < 3"),), facts=("errors",))
    rules = RulesFile((Step("fix", (Rule("done", "COMPLETE"),)), review))
    assert Task("Fix it", rules=rules, step="fix").rules is rules
    with pytest.raises(SymOpsError, match="nowhere"):
        Task("Fix it", rules=rules, step="review")


def test_rules_with_their_steps_are_kept() -> None:
    rules = RulesFile((Step("a", (Rule("done", "b"),)), Step("b", (Rule("done", "COMPLETE"),))))
    task = Task("Fix it", rules=rules, step="b")
    assert task.rules_file is rules
    with pytest.raises(RulesError):
        Task("Fix it", rules=rules, step="c")


def test_a_task_is_what_its_json_says(shop: Path) -> None:
    verifier = Yes()
    task = make_task(shop, rules=RULES, policy=Policy(max_actions=3), limits=Limits(1.5, 2, 3), verifier=verifier)
    members = task.to_dict()
    assert "verifier" not in members and members["limits"] == {"seconds": 1.5, "tokens": 2, "calls": 3}
    assert Task.from_dict(members, verifier) == task and Task.from_dict(members).verifier is None
    assert Task.from_dict({"request": "Fix it", "more": 1}) == Task("Fix it")
