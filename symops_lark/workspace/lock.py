"""The journal's folder, for one process at a time.

The lock's file is opened from the folder that is held open, as a path could be led astray by links.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

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
