"""Look at the files below a folder without ever following a link.

Purpose
    Planning reads through `FolderView`; `filesystem`, which changes files, uses the functions
    below.

Invariants
    1. Each part of a path is opened from the folder before it, which is held open. So a link that
       another program creates meanwhile is refused by the system, and a folder that is renamed
       meanwhile is still the one that was opened (`python -m benchmarks.attacks reads`).
    2. Only plain files are read: a pipe never blocks, a device is never opened for its effect.
    3. At most `max_bytes` are read of a file, whatever its size was a moment ago.

Theory of operation
    A *place* is the descriptor of an open folder. Windows cannot open a file relative to a folder:
    there a place is a path, links are detected by a test before each step, and a race is possible.
    Therefore only looking is allowed there; `filesystem.Folder` refuses.

        look_below(root, ("src", "a.py"))   openat(root, "src", O_DIRECTORY | O_NOFOLLOW) → src
                                            fstatat(src, "a.py", AT_SYMLINK_NOFOLLOW)     → a file
                                            openat(src, "a.py", O_NOFOLLOW | O_NONBLOCK)  → bytes
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

# Some flags do not exist on Windows; 0 leaves them out.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NOT_INHERITED = getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_BINARY = getattr(os, "O_BINARY", 0)
FOLDER = os.O_RDONLY | _DIRECTORY | _NOT_INHERITED
# Not blocking: without it, opening a pipe waits for a program that writes to it.
_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)
FILE = os.O_RDONLY | _NO_LINK | _NOT_BLOCKING | _NOT_INHERITED | _BINARY
_BY_HANDLE = {os.open, os.stat} <= os.supports_dir_fd and os.listdir in os.supports_fd
_NO_NAMES = frozenset(("", ".", ".."))
_NO_SUCH = (FileNotFoundError, NotADirectoryError)
_CHUNK_BYTES = 1 << 20  # bytes of one read: few calls, and no large buffer for small files
_NEVER = -1  # as a limit in bytes: no file is opened
_FILE_ATTRIBUTE_REPARSE_POINT = 0x400  # of Windows: junctions, and links of other kinds
_Place = TypeVar("_Place", int, str)


AnyTree = Tree | str | os.PathLike[str]


class LinkError(OSError):
    """A part of a path is a link; `filename` is that part."""


class FolderView:
    """The files below a folder, as a `Tree` that is only looked at.

    Entries that the user may not see are OTHER, or files without bytes.

    Attributes:
        root: The absolute path of the folder, with links resolved: the root may be named by a link.
        max_bytes: The size of files, in bytes, above which they are not opened and have no bytes
            here.
    """

    def __init__(self, root: str | os.PathLike[str], max_bytes: int = 10_000_000) -> None:
        """Check that the folder exists.

        Args:
            root: The folder.
            max_bytes: See the attribute.

        Raises:
            WorkspaceError: There is no such folder.
        """
        self.root = os.path.realpath(root)
        if not os.path.isdir(self.root):
            raise WorkspaceError(f"{os.fspath(root)}: there is no such folder to work in")
        self.max_bytes = max_bytes

    def look(self, path: str) -> Entry:
        """Return the entry at a relative POSIX path; LINK if any part of the path is a link.

        Raises `ValueError` if a part is not a plain name.
        """
        parts = split_path(path)
        # A file that cannot be read is still a file: look again, without opening it.
        for limit in (self.max_bytes, _NEVER):
            with suppress(OSError), self._open() as root:
                return look_below(root, parts, limit)
        return Entry(Kind.OTHER)

    def names(self, path: str) -> tuple[str, ...]:
        """Return the sorted names in a folder (`""` is the root); empty if there is none."""
        parts = split_path(path) if path else ()
        with suppress(OSError), self._open() as root:
            return list_names(root, parts)
        return ()

    def _open(self) -> AbstractContextManager[Any]:
        return open_root(self.root)


def split_path(path: str) -> tuple[str, ...]:
    """Return the parts of a relative POSIX path.

    Args:
        path: The path.

    Returns:
        Plain names, at least one.

    Raises:
        ValueError: A part is empty, consists of dots, or has a NUL or a separator of the system.
    """
    parts = tuple(path.split("/"))
    is_plain = "\0" not in path and _NO_NAMES.isdisjoint(parts)
    # On Windows the separator is a backslash, which is a letter of names elsewhere.
    if not is_plain or os.sep in path.replace("/", ""):
        raise ValueError(f"not a path below a root: {path!r}")
    return parts


def look_below(
    root: _Place, parts: Sequence[str], max_bytes: int | None = None, *, sure: int = 0
) -> Entry:
    """Return the entry at the end of a path.

    Args:
        root: The place where the path begins.
        parts: The names on the path.
        max_bytes: The size of files, in bytes, above which they are not read. None: no limit.
        sure: The number of folders at the beginning of the path that must exist. A missing one is
            an error then, not an entry of kind MISSING.

    Returns:
        The entry; LINK if a part of the path is a link.

    Raises:
        OSError: It cannot be seen, or one of the `sure` folders is missing.
    """
    with suppress(LinkError), open_folder(root, parts[:sure]) as existing:
        with suppress(*_NO_SUCH), open_folder(existing, parts[sure:-1]) as folder:
            return look_in(folder, parts[-1], max_bytes)
        return Entry(Kind.MISSING)
    return Entry(Kind.LINK)


def list_names(root: _Place, parts: Sequence[str]) -> tuple[str, ...]:
    """Return the sorted names in a folder.

    Args:
        root: The place where the path begins.
        parts: The names on the path.

    Returns:
        The names; empty if there is no folder at the path, or a link on it.

    Raises:
        OSError: The folder cannot be read.
    """
    try:
        with open_folder(root, parts) as folder:
            return tuple(sorted(os.listdir(folder)))
    except (LinkError, *_NO_SUCH):
        return ()


def open_file(root: _Place, parts: Sequence[str]) -> int:
    """Open the file at the end of a path, for reading.

    Args:
        root: The place where the path begins.
        parts: The names on the path; none of them may be a link.

    Returns:
        The descriptor of the file, or of any other object that is not a link.

    Raises:
        LinkError: A part of the path is a link.
        OSError: The system cannot open it.
    """
    with open_folder(root, parts[:-1]) as folder:
        if _kind(_state(folder, parts[-1])) is Kind.LINK:
            raise _link_error(parts[-1])
        return _open_in(folder, parts[-1])


def read_link(root: _Place, parts: Sequence[str]) -> str:
    """Return the target of the link at the end of a path, as it is written in the link.

    Args:
        root: The place where the path begins.
        parts: The names on the path.

    Returns:
        The target.

    Raises:
        OSError: There is no link, or it cannot be read.
    """
    with open_folder(root, parts[:-1]) as folder:
        if isinstance(folder, int):
            return os.readlink(parts[-1], dir_fd=folder)
        return os.readlink(os.path.join(folder, parts[-1]))


def open_root(root: str) -> AbstractContextManager[Any]:
    """Open a folder as the place where paths begin."""
    if not _BY_HANDLE:
        return nullcontext(root)
    descriptor = os.open(root, FOLDER)
    return held(descriptor)


@contextmanager
def held(handle: int) -> Iterator[int]:
    """Yield the descriptor of an open file or folder, and close it at the end."""
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def open_folder(root: _Place, parts: Sequence[str]) -> Iterator[_Place]:
    """Open the folder at the end of a path, step by step.

    Args:
        root: The place where the path begins.
        parts: The names on the path.

    Yields:
        The place of the folder, closed at the end.

    Raises:
        LinkError: A part of the path is a link.
        OSError: There is no such folder, or the system cannot open it.
    """
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
    """Return the entry under a name in a folder.

    Args:
        folder: The place of the folder.
        name: The name.
        max_bytes: The size of files, in bytes, above which they are not read. None: no limit.

    Returns:
        The entry.

    Raises:
        OSError: It cannot be seen, or is a file that cannot be opened.
    """
    status = _state(folder, name)
    if status is None or not stat.S_ISREG(status.st_mode):
        return Entry(_kind(status))
    if max_bytes is not None and status.st_size > max_bytes:
        return _file_entry(status, None)
    # The name may stand for something else by now. A link is refused by the system, a pipe does not
    # block, and the test after opening makes sure that neither is read.
    try:
        file = _open_in(folder, name)
    except OSError:
        current = _kind(_state(folder, name))
        if current is not Kind.FILE:
            return Entry(current)
        raise
    with held(file):
        opened = os.fstat(file)
        if not stat.S_ISREG(opened.st_mode):
            return Entry(Kind.OTHER)
        return _file_entry(opened, _read(file, max_bytes))


def _file_entry(status: os.stat_result, data: bytes | None) -> Entry:
    return Entry(
        kind=Kind.FILE, data=data, mode=stat.S_IMODE(status.st_mode), links=status.st_nlink
    )


def _link_error(name: str) -> LinkError:
    return LinkError(errno.ELOOP, os.strerror(errno.ELOOP), name)


def _open_in(folder: int | str, name: str) -> int:
    if isinstance(folder, int):
        return os.open(name, FILE, dir_fd=folder)
    return os.open(os.path.join(folder, name), FILE)


def _read(file: int, max_bytes: int | None) -> bytes | None:
    """Read a file to its end; return None if it has more than `max_bytes`.

    The size of the file is not trusted: files of `/proc` have size 0, and others grow meanwhile.
    """
    chunks = []
    size = 0
    while chunk := os.read(file, _CHUNK_BYTES):
        chunks.append(chunk)
        size += len(chunk)
        if max_bytes is not None and size > max_bytes:
            return None
    return b"".join(chunks)


def _step(folder: int, name: str) -> int:
    """Open the folder `name` in a folder; the system refuses a link that appears meanwhile."""
    try:
        return os.open(name, FOLDER | _NO_LINK, dir_fd=folder)
    except OSError as error:
        kind = _kind(_state(folder, name))
        # It was not a folder when it was opened, and is one (or missing) now: it was a link for a
        # moment. To report it as missing would lose the files in it.
        is_refused = error.errno in (errno.ELOOP, errno.ENOTDIR)
        was_link = is_refused and kind in (Kind.FOLDER, Kind.MISSING)
        if kind is Kind.LINK or was_link:
            raise _link_error(name) from None
        raise


def _expect_folder(folder: str, name: str) -> None:
    """Raise `OSError` unless a name in a folder, given by its path, is a folder."""
    kind = _kind(_state(folder, name))
    if kind is Kind.LINK:
        raise _link_error(name)
    if kind is not Kind.FOLDER:
        number = errno.ENOENT if kind is Kind.MISSING else errno.ENOTDIR
        raise OSError(number, os.strerror(number), name)


def _state(folder: int | str, name: str) -> os.stat_result | None:
    """Return the status of a name, of a link itself; None if it does not exist."""
    try:
        if isinstance(folder, int):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        return os.lstat(os.path.join(folder, name))
    except FileNotFoundError:
        return None


def _kind(status: os.stat_result | None) -> Kind:
    if status is None:
        return Kind.MISSING
    # Junctions of Windows lead elsewhere as links do, but `S_ISLNK` is false for them.
    attributes = getattr(status, "st_file_attributes", 0)
    is_junction = attributes & _FILE_ATTRIBUTE_REPARSE_POINT
    if stat.S_ISLNK(status.st_mode) or is_junction:
        return Kind.LINK
    if stat.S_ISDIR(status.st_mode):
        return Kind.FOLDER
    if stat.S_ISREG(status.st_mode):
        return Kind.FILE
    return Kind.OTHER
