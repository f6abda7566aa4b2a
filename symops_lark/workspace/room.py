"""The journal's folder: which journals there are, in order, and how one is removed.

The law: what is removed here is ours by its name; files of others stay, and so does the folder that they are in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import WorkspaceError
from .changes import Kind
from .filesystem import JOURNAL, Folder
from .lock import LOCK, lock_journal
from .records import DONE, OPEN

IGNORE = ".gitignore"
NUMBER = "[1-9][0-9]{0,17}"
_OWN = rf"{NUMBER}|\.symops-[0-9a-f]+"  # what stands in the journal's folder beside these
_INNER = r"[0-9]+\.(before|after)|head|open\.json|done\.json"  # and in a folder of it


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
        for name in (DONE, OPEN):
            self.files.unlink(f"{number}/{name}")
        self.clear(str(number))

    def vanish(self) -> None:
        """Remove the journal's folder, unless somebody else's files are in it; the lock is the last to go."""
        for name in self._own_names():
            self.clear(name)
        with self.folder.whole() as whole:
            whole.remove_folder(JOURNAL)
