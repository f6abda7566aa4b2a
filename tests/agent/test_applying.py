"""From a winner to changed files: what is refused, who is asked, and what an interrupted apply has left."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from agent_shop import GOOD, TEST, make_task, model, read_shop

from symops_lark import Policy, SymOpsError, WorkspaceError
from symops_lark.acting.changes import Change, Plan
from symops_lark.acting.files.filesystem import ChangedError, Folder
from symops_lark.acting.journal.room import enter
from symops_lark.agent import Event, Kind, Run, Status, read_run, resume, run_task
from symops_lark.agent.run_log import list_runs
from symops_lark.core.ground.errors import UnsafeActionError

NAMES = ("a.py", "b.py", "c.py", "d.py")
MANY = GOOD + "".join(f"::create @{name}\n<<<\nx = 1\n>>>\n" for name in NAMES)


class Killed(BaseException):
    """The process ends here."""


def at(kind: Kind, act: Callable[[], object]) -> Callable[[Event], None]:
    """Return what does something right after an event."""

    def watch(event: Event) -> None:
        if event.kind is kind:
            act()

    return watch


def die() -> None:
    raise Killed


@pytest.mark.parametrize("kind", [Kind.WINNER, Kind.ASKED])
def test_three_of_many_refusals_are_named(shop: Path, kind: Kind) -> None:
    def make_folders() -> None:
        for name in NAMES:
            (shop / name).mkdir()

    run = run_task(make_task(shop, tests=()), [model("one", MANY)], watch=at(kind, make_folders))
    assert run.status is Status.REFUSED and run.why.count("is a folder") == 3
    assert [name in run.why for name in NAMES] == [True, True, True, False]
    assert run.last(Kind.APPLYING) is None


def test_files_that_changed_before_the_apply_are_named(shop: Path) -> None:
    def write() -> None:
        (shop / "a.py").write_text("mine\n")

    policy = Policy(max_actions=9)
    run = run_task(make_task(shop, tests=(), policy=policy), [model("one", MANY)], watch=at(Kind.ASKED, write))
    assert run.status is Status.REFUSED and "a.py" in run.why and (shop / "a.py").read_text() == "mine\n"


def test_a_lock_of_another_process_is_not_for_good(shop: Path) -> None:
    with ExitStack() as stack:
        folder = stack.enter_context(Folder(shop))
        # As another `symops apply`, which is at work for a moment.
        run = run_task(
            make_task(shop), [model("good", GOOD)], watch=at(Kind.APPLYING, lambda: stack.enter_context(enter(folder)))
        )
    assert run.status is Status.FAILED and "another apply or undo is at work" in run.why
    resumed = resume(run.id, root=shop)
    assert resumed.status is Status.COMPLETE and resumed.cost.calls == 1


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WorkspaceError("a.py: cannot be written: No space left on device"), Status.FAILED),
        (ChangedError("a.py: the file has changed since it was planned"), Status.REFUSED),
        (UnsafeActionError("a.py: 'a' on the way is a link"), Status.REFUSED),
    ],
)
def test_only_what_the_files_say_is_for_good(
    shop: Path, monkeypatch: pytest.MonkeyPatch, error: WorkspaceError, status: Status
) -> None:
    def fail(planned: Plan, root: str, **options: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("symops_lark.agent.applying.apply", fail)
        run = run_task(make_task(shop), [model("good", GOOD)])
    assert (run.status, run.why) == (status, str(error))
    resumed = resume(run.id, root=shop)
    assert resumed.status is (Status.COMPLETE if status is Status.FAILED else status)


def ask(shop: Path, confirm: Callable[[Change], bool] | None) -> Run:
    task = make_task(shop, policy=Policy(sensitive=("cart.py", "a.py")), tests=())
    return run_task(task, [model("one", MANY)], confirm=confirm)


@pytest.mark.slow
def test_why_a_change_is_not_made(shop: Path) -> None:
    def end(change: Change) -> bool:
        raise SymOpsError("the person has left")

    assert ask(shop, None).why == "shop/cart.py: it needs consent"
    assert ask(shop, lambda change: False).why == "shop/cart.py: not agreed to"
    assert ask(shop, lambda change: change.path != "a.py").why == "a.py: not agreed to"
    assert ask(shop, end).why == "shop/cart.py: the person has left"
    assert not (shop / "a.py").exists()
    run = ask(shop, lambda change: True)
    asked = run.last(Kind.ASKED)
    assert run.status is Status.APPLIED and asked is not None
    assert asked.data["asked"] == ["shop/cart.py", "a.py"] and asked.data["tests"] == ""


@pytest.mark.parametrize(("run_code", "expected"), [(False, [TEST]), (True, [])])
def test_a_person_is_asked_about_tests_unless_code_may_run(
    shop: Path, monkeypatch: pytest.MonkeyPatch, run_code: bool, expected: list[str]
) -> None:
    monkeypatch.setattr("symops_lark.agent.applying.find_missing_sandbox", lambda root: "no sandbox")
    questions: list[Change] = []
    run = run_task(
        make_task(shop, run_code=run_code),
        [model("one", GOOD)],
        confirm=lambda change: not questions.append(change),  # type: ignore[func-returns-value]
    )
    assert run.status is Status.COMPLETE and [change.path for change in questions] == expected
    for change in questions:
        assert change.operation == "run" and change.reasons[-1] == "no sandbox"


def test_a_person_who_leaves_has_not_agreed_to_tests(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(change: Change) -> bool:
        raise SymOpsError("the person has left")

    monkeypatch.setattr("symops_lark.agent.applying.find_missing_sandbox", lambda root: "no sandbox")
    run = run_task(make_task(shop), [model("one", GOOD)], confirm=end)
    assert (run.status, run.why) == (Status.APPLIED, "written, not tested: the person has left")


def kill_before_the_apply(shop: Path) -> Path:
    """Begin an apply of several files, which does nothing; return the folder of the run."""
    log = shop.parent / "runs"
    with pytest.raises(Killed):
        run_task(make_task(shop, tests=()), [model("one", MANY)], watch=at(Kind.APPLYING, die), log=log)
    return log


def test_files_that_are_still_missing_are_as_before(shop: Path) -> None:
    log = kill_before_the_apply(shop)
    [run_id] = [path.stem for path in list_runs(log)]
    run = resume(run_id, root=shop, log=log)
    assert run.status is Status.APPLIED and read_shop(shop)["d.py"] == "x = 1\n"
    kinds = [event.kind for event in read_run(run_id, shop, log).events]
    assert kinds.count(Kind.APPLYING) == kinds.count(Kind.APPLIED) == 1


def test_files_of_which_some_are_written_are_a_conflict(shop: Path) -> None:
    log = kill_before_the_apply(shop)
    (shop / "a.py").write_text("x = 1\n")
    run = resume(list_runs(log)[0].stem, root=shop, log=log)
    assert run.status is Status.CONFLICT and "neither as before nor as planned: shop/cart.py, a.py" in run.why
    assert not (shop / "b.py").exists()
