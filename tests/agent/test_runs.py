"""What a log says of a run: its end, its task, its cost, from events that are written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from symops_lark.acting.changes import Change, Operation, Plan
from symops_lark.acting.execution import Outcome
from symops_lark.agent import Cost, Event, Kind, Run, Status, Task
from symops_lark.agent.runs import OPEN
from symops_lark.answers.judgment import Judgment, Method
from symops_lark.core.document import Action
from symops_lark.core.ground.json_objects import FieldError
from symops_lark.models import Usage

ID = "0123456789abcdef" * 2
TASK = {"task": Task("Return 0", "given").to_dict(), "root": "/the/root"}
ROW = {"seq": 3, "at": "2026-01-01T00:00:00Z", "run_id": ID, "round": 2, "event": "APPLIED", "files": ["a.py"]}


def make_run(*rows: tuple[Kind, int, dict[str, Any]]) -> Run:
    events = [(Kind.TASK, 0, TASK), *rows]
    return Run(tuple(Event(seq, "", ID, number, kind, data) for seq, (kind, number, data) in enumerate(events)))


def end(status: str, why: str = "") -> tuple[Kind, int, dict[str, Any]]:
    return Kind.END, 1, {"status": status, "why": why}


def cost(seconds: float, calls: int = 0, **by_model: tuple[int | None, int | None]) -> dict[str, Any]:
    usages = {name: Usage(*numbers).to_dict() for name, numbers in by_model.items()}
    spent: dict[str, Any] = {"seconds": seconds}
    return {"cost": spent | ({"calls": calls, "by_model": usages, "estimated": calls > 1} if calls else {})}


# ---- events


def test_an_event_is_what_its_row_says() -> None:
    event = Event.from_dict({**ROW, "prev": "hash"})
    assert event == Event(3, "2026-01-01T00:00:00Z", ID, 2, Kind.APPLIED, {"files": ["a.py"]})
    assert event.to_dict() == ROW


def test_the_kind_of_an_event_is_a_member() -> None:
    word: Any = "APPLIED"
    assert Event(0, "", ID, 1, word).kind is Kind.APPLIED
    with pytest.raises(ValueError, match=r"Event\.kind is one of TASK"):
        Event(0, "", ID, 1, "BEGUN")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["seq", "at", "run_id", "round", "event"])
def test_a_row_without_a_member_is_no_event(name: str) -> None:
    with pytest.raises(FieldError, match=f"not an event of a run: '{name}'"):
        Event.from_dict({key: value for key, value in ROW.items() if key != name})
    if name in ("seq", "round", "event"):
        with pytest.raises(FieldError, match="not an event of a run"):
            Event.from_dict({**ROW, name: "x"})


# ---- runs


def test_a_run_that_goes_on_has_no_end() -> None:
    run = make_run()
    assert (run.id, run.status, run.why, run.ok, run.round) == (ID, Status.RUNNING, "", False, 0)
    assert (run.session_id, run.winner, run.plan, run.outcome, run.judgment) == ("", None, None, None, None)
    assert list(run.story()) == [
        "RUNNING: its last event is TASK",
        f"run {ID}",
        "request: Return 0",
        "0 models asked, 0 tokens in, 0 out, 0 s",
    ]


def test_an_end_without_a_reason_is_not_called_the_last_event() -> None:
    assert next(make_run(end("NEEDS_USER")).story()) == "NEEDS_USER: no reason is given"


@pytest.mark.parametrize("status", list(Status))
def test_three_ends_are_good(status: Status) -> None:
    run = make_run(end(str(status), "because"))
    assert (run.status, run.why) == (status, "because")
    assert run.ok == (status in ("COMPLETE", "APPLIED", "PLANNED"))


def test_ends_that_another_process_may_continue_from() -> None:
    assert set(OPEN) == {"DECLINED", "BUDGET", "CANCELLED", "UNJUDGED", "CONFLICT", "FAILED"}


def test_a_resumed_run_has_no_end_and_another_task() -> None:
    run = make_run(end("PLANNED"), (Kind.RESUMED, 0, {"task": {"write": True}}), (Kind.RESUMED, 0, {}))
    assert run.status is Status.RUNNING and run.task.write
    assert run.task.root == "/the/root", "not as it was given: that depends on the current folder"
    assert not make_run().task.write


def test_events_are_found_by_kind_and_round() -> None:
    run = make_run(*((Kind.WINNER, number, {"model_id": f"m{number}"}) for number in (1, 2)), (Kind.APPLIED, 2, {}))
    assert (run.round, run.winner, run.outcome) == (2, "m2", None)
    first, last = run.last(Kind.WINNER, 1), run.last(Kind.WINNER)
    assert first is not None and first.round == 1 and last is not None and last.round == 2
    assert run.last(Kind.WINNER, 3) is None and [event.seq for event in run.all(Kind.WINNER)] == [1, 2]


def test_the_last_plan_outcome_and_judgment_count() -> None:
    actions = [Action("delete", path) for path in ("first.py", "last.py")]
    plans = [Plan((Change(1, action, Operation.DELETE, action.path),)) for action in actions]
    outcome, judgment = Outcome((), None, ("a note",)), Judgment(1, Method.WHEN, "[FIX:2]", "so")
    run = make_run(
        *((Kind.PLAN, 1, {"plan": plan.to_dict(), "refused": []}) for plan in plans),
        (Kind.APPLIED, 1, {"files": [], "outcome": outcome.to_dict()}),
        (Kind.JUDGMENT, 1, {"judgment": judgment.to_dict()}),
    )
    assert (run.plan, run.outcome, run.judgment) == (plans[1], outcome, judgment)
    recovered = make_run((Kind.APPLIED, 1, {"files": [], "recovered": True}), (Kind.JUDGMENT, 1, {}))
    assert (recovered.outcome, recovered.judgment) == (None, None)


def test_costs_are_added() -> None:
    run = make_run(
        (Kind.CONTEST, 1, cost(1.2511, 2, a=(100, 10), b=(20, None))),
        (Kind.WINNER, 1, cost(0.5)),
        (Kind.JUDGMENT, 1, cost(0.25, 1, a=(1, 2), c=(None, 3))),
    )
    usages = {"a": Usage(101, 12), "b": Usage(20, None), "c": Usage(None, 3)}
    assert run.cost == Cost(2.001, 3, 121, 15, True, usages)
    assert run.cost.describe() == "3 models asked, about 121 tokens in, 15 out, 2 s"
    exact = make_run((Kind.CONTEST, 1, cost(1.0, 1, a=(1_200, 10)))).cost
    assert exact.describe() == "1 model asked, 1,200 tokens in, 10 out, 1 s"
    assert make_run().cost == Cost() == Cost(0.0, 0, 0, 0, False, {})


def test_a_run_as_json() -> None:
    run = make_run((Kind.SESSION, 0, {"session_id": "s"}), (Kind.WINNER, 1, {"model_id": "m"}), end("UNSURE", "none"))
    members = run.to_dict()
    assert members.pop("task") == run.task.to_dict() and len(members.pop("events")) == 4
    assert members.pop("cost") == run.cost.to_dict()
    assert members == {
        "id": ID,
        "status": "UNSURE",
        "why": "none",
        "round": 1,
        "session_id": "s",
        "winner": "m",
        "plan": None,
        "outcome": None,
        "judgment": None,
    }


def test_the_story_of_a_task_that_is_refused_now_has_its_request() -> None:
    old = {"task": {"request": "Return\n 0", "rounds": 2.5}, "root": "/the/root"}
    run = Run((Event(0, "", ID, 0, Kind.TASK, old),))
    assert list(run.story())[2] == "request: Return 0"
