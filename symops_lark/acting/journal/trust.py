"""Require consent before a journal in doubt is undone.

Such a journal is shown first, as a list of changes. The user agrees to it by its fingerprint, which
is valid for exactly these changes. A journal without this user's seal is treated like a model's
reply: it reaches no further than a plan, so it cannot write protected files or outside the root.
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

LOST = (
    "the journal has no bytes of it from before that can be trusted, or more than "
    "`max_total_bytes` of the policy: it is left as it is"
)


class UntrustedError(WorkspaceError):
    """A journal that may not be what this user wrote here.

    Attributes:
        changes: What undoing it would do, numbered from 1. Empty if that is not known.
        fingerprint: The consent to exactly these changes, to be passed to `undo` as `trust`.
    """

    def __init__(self, message: str, changes: Sequence[Change] = (), fingerprint: str = "") -> None:
        self.changes = tuple(changes)
        self.fingerprint = fingerprint
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Consent:
    """What the user has agreed to.

    Attributes:
        fingerprint: The fingerprint of the one journal that may be undone; empty: none.
        moved: Whether this user's own journal may be undone although the folder was moved since, or
            bytes that it kept were changed.
        policy: Which protected files an agreed journal may write.
    """

    fingerprint: str = ""
    moved: bool = False
    policy: Policy = field(default_factory=Policy)


def expect_consent(folder: Folder, label: str, record: Record, consent: Consent) -> None:
    """Check that a journal may be undone.

    Args:
        folder: The root of the files.
        label: The path of the journal, for messages.
        record: The journal.
        consent: What the user has agreed to.

    Raises:
        UntrustedError: The journal is in doubt, and the user has not agreed to it.
        UnsafeActionError: The user has agreed, but the journal does what no plan may do.
    """
    if not record.doubt or (record.is_own and consent.moved):
        return
    changes = []
    for number, change in enumerate(_find_changes(folder, record, consent.policy), 1):
        changes.append(replace(change, number=number))
    saved = f"the bytes from before are in {label}/*.before"
    # Compared with what the journal would do now: it may have been replaced since it was shown.
    if consent.fingerprint != record.fingerprint:
        reason = record.doubt
        if consent.fingerprint:
            reason = "it is not the one that was shown, or has been changed since"
        agree = f"`symops undo --trust {record.fingerprint}`"
        if record.is_own:
            agree += " (or --force)"
        raise UntrustedError(
            f"{label}: this journal is not trusted: {reason}. Nothing was done. `symops undo` "
            f"shows what it would write, and {agree} agrees to it; if you do not need it, remove "
            f"{label} ({saved})",
            changes,
            record.fingerprint,
        )
    refused = [change for change in changes if change.decision is Decision.REFUSE]
    if refused:
        reasons = "; ".join(f"{change.path}: {change.reasons[0]}" for change in refused)
        raise UnsafeActionError(
            f"{label}: nothing was done, as this journal reaches further than a plan may: "
            f"{reasons}. Protected files can be allowed by name (--allow GLOB); {saved}"
        )


def _find_changes(folder: Folder, record: Record, policy: Policy) -> Iterator[Change]:
    """Yield what undoing a journal would do to the files as they are now.

    Refused paths are not opened: a stranger's journal must not make this program read them.
    """
    places = Places(FolderView(folder.root, policy.max_file_bytes))
    # This user's own journal may write what its plan wrote, protected files included.
    if not record.is_own:
        for path in (*record.folders, *record.emptied):
            reason = _refuse(places, path, policy)
            if reason:
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
    """Yield the change that undoing a step makes, unless the file is as before already."""
    now = folder.look(step.path, policy.max_file_bytes)
    if (now.data, now.mode) == (step.before, step.before_mode):
        return
    operation = Operation.DELETE if step.before is None else Operation.REPLACE
    if now.kind is Kind.MISSING:
        operation = Operation.CREATE
    action = Action(operation, step.path)
    _, reasons = decide_change(action, step.path, operation, None, None, policy, (doubt,))
    change = _change(step.path, operation, reasons)
    yield replace(change, before=now.data, after=step.before, mode=step.before_mode)


def _change(
    path: str, operation: Operation, reasons: tuple[str, ...], decision: Decision = Decision.ASK
) -> Change:
    action = Action(operation, path)
    return Change(1, action, operation, path, decision=decision, reasons=reasons)


def _refuse(places: Places, path: str, policy: Policy) -> str:
    """Return why no plan would reach a path; empty: a plan may."""
    reason = check_path(path, policy.max_path_bytes).refusal or protects(path, policy)
    if reason:
        return reason
    try:
        places.find(path)
    except Obstacle as obstacle:
        # Other obstacles are not reasons to refuse: an interrupted apply leaves them itself, or
        # they are reported when the files are changed.
        if obstacle.code == "repository-itself":
            return str(obstacle)
    return ""
