"""A folder as a `Tree`, for planning: it only reads, and never follows a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from .changes import Entry, Kind

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = (os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
         | getattr(os, "O_BINARY", 0))  # fmt: skip
_BY_HANDLE = {os.open, os.stat} <= os.supports_dir_fd and os.scandir in os.supports_fd


class FolderView:
    """What stands below a folder; the folder itself may be named by a link. Larger files have no bytes here.

    Every part of a path is opened from the folder before it, so that a link that appears on the way is not followed
    either. Systems without such calls (Windows) are asked about every part before the file is read.
    """

    def __init__(self, root: str | os.PathLike[str], max_bytes: int = 10_000_000) -> None:
        self.root = os.path.realpath(root)
        self.max_bytes = max_bytes

    def look(self, path: str) -> Entry:
        """Tell what stands at a relative POSIX path; a link on the way makes it a LINK."""
        *folders, name = _parts(path)
        try:
            with self._folder(folders) as folder:
                return self._look_in(folder, name)
        except _Found as found:
            return Entry(found.kind)
        except OSError:  # not ours to look at
            return Entry(Kind.OTHER)

    def names(self, path: str) -> tuple[str, ...]:
        """Give the names in a folder in order (`""` is the root); none if there is no such folder."""
        parts = _parts(path) if path else []
        with suppress(_Found, OSError), self._folder(parts) as folder, os.scandir(folder) as rows:
            return tuple(sorted(row.name for row in rows))
        return ()

    @contextmanager
    def _folder(self, parts: list[str]) -> Iterator[int | str]:
        """Open a folder: give its handle, or where there are none its path; raise `_Found` for anything else."""
        if not _BY_HANDLE:
            for end in range(1, len(parts) + 1):
                _walk(os.path.join(self.root, *parts[: end - 1]), parts[end - 1])
            yield os.path.join(self.root, *parts)
            return
        handle = os.open(self.root, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            for part in parts:
                _walk(handle, part)
                try:
                    below = os.open(part, _FOLDER, dir_fd=handle)
                except OSError:
                    raise _Found(Kind.OTHER) from None
                os.close(handle)
                handle = below
            yield handle
        finally:
            os.close(handle)

    def _look_in(self, folder: int | str, name: str) -> Entry:
        found = _state(folder, name)
        if found is None or not stat.S_ISREG(found.st_mode):
            return Entry(_kind(found))
        mode = stat.S_IMODE(found.st_mode)
        try:
            if isinstance(folder, int):
                handle = os.open(name, _FILE, dir_fd=folder)
            else:
                handle = os.open(os.path.join(folder, name), _FILE)
        except OSError:
            return Entry(Kind.FILE, None, mode)
        with open(handle, "rb") as stream:
            opened = os.fstat(handle)
            if not stat.S_ISREG(opened.st_mode):
                return Entry(Kind.OTHER)
            data = stream.read(self.max_bytes + 1) if opened.st_size <= self.max_bytes else None
        return Entry(Kind.FILE, data if data is not None and len(data) <= self.max_bytes else None, mode)


class _Found(Exception):
    """On the way to a path stands something that is no folder."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        super().__init__(kind)


def _walk(folder: int | str, part: str) -> None:
    kind = _kind(_state(folder, part))
    if kind is not Kind.FOLDER:
        raise _Found(Kind.MISSING if kind is Kind.FILE else kind)


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


def _parts(path: str) -> list[str]:
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part or os.sep in part.replace("/", "") for part in parts):
        raise ValueError(f"not a path below a root: {path!r}")
    return parts
