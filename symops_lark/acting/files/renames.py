"""Renames that overwrite nothing: two names exchanged in one step, or a name given only if it is free.

Linux and macOS have system calls for both; Python has no names for them. Where they (or the file system) fail to do
it, hard links and a second name do the same in several steps: nothing is lost then either, but for a moment there is
no file under the name.
"""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache

_FREE, _SWAP = (4, 2) if sys.platform == "darwin" else (1, 2)  # RENAME_EXCL, RENAME_SWAP; RENAME_NOREPLACE, _EXCHANGE
_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


@cache
def _system_call() -> Callable[..., int] | None:
    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if call is None:
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call  # type: ignore[no-any-return]


def call_rename(folder: int, source: str, target: str, flag: int) -> bool:
    """Rename by the system's own call; tell whether it is able to. Raise `OSError` if it is, and fails."""
    call = _system_call()
    if call is None:
        return False
    if call(folder, os.fsencode(source), folder, os.fsencode(target), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNABLE or (number == errno.EPERM and not _is_let_through(call, folder)):
        return False
    raise OSError(number, os.strerror(number), source)


def _is_let_through(call: Callable[..., int], folder: int) -> bool:
    """Return whether the call gets as far as names: some containers refuse it, as if a right were missing."""
    missing = f".symops-{secrets.token_hex(8)}".encode()
    return call(folder, missing, folder, missing + b"-", _FREE) == 0 or ctypes.get_errno() == errno.ENOENT


def settle(folder: int, source: str, target: str) -> None:
    """Rename a file within a folder (a descriptor); raise `FileExistsError` if the target is there."""
    if not call_rename(folder, source, target, _FREE):
        os.link(source, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        try:
            os.unlink(source, dir_fd=folder)
        except OSError:
            with suppress(OSError):
                os.unlink(target, dir_fd=folder)
            raise


def set_aside(folder: int, source: str, target: str) -> None:
    """Rename what stands under a name, whoever wrote it, to a name of ours that is free; raise `FileExistsError` else.

    Where the system has no call for it, names of ours are drawn by chance: a plain rename overwrites nothing. To link
    and unlink would remove what somebody lets take the name between the two.
    """
    if not call_rename(folder, source, target, _FREE):
        with suppress(FileNotFoundError):
            os.stat(target, dir_fd=folder, follow_symlinks=False)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        os.rename(source, target, src_dir_fd=folder, dst_dir_fd=folder)


def exchange(folder: int, name: str, other: str, aside: str) -> None:
    """Let two names of a folder (a descriptor) change places; `aside` is a free name for the long way."""
    if call_rename(folder, name, other, _SWAP):
        return
    set_aside(folder, name, aside)
    try:
        settle(folder, other, name)
    except BaseException:
        settle(folder, aside, name)
        raise
    settle(folder, aside, other)
