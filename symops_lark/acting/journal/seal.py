"""Seals: they distinguish journals and session logs of this user from those that somebody else put there.

The law: whoever has not read the key cannot make a journal that is acted upon without consent, nor a line of a session.
The key is in the user's state folder, never in a project; it is made once, completely or not at all, whoever else makes
it meanwhile.
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
_BYTES = 32
JOURNAL = b"symops journal\n"  # each kind of text that this key signs begins differently, so no seal fits two kinds
SESSION = b"symops session\n"
_CANNOT = {  # reasons that stay: there is no key here, and work goes on without one
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT),
    *(errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTSUP),
}


class NoKeyError(WorkspaceError):
    """There is no key on this machine that only this user knows; the message says why, and what to do."""


def sign(data: bytes, key: bytes, kind: bytes = JOURNAL) -> str:
    """Return the seal of a journal's head, or of another kind of text."""
    return hmac.digest(key, kind + data, "sha256").hex()


def is_signed(data: bytes, seal: str, key: bytes, kind: bytes = JOURNAL) -> bool:
    """Return whether a seal is the one of a text of a kind."""
    return hmac.compare_digest(sign(data, key, kind).encode(), seal.encode("utf-8", "replace"))


def load_key(*, make: bool = False) -> bytes:
    """Return the user's key; with `make` it is made where there is none. Raise `NoKeyError` if it cannot be had.

    Raise `WorkspaceError` for what may be otherwise the next time, such as too many open files.
    """
    place = state_folder()
    if place is None:
        raise NoKeyError("there is no home folder to keep the key of its seal in: set XDG_STATE_HOME")
    path = str(place / KEY)
    try:
        if make:
            _make_folders(str(place))
        with held(os.open(place, FOLDER)) as folder:
            _expect_own(os.fstat(folder), str(place), 0o022)
            if make:
                with suppress(FileExistsError):
                    _make(folder)
            return _read(folder, path)
    except OSError as error:
        kind = NoKeyError if error.errno in _CANNOT else WorkspaceError
        verb = "made" if make else "read"
        raise kind(f"{path}: the key of its seal cannot be {verb}: {error.strerror or error}") from error


def _make_folders(path: str) -> None:
    """Make a folder for this user alone, and those on the way to it, down to the disk."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent != path:
        _make_folders(parent)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    with held(os.open(parent, FOLDER)) as above:
        os.fsync(above)


def _make(folder: int) -> None:
    """Make the key under a name of its own, and give it the right one if that is free still."""
    with suppress(FileNotFoundError):
        os.stat(KEY, dir_fd=folder, follow_symlinks=False)
        return
    name = f".{KEY}-{secrets.token_hex(8)}"
    try:
        with held(os.open(name, FILE | os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)) as file:
            os.fchmod(file, 0o600)  # whatever the mask
            if os.write(file, secrets.token_bytes(_BYTES)) != _BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file)
            settle(folder, name, KEY)
            os.fsync(folder)
    finally:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)


def _read(folder: int, path: str) -> bytes:
    with held(os.open(KEY, FILE, dir_fd=folder)) as file:
        found = os.fstat(file)
        _expect_own(found, path, 0o077)
        key = os.read(file, _BYTES + 1) if stat.S_ISREG(found.st_mode) else b""
    if len(key) != _BYTES:
        raise NoKeyError(f"{path}: this is no key of {_BYTES} bytes: remove it, and a new one is made")
    return key


def _expect_own(found: os.stat_result, path: str, rights: int) -> None:
    """Raise `NoKeyError` for what others may have read or written."""
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & rights:
        raise NoKeyError(f"{path}: it is not yours alone, so others may know the key: remove it, and a new one is made")
