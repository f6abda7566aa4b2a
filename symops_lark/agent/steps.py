"""Carry out a task step by step; the events that steps leave say which step comes next.

Theory of operation
    Steps of a round, in order, each with the event that says it is done::

        frame       SESSION, FRAME      the request becomes slots (once a run)
        explore     EXPLORED            files are opened in a session
        understand  UNDERSTOOD          the session says whether that is enough
        prompt      PROMPT              these become a prompt within the budget
        contest     CONTEST…, WINNER    models compete; a chain of checks judges
        plan        PLAN                the winner's reply, on the files as they are
        ask         ASKED               a person agrees to what the policy leaves to people
        apply       APPLYING, APPLIED   files change
        test        TESTED              the caller's tests, in the checkout
        judge       JUDGMENT            a rule says: done, given up, or another round

    A process that is killed loses at most the step that had no event yet. `resume` reads the events
    and begins with that step. Only `apply` needs care: between APPLYING and APPLIED the files
    themselves say how far it came, by their hashes.

Invariants
    1. No file below the root changes before APPLYING is in the file, and none without `write`.
    2. A step that has its event in its round is not done again, so no model is asked twice for it.
       The event alone says whether the run continues, so a kill right after it changes nothing.
    3. Limits and cancellation end a run between two steps, or end its tests, and never an apply.
       Tests that were ended have no result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event as Signal
from typing import Any
from uuid import uuid4

from ..acting.changes import Change
from ..answers.judgment import End
from ..core.ground.errors import SymOpsError
from ..core.ground.numbers import counted
from ..models import Model
from ..routing import Contestant
from .applying import apply_plan, ask_person, expect_written, plan_winner, tell_written
from .events import Event, Kind
from .judging import judge_round, test_checkout
from .run_log import RunLog, find_run, read_events, runs_folder
from .runs import GOOD, OPEN, Run, Status
from .selecting import (
    explore_code,
    hold_contest,
    log_missing_rows,
    start_frame,
    submit_understanding,
    write_prompt,
)
from .task import WRONG, Task
from .work import Stop, Work

# What a resume may change of a task: the past of the run depends on all else.
CHANGEABLE = ("write", "limits", "run_code", "keep_prompts")
GivenContestant = Contestant | tuple[str, Model]
# The steps of a round, each with the event that says that it is done.
STEPS: tuple[tuple[Kind, Callable[[Work], None]], ...] = (
    (Kind.FRAME, start_frame),
    (Kind.EXPLORED, explore_code),
    (Kind.UNDERSTOOD, submit_understanding),
    (Kind.PROMPT, write_prompt),
    (Kind.WINNER, hold_contest),
    (Kind.PLAN, plan_winner),
    (Kind.ASKED, ask_person),
    (Kind.APPLIED, apply_plan),
    (Kind.TESTED, test_checkout),
    (Kind.JUDGMENT, judge_round),
)


def run_task(
    task: Task,
    contestants: Sequence[GivenContestant],
    *,
    decomposer: Model | None = None,
    explorer: Model | None = None,
    judge: Model | None = None,
    confirm: Callable[[Change], bool] | None = None,
    watch: Callable[[Event], object] = lambda event: None,
    log: str | os.PathLike[str] | None = None,
    cancel: Signal | None = None,
) -> Run:
    """Carry out a task, to its end.

    Args:
        task: The task.
        contestants: The models that compete: contestants of routing, or pairs of a name and a model
            without a manifest.
        decomposer: Reads the slots of the request. None: those of the task, or none.
        explorer: Explores, where the task says "model". None: no model does.
        judge: Decides between rules that facts do not decide. None: facts alone decide.
        confirm: Asks a person about a change; also, where there is no sandbox, about each test,
            as a command. None: what needs a question is not written, and a caller who names tests
            and lets write has agreed to them.
        watch: Called with each event, after it is in the log.
        log: The folder of runs. None: one in the user's state folder.
        cancel: Ends the run after the current step, and running tests at once, when it is set.
            None: nothing does.

    Returns:
        The run. A model that fails, or a wrong reply, is not an error.

    Raises:
        SymOpsError: The task is wrong, no model competes, or there is no folder for runs.
    """
    if not contestants:
        raise SymOpsError(f"{WRONG}no model competes: name one or more")
    # A folder that is missing, or cannot be written, is an error before any model is asked.
    folder = runs_folder(task.root, log)
    with RunLog.create(folder, uuid4().hex, watch) as run_log:
        work = Work(
            run_log, contestants, decomposer, explorer, judge, confirm, cancel, task.verifier
        )
        work.open(task)
        members = {"task": task.to_dict(), "root": os.path.realpath(task.root)}
        work.note(Kind.TASK, {**members, "verified": task.verifier is not None})
        return _drive(work)


def resume(
    run_id: str,
    contestants: Sequence[GivenContestant] = (),
    *,
    root: str | os.PathLike[str] = ".",
    decomposer: Model | None = None,
    explorer: Model | None = None,
    judge: Model | None = None,
    confirm: Callable[[Change], bool] | None = None,
    watch: Callable[[Event], object] = lambda event: None,
    log: str | os.PathLike[str] | None = None,
    cancel: Signal | None = None,
    changes: dict[str, Any] | None = None,
    verifier: Any = None,
) -> Run:
    """Continue a run that was killed, cancelled, declined or ended at a limit; or write a dry run.

    Args:
        run_id: The run, or the beginning of its id.
        contestants: As for `run_task`; needed only if a contest is still to be held.
        root: The folder of the task.
        decomposer: As for `run_task`.
        explorer: As for `run_task`.
        judge: As for `run_task`.
        confirm: As for `run_task`.
        watch: As for `run_task`.
        log: As for `run_task`.
        cancel: As for `run_task`.
        changes: Members of the task that change, as JSON: `{"write": True}` writes the plan of a
            dry run; `run_code`, `keep_prompts` and `limits` may change, too. None: none.
        verifier: The task's verifier, which no log has; needed for a contest if the task had one.

    Returns:
        The run. One that has ended for good is returned as it is.

    Raises:
        SymOpsError: There is no such run, another process is at work on it, its log was changed, or
            a change is wrong.
    """
    for name in changes or ():
        if name not in CHANGEABLE:
            names = ", ".join(CHANGEABLE)
            raise SymOpsError(f"changes: {name!r} cannot change: a run has its task; {names} can")
    path = find_run(runs_folder(root, log), run_id)
    with RunLog.open(path, watch) as run_log:
        work = Work(run_log, contestants, decomposer, explorer, judge, confirm, cancel, verifier)
        status, wants = work.run.status, dict(changes or {})
        is_dry = status is Status.PLANNED and bool(wants.get("write"))
        if status is not Status.RUNNING and status not in OPEN and not is_dry:
            return work.run
        # Before they are in the log: a wrong change would spoil it for ever.
        task = Task.from_dict({**work.run.task.to_dict(), **wants}, verifier)
        work.open(task)
        work.note(Kind.RESUMED, {"task": wants})
        log_missing_rows(work)
        return _drive(work)


def read_run(
    run_id: str, root: str | os.PathLike[str] = ".", log: str | os.PathLike[str] | None = None
) -> Run:
    """Return a run as its log says.

    Args:
        run_id: The run, or the beginning of its id.
        root: The folder of its task.
        log: The folder of runs. None: the one in the user's state folder.

    Raises:
        SymOpsError: There is no such run, or its log was changed.
    """
    return Run(read_events(find_run(runs_folder(root, log), run_id)))


def _drive(work: Work) -> Run:
    """Do step after step until the run ends."""
    with _ending(work):
        # Of a resumed run: whoever undid it since has its files as they were before.
        expect_written(work)
        for number in range(1, work.task.rounds + 1):
            # Of a resumed run: rounds that are over have all their events.
            if number < work.run.round:
                continue
            work.round = number
            # A frame is of the whole run; all other steps are of a round.
            for kind, step in STEPS:
                place = None if kind is Kind.FRAME else number
                if work.run.last(kind, place) is None:
                    work.expect_time()
                    step(work)
                # Also of a step that a process before has done: it may have been killed by then.
                _expect_consent(work.run.last(kind, place))
            _follow(work)
        raise Stop(Status.ROUNDS, f"not complete after {counted(work.task.rounds, 'round')}")
    return work.run


def _expect_consent(event: Event | None) -> None:
    """End the run where an event says that it cannot continue."""
    assert event is not None
    if event.kind is Kind.UNDERSTOOD and not event.data["ok"]:
        raise Stop(Status.NEEDS_USER, "; ".join(event.data["gaps"]))
    if event.kind is Kind.PLAN and event.data["refused"]:
        raise Stop(Status.REFUSED, "; ".join(event.data["refused"][:3]))


def _follow(work: Work) -> None:
    """End the run where the rule of the round says so; else the next round begins."""
    judged = work.run.last(Kind.JUDGMENT, work.round)
    assert judged is not None
    rule = f"rule {judged.data['rule'] + 1} of {judged.data['step']}: {judged.data['condition']}"
    if judged.data["next"] == End.COMPLETE:
        raise Stop(Status.COMPLETE, rule)
    if judged.data["next"] == End.ABORT:
        raise Stop(Status.ABORT, rule)


@contextmanager
def _ending(work: Work) -> Iterator[None]:
    """Write the end of a run, by what a step raised."""
    try:
        yield
    except Stop as stop:
        reason = stop.reason
        # A conflict has its own words for files that may be anything.
        if stop.status not in (*GOOD, Status.CONFLICT):
            reason += tell_written(work)
        work.end(stop.status, reason, stop.data)
    except (SymOpsError, OSError) as error:
        # Not the fault of a model: a full disk, a folder that is gone, a locked file.
        work.end(Status.FAILED, f"{error}{tell_written(work)}")
