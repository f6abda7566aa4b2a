"""Where the data folders are, inside the installed package or beside it; files of people, read with a limit."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from .errors import SymOpsError
from .numbers import grouped

_PACKAGE = Path(__file__).resolve().parent


def find_folder(name: str) -> Path:
    """Return the folder `grammars` or `repair_rules` of a wheel, an editable install or a bare checkout."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        folder = base / name
        if folder.is_dir():
            return folder
    raise SymOpsError(f"the data folder {name!r} is missing from the installation of symops-lark; reinstall it")


def cache_folder() -> Path:
    """Return the user's cache folder for compiled grammars (it may not exist yet)."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "symops-lark"


def read_bounded(path: str | Path, most: int) -> bytes:
    """Return what a file holds; raise `OSError` if it is no file, or has more than `most` bytes.

    Devices and pipes are no files here: they may have no end, and opening them may wait for ever.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as stream:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", str(path))
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {grouped(most)} bytes", str(path))
    return data
