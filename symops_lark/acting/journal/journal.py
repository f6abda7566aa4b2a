"""The journal: a set of changes to files becomes all of them or none, and can be taken back.

The law: at every moment, whatever is killed, the tree and the journal together know the state before. A journal is a
folder `.symops/NUMBER/` with the bytes before and after of each file, and a head, written last and removed first:
`open.json` while files are being changed (in either direction), `done.json` once they are. A folder without a head is
rubbish. A temporary file is removed only if the journal has its bytes as well. What is being written has another name
(`FileStep.part`), is nobody else's, and is removed whatever a power cut has made of it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ...core.ground.errors import WorkspaceError
from ...core.ground.json_objects import JsonObject
from ..changes import Change
from ..files.entries import Entry, Kind
from ..files.filesystem import JOURNAL, ChangedError, Folder
from ..files.paths import folders_of
from ..plan.policy import Policy
from .emptied import Emptied, bring_back, clear, expect_free, find_emptied, make_way, move_aside
from .records import DONE, OPEN, read_record, write_record
from .room import IGNORE, NUMBER, Room, enter
from .steps import FileStep, make_steps, missing_folders
from .trust import LOST, Consent, UntrustedError, expect_consent

KEEP = 10  # so many applies can be undone, one after another


@dataclass(frozen=True, slots=True)
class Undone(JsonObject):
    """What was brought back: the files, and the folders that were removed again; `notes` tell what was left.

    `interrupted` tells that it was an apply (or an undo) that had been broken off.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What else is to be told of changes that were made: what was undone before, and what could not be kept."""

    recovered: Undone | None = None
    notes: tuple[str, ...] = ()


def undo(root: str | os.PathLike[str], *, force: bool = False, trust: str = "", policy: Policy | None = None) -> Undone:
    """Bring the files below `root` back to where they were before the last apply, or before one that was broken off.

    What commands did is not undone. Raise `WorkspaceError` if there is nothing to undo, or if files have been changed
    since (with `force` they are brought back nevertheless, and those changes are lost). Raise `UntrustedError` with
    what would be done if the journal may not be this user's, or was written for another place: `trust` is that error's
    fingerprint and agrees to it, and `policy` says which protected files it may write. Where the folder has only been
    moved or copied, `force` agrees as well.
    """
    with Folder(root) as folder:
        if folder.has_journal():
            with enter(folder) as room:
                if numbers := room.numbers():
                    journal = Journal.load(room, numbers[-1], Consent(trust, force, policy or Policy()))
                    interrupted = journal.is_open
                    undone = journal.roll_back(force=force)
                    room.discard(numbers[-1])
                    return replace(undone, interrupted=interrupted)
        raise WorkspaceError(f"{folder.root}: there is nothing to undo")


def recover(root: str | os.PathLike[str]) -> Undone | None:
    """Undo an apply that was broken off, if there is one; nothing else is touched."""
    with Folder(root) as folder:
        if not folder.has_journal():
            return None
        with enter(folder) as room:
            return _recover(room)


def carry_out(folder: Folder, changes: Sequence[Change]) -> CarriedOut:
    """Change files, all of them or none.

    Raise `WorkspaceError` with the reason if it cannot be done; the files are then as they were, or it says so.
    """
    with enter(folder) as room:
        recovered = _recover(room)
        steps = make_steps(folder, changes, secrets.token_hex(8), room.files.default_mode())
        if not steps:
            return CarriedOut(recovered)
        journal = Journal.begin(room, steps, missing_folders(folder, steps), find_emptied(folder, steps))
        try:
            journal.carry_out()
            journal.finish()
        except BaseException as error:
            _give_up(journal, error)
            raise
        with suppress(WorkspaceError):  # all is done by now; what is left goes with the next one
            for number in room.numbers()[:-KEEP]:
                room.discard(number)
        return CarriedOut(recovered, tuple(journal.notes))


def _give_up(journal: Journal, error: BaseException) -> None:
    journal.notes.clear()  # of what is taken back now
    try:
        undone = journal.roll_back()
        journal.room.discard(journal.number)
    except WorkspaceError as second:
        message = f"{error}; and what had been changed could not be brought back ({second}): use `symops undo`"
        raise WorkspaceError(message) from error
    if undone.notes:
        raise WorkspaceError("; ".join([str(error), *undone.notes])) from error


def _recover(room: Room) -> Undone | None:
    """Undo what was broken off, and remove rubbish. What is in doubt is never undone here, but told."""
    numbers, undone = room.numbers(), None
    if numbers and room.is_open(numbers[-1]):
        about = f"an apply was interrupted in {room.folder.root}"
        try:
            undone = Journal.load(room, numbers[-1], Consent()).roll_back()
        except UntrustedError as error:
            raise UntrustedError(f"{about}: {error}", error.changes, error.fingerprint) from None
        except ChangedError as error:
            raise ChangedError(f"{about}: {error}") from None
        room.discard(numbers[-1])
    room.tidy()
    return undone


class Journal:
    """One set of changes, with what is needed to bring back the state before."""

    def __init__(
        self,
        room: Room,
        number: int,
        steps: Sequence[FileStep],
        folders: Sequence[str],
        emptied: Emptied,
        is_open: bool,
    ) -> None:
        self.room, self.number, self.steps, self.is_open = room, number, steps, is_open
        self.folders, self.emptied = folders, emptied
        self.notes: list[str] = []  # for people: what could not be kept
        self._numbers: Sequence[int] = range(len(steps))  # under which their bytes are kept
        self._made, self._reached = len(folders), len(steps)
        self._force = False

    @classmethod
    def begin(cls, room: Room, steps: Sequence[FileStep], folders: Sequence[str], emptied: Emptied) -> Journal:
        """Write down what will be done; the head comes last."""
        if room.files.look(IGNORE, 0).kind is Kind.MISSING:
            room.files.stage(IGNORE, b"*\n", part=f".symops-{secrets.token_hex(8)}")
        taken = [int(name) for name in room.files.names("") if re.fullmatch(NUMBER, name)]
        number = max(taken, default=0) + 1
        if not re.fullmatch(NUMBER, str(number)):
            raise WorkspaceError(f"{JOURNAL}/{number - 1}: no journal of ours has such a number: remove it")
        room.files.make_folder(str(number), 0o700)
        try:
            with room.files.inner(str(number)) as inside:
                unsealed = write_record(inside, room.folder.place(), steps, folders, emptied)
        except BaseException:
            with suppress(WorkspaceError):  # it may take the last room of a disk
                room.discard(number)
            raise
        journal = cls(room, number, steps, folders, emptied, True)
        journal._made = journal._reached = 0
        if unsealed:
            journal.notes.append(f"what was done has no seal: {unsealed}. `symops undo` will ask for consent")
        return journal

    @classmethod
    def load(cls, room: Room, number: int, consent: Consent) -> Journal:
        """Read what `begin` wrote; raise `UntrustedError` if that is in doubt and nobody agreed to it."""
        shown, is_open = f"{JOURNAL}/{number}", room.is_open(number)
        with room.files.inner(str(number)) as inside:
            record = read_record(inside, shown, room.folder.place(), is_open, consent.policy.max_total_bytes)
        expect_consent(room.folder, shown, record, consent)
        journal = cls(room, number, record.steps, record.folders, record.emptied, is_open)
        journal._numbers = record.numbers
        journal.notes += [f"{path}: {LOST}" for path in record.lost]
        return journal

    def carry_out(self) -> None:
        """Change the files: deletions first, as a folder may take the place of a file."""
        folder = self.room.folder
        for step in self.steps:
            if step.after is None and step.before is not None:
                self._note(step, folder.unkept(step.path))
                folder.take(step.path, step.temporary, step.before)
                self._reached += 1
        move_aside(folder, self.steps, self.emptied)
        for path in self.folders:
            self._made += 1
            try:
                folder.make_folder(path)
            except ChangedError:  # somebody else made it
                self._made -= 1
                raise
        writes = self.steps[self._reached :]
        for step in writes:
            assert step.after is not None and step.after_mode is not None
            lost = folder.stage(step.temporary, step.after, step.after_mode, like=step.path, part=step.part)
            self._note(step, lost)
        for step in writes:
            folder.put(step.path, step.temporary, step.aside, step.before)
            self._reached += 1
        for step in self.steps:
            if step.folder not in self.emptied:
                folder.unlink(step.temporary)
        clear(folder, self.steps, self.emptied)

    def finish(self) -> None:
        """Note that all is done."""
        self.room.files.rename(f"{self.number}/{OPEN}", DONE)
        self.is_open = False

    def roll_back(self, *, force: bool = False) -> Undone:
        """Bring back the state before; the same again after a crash in the middle.

        Raise `ChangedError` if files are neither as they were before nor as they were made, or if something of others
        is in a folder that a file must take the place of; nothing is then done.
        """
        self._force = force
        self.notes += [note for step in self.steps if self.is_open and (note := self._tidy(step))]
        found = [self._find(index, force) for index in range(len(self.steps))]
        if not force:
            expect_free(self.room.folder, self.steps, self.folders)
        if not self.is_open:
            self.room.files.rename(f"{self.number}/{DONE}", OPEN)
            self.is_open = True
        files: list[str] = []
        deletions = sum(step.after is None for step in self.steps)
        for index in reversed(range(deletions, len(self.steps))):
            files += self._restore(index, found[index])
        folders = self._remove_folders()
        if force:
            self.notes += make_way(self.room.folder, self.steps, self.folders)
        bring_back(self.room.folder, self.steps, self.emptied)
        for index in reversed(range(deletions)):
            files += self._restore(index, found[index])
        return Undone(tuple(files[::-1]), tuple(folders), tuple(dict.fromkeys(self.notes)))

    def _note(self, step: FileStep, lost: Iterable[str]) -> None:
        self.notes += [f"{step.path}: {what}" for what in lost]

    def _look(self, path: str, max_bytes: int | None) -> Entry:
        """Return the entry at a path that the journal names; a link on the way is a LINK.

        Raises:
            ChangedError: A folder on the way is missing. It may be back at the next attempt, so this does not mean that
                the file is missing.
        """
        sure = 0
        for above in folders_of(path):
            if self._force or above in self.folders or above in self.emptied:  # it may be missing
                break
            sure += 1
        return self.room.folder.look(path, max_bytes, sure=sure)

    def _look_for_ours(self, path: str, max_bytes: int) -> Entry:
        """Return the entry at a path of ours; raise `ChangedError` where a link hides what is left to tidy."""
        entry = self._look(path, max_bytes)
        if entry.kind is Kind.LINK and not self._force:
            raise ChangedError(f"{path}: a folder on the way is a link now; not all was brought back")
        return entry

    def _tidy(self, step: FileStep) -> str:
        """Finish an exchange that was broken off; put aside what is not ours."""
        folder = self.room.folder
        self._discard_part(step)
        if self._look_for_ours(step.aside, 0).kind is Kind.FILE:
            if folder.look(step.path, 0).kind is Kind.MISSING:
                folder.rename(step.aside, step.path.rpartition("/")[2])
            else:
                self._discard_temporary(step)
                folder.rename(step.aside, step.temporary.rpartition("/")[2])
        entry = self._look_for_ours(step.temporary, _longest(step))
        if entry.kind is not Kind.FILE or self._is_ours(step, entry):
            return ""
        name = f"{step.path.rpartition('/')[2]}.kept-{secrets.token_hex(4)}"
        folder.rename(step.temporary, name)
        return f"{step.path}: somebody wrote it while it was being changed; that is now in {name}"

    def _find(self, index: int, force: bool) -> Entry | None:
        """Return what stands at a file's path if it must be brought back."""
        step = self.steps[index]
        now = self._look(step.path, None if force else _longest(step))
        if now.kind is Kind.FOLDER and step.path in (*self.folders, *self.emptied):
            now = Entry(Kind.MISSING)
        regular = now.kind in (Kind.FILE, Kind.MISSING)
        if regular and (now.data, now.mode) == (step.before, step.before_mode):
            return None
        if regular and (now.data, now.mode) == (step.after, step.after_mode):
            return now
        if index >= self._reached and step.path not in self.emptied:  # it had not been our turn yet
            return None
        if not regular:
            raise ChangedError(f"{step.path}: there is a {now.kind} now; nothing was brought back")
        if not force:
            raise ChangedError(f"{step.path}: it has been changed since; nothing was brought back (force does it)")
        return now

    def _restore(self, index: int, now: Entry | None) -> list[str]:
        folder, step = self.room.folder, self.steps[index]
        if now is None:
            self._discard_temporary(step)
            return []
        if step.before is None:
            assert now.data is not None
            self._discard_temporary(step)
            folder.take(step.path, step.temporary, now.data)
        else:
            self._stage_before(index)
            folder.put(step.path, step.temporary, step.aside, now.data)
        if self._look_for_ours(step.temporary, 0).kind is Kind.FILE:
            folder.unlink(step.temporary)
        return [step.path]

    def _stage_before(self, index: int) -> None:
        """Let the bytes from before stand beside the file; on a full disk those that the journal keeps."""
        folder, step = self.room.folder, self.steps[index]
        assert step.before is not None and step.before_mode is not None
        wanted = Entry(Kind.FILE, step.before, step.before_mode)
        if folder.look(step.temporary, len(step.before)) == wanted:
            return
        self._discard_temporary(step)
        try:
            lost = folder.stage(step.temporary, step.before, step.before_mode, like=step.path, part=step.part)
            self._note(step, lost)
        except WorkspaceError as error:
            if getattr(error.__cause__, "errno", 0) not in (errno.ENOSPC, errno.EDQUOT):
                raise
            self._discard_temporary(step)
            self._lend_before(index, error)
        if folder.look(step.temporary, len(step.before)) != wanted:  # somebody has changed what is kept
            folder.unlink(step.temporary)
            raise ChangedError(f"{step.path}: the bytes from before were changed meanwhile; it is left as it is")

    def _lend_before(self, index: int, error: WorkspaceError) -> None:
        """Give the kept bytes a second name; where a file system has none, the disk is full, as was said."""
        step, name = self.steps[index], f"{self._numbers[index]}.before"
        with self.room.files.inner(str(self.number)) as inside:
            try:
                lost = self.room.folder.lend(inside, name, step.temporary, step.before_mode or 0, like=step.path)
            except WorkspaceError:
                raise error from None
        self._note(step, lost)

    def _is_ours(self, step: FileStep, entry: Entry) -> bool:
        """Return whether a temporary file has what the journal has too."""
        return entry.data is not None and entry.data in (step.before, step.after)

    def _discard_part(self, step: FileStep) -> None:
        if self._look_for_ours(step.part, 0).kind is Kind.FILE:
            self.room.folder.unlink(step.part)

    def _discard_temporary(self, step: FileStep) -> None:
        self._discard_part(step)
        entry = self._look_for_ours(step.temporary, _longest(step))
        if entry.kind is Kind.FILE and self._is_ours(step, entry):
            self.room.folder.unlink(step.temporary)

    def _remove_folders(self) -> list[str]:
        removed = []
        for path in reversed(self.folders[: self._made]):
            if self._look_for_ours(path, 0).kind is Kind.FOLDER:
                if self.room.folder.remove_folder(path):
                    removed.append(path)
                else:
                    self.notes.append(f"{path}: other files are in this folder, so it was left")
        return removed[::-1]


def _longest(step: FileStep) -> int:
    """Return how many bytes of a file need be read to see whether it is one that the journal knows."""
    return max(len(step.before or b""), len(step.after or b""))
