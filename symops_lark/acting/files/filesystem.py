"""Read and change files below a root, without following links and without losing any text.

Purpose
    `Folder` is what `apply` and `undo` write through. Other programs (editors, formatters,
    attackers) may change the same files at the same time.

Invariants
    1. Nothing outside the root is read or written. Every step goes from a folder that is held
       open to a name in it, so a rename or a new link meanwhile cannot lead elsewhere (`python -m
       benchmarks.attacks exchanges`).
    2. No text of another program is lost. The bytes that the plan expects are compared with the
       file *after* it was taken away from its name, not a moment before
       (`tests/acting/test_filesystem.py`, `tests/acting/test_attacks.py`).
    3. After a power cut a file has its old bytes or its new ones
       (`tests/acting/test_journal_kills.py`): bytes are on the disk before the name is changed,
       and the folder after it.

Theory of operation
    To replace `a` (bytes A) by B, with a temporary name t in the same folder:

        stage t with B      a: A   t: B
        exchange a and t    a: B   t: A     one system call; a is never missing
        compare t with A    another program wrote C meanwhile? Then t has C: exchange again, refuse.

Not here
    Which changes are made, and how they are undone: `acting.journal`. Looking: `opened`. How
    names are exchanged where the system has no call for it: `renames`. Windows: it cannot open
    files relative to folders.
"""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress

from .attributes import copy_attributes
from .entries import Entry, Kind
from .opened import JOURNAL as JOURNAL
from .opened import ChangedError as ChangedError
from .opened import OpenedFolder, explain_errors, safe_parts
from .renames import exchange, set_aside, settle
from .view import FILE, held, look_in, open_folder

_MAX_START_BYTES = 200  # of a name, before the ending that makes it a new one


class Folder(OpenedFolder):
    """The files below a root: a race-free view (a `Tree`) and writer.

    See `OpenedFolder` for paths, errors and everything that only looks.
    """

    # ---- changing folders

    def make_folder(self, path: str, mode: int = 0o777) -> None:
        """Make one folder; `ChangedError` if something is there.

        Args:
            path: The folder; its parent exists.
            mode: Its permission bits, less the umask.
        """
        with self.parent(path, "made") as (folder, name):
            os.mkdir(name, mode, dir_fd=folder)
            os.fsync(folder)

    def ensure_folder(self, path: str, mode: int) -> None:
        """Make a folder, or set its permission bits if it exists.

        Args:
            path: The folder; its parent exists.
            mode: Its permission bits, whatever the umask is.
        """
        with self.parent(path, "made") as (folder, name):
            with suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=folder)
            with open_folder(folder, (name,)) as opened:
                os.fchmod(opened, mode)
            os.fsync(folder)

    def move_folder(self, path: str, other: str) -> bool:
        """Rename a folder within its parent, if nothing has the new name.

        Args:
            path: The folder.
            other: Its new path.

        Returns:
            Whether the file system can do it.

        Raises:
            FileExistsError: Something has the new name; reported as `ChangedError`.
            OSError: The system refuses; reported as `WorkspaceError`.
        """
        target = safe_parts(other)[-1]
        with self.parent(path, "renamed") as (folder, name):
            if look_in(folder, target, 0).kind is not Kind.MISSING:
                raise FileExistsError
            try:
                os.rename(name, target, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as error:
                # The folder belongs to a lower layer of an overlay file system (containers).
                if error.errno == errno.EXDEV:
                    return False
                raise
            os.fsync(folder)
        return True

    def remove_folder(self, path: str) -> bool:
        """Remove a folder if it is empty; return whether it was removed."""
        with self.parent(path, "removed") as (folder, name):
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                    return False
                raise
            os.fsync(folder)
        return True

    # ---- changing files

    def stage(
        self,
        path: str,
        data: bytes,
        mode: int | None = None,
        like: str | None = None,
        part: str | None = None,
    ) -> tuple[str, ...]:
        """Write a new file, down to the disk.

        Args:
            path: The file.
            data: Its bytes.
            mode: Its permission bits. None: those of any new file.
            like: A file in the same folder whose owner and extended attributes (access lists,
                labels) it gets, where possible. None: no such file.
            part: A name in the same folder that the file has until its bytes are on the disk, so
                that a power cut leaves all of them under `path`, or no file. None: `path` at
                once.

        Returns:
            The attributes of `like` that could not be copied.

        Raises:
            ChangedError: Something is there.
            WorkspaceError: It cannot be written.
        """
        with self.parent(path, "written") as (folder, name):
            first_name = name if part is None else safe_parts(part)[-1]
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            # With a mode to come, only the owner may read it meanwhile: it may be a private file.
            first_mode = 0o666 if mode is None else 0o600
            with held(os.open(first_name, flags, first_mode, dir_fd=folder)) as file:
                remaining = memoryview(data)
                # `write` may write less than asked, on a signal or a nearly full disk.
                while remaining:
                    remaining = remaining[os.write(file, remaining) :]
                problems = self._finish(file, folder, mode, like)
            if part is not None:
                settle(folder, first_name, name)
            os.fsync(folder)
        return problems

    def lend(self, source: Folder, lent: str, path: str, mode: int, like: str) -> tuple[str, ...]:
        """Give a file of another folder a second name here, as `stage` would write a copy.

        A hard link needs no room: `undo` must also work on a full disk.

        Args:
            source: The other folder, on the same file system.
            lent: The name of the file in it.
            path: The second name.
            mode: The permission bits of the file.
            like: A file in the same folder, as for `stage`.

        Returns:
            The attributes of `like` that could not be copied.
        """
        with self.parent(path, "written") as (folder, name):
            os.link(
                lent, name, src_dir_fd=source.descriptor, dst_dir_fd=folder, follow_symlinks=False
            )
            with held(os.open(name, FILE, dir_fd=folder)) as file:
                problems = self._finish(file, folder, mode, like)
            os.fsync(folder)
        return problems

    @staticmethod
    def _finish(file: int, folder: int, mode: int | None, like: str | None) -> tuple[str, ...]:
        """Set owner, attributes and mode of a new file, and wait until it is on the disk."""
        problems: tuple[str, ...] = ()
        if like is not None:
            problems = copy_attributes(file, folder, safe_parts(like)[-1])
        # After the owner: `chown` removes the bits that run a program with its owner's rights.
        if mode is not None:
            os.fchmod(file, mode)
        os.fsync(file)
        return problems

    def put(self, path: str, temporary: str, aside: str, before: bytes | None) -> None:
        """Put a staged file in its place; the file that was there gets the name of the staged one.

        Args:
            path: The place.
            temporary: The staged file, in the same folder.
            aside: A free name in the same folder, as for `exchange`.
            before: The bytes that the file at `path` must have. None: there must be no file.

        Raises:
            ChangedError: It has other bytes; both files are as they were.
        """
        with self.parent(path, "written") as (folder, name):
            source = safe_parts(temporary)[-1]
            spare = safe_parts(aside)[-1]
            if before is None:
                settle(folder, source, name)
            else:
                # The usual conflict is found here, without any change of the folder.
                _compare(folder, name, before, path)
                exchange(folder, name, source, spare)
                try:
                    _compare(folder, source, before, path)
                except BaseException:
                    exchange(folder, name, source, spare)
                    raise
            os.fsync(folder)

    def take(self, path: str, temporary: str, before: bytes) -> None:
        """Take a file away from its name, to a free name in its folder.

        Args:
            path: The file.
            temporary: The free name.
            before: The bytes that the file must have.

        Raises:
            ChangedError: It has other bytes; it still has its name.
        """
        with self.parent(path, "deleted") as (folder, name):
            aside = safe_parts(temporary)[-1]
            _compare(folder, name, before, path)
            set_aside(folder, name, aside)
            try:
                _compare(folder, aside, before, path)
            except BaseException:
                settle(folder, aside, name)
                raise
            os.fsync(folder)

    def rename(self, path: str, name: str) -> None:
        """Rename a file in its folder; `ChangedError` if the new name is not free."""
        with self.parent(path, "renamed") as (folder, old):
            settle(folder, old, name)
            os.fsync(folder)

    def unlink(self, path: str) -> None:
        """Remove a file, if it exists."""
        with self.parent(path, "removed") as (folder, name), suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def open_lock(self, name: str) -> int:
        """Open a file directly below the root for locking, and create it if necessary.

        Returns:
            The descriptor; the caller closes it.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        with explain_errors(self._prefix + name, "opened"):
            return os.open(name, flags, 0o600, dir_fd=self._fd)

    def is_same(self, name: str, file: int) -> bool:
        """Return whether a name directly below the root is still that of an open file."""
        try:
            by_name = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
            opened = os.fstat(file)
        except OSError:
            return False
        return (by_name.st_dev, by_name.st_ino) == (opened.st_dev, opened.st_ino)


def beside(path: str, name: str) -> str:
    """Return the path of another name in the same folder."""
    folder, slash, _ = path.rpartition("/")
    return folder + slash + name


def make_unused(path: str) -> str:
    """Return a path beside a path, for what must give way and is kept: `a.py.kept-0f3c91d2`."""
    # A name may have 255 bytes. Half of a character at the end is left out.
    start = os.fsencode(path.rpartition("/")[2])[:_MAX_START_BYTES].decode(errors="ignore")
    return beside(path, f"{start}.kept-{secrets.token_hex(4)}")


def _compare(folder: int, name: str, before: bytes, path: str) -> None:
    expect(look_in(folder, name, len(before)), before, path)


def expect(entry: Entry, before: bytes | None, path: str) -> None:
    """Check that an entry is the one that a plan was made for.

    Args:
        entry: The entry, read up to the length of `before`.
        before: The bytes of the file. None: there is no file.
        path: The path, for the message.

    Raises:
        ChangedError: It is another one.
    """
    # A file that is longer than `before` was not read. Its data is None, which equals no bytes.
    if before is None:
        is_as_planned = entry.kind is Kind.MISSING
    else:
        is_as_planned = entry.kind is Kind.FILE and entry.data == before
    if is_as_planned:
        return
    if entry.kind in (Kind.FILE, Kind.MISSING):
        raise ChangedError(f"{path}: the file has changed since it was planned")
    raise ChangedError(f"{path}: there is a {entry.kind} now, not the file that was planned with")
