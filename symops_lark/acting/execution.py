"""From a plan to files and commands: what people agree to is done, files first and all or none, then the commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Event
from typing import Any, ClassVar

from ..core.ground.errors import UnsafeActionError, WorkspaceError
from ..core.ground.json_objects import JsonObject, write_object
from ..core.ground.members import coerce_members
from .changes import Change, Decision, Operation, Plan
from .commands.commands import CommandResult, Runner
from .files.filesystem import Folder
from .journal.journal import CarriedOut, carry_out
from .journal.transaction import Undone

Confirm = Callable[[Change], bool]
_NOT_RUN = "commands are not run: give apply(…, run=Runner())"  # what they would be run by, from Python


class Status(StrEnum):
    """What became of a change."""

    DONE = "done"
    FAILED = "failed"  # a command did not succeed
    SKIPPED = "skipped"  # not agreed to, or something that it needs was not done


@dataclass(frozen=True, slots=True)
class Step(JsonObject):
    """What became of one change; `command` tells how a command went."""

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
    """What became of a plan: a step for each change, in the plan's order.

    `recovered` tells what was undone before, if an earlier apply had been broken off; `notes` what of the files, beside
    their bytes, could not be kept. The JSON Schema is `symops_lark.schema("outcome")`.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("done", "steps", "recovered", "notes")

    steps: tuple[Step, ...]
    recovered: Undone | None = None
    notes: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether all was done."""
        return all(step.status is Status.DONE for step in self.steps)


def apply(
    plan: Plan,
    root: str | os.PathLike[str],
    *,
    confirm: Confirm | None = None,
    run: Runner | None = None,
    cancel: Event | None = None,
) -> Outcome:
    """Carry out a plan below `root`: its files, all or none, then its commands.

    `confirm` is asked, before anything is done, for every change that the policy does not leave to us, and for every
    command; what it declines is skipped, with all that needs it. Without a runner (`run`) no command is run. A command
    that fails stops what needs it. `cancel` ends a running command, and stops the rest.

    Raise `UnsafeActionError` if the plan has a refused change, `WorkspaceError` if it has conflicts, if files have
    changed since it was made, or if they cannot be written: no file is changed then.
    """
    _check(plan)
    with Folder(root) as folder:
        if run is not None:
            for change in plan.changes:
                if change.operation is Operation.RUN:
                    run.prepare(change.path, folder.root)
        declined = _ask(plan.changes, confirm, run)
        files = (change for change in plan.changes if change.operation is not Operation.RUN)
        wanted = [change for change in files if id(change) not in declined]
        carried = carry_out(folder, wanted) if wanted or folder.has_journal() else CarriedOut()
    failed = {change.number for change in plan.changes if id(change) in declined}
    steps = []
    for change in plan.changes:
        if reason := declined.get(id(change)):
            steps.append(Step(change, Status.SKIPPED, reason))
        elif change.operation is not Operation.RUN:
            steps.append(Step(change, Status.DONE))
        else:
            steps.append(_run(change, root, run, failed, cancel))
            if steps[-1].status is not Status.DONE:
                failed.add(change.number)
    return Outcome(tuple(steps), carried.recovered, carried.notes)


def with_reason(outcome: Outcome, reason: str) -> Outcome:
    """Return an outcome that says in other words why commands were not run: each door has its own way to run them.

    Args:
        outcome: What `apply` gave, without a runner.
        reason: What people should read.

    Returns:
        The same outcome but for these reasons.
    """
    steps = (replace(step, reason=reason) if step.reason == _NOT_RUN else step for step in outcome.steps)
    return replace(outcome, steps=tuple(steps))


def _check(plan: Plan) -> None:
    refused = [change for change in plan.changes if change.decision is Decision.REFUSE]
    if refused:
        shown = "; ".join(f"{change.path}: {', '.join(change.reasons) or 'refused'}" for change in refused)
        raise UnsafeActionError(f"nothing was done, as the policy refuses a part of it: {shown}")
    if plan.conflicts:
        shown = "; ".join(conflict.message for conflict in plan.conflicts)
        raise WorkspaceError(f"nothing was done, as there are conflicts: {shown}")
    commands: set[int] = set()  # and what needs one
    for change in plan.changes:
        if change.operation is Operation.RUN:
            commands.add(change.number)
        elif commands & set(change.needs):
            raise WorkspaceError(
                f"nothing was done: {change.path} needs a command, but files are changed before any command is run; "
                "apply one after the other"
            )


def _ask(changes: Collection[Change], confirm: Confirm | None, run: Runner | None) -> dict[int, str]:
    """Ask for consent; give the reasons of what is not done, by the changes' identities."""
    declined: dict[int, str] = {}
    without: set[int] = set()
    paths: set[str] = set()
    for change in changes:
        is_command = change.operation is Operation.RUN
        missing = sorted(without & set(change.needs))
        if is_command and run is None:
            reason = _NOT_RUN
        elif missing:
            reason = f"it needs number {missing[0]}, which is not done"
        elif not is_command and change.path in paths:
            reason = "an earlier change of this file is not done"
        elif (is_command or change.decision is not Decision.AUTO) and (confirm is None or not confirm(change)):
            reason = "nobody was asked" if confirm is None else "not agreed to"
        else:
            continue
        declined[id(change)] = reason
        without.add(change.number)
        paths |= set() if is_command else {change.path}
    return declined


def _run(
    change: Change, root: str | os.PathLike[str], run: Runner | None, failed: set[int], cancel: Event | None
) -> Step:
    missing = sorted(failed & set(change.needs))
    if missing:
        return Step(change, Status.SKIPPED, f"it needs number {missing[0]}, which was not done")
    if cancel is not None and cancel.is_set():
        return Step(change, Status.SKIPPED, "cancelled")
    assert run is not None
    try:
        result = run.run(change.path, root, cancel)
    except WorkspaceError as error:  # the files are changed by now: that must be told too
        return Step(change, Status.FAILED, str(error))
    return Step(change, Status.DONE if result.ok else Status.FAILED, result.reason, result)
