"""What stands below a folder, seen without ever following a link: for planning, and for `filesystem`, which changes it.

A place is a folder that is held open; where a system opens nothing relative to folders (Windows), it is a path. Every
part of a way is opened from the folder before it, so that a link that appears meanwhile is not followed either.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeVar

from ...core.ground.errors import WorkspaceError
from .entries import Entry, Kind, Tree

FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_BY_HANDLE = {os.open, os.stat} <= os.supports_dir_fd and os.listdir in os.supports_fd
_NO_SUCH = (FileNotFoundError, NotADirectoryError)
_PIECE = 1 << 20
_NEVER = -1  # as a limit: no file is opened
_Place = TypeVar("_Place", int, str)


AnyTree = Tree | str | os.PathLike[str]


class LinkError(OSError):
    """A link is on the way; `filename` is the part that is one."""


class FolderView:
    """What stands below a folder, as a `Tree` that is only looked at; the folder itself may be named by a link.

    Files with more than `max_bytes` have no bytes here, and are not opened. What is not ours to see is OTHER, or a file
    without bytes. Raise `WorkspaceError` if there is no such folder.
    """

    def __init__(self, root: str | os.PathLike[str], max_bytes: int = 10_000_000) -> None:
        self.root = os.path.realpath(root)
        if not os.path.isdir(self.root):
            raise WorkspaceError(f"{os.fspath(root)}: there is no such folder to work in")
        self.max_bytes = max_bytes

    def look(self, path: str) -> Entry:
        """Return what stands at a relative POSIX path; a link on the way makes it a LINK."""
        parts = split_path(path)
        for limit in (self.max_bytes, _NEVER):
            with suppress(OSError), self._open() as root:
                return look_below(root, parts, limit)
        return Entry(Kind.OTHER)

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder in order (`""` is the root); none if there is no such folder."""
        parts = split_path(path) if path else ()
        with suppress(OSError), self._open() as root:
            return list_names(root, parts)
        return ()

    def _open(self) -> AbstractContextManager[Any]:
        return open_root(self.root)


def split_path(path: str) -> tuple[str, ...]:
    """Return the parts of a relative POSIX path; raise `ValueError` if it has others than names."""
    parts = tuple(path.split("/"))
    if any(part in ("", ".", "..") or "\0" in part or os.sep in part.replace("/", "") for part in parts):
        raise ValueError(f"not a path below a root: {path!r}")
    return parts


def look_below(root: _Place, parts: Sequence[str], max_bytes: int | None = None, *, sure: int = 0) -> Entry:
    """Return what stands at the end of a way from a place.

    Args:
        root: The place.
        parts: The names on the way.
        max_bytes: A file with more has no bytes. None: there is no limit.
        sure: How many folders at the beginning of the way must be there.

    Raises:
        OSError: It cannot be seen, or one of these folders is missing.
    """
    with suppress(LinkError), open_folder(root, parts[:sure]) as certain:
        with suppress(*_NO_SUCH), open_folder(certain, parts[sure:-1]) as folder:
            return look_in(folder, parts[-1], max_bytes)
        return Entry(Kind.MISSING)
    return Entry(Kind.LINK)


def list_names(root: _Place, parts: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the folder at the end of a way, in order; none if it is no folder. Raise `OSError` else."""
    try:
        with open_folder(root, parts) as folder:
            return tuple(sorted(os.listdir(folder)))
    except (LinkError, *_NO_SUCH):
        return ()


def open_file(root: _Place, parts: Sequence[str]) -> int:
    """Open the file at the end of a way from a place, to be read.

    Args:
        root: A folder that is held open, or a path where nothing can be opened relative to folders.
        parts: The names on the way, none of them a link.

    Returns:
        The descriptor of the file, or of whatever else stands there.

    Raises:
        LinkError: A link is on the way, or at its end.
        OSError: The system cannot open it.
    """
    with open_folder(root, parts[:-1]) as folder:
        if _kind(_state(folder, parts[-1])) is Kind.LINK:
            raise LinkError(errno.ELOOP, os.strerror(errno.ELOOP), parts[-1])
        return _open_in(folder, parts[-1])


def read_link(root: _Place, parts: Sequence[str]) -> str:
    """Return where the link at the end of a way from a place leads; raise `OSError` if it is none."""
    with open_folder(root, parts[:-1]) as folder:
        if isinstance(folder, int):
            return os.readlink(parts[-1], dir_fd=folder)
        return os.readlink(os.path.join(folder, parts[-1]))


def open_root(root: str) -> AbstractContextManager[Any]:
    """Open a folder as the place where ways begin."""
    return held(os.open(root, FOLDER)) if _BY_HANDLE else nullcontext(root)


@contextmanager
def held(handle: int) -> Iterator[int]:
    """Give an open file or folder, which is closed at the end."""
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def open_folder(root: _Place, parts: Sequence[str]) -> Iterator[_Place]:
    """Open the folder at the end of a way; raise `LinkError` or another `OSError` if there is no way."""
    if isinstance(root, str):
        place = root
        for part in parts:
            _expect_folder(place, part)
            place = os.path.join(place, part)
        yield place
        return
    handle = os.dup(root)
    try:
        for part in parts:
            below = _step(handle, part)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def look_in(folder: int | str, name: str, max_bytes: int | None = None) -> Entry:
    """Return what a name in a folder stands for; a file with more than `max_bytes` is not read."""
    found = _state(folder, name)
    if found is None or not stat.S_ISREG(found.st_mode):
        return Entry(_kind(found))
    if max_bytes is not None and found.st_size > max_bytes:
        return Entry(Kind.FILE, None, stat.S_IMODE(found.st_mode), found.st_nlink)
    try:  # it may be something else by now: a link is refused, a pipe does not block, neither is read
        file = _open_in(folder, name)
    except OSError:
        if (now := _kind(_state(folder, name))) is not Kind.FILE:
            return Entry(now)
        raise
    with held(file):
        opened = os.fstat(file)
        if not stat.S_ISREG(opened.st_mode):
            return Entry(Kind.OTHER)
        return Entry(Kind.FILE, _read(file, max_bytes), stat.S_IMODE(opened.st_mode), opened.st_nlink)


def _open_in(folder: int | str, name: str) -> int:
    if isinstance(folder, int):
        return os.open(name, FILE, dir_fd=folder)
    return os.open(os.path.join(folder, name), FILE)


def _read(file: int, max_bytes: int | None) -> bytes | None:
    """Read a file to its end; None if that does not come in time."""
    pieces, size = [], 0
    while piece := os.read(file, _PIECE):
        pieces.append(piece)
        size += len(piece)
        if max_bytes is not None and size > max_bytes:
            return None
    return b"".join(pieces)


def _step(folder: int, name: str) -> int:
    """Go one folder down; whoever puts a link there meanwhile is refused by the system."""
    try:
        return os.open(name, FOLDER | _NO_LINK, dir_fd=folder)
    except OSError as error:
        kind = _kind(_state(folder, name))
        # What was no folder and is one now was a link for a moment: to call it missing would lose what is in it.
        was_link = error.errno in (errno.ELOOP, errno.ENOTDIR) and kind in (Kind.FOLDER, Kind.MISSING)
        if kind is Kind.LINK or was_link:
            raise LinkError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def _expect_folder(folder: str, name: str) -> None:
    kind = _kind(_state(folder, name))
    if kind is Kind.LINK:
        raise LinkError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    if kind is not Kind.FOLDER:
        number = errno.ENOENT if kind is Kind.MISSING else errno.ENOTDIR
        raise OSError(number, os.strerror(number), name)


def _state(folder: int | str, name: str) -> os.stat_result | None:
    try:
        if isinstance(folder, int):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        return os.lstat(os.path.join(folder, name))
    except FileNotFoundError:
        return None


def _kind(found: os.stat_result | None) -> Kind:
    if found is None:
        return Kind.MISSING
    reparse = getattr(found, "st_file_attributes", 0) & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400)
    if stat.S_ISLNK(found.st_mode) or reparse:  # junctions of Windows lead elsewhere too
        return Kind.LINK
    if stat.S_ISDIR(found.st_mode):
        return Kind.FOLDER
    return Kind.FILE if stat.S_ISREG(found.st_mode) else Kind.OTHER
