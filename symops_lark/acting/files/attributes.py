"""What a file has besides its bytes and its mode: its owner, and its extended attributes (access lists, labels).

Times are not copied: what is written anew, by undo as well, is newer than what was made of the text before.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress

from .view import FILE, held

_RIGHTS = "security.capability"  # of a program; systems take them away from a file that is written to


def copy_attributes(file: int, folder: int, name: str) -> tuple[str, ...]:
    """Give an open file what a name in a folder (both descriptors) has; return what could not be, with the reasons.

    The rights of a program are never given to another text. What stands there may be nothing, which has none.
    """
    try:
        there, here = os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(file)
    except FileNotFoundError:
        return ()
    except OSError as error:
        return (f"its owner and its extended attributes could not be read ({error.strerror})",)
    lost = []
    if (there.st_uid, there.st_gid) != (here.st_uid, here.st_gid):
        try:
            os.fchown(file, there.st_uid, there.st_gid)
        except OSError as error:
            lost.append(f"its owner {there.st_uid}:{there.st_gid} could not be kept ({error.strerror})")
    if sys.platform == "linux" and stat.S_ISREG(there.st_mode):
        lost += _copy_extended(file, folder, name)
    return tuple(lost)


def _copy_extended(file: int, folder: int, name: str) -> Iterator[str]:
    try:
        with held(os.open(name, FILE, dir_fd=folder)) as like:
            here, there = _read(file), _read(like)
    except OSError as error:
        yield f"its extended attributes could not be read ({error.strerror})"
        return
    for attribute, value in there.items():
        if attribute == _RIGHTS:
            yield "the rights of a program (capabilities) are not given to another text"
        elif here.get(attribute) != value:
            try:
                os.setxattr(file, attribute, value)
            except OSError as error:
                yield f"its extended attribute {attribute} could not be kept ({error.strerror})"


def _read(file: int) -> dict[str, bytes]:
    """Return the extended attributes of an open file; none where the file system has none."""
    try:
        names = os.listxattr(file)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return {}
        raise
    return {name: os.getxattr(file, name) for name in names}


def find_unkept(folder: int, name: str) -> tuple[str, ...]:
    """Return what a file that is deleted has and undo could not give back."""
    names: list[str] = []
    try:
        with held(os.open(name, FILE, dir_fd=folder)) as file:
            found = os.fstat(file)
            with suppress(OSError):
                names = sorted(_read(file)) if sys.platform == "linux" else []
    except OSError:
        return ()
    what = [f"its extended attribute {attribute}" for attribute in names if not attribute.startswith("security.")]
    if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
        what.insert(0, f"its owner {found.st_uid}:{found.st_gid}")
    return tuple(f"undo could not give back {item}" for item in what)
