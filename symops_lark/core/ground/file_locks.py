"""Lock open files. The system releases a lock with its process, also if that is killed."""

from __future__ import annotations

import os
import sys

# The byte that is locked on Windows. There, other processes cannot read locked bytes, so it is one
# that no file has: 1 TiB after its beginning.
_LOCKED_BYTE = 1 << 40


def lock_file(descriptor: int, *, wait: bool = False) -> None:
    """Lock an open file until it is closed.

    Args:
        descriptor: The descriptor of the file.
        wait: Whether to wait while another process has the lock: on Windows ten seconds, elsewhere
            without a limit.

    Raises:
        BlockingIOError: Another process has locked the file.
        OSError: The file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except PermissionError as error:  # what Windows raises for a lock of another process
            raise BlockingIOError(*error.args) from None
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
