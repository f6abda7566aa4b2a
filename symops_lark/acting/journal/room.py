"""The journal's folder, for one process at a time: which journals there are, in order, and how one is removed.

Laws: what is removed here is ours by its name; files of others stay, and so does the folder that they are in. The
lock's file is opened from the folder that is held open, as a path could be led astray by links.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from ...core.ground.errors import UnsafeActionError, WorkspaceError
from ...core.ground.file_locks import lock_file
from ..files.entries import Kind, Tree
from ..files.filesystem import JOURNAL, ChangedError, Folder
from .records import DONE, OPEN

LOCK = "lock"
_ATTEMPTS = 100
IGNORE = ".gitignore"
NUMBER = "[1-9][0-9]{0,17}"
_OWN = rf"{NUMBER}|\.symops-[0-9a-f]+"  # what stands in the journal's folder beside these
_INNER = r"[0-9]+\.(before|after)|head|open\.json|done\.json"  # and in a folder of it


def is_interrupted(tree: Tree) -> bool:
    """Return whether an apply, or an undo, was broken off below the root of a tree, or is at work there."""
    numbers = (name for name in tree.names(JOURNAL) if re.fullmatch(NUMBER, name))
    return any(OPEN in tree.names(f"{JOURNAL}/{number}") for number in numbers)


@contextmanager
def lock_journal(folder: Folder) -> Iterator[Folder]:
    """Make the journal's folder if need be, and keep others out of it."""
    with folder.whole() as whole:
        for _ in range(_ATTEMPTS):  # whoever undoes removes the folder: then it is made anew
            with suppress(ChangedError):
                whole.make_folder(JOURNAL, 0o700)
            with ExitStack() as stack:
                try:
                    files = stack.enter_context(whole.inner(JOURNAL))
                    lock = _open_lock(files)
                except WorkspaceError as error:
                    if isinstance(error.__cause__, FileNotFoundError):
                        continue
                    raise
                stack.callback(os.close, lock)
                try:
                    lock_file(lock)
                except BlockingIOError:
                    raise WorkspaceError(f"{folder.root}: another apply or undo is at work there") from None
                except OSError as error:
                    reason = error.strerror or error
                    raise WorkspaceError(f"{folder.root}: the journal cannot be locked: {reason}") from error
                if files.is_same(LOCK, lock) and whole.is_same(JOURNAL, files.descriptor):
                    yield files
                    return
    raise WorkspaceError(f"{folder.root}: the journal's folder cannot be locked")


def _open_lock(files: Folder) -> int:
    status = files.status()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise UnsafeActionError(f"{files.root}: this folder is not yours alone: remove it, or make it so")
    return files.open_lock(LOCK)


@contextmanager
def enter(folder: Folder) -> Iterator[Room]:
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
        found = (name for name in self.files.names("") if re.fullmatch(NUMBER, name))
        return sorted(int(name) for name in found if {OPEN, DONE} & set(self.files.names(name)))

    def is_open(self, number: int) -> bool:
        """Return whether the files of a journal are being changed, or were when that was broken off."""
        return OPEN in self.files.names(str(number))

    def tidy(self) -> None:
        """Remove rubbish: what is no journal."""
        kept = {str(number) for number in self.numbers()}
        for name in set(self._own_names()) - kept - {LOCK, IGNORE}:
            self.clear(name)

    def _own_names(self) -> list[str]:
        own = (name for name in self.files.names("") if name in (LOCK, IGNORE) or re.fullmatch(_OWN, name))
        return sorted(own, key=lambda name: (name == LOCK, name == IGNORE))

    def clear(self, name: str) -> bool:
        """Remove a file of the journal's, or a folder of such files, and return whether that was done.

        Files of others stay. So does a whole journal: a link may have stood in its place when journals were counted.
        """
        if self.files.look(name, 0).kind is not Kind.FOLDER:
            self.files.unlink(name)
            return True
        names = self.files.names(name)
        if {OPEN, DONE} & set(names):
            return False
        for inner in names:
            if re.fullmatch(_INNER, inner):
                self.files.unlink(f"{name}/{inner}")
        self.files.remove_folder(name)
        return True

    def discard(self, number: int) -> None:
        """Remove a journal; the head is the first to go."""
        for name in (DONE, OPEN):
            self.files.unlink(f"{number}/{name}")
        self.clear(str(number))

    def vanish(self) -> None:
        """Remove the journal's folder, unless somebody else's files are in it; the lock is the last to go."""
        if not all(self.clear(name) for name in self._own_names()):
            return
        with self.folder.whole() as whole:
            whole.remove_folder(JOURNAL)
