"""Carry out a plan: first its files, all or none, then its commands.

Invariants
    1. Consent is asked before anything is done, so that a person can still cancel everything.
    2. No command runs without consent, whatever the policy's decision is.
    3. Files come before commands. A file that needs a command is refused: it would have to change
       later, and a failed command would leave half of the files changed.
    4. The outcome has one step for each change, in the order of the plan.

Example: a plan edits `a.py` (automatic), deletes `b.py` (ask) and runs `pytest`, which needs both.
If the user declines to delete `b.py`, then `a.py` is edited, and the other two are skipped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from threading import Event
from typing import Any, ClassVar

from ..core.ground.errors import UnsafeActionError, WorkspaceError
from ..core.ground.json_objects import JsonObject, write_object
from ..core.ground.logs import log_event
from ..core.ground.members import coerce_members
from ..core.ground.numbers import counted
from ..core.text.source import cut
from .changes import Change, Decision, Operation, Plan
from .commands.commands import CommandResult, Runner
from .files.filesystem import Folder
from .journal.journal import CarriedOut, carry_out
from .journal.transaction import Undone
from .messages import name_step, quote_output, write_outcome

Confirm = Callable[[Change], bool]
# For callers from Python; `with_reason` replaces it for other interfaces.
_NOT_RUN = "commands are not run: give apply(…, run=Runner())"
_MAX_NAME = 80  # characters of a path or a command line in the reason of another step


class Status(StrEnum):
    """The result of a change."""

    DONE = "done"
    FAILED = "failed"  # a command did not succeed
    SKIPPED = "skipped"  # declined, or a change that it needs was not done


@dataclass(frozen=True, slots=True)
class Step(JsonObject):
    """The result of one change.

    Attributes:
        change: The change.
        status: Whether it was done.
        reason: Why it was not done; empty if it was.
        command: The result of a command. None for files, and for commands that did not run.
    """

    change: Change
    status: Status
    reason: str = ""
    command: CommandResult | None = None

    def __post_init__(self) -> None:
        coerce_members(self)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        change = write_object(self.change, "number", "operation", "path")
        return change | write_object(self, "status", "reason", "command", "change")


@dataclass(frozen=True, slots=True)
class Outcome(JsonObject):
    """The result of a plan. Its JSON Schema is `symops_lark.schema("outcome")`.

    Attributes:
        steps: One for each change, in the order of the plan.
        recovered: What was undone first, because an earlier apply had been interrupted. None:
            nothing.
        notes: What of the files, besides their bytes, could not be preserved, one sentence each.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("done", "steps", "recovered", "notes")

    steps: tuple[Step, ...]
    recovered: Undone | None = None
    notes: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether every change was done."""
        return all(step.status is Status.DONE for step in self.steps)

    def message(self) -> str:
        """Return the next message to the model: steps that were done, and others with reasons.

        Returns:
            The next message of the user's side. Long lists and outputs are shortened.
        """
        done = [_describe(step) for step in self.steps if step.status is Status.DONE]
        missing = [_describe(step) for step in self.steps if step.status is not Status.DONE]
        return write_outcome(done, missing, self.notes)


def _describe(step: Step) -> str:
    """Return a step in words, with the reason if it was not done, and the output of a command."""
    row = name_step(step.change.operation, step.change.path, step.change.places)
    if step.reason:
        row += f": {step.reason}"
    if step.command is None:
        return row
    return row + quote_output(step.command.output)


def apply(
    plan: Plan,
    root: str | os.PathLike[str],
    *,
    confirm: Confirm | None = None,
    run: Runner | None = None,
    cancel: Event | None = None,
    run_id: str = "",
) -> Outcome:
    """Carry out a plan: its files, all or none, then its commands.

    Args:
        plan: The plan.
        root: The folder that it was made for.
        confirm: Called before anything is done, for every command, and for every change whose
            decision is not `AUTO`. What it declines is skipped, with everything that needs it.
            None: all of these are skipped.
        run: How commands are run. None: no command is run. A failed command stops only the
            changes that need it.
        cancel: Setting this event kills the running command and skips the others. None: the
            commands cannot be cancelled.
        run_id: The id of the run that this apply belongs to; `undo(run=…)` takes back all applies
            of a run. Empty: it belongs to no run.

    Returns:
        One step for each change. Failed and skipped steps are results, not exceptions.

    Raises:
        UnsafeActionError: The plan has a refused change, or a command that `run` refuses, such as
            one that needs a shell. No file is changed, and `confirm` is not called.
        WorkspaceError: The plan has conflicts, files have changed since it was made, or files
            cannot be written. No file is changed.
        KeyboardInterrupt: A command was interrupted, and killed. The files stay written, which a
            note of the exception says.
    """
    _check(plan)
    with Folder(root) as folder:
        if run is not None:
            # Commands that cannot be run are reported before any file changes.
            for change in plan.changes:
                if change.operation is Operation.RUN:
                    run.prepare(change.path, folder.root)
        declined = _ask(plan.changes, confirm, run)
        files = (change for change in plan.changes if change.operation is not Operation.RUN)
        accepted = [change for change in files if id(change) not in declined]
        carried = CarriedOut()
        # Without files, an interrupted apply is still taken back: commands must not see half of it.
        if accepted or folder.has_journal():
            carried = carry_out(folder, accepted, run_id)
    try:
        steps = _run_commands(plan, root, declined, run, cancel)
    except KeyboardInterrupt as error:
        # There will be no outcome that names them.
        count = len({change.path for change in accepted})
        if count:
            result = counted(count, "file was written", "files were written")
            error.add_note(f"{result} before this interrupt, which `undo` restores")
        raise
    outcome = Outcome(tuple(steps), carried.recovered, carried.notes)
    _log(outcome)
    return outcome


def _log(outcome: Outcome) -> None:
    if outcome.recovered is not None:
        log_event("workspace", "warning", "journal recovered", files=len(outcome.recovered.files))
    for step in outcome.steps:
        change = step.change
        # The line of a command may hold a key, so it is not logged.
        path = "" if change.operation is Operation.RUN else change.path
        facts = {"operation": change.operation, "path": path, "status": step.status}
        log_event("workspace", "debug", "step", number=change.number, **facts)
    done = sum(step.status is Status.DONE for step in outcome.steps)
    log_event("workspace", "info", "apply", done=done, steps=len(outcome.steps))


def _run_commands(
    plan: Plan,
    root: str | os.PathLike[str],
    declined: dict[int, str],
    run: Runner | None,
    cancel: Event | None,
) -> list[Step]:
    """Run the accepted commands; return a step for each change, the files included."""
    # Declined changes count as failed for those that need them.
    failed = {change.number: change.path for change in plan.changes if id(change) in declined}
    steps = []
    for change in plan.changes:
        reason = declined.get(id(change))
        if reason:
            steps.append(Step(change, Status.SKIPPED, reason))
        elif change.operation is not Operation.RUN:
            steps.append(Step(change, Status.DONE))
        else:
            step = _run(change, root, run, failed, cancel)
            steps.append(step)
            if step.status is not Status.DONE:
                failed[change.number] = change.path
    return steps


def with_reason(outcome: Outcome, reason: str) -> Outcome:
    """Return an outcome with another reason why commands were not run.

    Each interface has a different way to run commands: an argument in Python, an option in the
    command line.

    Args:
        outcome: The outcome of `apply` without a runner.
        reason: The reason to report.

    Returns:
        The same outcome but for these reasons.
    """
    steps = list(outcome.steps)
    for index, step in enumerate(steps):
        if step.reason == _NOT_RUN:
            steps[index] = replace(step, reason=reason)
    return replace(outcome, steps=tuple(steps))


def _check(plan: Plan) -> None:
    """Raise `WorkspaceError` for a plan that cannot be carried out."""
    refused = [change for change in plan.changes if change.decision is Decision.REFUSE]
    if refused:
        reasons = [f"{change.path}: {', '.join(change.reasons) or 'refused'}" for change in refused]
        raise UnsafeActionError(
            f"nothing was done, as the policy refuses a part of it: {'; '.join(reasons)}"
        )
    if plan.conflicts:
        messages = "; ".join(conflict.message for conflict in plan.conflicts)
        raise WorkspaceError(f"nothing was done, as there are conflicts: {messages}")
    # Plans are in running order, so a needed command comes before the change that needs it.
    commands = set()
    for change in plan.changes:
        if change.operation is Operation.RUN:
            commands.add(change.number)
        elif commands & set(change.needs):
            raise WorkspaceError(
                f"nothing was done: {change.path} needs a command, but files are changed before "
                "any command is run; apply one after the other"
            )


def _ask(
    changes: Collection[Change], confirm: Confirm | None, run: Runner | None
) -> dict[int, str]:
    """Ask for consent; return the reasons of the changes that are skipped.

    The keys are identities (`id`), as a plan that a caller has made may repeat a number.
    """
    declined = {}
    gaps = _Gaps()
    for change in changes:
        dependence = gaps.name(change)
        if change.operation is Operation.RUN and run is None:
            reason = _NOT_RUN
        elif dependence:
            reason = dependence
        elif change.operation is not Operation.RUN and change.decision is Decision.AUTO:
            continue
        elif confirm is None:
            reason = "not confirmed: apply(…, confirm=…) was not given"
        elif confirm(change):
            continue
        else:
            reason = "not agreed to"
        declined[id(change)] = reason
        gaps.add(change)
    # Plans without patches are complete: what they need was looked at.
    is_complete = not any(change.together for change in changes)
    # A change that is declined for a patch may be needed by one of another patch, and so on.
    while not is_complete:
        is_complete = True
        parts = {change.number: change.path for change in changes if id(change) in declined}
        gaps = _Gaps(parts)
        for change in changes:
            if id(change) not in declined:
                part = _name_first(change.together, parts)
                belongs = f"it belongs to {part}, which is not done" if part else ""
                reason = gaps.name(change) or belongs
                if not reason:
                    continue
                declined[id(change)] = reason
                is_complete = False
            gaps.add(change)
    return declined


@dataclass(slots=True)
class _Gaps:
    """The changes that are not done.

    Attributes:
        numbers: Their paths, by number.
        paths: The files of those that come before the change in question.
    """

    numbers: dict[int, str] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)

    def add(self, change: Change) -> None:
        self.numbers[change.number] = change.path
        if change.operation is not Operation.RUN:
            self.paths.add(change.path)

    def name(self, change: Change) -> str:
        """Return why a change cannot be done without them, or an empty string."""
        needed = _name_first(change.needs, self.numbers)
        if needed:
            return f"it needs {needed}, which is not done"
        # The bytes before this change would be those after the declined one.
        if change.operation is not Operation.RUN and change.path in self.paths:
            return "an earlier change of this file is not done"
        return ""


def _name_first(numbers: Collection[int], missing: dict[int, str]) -> str:
    """Return the first of the numbers that are missing, with its path, or an empty string."""
    found = sorted(missing.keys() & set(numbers))
    if not found:
        return ""
    # A model has not seen the numbers, so the path is there as well.
    return f"number {found[0]} ({cut(missing[found[0]], 0, _MAX_NAME)})"


def _run(
    change: Change,
    root: str | os.PathLike[str],
    run: Runner | None,
    failed: dict[int, str],
    cancel: Event | None,
) -> Step:
    missing = _name_first(change.needs, failed)
    if missing:
        return Step(change, Status.SKIPPED, f"it needs {missing}, which was not done")
    if cancel is not None and cancel.is_set():
        return Step(change, Status.SKIPPED, "cancelled")
    assert run is not None  # otherwise `_ask` has declined the command
    try:
        result = run.run(change.path, root, cancel)
    except WorkspaceError as error:
        # The files have already changed, so the outcome must be returned, not this error raised.
        return Step(change, Status.FAILED, str(error))
    status = Status.DONE if result.ok else Status.FAILED
    return Step(change, status, result.reason, result)
