"""A task: its defaults, the edges of its limits, and its rules, however they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_shop import FRAME, RULES, make_task

from symops_lark import Policy, SymOpsError
from symops_lark.agent import Limits, Task
from symops_lark.agent.task import read_rules
from symops_lark.answers.judgment import Rule, RulesError, RulesFile, Step

ROUND = Rule("it failed", "elsewhere", when="failed > 0")


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


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ({"request": "x" * 20_000}, {"request": "x" * 20_001}, "request: it has 20,001 characters, at most 20,000"),
        ({"request": " x "}, {"request": " \n"}, "request: it is empty"),
        ({"request": "x"}, {"request": 3}, "request: it is empty"),
        ({"rounds": 1}, {"rounds": 0}, "rounds: expected 1 to 10, got 0"),
        ({"rounds": 10}, {"rounds": 11}, "rounds: expected 1 to 10, got 11"),
        ({"explore": "model"}, {"explore": "both"}, "explore: expected one of deterministic, model, got 'both'"),
        ({"context_tokens": 1}, {"context_tokens": 0}, "context_tokens: expected 1 or more, got 0"),
        ({"level": "strict"}, {"level": "lax"}, "level: expected auto or strict, got 'lax'"),
        ({"root": "a"}, {"root": "a\0"}, "root: it cannot be the name of a folder"),
        ({"tests": ["true"]}, {"tests": "true"}, "tests: a list of texts is expected, and not one text"),
        ({"needs": ["lib"]}, {"needs": "lib"}, "needs: a list of texts is expected, and not one text"),
        ({"needs": ["a/b"]}, {"needs": ["../b"]}, "needs: ../b: "),
        ({"tests": ["make test"]}, {"tests": ["make | cat"]}, "tests: "),
        ({"frame": {"target_feature": None}}, {"frame": {"target": None}}, "frame: unknown slot 'target'"),
        (
            {"frame": FRAME},
            {"frame": {"target_feature": [1]}},
            "frame.target_feature: expected {value, quote}, got [1]",
        ),
        ({"frame": {}}, {"frame": []}, "frame: expected an object with "),
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
    # Whatever is no end is another round of the only step.
    assert [rule.next for rule in rules.steps[0].rules] == ["COMPLETE", "check", None]
    assert rules.steps[0].rules[1].when == "failed > 0"
    assert read_rules(rules, "other") is rules and read_rules(None) is None
    alone = read_rules([ROUND])
    assert alone is not None and alone.steps[0].name == "fix"


def test_rules_with_their_steps_are_kept() -> None:
    rules = RulesFile((Step("a", (Rule("done", "b"),)), Step("b", (Rule("done", "COMPLETE"),))))
    task = Task("Fix it", rules=rules, step="b")
    assert task.rules_file is rules
    with pytest.raises(RulesError):
        Task("Fix it", rules=rules, step="c")


def test_a_task_is_what_its_json_says(shop: Path) -> None:
    verifier: Any = object()
    task = make_task(shop, rules=RULES, policy=Policy(max_actions=3), limits=Limits(1.5, 2, 3), verifier=verifier)
    members = task.to_dict()
    assert "verifier" not in members and members["limits"] == {"seconds": 1.5, "tokens": 2, "calls": 3}
    assert Task.from_dict(members, verifier) == task and Task.from_dict(members).verifier is None
    assert Task.from_dict({"request": "Fix it", "more": 1}) == Task("Fix it")
