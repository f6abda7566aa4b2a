"""From a request to a winner: what the events of a contest say, and what its rows are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agent_shop import FRAME, GOOD, PROSE, REQUEST, make_task, model

from symops_lark.agent import Event, Kind, Run, Status, Task, resume, run_task, selecting, testing
from symops_lark.agent.selecting import explain
from symops_lark.models import ScriptedModel
from symops_lark.routing import RunLog

MEMBERS = {"role", "error", "seconds", "tokens", "tokens_estimated", "reward", "q1"}
MEMBERS |= {"model_id", "passed", "facts", "why"}


def members(run: Run, kind: Kind) -> dict[str, Any]:
    event = run.last(kind)
    assert event is not None
    return {name: value for name, value in event.data.items() if name != "cost"}


def test_a_frame_has_its_slots_and_what_is_missing(shop: Path) -> None:
    run = run_task(make_task(shop, write=False), [model("good", GOOD)])
    frame = members(run, Kind.FRAME)
    assert frame.pop("slots") == {slot: value["value"] for slot, value in FRAME.items()}
    assert set(frame) == {"risk_level", "required_level", "missing_slots"} and frame["missing_slots"] == [
        "trigger_condition"
    ]
    assert members(run, Kind.SESSION) == {"session_id": run.session_id, "intent": "MODIFY"}
    task = make_task(shop, request="Fix the payment export", frame={"target_feature": "payment export"})
    assert "observed_issue" in members(run_task(task, [model("good", GOOD)]), Kind.FRAME)["missing_slots"]


def test_why_a_frame_is_left_out(shop: Path) -> None:
    task = make_task(shop, frame={"target_feature": {"value": "login", "quote": "login"}}, write=False)
    assert "login" in members(run_task(task, [model("good", GOOD)]), Kind.FRAME)["refused"]
    decomposer = ScriptedModel(["no slots"] * 3)
    run = run_task(make_task(shop, frame=None, write=False), [model("good", GOOD)], decomposer=decomposer)
    assert decomposer.requests and members(run, Kind.FRAME)["refused"]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_of_two_that_pass_the_shorter_reply_wins(shop: Path, names: str) -> None:
    long = GOOD.replace(">> Return 0.", ">> Return 0" + ", as the request says" * 20 + ".")
    run = run_task(make_task(shop, write=False), [model(names[0], long), model(names[1], GOOD)])
    assert run.winner == names[1] and members(run, Kind.WINNER)["output"] == GOOD


def test_how_each_model_did_is_in_the_event(shop: Path) -> None:
    run = run_task(make_task(shop, write=False, tests=()), [model("good", GOOD), model("talk", PROSE)])
    assert members(run, Kind.PROMPT)["tests"] == "", "there are none"
    good, prose = sorted(members(run, Kind.WINNER)["tries"], key=lambda attempt: str(attempt["model_id"]))
    assert set(good) == MEMBERS and set(prose) == {*MEMBERS, "output"}
    assert (good["passed"], good["why"], good["role"], good["tokens_estimated"]) == (True, "", "candidate", True)
    assert (prose["passed"], prose["output"]) == (False, PROSE) and prose["why"].startswith("document: ")
    assert (good["facts"]["valid"], good["facts"]["changes"], prose["facts"]["valid"]) == (True, 1, False)


def test_a_long_reply_that_lost_is_cut(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selecting, "_MAX_LOSER", 9)
    run = run_task(make_task(shop, write=False, tests=()), [model("talk", PROSE)])
    [attempt] = members(run, Kind.END)["tries"]
    assert attempt["output"] == PROSE[:9] and set(attempt) == {*MEMBERS, "output"}


@pytest.mark.parametrize(
    ("missing", "run_code", "way"), [("", False, "sandbox"), ("none", True, "agreed"), ("none", False, "no: none")]
)
def test_tests_decide_where_they_may_run(
    shop: Path, monkeypatch: pytest.MonkeyPatch, missing: str, run_code: bool, way: str
) -> None:
    calls: list[bool] = []

    def run_tests(*_: Any, **options: Any) -> testing.Tested:
        calls.append(options["sandbox"])
        return testing.Tested(1)

    monkeypatch.setattr(selecting, "find_missing_sandbox", lambda root: missing)
    monkeypatch.setattr("symops_lark.agent.verifiers.run_tests", run_tests)
    task = make_task(shop, write=False, run_code=run_code)
    assert members(run_task(task, [model("good", GOOD)]), Kind.PROMPT)["tests"] == way
    assert calls == ([] if way.startswith("no") else [way == "sandbox"])
    # A checkout that is too large is not copied, so nothing can run there.
    monkeypatch.setattr(selecting, "list_checkout", lambda root: None)
    assert run_task(task, [model("good", GOOD)]).winner == "good" and len(calls) < 2


def test_a_long_reason_is_cut(shop: Path) -> None:
    def refuse(messages: object) -> str:
        raise ValueError("no " * 2_000)

    run = run_task(make_task(shop, write=False), [("broken", ScriptedModel([refuse]))])
    [attempt] = members(run, Kind.END)["tries"]
    assert run.status is Status.UNSURE and len(attempt["why"]) == 2_000 and attempt["error"]


def test_rows_that_a_killed_process_did_not_log_are_added_once(shop: Path, tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(event: Event) -> None:
        if event.kind is Kind.WINNER:
            raise Killed

    path = tmp_path / "runs" / "run_log.jsonl"
    with pytest.raises(Killed):
        run_task(make_task(shop, write=False), [model("good", GOOD)], watch=kill, log=tmp_path / "runs")
    assert not path.exists() or list(RunLog(path)) == []
    [run_id] = [item.stem for item in (tmp_path / "runs").glob("?" * 32 + ".jsonl")]
    run = resume(run_id, root=shop, log=tmp_path / "runs")
    assert run.status is Status.PLANNED and [row["model_id"] for row in RunLog(path)] == ["good"]
    resume(run_id, root=shop, log=tmp_path / "runs", changes={"write": True})
    assert [row["task_run"] for row in RunLog(path)] == [run_id]


def test_a_question_needs_no_tests(shop: Path) -> None:
    run = run_task(Task(REQUEST, str(shop), "QUESTION", tests=("true",)), [model("good", "Items is empty.")])
    assert run.status is Status.COMPLETE and members(run, Kind.PROMPT)["tests"] == ""
    silent = run_task(Task(REQUEST, str(shop), "QUESTION"), [model("silent", " ")])
    assert silent.status is Status.UNSURE and silent.why == "silent: the reply is empty, or declines"


def test_each_model_that_failed_or_was_not_asked_has_its_reason() -> None:
    def tried(name: str, reason: str) -> Any:
        return SimpleNamespace(contestant=SimpleNamespace(model_id=name), told=reason)

    skipped = SimpleNamespace(model_id="c", why="it is too small")
    answer: Any = SimpleNamespace(tries=[tried("a", "tests:\n1 failed\nx"), tried("b", "")], skipped=[skipped], why="?")
    assert explain(answer) == "a: tests: 1 failed; b: failed; c: not asked: it is too small"
    answer = SimpleNamespace(tries=[], skipped=[], why="no model fits")
    assert explain(answer) == "no model fits"
