"""Locks on open files, which the system drops with their process: who is killed leaves none behind."""

from __future__ import annotations

import os
import sys

_FAR = 1 << 40  # Windows keeps others from reading what is locked: so it is a byte that no file has


def lock_file(descriptor: int, *, wait: bool = False) -> None:
    """Lock an open file until it is closed; raise `BlockingIOError` if somebody else has, `OSError` if that fails.

    With `wait`, who has it is waited for: as long as it takes, on Windows ten seconds.
    """
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from None
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
