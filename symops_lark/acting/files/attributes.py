"""Copy the owner and the extended attributes of a file to its new text.

Extended attributes are access lists and labels. Bytes and mode are written elsewhere. Times are
not copied: build tools compare them, and a text that was just written, also by `undo`, must be
newer than the results of the text before it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress

from .view import FILE, held

# File capabilities of a program (`man 7 capabilities`). The kernel removes them from a file that is
# written to, because they were granted to the bytes before.
_CAPABILITIES = "security.capability"
# Labels of security modules, such as SELinux: the system gives a restored file new ones.
_SECURITY_PREFIX = "security."


def copy_attributes(file: int, folder: int, name: str) -> tuple[str, ...]:
    """Give an open file the owner and the extended attributes of another one.

    Capabilities of a program are never copied: they were granted to another text.

    Args:
        file: The descriptor of the file that gets them.
        folder: The descriptor of a folder.
        name: The name of the other file in that folder; it need not exist.

    Returns:
        The attributes that could not be copied, each with its reason.
    """
    try:
        source = os.stat(name, dir_fd=folder, follow_symlinks=False)
        target = os.fstat(file)
    except FileNotFoundError:
        return ()
    except OSError as error:
        reason = error.strerror
        return (f"its owner and its extended attributes could not be read ({reason})",)
    problems = []
    if (source.st_uid, source.st_gid) != (target.st_uid, target.st_gid):
        try:
            os.fchown(file, source.st_uid, source.st_gid)
        except OSError as error:
            owner = f"{source.st_uid}:{source.st_gid}"
            problems.append(f"its owner {owner} could not be kept ({error.strerror})")
    if sys.platform == "linux" and stat.S_ISREG(source.st_mode):
        problems += _copy_extended(file, folder, name)
    return tuple(problems)


def _copy_extended(file: int, folder: int, name: str) -> Iterator[str]:
    """Copy the extended attributes; yield those that could not be copied."""
    try:
        with held(os.open(name, FILE, dir_fd=folder)) as source:
            existing = _read(file)
            attributes = _read(source)
    except OSError as error:
        yield f"its extended attributes could not be read ({error.strerror})"
        return
    for attribute, value in attributes.items():
        if attribute == _CAPABILITIES:
            yield "the rights of a program (capabilities) are not given to another text"
            continue
        # A new file inherits some attributes from its folder: they are there already.
        if existing.get(attribute) == value:
            continue
        try:
            os.setxattr(file, attribute, value)
        except OSError as error:
            yield f"its extended attribute {attribute} could not be kept ({error.strerror})"


def _read(file: int) -> dict[str, bytes]:
    """Return the extended attributes of an open file; empty if the file system has none."""
    try:
        names = os.listxattr(file)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return {}
        raise
    return {name: os.getxattr(file, name) for name in names}


def find_unkept(folder: int, name: str) -> tuple[str, ...]:
    """Find the attributes of a file that `undo` could not restore after its deletion.

    Args:
        folder: The descriptor of a folder.
        name: The name of the file in it.

    Returns:
        One sentence for each attribute; empty if the file cannot be read.
    """
    attributes = []
    try:
        with held(os.open(name, FILE, dir_fd=folder)) as file:
            status = os.fstat(file)
            if sys.platform == "linux":
                with suppress(OSError):
                    attributes = sorted(_read(file))
    except OSError:
        return ()
    items = []
    # A restored file belongs to the user who runs `undo`.
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        items.append(f"its owner {status.st_uid}:{status.st_gid}")
    for attribute in attributes:
        if attribute.startswith(_SECURITY_PREFIX):
            continue
        items.append(f"its extended attribute {attribute}")
    return tuple(f"undo could not restore {item}" for item in items)
