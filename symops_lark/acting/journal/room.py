"""Manage the journal's folder `.symops`: which journals it holds, their order, and removing one.

Invariants
    1. One process at a time uses the folder (`lock_journal`).
    2. Only files whose names are this program's are removed. Other files stay, and so do the
       folders that they are in.
    3. The lock's file is opened relative to the open folder: a path could lead elsewhere through
       a link that another program puts there.

The folder's content::

    .symops/.gitignore        keeps Git from adding the journals
    .symops/lock              locked by the process that works here
    .symops/7/                a journal; higher numbers are younger
    .symops/7/open.json       its head; or done.json: see `journal`
    .symops/7/0.before        the bytes of its first file; also 0.after
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from ...core.ground.errors import UnsafeActionError, WorkspaceError
from ...core.ground.file_locks import lock_file
from ..files.entries import Kind, Tree
from ..files.filesystem import JOURNAL, ChangedError, Folder
from .records import DONE, OPEN

LOCK = "lock"
# How often the lock is tried again because an undo has just removed the folder.
_MAX_ATTEMPTS = 100
IGNORE = ".gitignore"
_KEPT = "kept-"  # begins the names of journals that were put aside
NUMBER = "[1-9][0-9]{0,17}"  # fits in 64 bits
_OWN_NAME = rf"{NUMBER}|\.symops-[0-9a-f]+"  # in the journal's folder, besides LOCK and IGNORE
_INNER_NAME = r"[0-9]+\.(before|after)|head|open\.json|done\.json"  # in the folder of one journal


def is_interrupted(tree: Tree) -> bool:
    """Return whether an apply or undo was interrupted below a root, or is running there."""
    for name in tree.names(JOURNAL):
        if re.fullmatch(NUMBER, name) and OPEN in tree.names(f"{JOURNAL}/{name}"):
            return True
    return False


@contextmanager
def lock_journal(folder: Folder) -> Iterator[Folder]:
    """Create the journal's folder if it is missing, and lock it for this process.

    Args:
        folder: The root of the files.

    Yields:
        The journal's folder.

    Raises:
        UnsafeActionError: The folder belongs to another user, or others may write to it.
        WorkspaceError: Another process has the lock, or the system cannot lock files.
    """
    with folder.whole() as top:
        for _ in range(_MAX_ATTEMPTS):
            with suppress(ChangedError):  # it exists
                top.make_folder(JOURNAL, 0o700)
            with ExitStack() as stack:
                try:
                    files = stack.enter_context(top.inner(JOURNAL))
                    lock = _open_lock(files)
                except WorkspaceError as error:
                    if isinstance(error.__cause__, FileNotFoundError):
                        continue  # an undo has removed the folder since
                    raise
                stack.callback(os.close, lock)
                _lock(lock, folder.root)
                # The lock may be on a file that has been removed meanwhile, with its folder: then
                # another process can lock a new one. Only the current file counts.
                if files.is_same(LOCK, lock) and top.is_same(JOURNAL, files.descriptor):
                    yield files
                    return
    raise WorkspaceError(f"{folder.root}: the journal's folder cannot be locked")


def _lock(lock: int, root: str) -> None:
    try:
        lock_file(lock)
    except BlockingIOError:
        raise WorkspaceError(f"{root}: another apply or undo is at work there") from None
    except OSError as error:
        reason = error.strerror or error
        raise WorkspaceError(f"{root}: the journal cannot be locked: {reason}") from error


def _open_lock(files: Folder) -> int:
    status = files.status()
    others_may_write = status.st_mode & 0o022
    if status.st_uid != os.geteuid() or others_may_write:
        raise UnsafeActionError(
            f"{files.root}: this folder is not yours alone: remove it, or take write access from "
            "others"
        )
    return files.open_lock(LOCK)


@contextmanager
def enter(folder: Folder) -> Iterator[Room]:
    """Lock the journal's folder, and remove it at the end if it holds no journal.

    Args:
        folder: The root of the files.

    Yields:
        The journal's folder.

    Raises:
        WorkspaceError: It cannot be locked.
    """
    with lock_journal(folder) as files:
        room = Room(folder, files)
        try:
            yield room
        finally:
            # Only rubbish can be left, and an error of the caller must not be replaced.
            with suppress(WorkspaceError):
                if not room.numbers():
                    room.vanish()


class Room:
    """The locked folder of the journals.

    Attributes:
        folder: The root of the files.
        files: The journal's folder.
        run_id: The run that new journals belong to; empty: to no run.
    """

    def __init__(self, folder: Folder, files: Folder) -> None:
        self.folder = folder
        self.files = files
        # Set by the apply that enters: undo and recover write no journal.
        self.run_id = ""

    def numbers(self) -> list[int]:
        """Return the numbers of the journals, oldest first."""
        names = [name for name in self.files.names("") if re.fullmatch(NUMBER, name)]
        return sorted(int(name) for name in names if {OPEN, DONE} & set(self.files.names(name)))

    def is_open(self, number: int) -> bool:
        """Return whether the files of a journal are being changed, or were when it stopped."""
        return OPEN in self.files.names(str(number))

    def tidy(self) -> None:
        """Remove own files that do not belong to a journal."""
        journals = {str(number) for number in self.numbers()}
        for name in set(self._own_names()) - journals - {LOCK, IGNORE}:
            self.clear(name)

    def _own_names(self) -> list[str]:
        """Return this program's names in the folder, the lock last."""
        pattern = re.compile(rf"{_OWN_NAME}|{LOCK}|{re.escape(IGNORE)}")
        names = filter(pattern.fullmatch, self.files.names(""))
        return sorted(names, key=lambda name: (name == LOCK, name == IGNORE))

    def clear(self, name: str) -> bool:
        """Remove an own file, or a folder of own files.

        Args:
            name: The name in the journal's folder.

        Returns:
            False if there is a complete journal: it stays. `numbers` may have missed it because a
            link was in its place.
        """
        if self.files.look(name, 0).kind is not Kind.FOLDER:
            self.files.unlink(name)
            return True
        names = self.files.names(name)
        if {OPEN, DONE} & set(names):
            return False
        for inner in names:
            if re.fullmatch(_INNER_NAME, inner):
                self.files.unlink(f"{name}/{inner}")
        self.files.remove_folder(name)
        return True

    def discard(self, number: int) -> None:
        """Remove a journal, its head first: without a head, the rest is rubbish."""
        for name in (DONE, OPEN):
            self.files.unlink(f"{number}/{name}")
        self.clear(str(number))

    def keep(self, number: int) -> str:
        """Put a journal aside, since it has bytes that were not restored.

        Args:
            number: The number of the journal.

        Returns:
            Its new place. It stays in its place, and is not undone, if it cannot be moved.
        """
        name = f"{_KEPT}{number}-{secrets.token_hex(4)}"
        if not self.files.move_folder(str(number), name):
            name = str(number)
        return f"{JOURNAL}/{name}"

    def vanish(self) -> None:
        """Remove the journal's folder, the lock last, unless it holds other files."""
        is_keeping = any(name.startswith(_KEPT) for name in self.files.names(""))
        for name in self._own_names():
            # Git must not add the journals that were put aside.
            if name == IGNORE and is_keeping:
                continue
            if not self.clear(name):
                return
        if is_keeping:
            return
        with self.folder.whole() as top:
            top.remove_folder(JOURNAL)
