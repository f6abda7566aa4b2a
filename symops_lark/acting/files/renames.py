"""Rename files without overwriting: exchange two names, or take a name if it is free.

Linux (`renameat2`) and macOS (`renameatx_np`) have system calls for both; Python does not offer
them, so they are called through ctypes. Where the call is missing, or the file system does not
support it, hard links and a second name do the same in several steps. Nothing is lost then
either, but for a moment there is no file under the name.

References: `man 2 renameat2`; `man 2 renameatx_np`.
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

if sys.platform == "darwin":
    _FREE = 4  # RENAME_EXCL: fail if the target exists
    _SWAP = 2  # RENAME_SWAP: exchange two names
else:
    _FREE = 1  # RENAME_NOREPLACE
    _SWAP = 2  # RENAME_EXCHANGE
# Errors of a kernel or a file system that does not support the call or the flag.
_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


@cache
def _system_call() -> Callable[..., int] | None:
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    call = getattr(library, name, None)
    if call is None:
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call  # type: ignore[no-any-return]


def call_rename(folder: int, source: str, target: str, flag: int) -> bool:
    """Rename within a folder by the system's own call.

    Args:
        folder: The descriptor of the folder.
        source: The name of the file.
        target: Its new name.
        flag: The flag of the system call: exchange, or fail if the target exists.

    Returns:
        Whether the system supports the call; if not, nothing was done.

    Raises:
        OSError: The system supports the call, and the call failed.
    """
    call = _system_call()
    if call is None:
        return False
    if call(folder, os.fsencode(source), folder, os.fsencode(target), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNABLE:
        return False
    if number == errno.EPERM and not _is_let_through(call, folder):
        return False
    raise OSError(number, os.strerror(number), source)


def _is_let_through(call: Callable[..., int], folder: int) -> bool:
    """Return whether the call reaches the file system.

    Some containers filter the call and answer EPERM, as if a permission were missing. A name that
    does not exist distinguishes the two: the file system answers ENOENT.
    """
    missing = f".symops-{secrets.token_hex(8)}".encode()
    result = call(folder, missing, folder, missing + b"-", _FREE)
    return result == 0 or ctypes.get_errno() == errno.ENOENT


def settle(folder: int, source: str, target: str) -> None:
    """Rename a file to a name that is free.

    Args:
        folder: The descriptor of the folder.
        source: The name of the file.
        target: Its new name.

    Raises:
        FileExistsError: The target exists.
        OSError: The system refuses.
    """
    if call_rename(folder, source, target, _FREE):
        return
    # `link` fails if the target exists; between the two calls the file has both names.
    os.link(source, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        os.unlink(source, dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(target, dir_fd=folder)
        raise


def set_aside(folder: int, source: str, target: str) -> None:
    """Rename whatever has a name, whichever program wrote it, to a name of this program.

    Without the system call this is a plain rename after a test. Not `link` and `unlink` as in
    `settle`: another program may put its file under the name between the two, and `unlink` would
    remove that file. A plain rename overwrites nothing, because the targets are random names.

    Args:
        folder: The descriptor of the folder.
        source: The name that is taken away.
        target: The new name.

    Raises:
        FileExistsError: The target exists.
        OSError: The system refuses.
    """
    if call_rename(folder, source, target, _FREE):
        return
    with suppress(FileNotFoundError):
        os.stat(target, dir_fd=folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    os.rename(source, target, src_dir_fd=folder, dst_dir_fd=folder)


def exchange(folder: int, name: str, other: str, aside: str) -> None:
    """Exchange two names of a folder.

    Args:
        folder: The descriptor of the folder.
        name: One name.
        other: The other name.
        aside: A free name, used where the system has no call for it.

    Raises:
        OSError: The system refuses; both names are as they were.
    """
    if call_rename(folder, name, other, _SWAP):
        return
    set_aside(folder, name, aside)
    try:
        settle(folder, other, name)
    except BaseException:
        # Also for an interrupt by the user: the file must not stay under the random name.
        settle(folder, aside, name)
        raise
    settle(folder, aside, other)
