"""Which ends of a run another process may continue from, and which are for good."""

from __future__ import annotations

from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest
from agent_shop import FIXED, GOOD, RULES, UNSEEN, WRONG, make_task, model, read_shop

from symops_lark import Policy
from symops_lark.agent import Event, Kind, Run, Status, read_run, resume, run_task
from symops_lark.models import ScriptedModel

CHOICE = ({"condition": "it is complete", "next": "COMPLETE"}, {"condition": "it is not", "next": "fix"})
WRITE = {"write": True}


def count(run: Run, kind: Kind) -> int:
    return sum(1 for _ in run.all(kind))


@pytest.mark.parametrize(
    ("replies", "changes", "status"),
    [
        ([GOOD], {"tests": ()}, Status.APPLIED),
        ([UNSEEN], {}, Status.UNSURE),
        ([WRONG], {"rounds": 1}, Status.ROUNDS),
        ([GOOD], {"request": "Fix the payment export", "frame": None}, Status.NEEDS_USER),
    ],
)
def test_an_end_for_good_stays(shop: Path, replies: list[str], changes: dict[str, Any], status: Status) -> None:
    run = run_task(make_task(shop, **changes), [model("one", *replies)])
    assert run.status is status
    assert resume(run.id, [model("one", GOOD)], root=shop).events == run.events
    assert resume(run.id, [model("one", GOOD)], root=shop, changes=WRITE).events == run.events


def test_a_dry_run_is_written_only_if_that_is_wanted(shop: Path) -> None:
    run = run_task(make_task(shop, write=False, tests=()), [model("one", GOOD)])
    assert resume(run.id, root=shop).events == run.events
    assert resume(run.id, root=shop, changes={"write": False}).events == run.events
    written = resume(run.id, root=shop, changes=WRITE)
    assert written.status is Status.APPLIED and written.task.write and read_shop(shop)["shop/cart.py"] == FIXED
    assert (count(written, Kind.PLAN), count(written, Kind.RESUMED)) == (1, 1)


def test_a_run_without_a_judge_is_judged_later(shop: Path) -> None:
    run = run_task(make_task(shop, rules=CHOICE, tests=()), [model("one", GOOD)])
    assert run.status is Status.UNJUDGED
    judge = ScriptedModel(['{"step": 1, "reason": "it is"}'])
    judged = resume(run.id, root=shop, judge=judge)
    assert judged.status is Status.COMPLETE and len(judge.requests) == 1 and count(judged, Kind.APPLIED) == 1


def test_a_cancelled_run_goes_on_with_its_next_step(shop: Path) -> None:
    cancel, good = Signal(), model("one", GOOD)

    def watch(event: Event) -> None:
        if event.kind is Kind.WINNER:
            cancel.set()

    run = run_task(make_task(shop, tests=()), [good], watch=watch, cancel=cancel)
    assert run.status is Status.CANCELLED
    events: list[Event] = []
    continued = resume(run.id[:8], root=shop, watch=events.append)
    assert continued.status is Status.APPLIED and len(good[1].requests) == 1
    assert tuple(events) == continued.events[len(run.events) :] and events[0].kind is Kind.RESUMED
    assert read_run(run.id, shop).events == continued.events


def test_a_person_may_agree_later(shop: Path) -> None:
    task = make_task(shop, policy=Policy(sensitive=("cart.py",)), tests=())
    run = run_task(task, [model("one", GOOD)])
    assert run.status is Status.DECLINED
    assert resume(run.id, root=shop, confirm=lambda change: True).status is Status.APPLIED


@pytest.mark.slow
def test_later_rounds_of_a_run_begin_where_it_ended(shop: Path) -> None:
    late = model("late", WRONG, GOOD)
    task = make_task(shop, rules=RULES, tests=("false",), rounds=2)
    cancel = Signal()

    def watch(event: Event) -> None:
        if event.kind is Kind.EXPLORED and event.round == 2:
            cancel.set()

    run = run_task(task, [late], watch=watch, cancel=cancel)
    assert (run.status, run.round) == (Status.CANCELLED, 2)
    continued = resume(run.id, [late], root=shop)
    assert continued.status is Status.ROUNDS and continued.why.startswith("not complete after 2 rounds; ")
    assert (count(continued, Kind.FRAME), count(continued, Kind.EXPLORED), len(late[1].requests)) == (1, 2, 2)
    first = continued.events[0].data
    assert first["root"] == str(shop.resolve()) and first["verified"] is False


def test_an_error_of_the_machine_is_an_end(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **options: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("symops_lark.agent.selecting.build_context", fail)
        run = run_task(make_task(shop, tests=()), [model("one", GOOD)])
    assert (run.status, run.why) == (Status.FAILED, "the disk is full") and run.events[-1].kind is Kind.END
    assert resume(run.id, [model("one", GOOD)], root=shop).status is Status.APPLIED
