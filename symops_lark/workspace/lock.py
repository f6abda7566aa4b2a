"""The journal's folder, for one process at a time.

The lock's file is opened from the folder that is held open, as a path could be led astray by links.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import UnsafeActionError, WorkspaceError
from ..file_locks import lock_file
from .filesystem import JOURNAL, ChangedError, Folder

LOCK = "lock"
_ATTEMPTS = 100


@contextmanager
def lock_journal(folder: Folder) -> Iterator[Folder]:
    """Make the journal's folder if need be, and keep others out of it."""
    with folder.whole() as whole:
        for _ in range(_ATTEMPTS):  # whoever undoes removes the folder: then it is made anew
            with suppress(ChangedError):
                whole.make_folder(JOURNAL, 0o700)
            try:
                files = whole.inner(JOURNAL)
            except WorkspaceError as error:
                if isinstance(error.__cause__, FileNotFoundError):
                    continue
                raise
            with files:
                lock = _lock(files, folder.root)
                try:
                    if lock is None or not files.is_same(LOCK, lock) or not whole.is_same(JOURNAL, files.descriptor):
                        continue
                    yield files
                    return
                finally:
                    if lock is not None:
                        os.close(lock)
    raise WorkspaceError(f"{folder.root}: the journal's folder cannot be locked")


def _lock(files: Folder, root: str) -> int | None:
    """Lock the journal's folder until the descriptor that is given is closed; None if it has just been removed."""
    status = files.status()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise UnsafeActionError(f"{files.root}: this folder is not yours alone: remove it, or make it so")
    try:
        lock = files.open_lock(LOCK)
    except WorkspaceError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
    try:
        lock_file(lock)
    except OSError as error:
        os.close(lock)
        if isinstance(error, BlockingIOError):
            raise WorkspaceError(f"{root}: another apply or undo is at work there") from None
        raise WorkspaceError(f"{root}: the journal cannot be locked: {error.strerror or error}") from error
    return lock
