"""Carry out one set of changes step by step, or roll it back.

`journal` explains the order of the system calls. Each step here can be interrupted at any call, and
`Journal.roll_back` starts from whatever state that leaves: it looks at each file and its temporary
names, and compares their bytes with those that the journal keeps.
"""

from __future__ import annotations

import errno
import re
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ...core.ground.errors import WorkspaceError
from ...core.ground.json_objects import JsonObject
from ..files.entries import Entry, Kind
from ..files.filesystem import JOURNAL, ChangedError, make_unused
from ..files.paths import folders_of
from .emptied import Emptied, bring_back, clear, expect_free, make_way, move_aside
from .records import DONE, OPEN, read_record, write_record
from .room import IGNORE, NUMBER, Room
from .steps import FileStep
from .trust import LOST, Consent, expect_consent


@dataclass(frozen=True, slots=True)
class Undone(JsonObject):
    """What was restored.

    Attributes:
        files: The files that were restored or deleted again.
        folders: The folders that were removed again.
        notes: What could not be restored, one sentence each.
        interrupted: Whether the apply, or an earlier undo of it, had been interrupted.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False


class Journal:
    """One set of changes, with everything that restoring the state before needs.

    Attributes:
        room: The folder of the journals.
        number: The number of this journal.
        steps: The steps, deletions first.
        folders: The folders to create, outer ones first.
        emptied: The permission bits of the folders that files take the place of, by path.
        is_open: Whether the files are being changed, in either direction.
        notes: What could not be preserved or restored, one sentence each.
        run_id: The run that the apply belongs to; empty: to no run.
    """

    def __init__(
        self,
        room: Room,
        number: int,
        steps: Sequence[FileStep],
        folders: Sequence[str],
        emptied: Emptied,
        is_open: bool,
    ) -> None:
        """Describe a journal of which every step may have been done; see also `begin`."""
        self.room = room
        self.number = number
        self.steps = steps
        self.folders = folders
        self.emptied = emptied
        self.is_open = is_open
        self.notes: list[str] = []
        self.run_id = room.run_id
        # The number of each step in the journal: steps whose bytes are lost are missing here.
        self._numbers: Sequence[int] = range(len(steps))
        # How many folders have been created and steps been done at most. After a crash this is not
        # known, so all of them count.
        self._created_count = len(folders)
        self._done_count = len(steps)
        self._force = False

    @classmethod
    def begin(
        cls, room: Room, steps: Sequence[FileStep], folders: Sequence[str], emptied: Emptied
    ) -> Journal:
        """Write a new journal. No file is changed yet.

        Args:
            room: The folder of the journals.
            steps: The steps, deletions first.
            folders: The folders to create, outer ones first.
            emptied: The permission bits of the folders that files take the place of, by path.

        Returns:
            The journal, open.

        Raises:
            WorkspaceError: It cannot be written.
        """
        if room.files.look(IGNORE, 0).kind is Kind.MISSING:
            room.files.stage(IGNORE, b"*\n", part=f".symops-{secrets.token_hex(8)}")
        # Numbers of rubbish count too: its folder may not be removable.
        numbers = [int(name) for name in room.files.names("") if re.fullmatch(NUMBER, name)]
        number = max(numbers, default=0) + 1
        if not re.fullmatch(NUMBER, str(number)):
            raise WorkspaceError(
                f"{JOURNAL}/{number - 1}: no journal of ours has such a number: remove it"
            )
        room.files.make_folder(str(number), 0o700)
        try:
            with room.files.inner(str(number)) as inside:
                place = room.folder.place()
                unsealed = write_record(inside, place, steps, folders, emptied, room.run_id)
        except BaseException:
            # A full disk may be the reason: half a journal must not take its last space.
            with suppress(WorkspaceError):
                room.discard(number)
            raise
        journal = cls(room, number, steps, folders, emptied, True)
        journal._created_count = journal._done_count = 0
        if unsealed:
            journal.notes.append(
                f"what was done has no seal: {unsealed}. `symops undo` will ask for consent"
            )
        return journal

    @classmethod
    def load(cls, room: Room, number: int, consent: Consent) -> Journal:
        """Read a journal.

        Args:
            room: The folder of the journals.
            number: The number of the journal.
            consent: What the user has agreed to.

        Returns:
            The journal.

        Raises:
            UntrustedError: The journal is in doubt, and the user has not agreed to it.
            UnsafeActionError: The user has agreed, but the journal does what no plan may do.
            WorkspaceError: The journal is damaged.
        """
        label = f"{JOURNAL}/{number}"
        is_open = room.is_open(number)
        root = room.folder.place()
        with room.files.inner(str(number)) as inside:
            record = read_record(inside, label, root, is_open, consent.policy.max_total_bytes)
        expect_consent(room.folder, label, record, consent)
        journal = cls(room, number, record.steps, record.folders, record.emptied, is_open)
        journal._numbers, journal.run_id = record.numbers, record.run_id
        journal.notes += [f"{path}: {LOST}" for path in record.lost]
        return journal

    def carry_out(self) -> None:
        """Change the files.

        Deletions come first, as a folder may take the place of a file. Then all new bytes are
        staged, and only then exchanged: a full disk is noticed before any content changes.

        Raises:
            ChangedError: A file is not as it was planned with.
            WorkspaceError: A file cannot be changed.
        """
        folder = self.room.folder
        for step in self.steps:
            if step.after is None and step.before is not None:
                self._note(step, folder.unkept(step.path))
                folder.take(step.path, step.temporary, step.before)
                self._done_count += 1
        move_aside(folder, self.steps, self.emptied)
        for path in self.folders:
            # Counted before it is made: an interrupt may come in between.
            self._created_count += 1
            try:
                folder.make_folder(path)
            except ChangedError:  # another program created it, so it is not ours to remove
                self._created_count -= 1
                raise
        writes = self.steps[self._done_count :]
        for step in writes:
            assert step.after is not None and step.after_mode is not None
            self._stage(step, step.after, step.after_mode)
        for step in writes:
            folder.put(step.path, step.temporary, step.aside, step.before)
            self._done_count += 1
        for step in self.steps:
            # In an emptied folder, `clear` removes them.
            if step.folder not in self.emptied:
                folder.unlink(step.temporary)
        clear(folder, self.steps, self.emptied)

    def finish(self) -> None:
        """Mark the journal as done."""
        self.room.files.rename(f"{self.number}/{OPEN}", DONE)
        self.is_open = False

    def roll_back(self, *, force: bool = False) -> Undone:
        """Restore the state before. Can be repeated after a crash in the middle.

        Args:
            force: Restore files even if they have changed since.

        Returns:
            What was restored.

        Raises:
            ChangedError: A file is neither as before nor as after, or another program's file is in
                a folder that a file must take the place of. Nothing was done.
            WorkspaceError: A file cannot be changed.
        """
        self._force = force
        if self.is_open:
            for step in self.steps:
                self.notes += self._tidy(step)
        # All files are checked before the first one is restored.
        entries = [self._find(index) for index in range(len(self.steps))]
        if not force:
            expect_free(self.room.folder, self.steps, self.folders)
        if not self.is_open:
            self.room.files.rename(f"{self.number}/{DONE}", OPEN)
            self.is_open = True
        # The reverse order of `carry_out`: writes, folders, deletions.
        files = []
        deletion_count = sum(step.after is None for step in self.steps)
        for index in reversed(range(deletion_count, len(self.steps))):
            files += self._restore(index, entries[index])
        folders = self._remove_folders()
        if force:
            self.notes += make_way(self.room.folder, self.steps, self.folders)
        bring_back(self.room.folder, self.steps, self.emptied)
        for index in reversed(range(deletion_count)):
            files += self._restore(index, entries[index])
        notes = tuple(dict.fromkeys(self.notes))
        return Undone(tuple(files[::-1]), tuple(folders), notes)

    def _note(self, step: FileStep, lost: Iterable[str]) -> None:
        self.notes += [f"{step.path}: {attribute}" for attribute in lost]

    def _stage(self, step: FileStep, data: bytes, mode: int) -> None:
        """Write bytes under a step's temporary name, and note what the file system cannot keep."""
        folder = self.room.folder
        lost = folder.stage(step.temporary, data, mode, like=step.path, part=step.part)
        self._note(step, lost)

    def _count_present(self, path: str) -> int:
        """Return the number of folders at the beginning of a path that must exist."""
        count = 0
        for above in folders_of(path):
            if self._force or above in self.folders or above in self.emptied:  # may be missing
                break
            count += 1
        return count

    def _look(self, path: str, max_bytes: int) -> Entry:
        """Return the entry at a path of this journal.

        A link or a missing folder on the way hides temporary files that must be tidied up. That is
        a `ChangedError`, as it may be different the next time.
        """
        entry = self.room.folder.look(path, max_bytes, sure=self._count_present(path))
        if entry.kind is Kind.LINK and not self._force:
            raise ChangedError(f"{path}: a folder on the way is a link now; not all was restored")
        return entry

    def _tidy(self, step: FileStep) -> list[str]:
        """Complete an interrupted exchange, and rename a foreign file; return a note about it."""
        folder = self.room.folder
        self._discard_part(step)
        if self._look(step.aside, 0).kind is Kind.FILE:
            # An exchange by three renames, interrupted: path -> aside, temporary -> path,
            # aside -> temporary.
            if folder.look(step.path, 0).kind is Kind.MISSING:
                folder.rename(step.aside, step.path.rpartition("/")[2])
            else:
                self._discard_temporary(step)
                folder.rename(step.aside, step.temporary.rpartition("/")[2])
        entry = self._look(step.temporary, _longest(step))
        if entry.kind is not Kind.FILE or _is_ours(step, entry):
            return []
        # Another program wrote the file just before the exchange. Its bytes are nowhere else.
        name = make_unused(step.path).rpartition("/")[2]
        folder.rename(step.temporary, name)
        return [f"{step.path}: somebody wrote it while it was being changed; that is now in {name}"]

    def _find(self, index: int) -> Entry | None:
        """Return the entry at a file's path if it must be restored, else None."""
        step = self.steps[index]
        # A folder that another program moved away for a moment does not mean that the file is
        # deleted: undo would forget it.
        present_count = self._count_present(step.path)
        max_bytes = None if self._force else _longest(step)
        now = self.room.folder.look(step.path, max_bytes, sure=present_count)
        if now.kind is Kind.FOLDER and step.path in (*self.folders, *self.emptied):
            now = Entry(Kind.MISSING)  # this folder is created or removed by the journal itself
        is_regular = now.kind in (Kind.FILE, Kind.MISSING)
        if is_regular and (now.data, now.mode) == (step.before, step.before_mode):
            return None
        if is_regular and (now.data, now.mode) == (step.after, step.after_mode):
            return now
        if index >= self._done_count and step.path not in self.emptied:
            return None  # the error came before this step, so any change is another program's
        if not is_regular:
            raise ChangedError(f"{step.path}: there is a {now.kind} now; nothing was brought back")
        if not self._force:
            raise ChangedError(
                f"{step.path}: it has been changed since; nothing was brought back (force does it)"
            )
        return now

    def _restore(self, index: int, now: Entry | None) -> list[str]:
        """Restore one file; return its path if it had to be."""
        folder = self.room.folder
        step = self.steps[index]
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
        if self._look(step.temporary, 0).kind is Kind.FILE:
            folder.unlink(step.temporary)
        return [step.path]

    def _stage_before(self, index: int) -> None:
        """Stage the bytes from before. On a full disk, use the file in the journal itself."""
        folder = self.room.folder
        step = self.steps[index]
        assert step.before is not None and step.before_mode is not None
        expected = Entry(Kind.FILE, step.before, step.before_mode)
        if folder.look(step.temporary, len(step.before)) == expected:
            return  # still there from the exchange
        self._discard_temporary(step)
        try:
            self._stage(step, step.before, step.before_mode)
        except WorkspaceError as error:
            if getattr(error.__cause__, "errno", 0) not in (errno.ENOSPC, errno.EDQUOT):
                raise
            self._discard_temporary(step)
            self._lend_before(index, error)
        # The lent file is the one in the journal, which another program may have changed.
        if folder.look(step.temporary, len(step.before)) != expected:
            folder.unlink(step.temporary)
            raise ChangedError(
                f"{step.path}: the bytes from before were changed meanwhile; it is left as it is"
            )

    def _lend_before(self, index: int, error: WorkspaceError) -> None:
        """Give the kept bytes a second name: that takes no space. Without hard links, raise."""
        step = self.steps[index]
        name = f"{self._numbers[index]}.before"
        folder = self.room.folder
        mode = step.before_mode or 0
        with self.room.files.inner(str(self.number)) as inside:
            try:
                lost = folder.lend(inside, name, step.temporary, mode, like=step.path)
            except WorkspaceError:
                raise error from None
        self._note(step, lost)

    def _discard_part(self, step: FileStep) -> None:
        if self._look(step.part, 0).kind is Kind.FILE:
            self.room.folder.unlink(step.part)

    def _discard_temporary(self, step: FileStep) -> None:
        """Remove a temporary file if the journal has its bytes."""
        self._discard_part(step)
        entry = self._look(step.temporary, _longest(step))
        if entry.kind is Kind.FILE and _is_ours(step, entry):
            self.room.folder.unlink(step.temporary)

    def _remove_folders(self) -> list[str]:
        """Remove the created folders that are empty; return them, outer ones first."""
        removed = []
        for path in reversed(self.folders[: self._created_count]):
            if self._look(path, 0).kind is not Kind.FOLDER:
                continue
            if self.room.folder.remove_folder(path):
                removed.append(path)
            else:
                self.notes.append(f"{path}: other files are in this folder, so it was left")
        return removed[::-1]


def _is_ours(step: FileStep, entry: Entry) -> bool:
    """Return whether the journal has the bytes of a temporary file."""
    return entry.data is not None and entry.data in (step.before, step.after)


def _longest(step: FileStep) -> int:
    """Return the size of the longer of a step's two states: longer files need not be read."""
    return max(len(step.before or b""), len(step.after or b""))
