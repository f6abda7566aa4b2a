"""Files below a root, seen and changed without ever following a link.

The law of this module: every step goes from a folder that is held open to a name in it, so what others rename or link
meanwhile cannot lead outside the root. What was planned is compared with what a name stood for when it was taken away,
not with what it stood for a moment before: nothing that others write in between is lost.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Self

from ...core.ground.errors import UnsafeActionError, WorkspaceError
from .attributes import copy_attributes, find_unkept
from .entries import Entry, Kind
from .renames import exchange, set_aside, settle
from .view import FILE, LinkError, held, list_names, look_below, look_in, open_folder, split_path

JOURNAL = ".symops"  # the folder of the journal; plans and changes leave it alone


class ChangedError(WorkspaceError):
    """What stands at a path is not what was planned with; it was left as it is."""


class Folder:
    """The files below a root, a race-free view (a `Tree`) and writer; a context manager that holds the root open.

    Paths are relative, POSIX and normalised. Whatever would leave the root, follow a link or touch the journal is an
    `UnsafeActionError`; what the system refuses is a `WorkspaceError`.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        if not {os.open, os.mkdir, os.stat, os.unlink, os.rename, os.rmdir, os.link} <= os.supports_dir_fd:
            raise WorkspaceError(
                "this system cannot open files relative to folders, so files cannot be changed safely: `apply` and "
                "`undo` need Linux or macOS (on Windows: WSL)"
            )
        self.root = os.fspath(root)
        self._reserved = JOURNAL
        self._lead = ""  # in messages, before paths below this root
        with _told(self.root, "opened"):
            self._fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def has_journal(self) -> bool:
        """Return whether anything stands where the journal's folder does."""
        with _told(JOURNAL, "read"):
            return look_in(self._fd, JOURNAL, 0).kind is not Kind.MISSING

    def inner(self, path: str) -> Folder:
        """Open a folder below the root as a root of its own, in which no name is reserved."""
        with self._open(_split(path), path) as folder:
            return self._at(os.path.join(self.root, path), folder, f"{self._lead}{path}/")

    def whole(self) -> Folder:
        """Open the root again, with the journal's folder in it."""
        return self._at(self.root, self._fd, self._lead)

    @staticmethod
    def _at(root: str, descriptor: int, lead: str) -> Folder:
        folder = object.__new__(Folder)
        with _told(root, "opened"):
            folder.root, folder._reserved, folder._lead, folder._fd = root, "", lead, os.dup(descriptor)
        return folder

    # ---- looking

    def look(self, path: str, max_bytes: int | None = None, *, sure: int = 0) -> Entry:
        """Return what stands at a path, with the bytes and the permission bits of a file; links are not followed.

        Args:
            path: The path.
            max_bytes: A file with more has no bytes. None: there is no limit.
            sure: How many folders at the beginning of the way must be there.

        Raises:
            ChangedError: One of these folders is missing.
            WorkspaceError: The path cannot be seen.
        """
        parts = _split(path)
        if self._is_reserved(parts):
            return Entry(Kind.OTHER)
        with _told(self._lead + path, "read"):
            try:
                return look_below(self._fd, parts, max_bytes, sure=sure)
            except (FileNotFoundError, NotADirectoryError):
                raise ChangedError(f"{path}: a folder on the way is missing now; not all was brought back") from None

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder in order (`""` is the root); none if there is no such folder."""
        parts = _split(path) if path else ()
        if self._is_reserved(parts):
            return ()
        with _told(self._lead + path if path else self.root, "read"):
            found = list_names(self._fd, parts)
        return tuple(name for name in found if parts or not self._is_reserved((name,)))

    @property
    def descriptor(self) -> int:
        """The root, open."""
        return self._fd

    def status(self) -> os.stat_result:
        """Return what the file system knows about the root."""
        with _told(self.root, "read"):
            return os.fstat(self._fd)

    def check(self, path: str) -> None:
        """Raise `UnsafeActionError` if a path is not one below the root, or belongs to the journal."""
        if self._is_reserved(_split(path)):
            raise UnsafeActionError(f"{path}: this folder belongs to the journal")

    def status_of(self, path: str) -> os.stat_result:
        """Return what the file system knows about a file or a folder."""
        with self._parent(path, "read") as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def place(self) -> str:
        """Return the path of the root, without links."""
        with _told(self.root, "read"):
            return os.path.realpath(self.root)

    def unkept(self, path: str) -> tuple[str, ...]:
        """Return what a file has besides its bytes that undo could not give back if it were deleted."""
        with self._parent(path, "read") as (folder, name):
            return find_unkept(folder, name)

    def default_mode(self) -> int:
        """Return the permission bits that a new file gets here."""
        name = f".symops-{secrets.token_hex(8)}"
        with _told(self.root, "written to"):
            os.mkdir(name, 0o777, dir_fd=self._fd)
            mode = os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_mode
            os.rmdir(name, dir_fd=self._fd)
        return mode & 0o666

    # ---- changing

    def make_folder(self, path: str, mode: int = 0o777) -> None:
        """Make one folder; raise `ChangedError` if something is there."""
        with self._parent(path, "made") as (folder, name):
            os.mkdir(name, mode, dir_fd=folder)
            os.fsync(folder)

    def ensure_folder(self, path: str, mode: int) -> None:
        """Have a folder with just these permission bits; it may be there already."""
        with self._parent(path, "made") as (folder, name):
            with suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=folder)
            with open_folder(folder, (name,)) as made:
                os.fchmod(made, mode)
            os.fsync(folder)

    def move_folder(self, path: str, other: str) -> bool:
        """Rename a folder within its folder, if nothing has the name; tell whether the file system can."""
        with self._parent(path, "renamed") as (folder, name):
            if look_in(folder, _split(other)[-1], 0).kind is not Kind.MISSING:
                raise FileExistsError
            try:
                os.rename(name, _split(other)[-1], src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as error:
                if error.errno == errno.EXDEV:  # folders of another layer of an overlay
                    return False
                raise
            os.fsync(folder)
        return True

    def remove_folder(self, path: str) -> bool:
        """Remove a folder if it is empty; tell whether it is gone."""
        with self._parent(path, "removed") as (folder, name):
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                    return False
                raise
            os.fsync(folder)
        return True

    def stage(
        self, path: str, data: bytes, mode: int | None = None, like: str | None = None, part: str | None = None
    ) -> tuple[str, ...]:
        """Write a file that was not there, down to the disk.

        Args:
            path: The file.
            data: Its bytes.
            mode: Its permission bits. None: those that new files get.
            like: A file whose owner and extended attributes (access lists, labels) it gets, where possible.
            part: A name in the same folder that it has until its bytes are on the disk, so that a power cut leaves
                under `path` all of them or no file.

        Returns:
            What of `like` it could not be given.

        Raises:
            ChangedError: Something is there.
            WorkspaceError: It cannot be written.
        """
        with self._parent(path, "written") as (folder, name):
            written = name if part is None else _split(part)[-1]
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with held(os.open(written, flags, 0o666 if mode is None else 0o600, dir_fd=folder)) as file:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(file, rest) :]
                lost = self._finish(file, folder, mode, like)
            if part is not None:
                settle(folder, written, name)
            os.fsync(folder)
        return lost

    def lend(self, source: Folder, lent: str, path: str, mode: int, like: str) -> tuple[str, ...]:
        """Do as `stage` does with a file of another folder, to which it gives a second name: a copy needs more room."""
        with self._parent(path, "written") as (folder, name):
            os.link(lent, name, src_dir_fd=source.descriptor, dst_dir_fd=folder, follow_symlinks=False)
            with held(os.open(name, FILE, dir_fd=folder)) as file:
                lost = self._finish(file, folder, mode, like)
            os.fsync(folder)
        return lost

    @staticmethod
    def _finish(file: int, folder: int, mode: int | None, like: str | None) -> tuple[str, ...]:
        lost = () if like is None else copy_attributes(file, folder, _split(like)[-1])
        if mode is not None:
            os.fchmod(file, mode)
        os.fsync(file)
        return lost

    def put(self, path: str, temporary: str, aside: str, before: bytes | None) -> None:
        """Let a staged file of the same folder take its place; under its name is then what was there before, if any.

        Raise `ChangedError` if that has not the bytes `before`: then both stand as they stood.
        """
        with self._parent(path, "written") as (folder, name):
            source, other = _split(temporary)[-1], _split(aside)[-1]
            if before is None:
                settle(folder, source, name)
            else:
                _compare(folder, name, before, path)  # the usual case, without any change
                exchange(folder, name, source, other)
                try:
                    _compare(folder, source, before, path)
                except BaseException:
                    exchange(folder, name, source, other)
                    raise
            os.fsync(folder)

    def take(self, path: str, temporary: str, before: bytes) -> None:
        """Rename a file to a name that is free in its folder, if it has the bytes `before`; else `ChangedError`."""
        with self._parent(path, "deleted") as (folder, name):
            aside = _split(temporary)[-1]
            _compare(folder, name, before, path)
            set_aside(folder, name, aside)
            try:
                _compare(folder, aside, before, path)
            except BaseException:
                settle(folder, aside, name)
                raise
            os.fsync(folder)

    def rename(self, path: str, name: str) -> None:
        """Rename a file in its folder; raise `ChangedError` if that is not free."""
        with self._parent(path, "renamed") as (folder, old):
            settle(folder, old, name)
            os.fsync(folder)

    def unlink(self, path: str) -> None:
        """Remove a file, if it is there."""
        with self._parent(path, "removed") as (folder, name), suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def open_lock(self, name: str) -> int:
        """Open a file directly below the root for locking, made if it is not there; give its descriptor."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        with _told(self._lead + name, "opened"):
            return os.open(name, flags, 0o600, dir_fd=self._fd)

    def is_same(self, name: str, file: int) -> bool:
        """Return whether a name directly below the root still stands for a file that is open."""
        try:
            there, here = os.stat(name, dir_fd=self._fd, follow_symlinks=False), os.fstat(file)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    # ---- within

    def _is_reserved(self, parts: tuple[str, ...]) -> bool:
        return bool(parts) and bool(self._reserved) and parts[0].casefold() == self._reserved

    @contextmanager
    def _parent(self, path: str, what: str) -> Iterator[tuple[int, str]]:
        """Open the folder that a path is in, and give its descriptor and the name in it, which is to be `what`."""
        self.check(path)
        parts = _split(path)
        with self._open(parts[:-1], path) as folder, _told(self._lead + path, what):
            yield folder, parts[-1]

    @contextmanager
    def _open(self, parts: tuple[str, ...], path: str) -> Iterator[int]:
        with ExitStack() as stack:
            with _told(self._lead + path, "reached"):
                folder = stack.enter_context(open_folder(self._fd, parts))
            yield folder


def beside(path: str, name: str) -> str:
    """Return the path of another name in the same folder."""
    folder, slash, _ = path.rpartition("/")
    return folder + slash + name


def _split(path: str) -> tuple[str, ...]:
    try:
        return split_path(path)
    except ValueError:
        raise UnsafeActionError(f"{path!r}: this is no path below the root") from None


def _compare(folder: int, name: str, before: bytes, path: str) -> None:
    expect(look_in(folder, name, len(before)), before, path)


def expect(entry: Entry, before: bytes | None, path: str) -> None:
    """Raise `ChangedError` unless an entry is a file with the bytes `before`, or None and no file."""
    # A file that is too long to be read has no data: it is never the one that was planned with.
    is_as_planned = entry.kind is Kind.MISSING if before is None else entry.kind is Kind.FILE and entry.data == before
    if is_as_planned:
        return
    if entry.kind in (Kind.FILE, Kind.MISSING):
        raise ChangedError(f"{path}: the file has changed since it was planned")
    raise ChangedError(f"{path}: there is a {entry.kind} now, not the file that was planned with")


@contextmanager
def _told(path: str, what: str) -> Iterator[None]:
    """Make errors of the system messages for people."""
    try:
        yield
    except LinkError as error:
        link = error.filename
        raise UnsafeActionError(f"{path}: {link!r} on the way is a link, and links are not followed") from None
    except FileExistsError:
        raise ChangedError(f"{path}: something has appeared there since it was planned") from None
    except OSError as error:
        raise WorkspaceError(f"{path}: cannot be {what}: {error.strerror or error}") from error
    except ValueError as error:  # a name that the file system cannot spell
        raise WorkspaceError(f"{path!r}: cannot be {what}: {error}") from None
