"""The steps from a winner to changed files: plan, ask, apply.

An apply that was interrupted is completed, begun again, or reported as a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256

from ..acting.changes import Change, Decision, Operation, Plan
from ..acting.execution import apply
from ..acting.files.entries import Kind as EntryKind
from ..acting.files.filesystem import ChangedError
from ..acting.files.view import FolderView
from ..acting.journal.journal import recover
from ..acting.trials import is_file_change
from ..core.document import Action
from ..core.ground.errors import SymOpsError, UnsafeActionError
from .events import Event, Kind
from .runs import Status
from .testing import AGREED, NOT_RUN, SANDBOX, find_missing_sandbox
from .verifiers import files_only, find_obstacles, plan_reply, read_document
from .work import Stop, Work

Hashes = Mapping[str, Sequence[str]]  # by path: before and after; an empty one: there is no file


def plan_winner(work: Work) -> None:
    """Plan the winner's document on the files as they are now.

    Args:
        work: The run.

    Raises:
        Stop: The request was a question.
    """
    if not work.task.writes:
        raise Stop(Status.COMPLETE, f"answered by {work.run.winner}; nothing was to be written")
    planned, refusals = _plan(work)
    work.note(Kind.PLAN, {"plan": planned.to_dict(), "refused": refusals})


def ask_person(work: Work) -> None:
    """Ask about what the policy does not leave to the run. A dry run ends here.

    Args:
        work: The run.

    Raises:
        Stop: It is a dry run, or a person declines.
    """
    planned = work.run.plan
    assert planned is not None
    if not work.task.write:
        raise Stop(Status.PLANNED, "dry run: nothing was written")
    to_ask = [
        change
        for change in planned.changes
        if change.decision is Decision.ASK and is_file_change(change)
    ]
    declined = []
    reason = ""
    for change in to_ask:
        try:
            is_agreed = work.confirm is not None and work.confirm(change)
        except SymOpsError as error:  # no person can answer, or the person ends it
            is_agreed, reason = False, str(error)
        if not is_agreed:
            declined.append(change.path)
            break
    # Another process asks again: then the person may see it in another way.
    if declined:
        why = reason or ("it needs consent" if work.confirm is None else "not agreed to")
        raise Stop(Status.DECLINED, f"{declined[0]}: {why}")
    paths = [change.path for change in to_ask]
    work.note(Kind.ASKED, {"asked": paths, "tests": _ask_about_tests(work)})


def _ask_about_tests(work: Work) -> str:
    """Return how the tests are run in the folder: in the sandbox, or with consent."""
    lines = work.task.tests
    if not lines:
        return ""
    missing = find_missing_sandbox(work.task.root)
    if not missing:
        return SANDBOX
    # A program that names tests, lets write and asks no person has agreed to both.
    if work.task.run_code or work.confirm is None:
        return AGREED
    reasons = ("it is your test, and runs what a model has written", missing)
    try:
        for line in lines:
            action = Action("run", line)
            change = Change(1, action, Operation.RUN, line, decision=Decision.ASK, reasons=reasons)
            if not work.confirm(change):
                return f"{NOT_RUN}declined, and {missing}"
    except SymOpsError as error:
        return f"{NOT_RUN}{error}"
    return AGREED


def apply_plan(work: Work) -> None:
    """Write the files of the plan, all or none.

    Args:
        work: The run.

    Raises:
        Stop: The files have changed, or an interrupted apply left them in between.
    """
    begun = work.run.last(Kind.APPLYING, work.round)
    if begun is not None and _is_done(work, begun):
        return
    # Files may have changed since the plan was made, by a person or another program.
    planned, refusals = _plan(work)
    first = work.run.plan
    assert first is not None
    if refusals:
        raise Stop(Status.REFUSED, "; ".join(refusals[:3]))
    changed = [
        path for path, state in first.digests().items() if planned.digests().get(path) != state
    ]
    if changed:
        raise Stop(Status.REFUSED, f"changed since the plan was made: {', '.join(changed)}")
    if begun is None:
        files = {path: list(state) for path, state in planned.digests().items()}
        work.note(Kind.APPLYING, {"files": files})
    try:
        outcome = apply(
            files_only(planned), work.task.root, confirm=is_file_change, run_id=work.run.id
        )
    except (ChangedError, UnsafeActionError) as error:
        # Only what the files say is for good: a lock or a full disk is not, so it is FAILED.
        raise Stop(Status.REFUSED, str(error)) from None
    paths = [step.change.path for step in outcome.steps]
    work.note(Kind.APPLIED, {"files": paths, "outcome": outcome.to_dict()})


def expect_written(work: Work) -> None:
    """Check that the files of all rounds are as the run has written them.

    Args:
        work: The run, before its next step.

    Raises:
        Stop: They were undone, or changed, so that the steps that follow would judge other files.
    """
    written: dict[str, str] = {}
    for begun in work.run.all(Kind.APPLYING):
        is_over = work.run.last(Kind.APPLIED, begun.round) is not None
        for path, (_, after) in begun.data["files"].items():
            if is_over:
                written[path] = after
            else:
                # Interrupted: `apply_plan` looks at its files, which may be in between.
                written.pop(path, None)
    now = _read_states(work, written)
    names = [path for path, state in written.items() if now[path] != state]
    if names:
        raise Stop(Status.CONFLICT, f"undone or changed since the run wrote it: {', '.join(names)}")


def tell_written(work: Work) -> str:
    """Return what the reason of an end adds where an apply of the run is left; empty: none is.

    Args:
        work: The run, whose last rounds may have failed.
    """
    applied = list(work.run.all(Kind.APPLIED))
    if not applied:
        return ""
    begun = work.run.last(Kind.APPLYING, applied[-1].round)
    with suppress(SymOpsError):  # the folder may be gone
        if begun is not None and _compare(work, begun.data["files"]) == "before":
            return ""  # a person has undone it
    paths: dict[str, None] = {}
    for event in applied:
        paths |= dict.fromkeys(event.data["files"])
    names = ", ".join(paths)
    return f"; it has changed {names}, and leaves that (`symops undo --run` takes it back)"


def _plan(work: Work) -> tuple[Plan, list[str]]:
    """Return the plan of the winner's document, and why it cannot be carried out."""
    winner = work.run.last(Kind.WINNER, work.round)
    assert winner is not None
    document = read_document(work.task, winner.data["output"])
    planned = plan_reply(work.task, document, work.task.root)
    return planned, find_obstacles(work.session, work.opened, document, planned)[1]


def _is_done(work: Work, begun: Event) -> bool:
    """Return whether an interrupted apply reached its end; bring back one that did not."""
    files: Hashes = begun.data["files"]
    # Also if all are as planned: while the journal is open, the next apply takes them back.
    try:
        recover(work.task.root)
    except ChangedError as error:
        raise Stop(Status.CONFLICT, f"{error}; see `symops undo`") from None
    state = _compare(work, files)
    if state == "mixed":
        names = ", ".join(files)
        raise Stop(Status.CONFLICT, f"neither as before nor as planned: {names}; see `symops undo`")
    if state == "before":
        return False
    work.note(Kind.APPLIED, {"files": list(files), "recovered": True})
    return True


def _read_states(work: Work, paths: Iterable[str]) -> dict[str, str]:
    """Return the digests of files as they are now; an empty one: there is no file."""
    view = FolderView(work.task.root, work.task.policy.max_file_bytes)
    now = {}
    for path in paths:
        entry = view.look(path)
        # A file that cannot be read is not a missing one: its state is unknown.
        now[path] = "" if entry.kind is EntryKind.MISSING else "unknown"
        if entry.data is not None:
            now[path] = sha256(entry.data).hexdigest()
    return now


def _compare(work: Work, files: Hashes) -> str:
    """Return whether all files are as "before", or all as "after"; else "mixed"."""
    now = _read_states(work, files)
    # An apply that changes nothing is not begun, so the two states differ.
    for place, name in enumerate(("before", "after")):
        if all(now[path] == files[path][place] for path in files):
            return name
    return "mixed"
