"""Where folders are: data inside the package or beside it, what is kept for the user; limited reading; slow work."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

from .errors import SymOpsError
from .numbers import counted

_PACKAGE = Path(__file__).resolve().parents[2]


@cache
def find_folder(name: str) -> Path:
    """Return the folder `grammars` or `repair_rules` of a wheel, an editable install or a bare checkout."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        folder = base / name
        if folder.is_dir():
            return folder
    raise SymOpsError(f"the data folder {name!r} is missing from the installation of symops-lark; reinstall it")


def is_ours(path: str | Path) -> bool:
    """Return whether a file is one of the package, or of the data that is installed with it."""
    return any(folder in Path(path).parents for folder in (_PACKAGE, find_folder("repair_rules")))


def cache_folder() -> Path | None:
    """Return the folder for what can be made again (it may not exist yet); None where there is no home."""
    usual = ("Library", "Caches") if sys.platform == "darwin" else (".cache",)
    return _user_folder("XDG_CACHE_HOME", *usual)


def state_folder() -> Path | None:
    """Return the folder for what must outlast caches (it may not exist yet); None where there is no home."""
    return _user_folder("XDG_STATE_HOME", ".local", "state")


def _user_folder(variable: str, *usual: str) -> Path | None:
    """Return our part of a folder of the user's; a relative one would be another in each folder that is worked in."""
    named = os.environ.get(variable, "")
    base = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), *usual)
    return Path(base) / "symops-lark" if os.path.isabs(base) else None


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
        raise OSError(errno.EFBIG, f"it has more than {counted(most, 'byte')}", str(path))
    return data


_shows: list[Callable[[str], AbstractContextManager[object]]] = []


def announce(what: str) -> AbstractContextManager[object]:
    """Return what lasts while something slow is done once: whoever has a terminal may show it (`show_announced`)."""
    return _shows[0](what) if _shows else nullcontext()


def show_announced(show: Callable[[str], AbstractContextManager[object]]) -> None:
    """Let `show` make what lasts while something slow is done."""
    _shows[:] = [show]
