"""The journal: a set of changes to files becomes all of them or none, and can be taken back.

The law: at every moment, whatever is killed, the tree and the journal together know the state before. A journal is a
folder `.symops/NUMBER/` with the bytes before and after of each file, and a head, written last and removed first:
`open.json` while files are being changed (in either direction), `done.json` once they are. A folder without a head is
rubbish. A temporary file is removed only if the journal has its bytes as well.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from ..errors import WorkspaceError
from ..json_objects import write_object
from .changes import Change, Entry, Kind
from .emptied import Emptied, bring_back, clear, find_emptied, move_aside
from .filesystem import JOURNAL, ChangedError, Folder, beside
from .lock import LOCK, lock_journal
from .paths import is_internal
from .steps import FileStep, make_steps, missing_folders

KEEP = 10  # so many applies can be undone, one after another
_OPEN, _DONE, _IGNORE = "open.json", "done.json", ".gitignore"
_OWN = r"[1-9][0-9]*|\.symops-[0-9a-f]+"  # what stands in the journal's folder beside these
_TEMPORARY = r"\.symops-[0-9a-f]+-[0-9]+\.(new|old)"
_INNER = r"[0-9]+\.(before|after)|head|open\.json|done\.json"  # and in a folder of it


@dataclass(frozen=True, slots=True)
class Undone:
    """What was brought back: the files, and the folders that were removed again; `notes` tell what was left.

    `interrupted` tells that it was an apply (or an undo) that had been broken off.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return write_object(self)


def undo(root: str | os.PathLike[str], *, force: bool = False) -> Undone:
    """Bring the files below `root` back to where they were before the last apply, or before one that was broken off.

    What commands did is not undone. Raise `WorkspaceError` if there is nothing to undo, or if files have been changed
    since (with `force` they are brought back nevertheless, and those changes are lost).
    """
    with Folder(root) as folder:
        if folder.has_journal():
            with _room(folder) as room:
                if numbers := room.numbers():
                    journal = Journal.load(room, numbers[-1])
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
        with _room(folder) as room:
            return room.recover()


def carry_out(folder: Folder, changes: Sequence[Change]) -> Undone | None:
    """Change files, all of them or none; give what was undone before, of an apply that had been broken off.

    Raise `WorkspaceError` with the reason if it cannot be done; the files are then as they were, or it says so.
    """
    with _room(folder) as room:
        recovered = room.recover()
        steps = make_steps(folder, changes, secrets.token_hex(8), room.files.default_mode())
        if not steps:
            return recovered
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
        return recovered


def _give_up(journal: Journal, error: BaseException) -> None:
    try:
        undone = journal.roll_back()
        journal.room.discard(journal.number)
    except WorkspaceError as second:
        message = f"{error}; and what had been changed could not be brought back ({second}): use `symops undo`"
        raise WorkspaceError(message) from error
    if undone.notes:
        raise WorkspaceError("; ".join([str(error), *undone.notes])) from error


@contextmanager
def _room(folder: Folder) -> Iterator[Room]:
    """Let one process into the journal's folder, which is there as long as there are journals."""
    with lock_journal(folder) as files:
        room = Room(folder, files)
        try:
            yield room
        finally:
            with suppress(WorkspaceError):  # what is left is rubbish, and what went wrong before is told
                if not room.numbers():
                    room.vanish()


class Room:
    """The journal's folder, while this process alone may use it."""

    def __init__(self, folder: Folder, files: Folder) -> None:
        self.folder, self.files = folder, files

    def numbers(self) -> list[int]:
        """Return the numbers of the journals in order."""
        found = (name for name in self.files.names("") if re.fullmatch("[1-9][0-9]*", name))
        return sorted(int(name) for name in found if {_OPEN, _DONE} & set(self.files.names(name)))

    def recover(self) -> Undone | None:
        """Undo what was broken off, and remove rubbish."""
        numbers, undone = self.numbers(), None
        if numbers and (journal := Journal.load(self, numbers[-1])).is_open:
            try:
                undone = journal.roll_back()
            except ChangedError as error:
                raise ChangedError(f"an apply was interrupted in {self.folder.root}: {error}") from None
            self.discard(numbers[-1])
        kept = {str(number) for number in self.numbers()}
        for name in set(self._own_names()) - kept - {LOCK, _IGNORE}:
            self.clear(name)
        return undone

    def _own_names(self) -> list[str]:
        own = (name for name in self.files.names("") if name in (LOCK, _IGNORE) or re.fullmatch(_OWN, name))
        return sorted(own, key=lambda name: name == LOCK)

    def clear(self, name: str) -> None:
        """Remove a file of the journal's, or a folder of such files; files of others stay."""
        if self.files.look(name, 0).kind is Kind.FOLDER:
            for inner in self.files.names(name):
                if re.fullmatch(_INNER, inner):
                    self.files.unlink(f"{name}/{inner}")
            self.files.remove_folder(name)
        else:
            self.files.unlink(name)

    def discard(self, number: int) -> None:
        """Remove a journal; the head is the first to go."""
        for name in (_DONE, _OPEN):
            self.files.unlink(f"{number}/{name}")
        self.clear(str(number))

    def vanish(self) -> None:
        """Remove the journal's folder, unless somebody else's files are in it; the lock is the last to go."""
        for name in self._own_names():
            self.clear(name)
        with self.folder.whole() as whole:
            whole.remove_folder(JOURNAL)


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
        self._made, self._reached = len(folders), len(steps)

    @classmethod
    def begin(cls, room: Room, steps: Sequence[FileStep], folders: Sequence[str], emptied: Emptied) -> Journal:
        """Write down what will be done; the head comes last."""
        if room.files.look(_IGNORE).kind is Kind.MISSING:
            room.files.stage(_IGNORE, b"*\n")
        taken = [int(name) for name in room.files.names("") if re.fullmatch("[1-9][0-9]*", name)]
        number = max(taken, default=0) + 1
        room.files.make_folder(str(number), 0o700)
        rows = []
        for index, step in enumerate(steps):
            row: dict[str, Any] = {"path": step.path, "temporary": step.temporary, "aside": step.aside}
            for when, data, mode in (("before", step.before, step.before_mode), ("after", step.after, step.after_mode)):
                row[when] = None if data is None else mode
                if data is not None:
                    room.files.stage(f"{number}/{index}.{when}", data, 0o600)
            rows.append(row)
        with room.files.inner(str(number)) as inside:
            head = {"version": 1, "identity": inside.status().st_ino, "folders": list(folders), "files": rows}
            head["emptied"] = dict(emptied)
            inside.stage("head", json.dumps(head).encode(), 0o600)
            inside.rename("head", _OPEN)
        journal = cls(room, number, steps, folders, emptied, True)
        journal._made = journal._reached = 0
        return journal

    @classmethod
    def load(cls, room: Room, number: int) -> Journal:
        """Read what `begin` wrote; raise `WorkspaceError` if it was not written here."""
        with room.files.inner(str(number)) as inside:
            is_open = _OPEN in inside.names("")
            shown = f"{JOURNAL}/{number}"
            try:
                head = json.loads(inside.look(_OPEN if is_open else _DONE).data or b"")
                steps = [_read_step(inside, index, row) for index, row in enumerate(head["files"])]
                folders, identity = [str(path) for path in head["folders"]], head["identity"]
                emptied = {str(path): int(mode) for path, mode in head.get("emptied", {}).items()}
                if any(map(is_internal, [*folders, *emptied])):
                    raise ValueError("no folders of ours")
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise WorkspaceError(f"{shown}: the journal is damaged ({error}); nothing was done") from None
            # A journal that came with a copy, an archive or a repository would write what its author wants.
            if identity != inside.status().st_ino:
                raise WorkspaceError(f"{shown}: this journal was not written here; remove {JOURNAL} if it is of no use")
        return cls(room, number, steps, folders, emptied, is_open)

    def carry_out(self) -> None:
        """Change the files: deletions first, as a folder may take the place of a file."""
        folder = self.room.folder
        for step in self.steps:
            if step.after is None and step.before is not None:
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
            folder.stage(step.temporary, step.after, step.after_mode, like=step.path)
        for step in writes:
            folder.put(step.path, step.temporary, step.aside, step.before)
            self._reached += 1
        for step in self.steps:
            if step.folder not in self.emptied:
                folder.unlink(step.temporary)
        clear(folder, self.steps, self.emptied)

    def finish(self) -> None:
        """Note that all is done."""
        self.room.files.rename(f"{self.number}/{_OPEN}", _DONE)
        self.is_open = False

    def roll_back(self, *, force: bool = False) -> Undone:
        """Bring back the state before; the same again after a crash in the middle.

        Raise `ChangedError` if files are neither as they were before nor as they were made; nothing is then done.
        """
        notes = [note for step in self.steps if (note := self._tidy(step))]
        found = [self._find(index, force) for index in range(len(self.steps))]
        if not self.is_open:
            self.room.files.rename(f"{self.number}/{_DONE}", _OPEN)
            self.is_open = True
        files = []
        deletions = sum(step.after is None for step in self.steps)
        for step, now in reversed([*zip(self.steps, found, strict=True)][deletions:]):
            files += self._restore(step, now)
        folders = self._remove_folders(notes)
        bring_back(self.room.folder, self.steps, self.emptied)
        for step, now in reversed([*zip(self.steps, found, strict=True)][:deletions]):
            files += self._restore(step, now)
        return Undone(tuple(files[::-1]), tuple(folders), tuple(notes))

    def _tidy(self, step: FileStep) -> str:
        """Finish an exchange that was broken off; put aside what is not ours."""
        folder = self.room.folder
        if folder.look(step.aside).kind is Kind.FILE:
            if folder.look(step.path).kind is Kind.MISSING:
                folder.rename(step.aside, step.path.rpartition("/")[2])
            else:
                self._discard_temporary(step)
                folder.rename(step.aside, step.temporary.rpartition("/")[2])
        entry = folder.look(step.temporary)
        if entry.kind is not Kind.FILE or self._is_ours(step, entry):
            return ""
        name = f"{step.path.rpartition('/')[2]}.kept-{secrets.token_hex(4)}"
        folder.rename(step.temporary, name)
        return f"{step.path}: somebody wrote it while it was being changed; that is now in {name}"

    def _find(self, index: int, force: bool) -> Entry | None:
        """Return what stands at a file's path if it must be brought back."""
        step, now = self.steps[index], self.room.folder.look(self.steps[index].path)
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

    def _restore(self, step: FileStep, now: Entry | None) -> list[str]:
        folder = self.room.folder
        if now is None:
            self._discard_temporary(step)
            return []
        if step.before is None:
            assert now.data is not None
            self._discard_temporary(step)
            folder.take(step.path, step.temporary, now.data)
        else:
            if folder.look(step.temporary) != Entry(Kind.FILE, step.before, step.before_mode):
                self._discard_temporary(step)
                folder.stage(step.temporary, step.before, step.before_mode, like=step.path)
            folder.put(step.path, step.temporary, step.aside, now.data)
        if folder.look(step.temporary).kind is Kind.FILE:
            folder.unlink(step.temporary)
        return [step.path]

    def _is_ours(self, step: FileStep, entry: Entry) -> bool:
        """Return whether a temporary file has nothing but what the journal has too; it may have been broken off."""
        return any(
            entry.data is not None and data is not None and data.startswith(entry.data)
            for data in (step.before, step.after)
        )

    def _discard_temporary(self, step: FileStep) -> None:
        entry = self.room.folder.look(step.temporary)
        if entry.kind is Kind.FILE and self._is_ours(step, entry):
            self.room.folder.unlink(step.temporary)

    def _remove_folders(self, notes: list[str]) -> list[str]:
        removed = []
        for path in reversed(self.folders[: self._made]):
            if self.room.folder.look(path).kind is Kind.FOLDER:
                if self.room.folder.remove_folder(path):
                    removed.append(path)
                else:
                    notes.append(f"{path}: other files are in this folder, so it was left")
        return removed[::-1]


def _read_step(inside: Folder, index: int, row: dict[str, Any]) -> FileStep:
    values: dict[str, Any] = {}
    for when in ("before", "after"):
        mode = row[when]
        data = None if mode is None else inside.look(f"{index}.{when}").data
        if mode is not None and (data is None or not isinstance(mode, int)):
            raise ValueError(f"no bytes for {row['path']}")
        values |= {when: data, f"{when}_mode": mode}
    step = FileStep(path=str(row["path"]), temporary=str(row["temporary"]), aside=str(row["aside"]), **values)
    names = [name.removeprefix(beside(step.path, "")) for name in (step.temporary, step.aside)]
    if is_internal(step.path) or not all(re.fullmatch(_TEMPORARY, name) for name in names):
        raise ValueError(f"no file of ours: {step.path}")
    return step
