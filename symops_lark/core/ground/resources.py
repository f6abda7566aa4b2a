"""Find folders of this package and of its user, read short files, announce slow work."""

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

_PACKAGE = Path(__file__).resolve().parents[2]  # the folder `symops_lark`


@cache
def find_folder(name: str) -> Path:
    """Return a data folder of this package.

    Args:
        name: "grammars" or "repair_rules".

    Returns:
        The folder in a wheel, an editable install or a checkout.

    Raises:
        SymOpsError: The folder is missing.
    """
    # In a wheel the data is in `_data`; in a checkout it is beside the package.
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        folder = base / name
        if folder.is_dir():
            return folder
    raise SymOpsError(
        f"the data folder {name!r} is missing from the installation of symops-lark; reinstall it"
    )


def is_ours(path: str | Path) -> bool:
    """Return whether a file is a part of this package or of the rules that it installs."""
    parents = Path(path).parents
    return _PACKAGE in parents or find_folder("repair_rules") in parents


def cache_folder() -> Path | None:
    """Return the folder for data that can be computed again; it may not exist yet.

    Returns:
        The folder; None if the user has no home folder.
    """
    usual = ("Library", "Caches") if sys.platform == "darwin" else (".cache",)
    return _user_folder("XDG_CACHE_HOME", *usual)


def state_folder() -> Path | None:
    """Return the folder for data that must outlast caches; it may not exist yet.

    Returns:
        The folder; None if the user has no home folder.
    """
    return _user_folder("XDG_STATE_HOME", ".local", "state")


def _user_folder(variable: str, *usual: str) -> Path | None:
    """Return the part of this package in a folder of the user."""
    base = os.environ.get(variable, "")
    # The specification of XDG says that relative paths must be ignored: they would be another
    # folder in each working folder.
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), *usual)
    return Path(base) / "symops-lark" if os.path.isabs(base) else None


def read_bounded(path: str | Path, most: int) -> bytes:
    """Return the content of a file that is not too long.

    Args:
        path: The path of the file.
        most: The number of bytes that it may have.

    Raises:
        OSError: The file cannot be read, is too long, or is a device or a pipe. These may have no
            end.
    """
    # Without O_NONBLOCK, opening a pipe waits until some process writes to it.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    with open(handle, "rb") as stream:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", str(path))
        data = stream.read(most + 1)  # not by the size of the file, which may grow meanwhile
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {counted(most, 'byte')}", str(path))
    return data


# At most one: the function that a program with a terminal has set.
_shows: list[Callable[[str], AbstractContextManager[object]]] = []


def announce(what: str) -> AbstractContextManager[object]:
    """Return a context for slow work that is done once, which a terminal may show meanwhile.

    Args:
        what: The work in words, such as "compiling the grammar".
    """
    return _shows[0](what) if _shows else nullcontext()


def show_announced(show: Callable[[str], AbstractContextManager[object]]) -> None:
    """Set the function that shows announced work; the last one that is set counts.

    Args:
        show: Takes the work in words, and returns a context that lasts as long as the work.
    """
    _shows[:] = [show]


def read_words(path: Path) -> tuple[str, ...]:
    """Return the words of a data file of this package, without its comments, which begin with #."""
    words: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words += line.partition("#")[0].split()
    return tuple(words)
