"""Consent to a journal that is in doubt: what it would do is shown first, and agreed to by its fingerprint.

A journal that nobody here wrote is judged as a reply of a model is: it reaches no further than a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ...core.document import Action
from ...core.ground.errors import UnsafeActionError, WorkspaceError
from ..changes import Change, Decision, Operation
from ..files.entries import Kind
from ..files.filesystem import Folder
from ..files.paths import check_path
from ..files.view import FolderView
from ..plan.places import Obstacle, Places
from ..plan.policy import Policy, decide_change, protects
from .records import Record
from .steps import FileStep

LOST = "the journal has no bytes of it from before, or more than the policy allows: it is left as it is"


class UntrustedError(WorkspaceError):
    """A journal may not be what this user wrote here; `changes` are what undoing it would do.

    Who agrees to them gives `fingerprint` to `undo`, which stands for these changes and no others.
    """

    def __init__(self, message: str, changes: Sequence[Change] = (), fingerprint: str = "") -> None:
        self.changes = tuple(changes)
        self.fingerprint = fingerprint
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person has agreed to.

    `moved` takes this user's own journal for another place than it was written for, `fingerprint` any one journal;
    `policy` says which protected files that may write.
    """

    fingerprint: str = ""
    moved: bool = False
    policy: Policy = field(default_factory=Policy)


def expect_consent(folder: Folder, shown: str, record: Record, consent: Consent) -> None:
    """Raise `UntrustedError` for a journal in doubt that nobody agreed to; refuse what a plan refuses."""
    if not record.doubt or (record.is_own and consent.moved):
        return
    found = _find_changes(folder, record, consent.policy)
    changes = tuple(replace(change, number=number) for number, change in enumerate(found, 1))
    saved = f"the bytes from before are in {shown}/*.before"
    if consent.fingerprint != record.fingerprint:
        seen = "it is not the one that was shown, or has been changed since" if consent.fingerprint else record.doubt
        agree = f"`symops undo --trust {record.fingerprint}`{' (or --force)' if record.is_own else ''} agrees to it"
        raise UntrustedError(
            f"{shown}: this journal is not trusted: {seen}. Nothing was done. `symops undo` shows what it would write, "
            f"and {agree}; if it is of no use, remove {shown} ({saved})",
            changes,
            record.fingerprint,
        )
    if refused := [change for change in changes if change.decision is Decision.REFUSE]:
        why = "; ".join(f"{change.path}: {change.reasons[0]}" for change in refused)
        raise UnsafeActionError(
            f"{shown}: nothing was done, as this journal reaches further than a plan may: {why}. "
            f"Protected files can be allowed by name (--allow GLOB); {saved}"
        )


def _find_changes(folder: Folder, record: Record, policy: Policy) -> Iterator[Change]:
    """Yield what undoing a journal would do to the files as they are now; of refused ones nothing is looked at."""
    places = Places(FolderView(folder.root, policy.max_file_bytes))
    for path in () if record.is_own else (*record.folders, *record.emptied):
        if reason := _refuse(places, path, policy):
            yield _change(path, Operation.DELETE, (reason,), Decision.REFUSE)
    for step in record.steps:
        reason = "" if record.is_own else _refuse(places, step.path, policy)
        if reason:
            yield _change(step.path, Operation.REPLACE, (reason,), Decision.REFUSE)
        else:
            yield from _compare(folder, step, record.doubt, policy)
    for path in record.lost:
        yield _change(path, Operation.REPLACE, (LOST,))


def _compare(folder: Folder, step: FileStep, doubt: str, policy: Policy) -> Iterator[Change]:
    now = folder.look(step.path, policy.max_file_bytes)
    if (now.data, now.mode) != (step.before, step.before_mode):
        operation = Operation.DELETE if step.before is None else Operation.REPLACE
        if now.kind is Kind.MISSING:
            operation = Operation.CREATE
        action = Action(operation, step.path)
        _, reasons = decide_change(action, step.path, operation, None, None, policy, (doubt,))
        change = _change(step.path, operation, reasons)
        yield replace(change, before=now.data, after=step.before, mode=step.before_mode)


def _change(path: str, operation: Operation, reasons: tuple[str, ...], decision: Decision = Decision.ASK) -> Change:
    return Change(1, Action(operation, path), operation, path, decision=decision, reasons=reasons)


def _refuse(places: Places, path: str, policy: Policy) -> str:
    """Return why no plan would reach a path, or an empty text."""
    if reason := check_path(path, policy.max_path_bytes).refusal or protects(path, policy):
        return reason
    try:
        places.find(path)
    except Obstacle as obstacle:  # others are found where files are changed, or come of a work that was broken off
        return str(obstacle) if obstacle.code == "repository-itself" else ""
    return ""
