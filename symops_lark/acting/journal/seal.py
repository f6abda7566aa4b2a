"""Sign journals and session logs, to distinguish this user's from those of strangers.

A repository or an archive may contain a journal that writes arbitrary files when it is undone. So
a journal is undone without consent only if it has a seal: an HMAC-SHA256 (RFC 2104) over its head
with a secret key.

Invariants
    1. Without the key, a journal that is undone without consent cannot be made, nor a line of a
       session log (`tests/acting/test_seal.py`).
    2. The key is in the user's state folder, never in a project.
    3. The key is created once, completely or not at all, even if several processes create it at
       the same time.
"""

from __future__ import annotations

import errno
import hmac
import os
import secrets
import stat
from contextlib import suppress

from ...core.ground.errors import WorkspaceError
from ...core.ground.resources import state_folder
from ..files.renames import settle
from ..files.view import FILE, FOLDER, held

KEY = "journal.key"
_KEY_BYTES = 32  # the size of a SHA-256 digest: RFC 2104 advises against shorter keys
# Every signed text begins with its kind, so that a seal of one kind never fits the other.
JOURNAL = b"symops journal\n"
SESSION = b"symops session\n"
RUN = b"symops run\n"
ROWS = b"symops rows\n"
# Errors that would come again: there is no key here, and work continues without one. All others
# (too many open files) are reported.
_LASTING_ERRORS = {
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT),
    *(errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTSUP),
}


class NoKeyError(WorkspaceError):
    """There is no key that only this user knows. The message has the reason and the remedy."""


def sign(data: bytes, key: bytes, kind: bytes = JOURNAL) -> str:
    """Return the seal of a text.

    Args:
        data: The text.
        key: The user's key.
        kind: `JOURNAL`, `SESSION`, `RUN` or `ROWS`.

    Returns:
        64 hexadecimal digits.
    """
    return hmac.digest(key, kind + data, "sha256").hex()


def is_signed(data: bytes, seal: str, key: bytes, kind: bytes = JOURNAL) -> bool:
    """Return whether a seal fits a text.

    Args:
        data: The text.
        seal: The seal; may be any string.
        key: The user's key.
        kind: `JOURNAL`, `SESSION`, `RUN` or `ROWS`.

    Returns:
        Whether `sign` returns this seal. The comparison takes constant time.
    """
    return hmac.compare_digest(sign(data, key, kind).encode(), seal.encode("utf-8", "replace"))


def load_key(*, make: bool = False) -> bytes:
    """Return the user's key.

    Args:
        make: Create the key if there is none.

    Returns:
        32 bytes.

    Raises:
        NoKeyError: There is no key, it cannot be created, or others may know it.
        WorkspaceError: A passing error, such as too many open files.
    """
    state = state_folder()
    if state is None:
        raise NoKeyError(
            "there is no home folder to keep the key of its seal in: set XDG_STATE_HOME"
        )
    path = str(state / KEY)
    try:
        if make:
            _make_folders(str(state))
        with held(os.open(state, FOLDER)) as folder:
            _expect_own(os.fstat(folder), str(state), 0o022)
            if make:
                with suppress(FileExistsError):
                    _make(folder)
            return _read(folder, path)
    except OSError as error:
        kind = NoKeyError if error.errno in _LASTING_ERRORS else WorkspaceError
        verb = "made" if make else "read"
        reason = error.strerror or error
        raise kind(f"{path}: the key of its seal cannot be {verb}: {reason}") from error


def _make_folders(path: str) -> None:
    """Create a folder for this user alone, and its parents, down to the disk."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent != path:
        _make_folders(parent)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    # A new name is on the disk only when its folder is.
    with held(os.open(parent, FOLDER)) as above:
        os.fsync(above)


def _make(folder: int) -> None:
    """Create the key under a temporary name, then rename it if its name is still free."""
    with suppress(FileNotFoundError):
        os.stat(KEY, dir_fd=folder, follow_symlinks=False)
        return
    name = f".{KEY}-{secrets.token_hex(8)}"
    flags = FILE | os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with held(os.open(name, flags, 0o600, dir_fd=folder)) as file:
            os.fchmod(file, 0o600)  # the umask may have taken rights away
            if os.write(file, secrets.token_bytes(_KEY_BYTES)) != _KEY_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file)
            settle(folder, name, KEY)
            os.fsync(folder)
    finally:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)


def _read(folder: int, path: str) -> bytes:
    key = b""
    with held(os.open(KEY, FILE, dir_fd=folder)) as file:
        status = os.fstat(file)
        _expect_own(status, path, 0o077)
        if stat.S_ISREG(status.st_mode):
            key = os.read(file, _KEY_BYTES + 1)  # one more, to notice a file that is too long
    if len(key) != _KEY_BYTES:
        raise NoKeyError(
            f"{path}: not a key of {_KEY_BYTES} bytes: remove it, and a new one is created"
        )
    return key


def _expect_own(status: os.stat_result, path: str, forbidden: int) -> None:
    """Raise `NoKeyError` for what others may have read or written, by these permission bits."""
    if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & forbidden:
        raise NoKeyError(
            f"{path}: it is not yours alone, so others may know the key: remove it, and a new one "
            "is created"
        )
