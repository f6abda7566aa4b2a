"""Limits of a run, and its interruption: what they end, and when."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event as Signal
from threading import Timer
from typing import Any

import pytest
from agent_shop import GOOD, RULES, SHOP, WRONG, make_task, model, read_shop

from symops_lark.agent import Event, Kind, Limits, Status, run_task
from symops_lark.models import ScriptedModel


@pytest.mark.parametrize(
    ("limits", "word"), [(Limits(seconds=0.000001), "second"), (Limits(calls=1), "1 call"), (Limits(tokens=1), "token")]
)
def test_a_limit_ends_a_run_between_two_steps(shop: Path, limits: Limits, word: str) -> None:
    run = run_task(make_task(shop, limits=limits, rules=RULES), [model("late", WRONG, GOOD)])
    assert run.status is Status.BUDGET and word in run.why
    assert (run.last(Kind.APPLYING) is None) == (run.last(Kind.APPLIED) is None)


@pytest.mark.parametrize("limits", [Limits(calls=1), Limits(tokens=1)])
def test_a_step_that_asks_no_model_needs_no_budget(shop: Path, limits: Limits) -> None:
    run = run_task(make_task(shop, limits=limits), [model("good", GOOD)])
    assert run.status is Status.COMPLETE and run.cost.calls == 1


@pytest.mark.parametrize("part", ["explorer", "judge"])
def test_a_limit_ends_a_run_before_a_model_is_asked(shop: Path, part: str) -> None:
    rules = [{"condition": "the change is complete", "next": "COMPLETE"}, {"condition": "it is not", "next": "fix"}]
    fields: dict[str, Any] = {"explorer": {"explore": "model", "frame": None}, "judge": {"rules": rules}}
    asked = ScriptedModel([])
    models: dict[str, Any] = {"decomposer": ScriptedModel(["{}"]), part: asked}
    run = run_task(make_task(shop, limits=Limits(calls=1), **fields[part]), [model("good", GOOD)], **models)
    assert run.status is Status.BUDGET and "the limit of 1 call" in run.why and not asked.requests
    assert ("symops undo" in run.why) == (read_shop(shop) != SHOP) == (part == "judge")


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"run_code": True}, {}])
def test_tests_end_with_the_time_of_the_run(shop: Path, changes: dict[str, Any]) -> None:
    """One process may spend so much, however many candidates there are."""
    task = make_task(shop, tests=("sleep 20",), limits=Limits(seconds=3), **changes)
    begin = time.monotonic()
    run = run_task(task, [model(name, GOOD) for name in "abc"])
    assert run.status is Status.BUDGET and run.why.startswith("the limit of 3 seconds is reached")
    assert time.monotonic() - begin < 12
    assert run.last(Kind.TESTED) is None, "tests that were ended have no result"


@pytest.mark.slow
def test_a_contest_is_cancelled_while_its_tests_run(shop: Path) -> None:
    cancel = Signal()

    def answer(messages: object) -> str:
        Timer(1, cancel.set).start()
        return GOOD

    task = make_task(shop, tests=("sleep 60",), run_code=True)
    run = run_task(task, [("late", ScriptedModel([answer]))], cancel=cancel)
    assert run.status is Status.CANCELLED and run.why.startswith("cancelled; what has its event is kept")
    [attempt] = run.events[-1].data["tries"]
    assert "cancelled, killed after" in attempt["why"]


def test_a_run_that_is_cancelled_ends_after_its_step(shop: Path) -> None:
    cancel = Signal()

    def watch(event: Event) -> None:
        if event.kind is Kind.WINNER:
            cancel.set()

    run = run_task(make_task(shop), [model("good", GOOD)], watch=watch, cancel=cancel)
    assert run.status is Status.CANCELLED and run.events[-2].kind is Kind.WINNER and read_shop(shop) == SHOP
