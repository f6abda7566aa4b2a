"""Runs that are killed, cancelled or changed: each continues as if nothing had happened, and no log can be forged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_shop import FIXED, GOOD, RULES, SHOP, UNSEEN, WRONG, make_shop, make_task, model, read_shop

from symops_lark import SymOpsError, apply, undo
from symops_lark.acting.journal import journal
from symops_lark.acting.journal.transaction import Journal
from symops_lark.agent import Event, Kind, Limits, Run, Status, read_run, resume, run_task
from symops_lark.agent.run_log import RunLog, list_runs
from symops_lark.core.replies.messages import Reply
from symops_lark.models import ScriptedModel
from symops_lark.routing.verifiers import Verdict

STORIES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "one round": ([GOOD], {}),
    "two rounds": ([WRONG, GOOD], {"rules": RULES}),
    "no candidate passes": ([UNSEEN], {}),
    "without tests": ([GOOD], {"tests": ()}),
    "dry": ([GOOD], {"write": False}),
    "questions": ([], {"request": "checkout of Cart raises 'nothing at all here' so return 0 instead"}),
    "refused": ([GOOD], {}),
    "refused, dry": ([GOOD], {"write": False}),
}
LENGTHS = {"one round": 17, "two rounds": 30, "no candidate passes": 10, "without tests": 16, "dry": 12}
LENGTHS |= {"questions": 6, "refused": 12, "refused, dry": 12}


class Reverse:
    """A verifier that takes no reply."""

    def judge(self, reply: Reply) -> Verdict:
        return Verdict(False, None, "", {}, "never")


class Killed(BaseException):
    """The process ends here: nothing that follows is done, and no `except` of a step sees it."""


def kill_at(place: int | Kind) -> Callable[[Event], None]:
    def watch(event: Event) -> None:
        if place in (event.seq, event.kind):
            raise Killed

    return watch


def disturb(shop: Path, story: str) -> Callable[[Event], None]:
    """Return what makes the plan of a winner impossible, in the stories of refusals."""

    def watch(event: Event) -> None:
        if story.startswith("refused") and event.kind is Kind.WINNER:
            (shop / "shop/cart.py").unlink()
            (shop / "shop/cart.py").mkdir()

    return watch


def kill_and_resume(shop: Path, story: str, number: int) -> tuple[Run, list[ScriptedModel]]:
    """Kill a story after an event, and continue it with fresh models; return the run and both models."""
    replies, changes = STORIES[story]
    first, log, change = model("one", *replies), shop.parent / "runs", disturb(shop, story)

    def watch(event: Event) -> None:
        change(event)
        kill_at(number)(event)

    with pytest.raises(Killed):
        run_task(make_task(shop, **changes), [first], watch=watch, log=log)
    run_id = list_runs(log)[0].stem
    before = read_run(run_id, shop, log)
    won = sum(event.kind is Kind.WINNER for event in before.events)
    second = model("one", *replies[won:])
    return resume(run_id, [second], root=shop, log=log, watch=change), [first[1], second[1]]


CASES = [(story, number) for story, length in LENGTHS.items() for number in range(length)]


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize(("story", "number"), CASES)
def test_killed_after_any_event_a_run_ends_as_the_whole_would_have(shop: Path, story: str, number: int) -> None:
    replies, changes = STORIES[story]
    copy = make_shop(shop.parent / "copy")
    whole_task = run_task(make_task(copy, **changes), [model("one", *replies)], watch=disturb(copy, story))
    assert len(whole_task.events) == LENGTHS[story]
    run, models = kill_and_resume(shop, story, number)
    assert (run.status, run.winner, run.round) == (whole_task.status, whole_task.winner, whole_task.round)
    assert run.why == whole_task.why
    assert read_shop(shop) == read_shop(copy)
    applied = [event for event in run.events if event.kind is Kind.APPLIED]
    assert len(applied) == sum(event.kind is Kind.APPLIED for event in whole_task.events), "applied once a round"
    kinds = [event.kind for event in run.events if event.kind is not Kind.RESUMED]
    for kind in set(kinds) - {Kind.CONTEST}:
        assert kinds.count(kind) == sum(event.kind is kind for event in whole_task.events), kind
    # A contest that was killed before its winner is held again; any other model is asked once.
    total = sum(len(single_model.requests) for single_model in models)
    assert total in (len(replies), len(replies) + 1)


def test_killed_while_it_applies_the_files_decide(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def apply_and_die(*arguments: Any, **options: Any) -> None:
        apply(*arguments, **options)
        raise Killed

    log = shop.parent / "runs"
    with monkeypatch.context() as patch:
        patch.setattr("symops_lark.agent.applying.apply", apply_and_die)
        with pytest.raises(Killed):
            run_task(make_task(shop), [model("good", GOOD)], log=log)
    run_id = list_runs(log)[0].stem
    assert read_run(run_id, shop, log).events[-1].kind is Kind.APPLYING and read_shop(shop)["shop/cart.py"] == FIXED
    run = resume(run_id, root=shop, log=log)
    applied = run.last(Kind.APPLIED)
    assert run.status is Status.COMPLETE and applied is not None and applied.data["recovered"] is True


def kill_before_the_apply_is_done(shop: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Change the files, and die before the journal has that; return the id of the run."""
    log, finish = shop.parent / "runs", Journal.finish

    def die(own: Journal) -> None:
        # Candidates are applied to copies before.
        if own.room.folder.root == str(shop):
            raise Killed
        finish(own)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "finish", die)
        patch.setattr(journal, "_give_up", lambda own, error: None)
        with pytest.raises(Killed):
            run_task(make_task(shop), [model("good", GOOD)], log=log)
    assert read_shop(shop)["shop/cart.py"] == FIXED
    return list_runs(log)[0].stem


def test_files_of_an_open_journal_are_not_taken_for_written(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next apply takes back an open journal, and would take back what the run has tested."""
    run_id = kill_before_the_apply_is_done(shop, monkeypatch)
    run = resume(run_id, root=shop, log=shop.parent / "runs")
    assert run.status is Status.COMPLETE
    assert journal.recover(shop) is None and read_shop(shop)["shop/cart.py"] == FIXED


def test_a_change_on_top_of_an_open_journal_is_a_conflict(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = kill_before_the_apply_is_done(shop, monkeypatch)
    (shop / "shop/cart.py").write_text("mine\n")
    run = resume(run_id, root=shop, log=shop.parent / "runs")
    assert run.status is Status.CONFLICT and "symops undo" in run.why
    assert (shop / "shop/cart.py").read_text() == "mine\n"


def test_a_file_that_cannot_be_read_is_not_a_deleted_one(shop: Path) -> None:
    log, reply = shop.parent / "runs", "::create @shop/new.py\n<<<\nx = 1\n>>>\n"
    with pytest.raises(Killed):
        run_task(make_task(shop), [model("one", GOOD + reply)], watch=kill_at(Kind.APPLYING), log=log)
    (shop / "shop/new.py").mkdir()
    run = resume(list_runs(log)[0].stem, root=shop, log=log)
    assert run.status is Status.CONFLICT


WRONG_CHANGES: tuple[dict[str, Any], ...] = (
    {"rounds": 2.5},
    {"root": "missing"},
    {"request": "another"},
    {"wirte": True},
    {"write": "no"},
    {"limits": {"seconds": -1}},
    {"limits": {"secs": 3}},
    {"limits": {"seconds": "5"}},
)


@pytest.mark.parametrize("changes", WRONG_CHANGES)
def test_a_wrong_change_does_not_spoil_the_run(shop: Path, changes: dict[str, Any]) -> None:
    log = shop.parent / "runs"
    run = run_task(make_task(shop, write=False), [model("good", GOOD)], log=log)
    with pytest.raises(SymOpsError):
        resume(run.id, root=shop, log=log, changes={"write": True, **changes})
    assert read_run(run.id, shop, log).events == run.events and read_shop(shop) == SHOP
    limits = {"seconds": 60, "tokens": 9, "calls": 3}
    written = resume(run.id, root=shop, log=log, changes={"write": True, "limits": limits})
    assert written.status is Status.COMPLETE and written.task.limits == Limits(**limits)


def test_a_run_stays_in_its_folder_wherever_it_is_continued(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package often has the name of its folder."""
    new = "::create @new.py\n<<<\nx = 1\n>>>\n"
    make_shop(shop / shop.name)
    monkeypatch.chdir(shop.parent)
    run = run_task(make_task(Path(shop.name), write=False, tests=()), [model("one", GOOD + new)])
    monkeypatch.chdir(shop)
    assert resume(run.id, root=".", changes={"write": True}).status is Status.APPLIED
    assert (shop / "new.py").exists() and not (shop / shop.name / "new.py").exists()


def test_a_contest_is_not_continued_without_the_verifier_of_the_task(shop: Path) -> None:
    verifier, log = Reverse(), shop.parent / "runs"
    task = make_task(shop, verifier=verifier)
    with pytest.raises(Killed):
        run_task(task, [model("good", GOOD)], watch=kill_at(Kind.PROMPT), log=log)
    run_id = list_runs(log)[0].stem
    run = resume(run_id, [model("good", GOOD)], root=shop, log=log)
    assert run.status is Status.FAILED and "name the verifier again" in run.why and read_shop(shop) == SHOP
    run = resume(run_id, [model("good", GOOD)], root=shop, log=log, verifier=verifier)
    assert run.status is Status.UNSURE


def test_files_that_a_person_changed_meanwhile_are_a_conflict(shop: Path) -> None:
    log = shop.parent / "runs"
    with pytest.raises(Killed):
        run_task(make_task(shop), [model("good", GOOD)], watch=kill_at(Kind.APPLYING), log=log)
    run_id = list_runs(log)[0].stem
    assert read_run(run_id, shop, log).events[-1].kind is Kind.APPLYING
    (shop / "shop/cart.py").write_text("mine\n")
    run = resume(run_id, root=shop, log=log)
    assert run.status is Status.CONFLICT and "shop/cart.py" in run.why
    assert (shop / "shop/cart.py").read_text() == "mine\n"


@pytest.mark.parametrize("kind", [Kind.APPLIED, Kind.TESTED, Kind.JUDGMENT])
@pytest.mark.parametrize("act", [undo, lambda shop: (shop / "shop/cart.py").write_text("mine\n")])
def test_what_was_undone_since_is_not_complete(shop: Path, kind: Kind, act: Callable[[Path], object]) -> None:
    log = shop.parent / "runs"
    with pytest.raises(Killed):
        run_task(make_task(shop, tests=("true",)), [model("good", GOOD)], watch=kill_at(kind), log=log)
    act(shop)
    before = read_shop(shop)
    run = resume(list_runs(log)[0].stem, root=shop, log=log)
    assert (run.status, run.why) == (Status.CONFLICT, "undone or changed since the run wrote it: shop/cart.py")
    assert read_shop(shop) == before and run.events[-2].kind is Kind.RESUMED
    (shop / "shop/cart.py").write_text(FIXED)
    assert resume(run.id, root=shop, log=log).status is Status.COMPLETE


@pytest.mark.slow
@pytest.mark.parametrize("reply", [GOOD, "::create @extra.py\n<<<\nx = 1\n>>>\n"])
def test_what_was_undone_of_an_earlier_round_is_a_conflict(shop: Path, reply: str) -> None:
    task = make_task(shop, tests=("test -e extra.py",), limits=Limits(calls=1), rules=RULES, rounds=2)
    run = run_task(task, [model("good", GOOD)])
    assert run.status is Status.BUDGET and run.round == 2 and undo(shop, run=run.id).files
    changes = {"limits": {"calls": 9}}
    run = resume(run.id, [model("good", reply)], root=shop, changes=changes)
    assert (run.status, run.why) == (Status.CONFLICT, "undone or changed since the run wrote it: shop/cart.py")
    assert read_shop(shop) == SHOP
    (shop / "shop/cart.py").write_text(FIXED)
    (shop / "notes.md").write_text("other files may change\n")
    extra = [model("good", "::create @extra.py\n<<<\nx = 1\n>>>\n")]
    run = resume(run.id, extra, root=shop, changes=changes, confirm=lambda change: True)
    assert run.status is Status.COMPLETE


def test_the_undo_that_an_unjudged_run_recommends_is_no_success(shop: Path) -> None:
    rules = [{"condition": "it is complete", "next": "COMPLETE"}, {"condition": "it is not", "next": "fix"}]
    run = run_task(make_task(shop, rules=rules), [model("good", GOOD)])
    assert run.status is Status.UNJUDGED and undo(shop, run=run.id).files
    judge = ScriptedModel(['{"step": 1, "reason": "it is"}'])
    assert resume(run.id, root=shop, judge=judge).status is Status.CONFLICT and not judge.requests


def test_files_that_changed_before_the_apply_are_refused(shop: Path) -> None:
    log = shop.parent / "runs"
    run = run_task(make_task(shop, write=False), [model("good", GOOD)], log=log)
    (shop / "shop/cart.py").write_text(SHOP["shop/cart.py"] + "\n# mine\n")
    run = resume(run.id, root=shop, log=log, changes={"write": True})
    assert run.status is Status.REFUSED and "cart.py" in run.why


def test_no_file_changes_before_its_event(shop: Path) -> None:
    def watch(event: Event) -> None:
        if event.kind not in (Kind.APPLIED, Kind.TESTED, Kind.JUDGMENT, Kind.END):
            assert read_shop(shop) == SHOP, event.kind

    assert run_task(make_task(shop, run_code=True), [model("good", GOOD)], watch=watch).ok


def test_a_dry_run_is_written_later_without_asking_again(shop: Path) -> None:
    run = run_task(make_task(shop, write=False), [model("good", GOOD)])
    repeated_resumed = resume(run.id[:6], root=shop, changes={"write": True})
    assert repeated_resumed.status is Status.COMPLETE and read_shop(shop)["shop/cart.py"] == FIXED
    assert repeated_resumed.cost.calls == run.cost.calls == 1


def test_a_run_that_has_ended_is_returned_as_it_is(shop: Path) -> None:
    run = run_task(make_task(shop), [model("good", GOOD)])
    assert resume(run.id, root=shop).events == run.events


def test_without_models_a_contest_is_not_held(shop: Path) -> None:
    log = shop.parent / "runs"
    with pytest.raises(Killed):
        run_task(make_task(shop), [model("good", GOOD)], watch=kill_at(Kind.UNDERSTOOD), log=log)
    run_id = list_runs(log)[0].stem
    run = resume(run_id, root=shop, log=log)
    assert run.status is Status.FAILED and "name the models" in run.why
    assert resume(run_id, [model("good", GOOD)], root=shop, log=log).status is Status.COMPLETE


# ---- the log


def finished(shop: Path) -> tuple[Run, Path]:
    log = shop.parent / "runs"
    run = run_task(make_task(shop), [model("good", GOOD)], log=log)
    return run, log / f"{run.id}.jsonl"


def test_a_log_is_private_and_its_lines_are_json(shop: Path) -> None:
    run, path = finished(shop)
    assert path.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["seq"] for line in lines] == list(range(len(run.events)))
    assert {line["run_id"] for line in lines} == {run.id} and all(line["seal"] for line in lines)


def test_a_changed_line_is_found(shop: Path) -> None:
    run, path = finished(shop)
    lines = path.read_bytes().splitlines(keepends=True)
    for number in range(len(lines)):
        forged = [*lines]
        forged[number] = forged[number].replace(b'"round":', b'"round": ')
        path.write_bytes(b"".join(forged))
        with pytest.raises(SymOpsError, match=f"line {number + 1}"):
            read_run(run.id, shop, path.parent)
    for number in range(len(lines) - 1):
        path.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
        with pytest.raises(SymOpsError):
            read_run(run.id, shop, path.parent)


def test_half_a_line_counts_as_not_written(shop: Path) -> None:
    run, path = finished(shop)
    data = path.read_bytes()
    end = data.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(data[: end + 40])
    assert len(read_run(run.id, shop, path.parent).events) == len(run.events) - 1
    assert resume(run.id, root=shop, log=path.parent).status is Status.COMPLETE
    assert read_run(run.id, shop, path.parent).events[-2].kind is Kind.RESUMED


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_plain_file_is_no_log(shop: Path, tmp_path: Path) -> None:
    run = run_task(make_task(shop, write=False), [model("good", GOOD)], log=tmp_path / "runs")
    [path] = list_runs(tmp_path / "runs")
    path.rename(tmp_path / "away")
    for make in (lambda: path.symlink_to(tmp_path / "away"), lambda: os.mkfifo(path), path.mkdir):
        make()
        for act in (resume, read_run):
            with pytest.raises(SymOpsError):
                act(run.id, root=shop, log=tmp_path / "runs")
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def test_a_task_that_is_refused_leaves_no_run(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(SymOpsError, match="no such folder"):
        run_task(make_task(shop / "missing"), [model("good", GOOD)], log=tmp_path / "runs")
    assert list_runs(tmp_path / "runs") == []


def test_without_models_no_run_begins(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(SymOpsError, match="no model competes"):
        run_task(make_task(shop), [], log=tmp_path / "runs")
    assert list_runs(tmp_path / "runs") == []


def test_a_search_that_is_not_installed_is_named_at_once(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symops_lark.code_intelligence.index.index.find_spec", lambda name: None)
    with pytest.raises(SymOpsError, match=r"pip install 'symops-lark\[code\]'"):
        run_task(make_task(shop), [model("good", GOOD)], log=tmp_path / "runs")
    assert list_runs(tmp_path / "runs") == []


def test_one_process_works_on_a_run_at_a_time(shop: Path) -> None:
    run, path = finished(shop)
    with RunLog.open(path, lambda event: None), pytest.raises(SymOpsError, match="another process"):
        resume(run.id, root=shop, log=path.parent)


def test_a_run_is_found_by_the_beginning_of_its_id(shop: Path) -> None:
    run, path = finished(shop)
    assert read_run(run.id[:5].upper(), shop, path.parent).id == run.id
    shutil.copy(path, path.with_name(run.id[:-1] + ("0" if run.id[-1] != "0" else "1") + ".jsonl"))
    with pytest.raises(SymOpsError, match="several runs"):
        read_run(run.id[:5], shop, path.parent)
    with pytest.raises(SymOpsError, match="there is no run"):
        read_run("ffff" if not run.id.startswith("ffff") else "0000", shop, path.parent)
    with pytest.raises(SymOpsError, match="there is no run"):
        read_run("", shop, path.parent)
