"""What the steps of a run share: limits, costs, the session and its outcome, models with and without manifests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest
from agent_shop import GOOD, REQUEST, UNSEEN, WRONG, make_shop, make_task, model
from route_models import make_contestant

from symops_lark import SymOpsError
from symops_lark.agent import Event, Kind, Limits, Run, Status, run_task
from symops_lark.agent.run_log import RunLog
from symops_lark.agent.work import Stop, Work, make_manifest, meter_contestant
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.models import Finish, Ledger, Reply, ScriptedModel, Usage

ID = "0123456789abcdef" * 2
ROW = {"files": ["new.py"]}


def make_work(folder: Path, **models: Any) -> Work:
    log = RunLog.create(folder, ID, lambda event: None)
    options = {"decomposer": None, "explorer": None, "judge": None, "confirm": None, "cancel": None, "verifier": None}
    return Work(log, models.pop("contestants", []), **{**options, **models})


@pytest.fixture(name="work")
def make_plain_work(shop: Path, tmp_path: Path) -> Work:
    """Return the work of a run that has its task."""
    work = make_work(tmp_path / "runs")
    task = make_task(shop, limits=Limits(100.0, 1_000, 3))
    work.open(task)
    work.note(Kind.TASK, {"task": task.to_dict(), "root": str(shop)})
    return work


def test_a_stop_has_its_status_and_members() -> None:
    stop = Stop(Status.BUDGET, "too much", {"tries": []})
    assert (stop.status, stop.reason, stop.data, str(stop)) == (Status.BUDGET, "too much", {"tries": []}, "too much")
    assert Stop(Status.BUDGET, "").data == {}


def test_what_was_opened_is_what_was_shown_or_written(work: Work) -> None:
    work.note(Kind.EXPLORED, {"files": [{"path": "listed.py"}]})
    work.note(Kind.PROMPT, {"shown": [{"path": "a.py"}, {"path": "b.py"}]})
    work.note(Kind.APPLIED, ROW)
    assert work.opened == {"a.py", "b.py", "new.py"}


@pytest.mark.parametrize("seconds", [0.0, 99.5, 100.0, 100.5])
def test_the_time_of_a_process_is_limited(work: Work, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    begin = 1_000.0
    monkeypatch.setattr(work, "_begin", begin)
    monkeypatch.setattr("symops_lark.agent.work.time.monotonic", lambda: begin + seconds)
    assert work.seconds_left == 100.0 - seconds
    if seconds < 100:
        work.expect_time()
        return
    with pytest.raises(Stop, match="the limit of 100 seconds is reached") as caught:
        work.expect_time()
    assert caught.value.status is Status.BUDGET


@pytest.mark.parametrize(("seconds", "shown"), [(0.1, "0.1 seconds"), (1, "1 second"), (3600.0, "3,600 seconds")])
def test_the_limit_of_time_is_not_rounded(work: Work, seconds: float, shown: str) -> None:
    work.task = replace(work.task, limits=replace(work.task.limits, seconds=seconds))
    work._begin -= seconds
    with pytest.raises(Stop, match=f"the limit of {shown} is reached"):
        work.expect_time()


def test_calls_and_tokens_are_limited(work: Work) -> None:
    work.expect_budget()
    work.ledger.begun = 3
    with pytest.raises(Stop, match="the limit of 3 calls to models is reached"):
        work.expect_budget()
    work.ledger.begun = 2
    work.ledger.usage["a"] = Usage(500, 500)
    with pytest.raises(Stop, match="the limit of 1,000 tokens is reached"):
        work.expect_budget()
    work.expect_time()


def test_a_signal_ends_the_work(shop: Path, tmp_path: Path) -> None:
    cancel = Signal()
    work = make_work(tmp_path / "runs", cancel=cancel)
    work.open(make_task(shop))
    work.expect_time()
    cancel.set()
    with pytest.raises(Stop, match="cancelled") as caught:
        work.expect_time()
    assert caught.value.status is Status.CANCELLED


def costs_of(*events: Event) -> list[dict[str, Any]]:
    costs = [dict(event.data["cost"]) for event in events]
    assert all(cost.pop("seconds") < 60 for cost in costs)
    return costs


def test_each_event_has_the_cost_since_the_one_before(work: Work) -> None:
    work.ledger.begun, work.ledger.usage["a"] = 1, Usage(100, 10)
    first = work.note(Kind.FRAME, {})
    work.ledger.begun, work.ledger.usage["b"], work.ledger.usage["a"] = 3, Usage(None, 5), Usage(150, 10)
    second = work.note(Kind.EXPLORED, {})
    # A call is counted when it begins, and its tokens when it ends.
    work.ledger.usage["a"], work.ledger.estimated = Usage(150, 30), True
    third, fourth = work.note(Kind.UNDERSTOOD, {}), work.note(Kind.PROMPT, {"shown": []})
    assert costs_of(first, second, third, fourth) == [
        {"calls": 1, "by_model": {"a": Usage(100, 10).to_dict()}, "estimated": False},
        {"calls": 2, "by_model": {"a": Usage(50, 0).to_dict(), "b": Usage(0, 5).to_dict()}, "estimated": False},
        {"calls": 0, "by_model": {"a": Usage(0, 20).to_dict()}, "estimated": True},
        {},
    ]
    assert work.run.cost.by_model == {"a": Usage(150, 30), "b": Usage(0, 5)} and work.run.cost.calls == 3


@pytest.mark.parametrize(
    ("request_text", "intent"), [(REQUEST, None), ("Why is the cart empty?", None), (REQUEST, "IMPLEMENT")]
)
def test_a_session_is_for_a_change_unless_the_task_says_otherwise(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_text: str, intent: str | None
) -> None:
    calls: list[str | None] = []
    start = Workspace.start_session

    def note_intent(own: Workspace, query: str, kind: str | None = None) -> Session:
        calls.append(kind)
        return start(own, query, kind)

    monkeypatch.setattr(Workspace, "start_session", note_intent)
    work = make_work(tmp_path / "runs")
    work.open(make_task(shop, request=request_text, intent=intent))
    session = work.begin_session()
    assert session.state.intent.writes and work.session is session
    assert calls == ([None, "MODIFY"] if request_text.startswith("Why") else [intent])


def outcomes(shop: Path, run: Run) -> list[tuple[str, str]]:
    rows = Workspace(shop).session(run.session_id).why()["outcomes"]
    return [(row["outcome"], row["note"]) for row in rows]


@pytest.mark.slow
def test_the_session_of_a_run_has_its_outcome(shop: Path) -> None:
    abort = [{"when": "failed > 0", "next": "ABORT"}, {"when": "failed == 0", "next": "COMPLETE"}]
    for replies, changes, expected in (
        ([WRONG], {"rules": abort}, "failure"),
        ([WRONG], {"rounds": 1}, "failure"),
        ([UNSEEN], {}, "partial"),
        ([GOOD], {"write": False}, "partial"),
    ):
        make_shop(shop)
        run = run_task(make_task(shop, **changes), [model("one", *replies)])
        assert outcomes(shop, run) == [(expected, f"{run.status}: {run.why}"[:500])]


def test_a_session_that_cannot_note_the_end_does_not_hide_it(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **options: Any) -> None:
        raise SymOpsError("it is locked")

    monkeypatch.setattr(Session, "record_outcome", fail)
    run = run_task(make_task(shop, write=False), [model("good", GOOD)])
    assert run.status is Status.PLANNED
    assert run.why == "dry run: nothing was written (its session could not note that: it is locked)"


def test_models_are_metered_with_their_manifest_or_one_that_takes_all(tmp_path: Path) -> None:
    ledger = Ledger()
    reply = Reply("x", Finish.STOP, Usage(7, 2))
    listed = make_contestant(tmp_path, "listed", ScriptedModel([reply]))
    for contestant, name in ((listed, "listed"), (("bare", ScriptedModel([reply])), "bare")):
        metered = meter_contestant(contestant, ledger)
        assert metered.model_id == name and metered.model.generate("x").text == "x"
    assert ledger.read() == {"listed": Usage(7, 2), "bare": Usage(7, 2)} and ledger.begun == 2
    assert meter_contestant(listed, ledger).manifest is listed.manifest
    manifest = make_manifest("bare")
    assert manifest.io_contract.input.max_tokens == 10**9 and manifest.routing.recommended_min_confidence == 0.0
    assert manifest.verifier.pass_condition == "valid == true and actions > 0"


def test_all_models_of_a_run_share_a_ledger(tmp_path: Path) -> None:
    models = {name: ScriptedModel(["x"], name=name) for name in ("decomposer", "explorer", "judge")}
    work = make_work(tmp_path / "runs", **models)
    for metered in (work.decomposer, work.explorer, work.judge):
        assert metered is not None
        metered.generate("x")
    assert sorted(work.ledger.read()) == sorted(models) and work.ledger.begun == 3
    assert make_work(tmp_path / "other").judge is None
