"""Change a set of files all or none, and undo it later.

Purpose
    `carry_out` applies changes, `undo` takes the last set back, and `recover` takes back a set
    that was interrupted. `transaction` has the steps of one set.

Invariant
    At every moment, whatever process is killed, the tree and the journal together have the state
    before (`tests/acting/test_journal_kills.py`, attacks `kills` and `power`).

Theory of operation
    A journal is a folder `.symops/NUMBER/` with the bytes before and after of each file, and a
    head, which is written last and removed first::

        no head     rubbish: the files have not been touched, or are as before again
        open.json   the files are being changed, in either direction
        done.json   the files are as after

    Changing `a` from `old` to `new` (each line is durable before the next one begins)::

        system call                           head        a      .symops-…-0.new
        write 0.before, 0.after                -          old    -
        rename head -> open.json               open.json  old    -
        write .symops-…-0.new.part             open.json  old    -
        rename .part -> .symops-…-0.new        open.json  old    new
        exchange a and .symops-…-0.new         open.json  new    old
        unlink .symops-…-0.new                 open.json  new    -
        rename open.json -> done.json          done.json  new    -

    A temporary file is removed only if the journal has its bytes as well: after the exchange it
    may hold what another program wrote to `a` at the last moment, and that is kept under another
    name. A file that is being written has a separate name (`FileStep.part`), so it is always ours,
    and is removed whatever a loss of power has left in it.

Not here
    `room` has the folder of all journals and its lock, `records` the bytes on the disk, `trust`
    the consent to foreign journals, `emptied` folders that give way to files.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ...core.ground.errors import WorkspaceError
from ...core.ground.logs import log_event
from ...core.ground.numbers import counted
from ..changes import Change
from ..files.filesystem import JOURNAL, ChangedError, Folder
from ..plan.policy import Policy
from .emptied import find_emptied
from .records import read_run_id
from .room import Room, enter
from .steps import make_steps, missing_folders
from .transaction import Journal, Undone
from .trust import LOST, Consent, UntrustedError

_MAX_NAMES = 12  # files that an error names as restored
KEEP = 10  # number of applies that can be undone, one after another


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What else to report about changes that were made.

    Attributes:
        recovered: What was undone first, because an earlier apply had been interrupted. None:
            nothing.
        notes: What could not be preserved, one sentence each.
    """

    recovered: Undone | None = None
    notes: tuple[str, ...] = ()


def undo(
    root: str | os.PathLike[str],
    *,
    force: bool = False,
    trust: str = "",
    policy: Policy | None = None,
    run: str = "",
) -> Undone:
    """Restore the files as they were before the last apply, or before an interrupted one.

    The effects of commands are not undone.

    Args:
        root: The folder that the plan was applied to.
        force: Restore files even if they have changed since (those changes are lost), and even if
            the folder has been moved or copied since the apply.
        trust: Agree to a journal in doubt: the `fingerprint` of the `UntrustedError`. Empty: none.
        policy: Which protected files such a journal may write. None: the default policy.
        run: The id of a run (`apply(run_id=…)`), or its beginning: its applies are undone, newest
            first, as far as they are the newest ones here. Empty: the last apply alone.

    Returns:
        What was restored, in all.

    Raises:
        UntrustedError: The journal may not be this user's, or it was written for another folder.
            The error has the changes that undoing would make.
        UnsafeActionError: An agreed journal does what no plan may do.
        WorkspaceError: There is nothing to undo, the last apply is not one of the run, or files
            have changed since. The apply that cannot be undone, and older ones, are left; the
            message names what was restored before.
    """
    consent = Consent(trust, force, policy or Policy())
    undone = []
    with Folder(root) as folder:
        if folder.has_journal():
            with enter(folder) as room:
                # Newest first: older journals hold states that newer ones have changed since.
                for number in reversed(room.numbers()):
                    try:
                        # What came after the run may rest on it, so it is not reached over. Consent
                        # is asked for journals of the run only.
                        if run and not _run_of(room, number).startswith(run):
                            break
                        journal = Journal.load(room, number, consent)
                        undone.append(_undo_one(room, journal, force))
                    except WorkspaceError as error:
                        if undone:
                            error.args = (f"{_name_undone(undone)}; then: {error}",)
                        raise
                    run = run and journal.run_id
                    if not run:
                        break
        if not undone:
            whose = f" of the run {run}: the last apply here is not one of it" if run else ""
            raise WorkspaceError(f"{folder.root}: there is nothing to undo{whose}")
    return _sum_up(undone)


def _run_of(room: Room, number: int) -> str:
    """Return the run that a journal says it belongs to."""
    with room.files.inner(str(number)) as inside:
        return read_run_id(inside, f"{JOURNAL}/{number}", room.is_open(number))


def _name_undone(undone: Sequence[Undone]) -> str:
    """Return in words what was undone before an error."""
    whole = _sum_up(undone)
    applies = counted(len(undone), "later apply was undone", "later applies were undone")
    names = ", ".join((*whole.files[:_MAX_NAMES], *("…" for _ in whole.files[_MAX_NAMES:][:1])))
    return f"{applies} ({names})"


def _undo_one(room: Room, journal: Journal, force: bool) -> Undone:
    # Noted now: rolling back opens the journal.
    interrupted = journal.is_open
    undone = journal.roll_back(force=force)
    if any(note.endswith(LOST) for note in undone.notes):
        # The user may still want the bytes, whatever is wrong with them.
        note = f"{room.keep(journal.number)} has what the journal kept of these files"
        undone = replace(undone, notes=(*undone.notes, note))
    else:
        room.discard(journal.number)
    counts = {"files": len(undone.files), "interrupted": interrupted}
    log_event("workspace", "info", "undo", journal=journal.number, **counts)
    return replace(undone, interrupted=interrupted)


def _sum_up(undone: Sequence[Undone]) -> Undone:
    """Return several undone applies as one; a file that several have changed is named once."""
    files: dict[str, None] = {}
    folders: dict[str, None] = {}
    notes: dict[str, None] = {}
    for part in undone:
        files |= dict.fromkeys(part.files)
        folders |= dict.fromkeys(part.folders)
        notes |= dict.fromkeys(part.notes)
    interrupted = any(part.interrupted for part in undone)
    return Undone(tuple(files), tuple(folders), tuple(notes), interrupted)


def recover(root: str | os.PathLike[str]) -> Undone | None:
    """Undo an interrupted apply, if there is one.

    Args:
        root: The folder that the plan was applied to.

    Returns:
        What was restored. None: no apply had been interrupted, and nothing was changed.

    Raises:
        UntrustedError: The journal may not be this user's, or it was written for another folder.
        WorkspaceError: The files have changed since, or cannot be changed.
    """
    with Folder(root) as folder:
        if not folder.has_journal():
            return None
        with enter(folder) as room:
            return _recover(room)


def carry_out(folder: Folder, changes: Sequence[Change], run_id: str = "") -> CarriedOut:
    """Change files, all of them or none.

    Args:
        folder: The root of the files.
        changes: The changes, in the order of the plan.
        run_id: The run that they belong to, for `undo(run=…)`; empty: to no run.

    Returns:
        What else to report.

    Raises:
        WorkspaceError: It cannot be done. The files are as before, unless the message says that
            they could not be restored.
    """
    with enter(folder) as room:
        room.run_id = run_id
        # The files of an interrupted apply would be taken for the state before this one.
        recovered = _recover(room)
        steps = make_steps(folder, changes, secrets.token_hex(8), room.files.default_mode())
        if not steps:
            return CarriedOut(recovered)
        folders = missing_folders(folder, steps)
        journal = Journal.begin(room, steps, folders, find_emptied(folder, steps))
        try:
            journal.carry_out()
            journal.finish()
        except BaseException as error:  # an interrupt (Ctrl+C) must not leave half of it either
            _give_up(journal, error)
            raise
        # Everything is done by now. An old journal that cannot be removed is tried again next time.
        with suppress(WorkspaceError):
            for number in room.numbers()[:-KEEP]:
                room.discard(number)
        return CarriedOut(recovered, tuple(journal.notes))


def _give_up(journal: Journal, error: BaseException) -> None:
    """Roll back after an error; raise `WorkspaceError` if there is more to report."""
    journal.notes.clear()  # they are about changes that are taken back now
    try:
        undone = journal.roll_back()
        journal.room.discard(journal.number)
    except WorkspaceError as second:
        raise WorkspaceError(
            f"{error}; and what had been changed could not be brought back ({second}): "
            "use `symops undo`"
        ) from error
    if undone.notes:
        raise WorkspaceError("; ".join([str(error), *undone.notes])) from error


def _recover(room: Room) -> Undone | None:
    """Undo an interrupted apply, and remove rubbish. A journal in doubt is reported only."""
    numbers = room.numbers()
    undone = None
    # A new apply recovers first, so only the newest journal can be open.
    if numbers and room.is_open(numbers[-1]):
        where = f"an apply was interrupted in {room.folder.root}"
        try:
            journal = Journal.load(room, numbers[-1], Consent())
            undone = _undo_one(room, journal, force=False)
        except UntrustedError as error:
            raise UntrustedError(f"{where}: {error}", error.changes, error.fingerprint) from None
        except ChangedError as error:
            raise ChangedError(f"{where}: {error}") from None
    room.tidy()
    return undone
