"""The tests in the checkout, and the rule that holds after them; the commands themselves are not run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest
from agent_shop import GOOD, RULES, WRONG, make_task, model

from symops_lark.agent import Kind, Run, Status, run_task, testing
from symops_lark.agent.work import Work
from symops_lark.answers.judgment import Rule, RulesFile, Step
from symops_lark.models import ScriptedModel

TESTED = testing.Tested
CHOICE = ({"condition": "it is complete", "next": "COMPLETE"}, {"condition": "it is not", "next": "fix"})


class Results:
    """Results in place of commands, with what was asked for."""

    def __init__(self, *results: testing.Tested) -> None:
        self.results = list(results)
        self.calls: list[tuple[tuple[str, ...], str, dict[str, Any]]] = []

    def run(self, lines: Sequence[str], folder: str, **options: Any) -> testing.Tested:
        self.calls.append((tuple(lines), folder, options))
        return self.results.pop(0)


@pytest.fixture(name="tests")
def make_tests(monkeypatch: pytest.MonkeyPatch) -> Results:
    tests = Results(TESTED(2, 0, 0, "all is well"))
    monkeypatch.setattr("symops_lark.agent.judging.run_tests", tests.run)
    return tests


def members(run: Run, kind: Kind, number: int | None = None) -> dict[str, Any]:
    event = run.last(kind, number)
    assert event is not None
    return {name: value for name, value in event.data.items() if name != "cost"}


def test_rules_decide_by_the_facts_of_the_round(shop: Path, tests: Results) -> None:
    condition = "passed == 2 and timed_out == 0 and changes == 1 and declined == 0 and round == 1"
    rules = [{"when": condition, "next": "COMPLETE"}, {"when": "total > 0", "next": "ABORT"}]
    run = run_task(make_task(shop, rules=rules), [model("good", GOOD)])
    assert run.status is Status.COMPLETE and run.why.startswith("rule 1 of fix")
    judged = members(run, Kind.JUDGMENT)
    assert judged["facts"] == {
        "failed": 0,
        "passed": 2,
        "total": 2,
        "timed_out": 0,
        "changes": 1,
        "declined": 0,
        "round": 1,
    }
    assert (judged["step"], judged["rule"], judged["next"]) == ("fix", 0, "COMPLETE")


@pytest.mark.slow
def test_each_round_is_judged_by_the_step_that_the_one_before_led_to(shop: Path, tests: Results) -> None:
    tests.results[:0] = [TESTED(1, 1, 0, "first report"), TESTED(1, 1, 1, "second report")]
    steps = [
        Step(name, (Rule("good", "COMPLETE", when="failed == 0"), Rule("bad", following, when="failed > 0")))
        for name, following in (("fix", "check"), ("check", "last"), ("last", "fix"))
    ]
    late = model("late", WRONG, WRONG.replace("return 1", "return 2"), GOOD)
    run = run_task(make_task(shop, rules=RulesFile(tuple(steps)), step="fix"), [late])
    assert (run.status, run.round) == (Status.COMPLETE, 3)
    names = [(event.data["step"], event.data["next"]) for event in run.all(Kind.JUDGMENT)]
    assert names == [("fix", "check"), ("check", "last"), ("last", "COMPLETE")]
    contents = [request[-1].content for request in late[1].requests]
    assert ["first report" in text for text in contents] == [False, True, False]
    assert ["second report" in text for text in contents] == [False, False, True]


@pytest.mark.parametrize(("lines", "source"), [(("pytest",), "all is well"), ((), "There are no tests.")])
def test_a_judge_reads_the_report(shop: Path, tests: Results, lines: tuple[str, ...], source: str) -> None:
    judge = ScriptedModel(['{"step": 1, "reason": "it is"}'])
    run = run_task(make_task(shop, rules=CHOICE, tests=lines), [model("good", GOOD)], judge=judge)
    assert run.status is Status.COMPLETE and source in judge.requests[0][-1].content
    assert len(tests.calls) == len(lines)


@pytest.mark.parametrize("missing", ["", "it is not here"])
def test_tests_run_as_was_agreed(shop: Path, tests: Results, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in ("applying", "selecting"):
        monkeypatch.setattr(f"symops_lark.agent.{name}.find_missing_sandbox", lambda root: missing)
    monkeypatch.setattr("symops_lark.agent.verifiers.run_tests", lambda *_, **options: TESTED(1))
    monkeypatch.setattr(Work, "seconds_left", 0.25)
    run = run_task(make_task(shop, tests=("pytest", "make")), [model("good", GOOD)])
    assert members(run, Kind.TESTED) == {
        "failed": 0,
        "passed": 2,
        "total": 2,
        "timed_out": 0,
        "report": "all is well",
        "not_run": "",
    }
    # Even where no time is left a command has a second.
    options = {"sandbox": not missing, "seconds": 1.0, "cancel": None}
    assert tests.calls == [(("pytest", "make"), str(shop), options)]


def test_tests_that_a_person_declines_are_not_run(shop: Path, tests: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.agent.applying.find_missing_sandbox", lambda root: "no sandbox")
    run = run_task(make_task(shop), [model("good", GOOD)], confirm=lambda change: False)
    assert run.status is Status.APPLIED and tests.calls == []
    reason = members(run, Kind.TESTED)["not_run"]
    assert reason == "declined, and no sandbox" and run.why == f"written, not tested: {reason}"


def test_tests_that_were_cancelled_have_no_result(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cancel = Signal()

    def run_tests(*_: Any, **options: Any) -> testing.Tested:
        assert options["cancel"] is cancel
        cancel.set()
        return TESTED(1, 1)

    monkeypatch.setattr("symops_lark.agent.judging.run_tests", run_tests)
    run = run_task(make_task(shop), [model("good", GOOD)], cancel=cancel)
    assert run.status is Status.CANCELLED and "while the tests ran" in run.why
    assert run.last(Kind.TESTED) is None and run.last(Kind.APPLIED) is not None


def test_a_rule_without_a_next_is_the_same_step_again(shop: Path, tests: Results) -> None:
    tests.results[:0] = [TESTED(1, 1)]
    rules = [{"when": "failed > 0"}, RULES[0]]
    run = run_task(make_task(shop, rules=rules), [model("late", WRONG, GOOD)])
    assert (run.status, run.round) == (Status.COMPLETE, 2)
    assert members(run, Kind.JUDGMENT, 1)["next"] == "fix"
