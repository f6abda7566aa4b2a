"""Hold a folder open, look at the files below it, and explain errors of the system.

`filesystem.Folder` adds the methods that change files. Planning uses `view.FolderView` instead,
which also works where files cannot be opened relative to folders.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Self

from ...core.ground.errors import UnsafeActionError, WorkspaceError
from .attributes import find_unkept
from .entries import Entry, Kind
from .view import LinkError, list_names, look_below, look_in, open_folder, split_path

JOURNAL = ".symops"  # the folder of the journal; plans and changes leave it alone


class ChangedError(WorkspaceError):
    """A path has another text than the plan expects; it was left as it is."""


class OpenedFolder:
    """A folder that is held open: a race-free view (a `Tree`) of the files below it.

    It is a context manager. Paths are relative, POSIX and normalized. Methods with a path raise
    `UnsafeActionError` if it would leave the root or follow a link, and `WorkspaceError` if the
    system refuses. `look` returns links and the journal as entries of these kinds; `names` leaves
    the journal out, and `check` refuses it.

    Attributes:
        root: The path of the root as it was given; for messages, never to open files.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Open the root.

        Args:
            root: The folder. It may be named by a link.

        Raises:
            WorkspaceError: It cannot be opened, or the system cannot open files relative to
            folders.
        """
        required = {os.open, os.mkdir, os.stat, os.unlink, os.rename, os.rmdir, os.link}
        if not required <= os.supports_dir_fd:
            raise WorkspaceError(
                "this system cannot open files relative to folders, so files cannot be changed "
                "safely: `apply` and `undo` need Linux or macOS (on Windows: WSL)"
            )
        self.root = os.fspath(root)
        self._reserved = JOURNAL
        self._prefix = ""  # in messages, before paths below this root
        with explain_errors(self.root, "opened"):
            self._fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def has_journal(self) -> bool:
        """Return whether anything has the name of the journal's folder."""
        with explain_errors(JOURNAL, "read"):
            return look_in(self._fd, JOURNAL, 0).kind is not Kind.MISSING

    def inner(self, path: str) -> Self:
        """Open a folder below the root as a separate root, in which no name is reserved."""
        with self._open(safe_parts(path), path) as folder:
            return self._at(os.path.join(self.root, path), folder, f"{self._prefix}{path}/")

    def whole(self) -> Self:
        """Open the root again, with access to the journal's folder."""
        return self._at(self.root, self._fd, self._prefix)

    def _at(self, root: str, descriptor: int, prefix: str) -> Self:
        # `__init__` opens a path; here the folder is open already, and a path could lead elsewhere.
        folder = object.__new__(type(self))
        with explain_errors(root, "opened"):
            folder.root = root
            folder._reserved = ""
            folder._prefix = prefix
            folder._fd = os.dup(descriptor)
        return folder

    # ---- looking

    def look(self, path: str, max_bytes: int | None = None, *, sure: int = 0) -> Entry:
        """Return the entry at a path; LINK if any part of the path is a link.

        Args:
            path: The path.
            max_bytes: The size of files, in bytes, above which they are not read. None: no limit.
            sure: The number of folders at the beginning of the path that must exist.

        Returns:
            The entry; OTHER for the journal.

        Raises:
            ChangedError: One of the `sure` folders is missing.
            WorkspaceError: The path cannot be seen.
        """
        parts = safe_parts(path)
        if self._is_reserved(parts):
            return Entry(Kind.OTHER)
        with explain_errors(self._prefix + path, "read"):
            try:
                return look_below(self._fd, parts, max_bytes, sure=sure)
            except (FileNotFoundError, NotADirectoryError):
                raise ChangedError(
                    f"{path}: a folder on the way is missing now; not all was brought back"
                ) from None

    def names(self, path: str) -> tuple[str, ...]:
        """Return the sorted names in a folder (`""` is the root), without the journal."""
        parts = safe_parts(path) if path else ()
        if self._is_reserved(parts):
            return ()
        with explain_errors(self._prefix + path if path else self.root, "read"):
            names = list_names(self._fd, parts)
        if parts:
            return names
        return tuple(name for name in names if not self._is_reserved((name,)))

    @property
    def descriptor(self) -> int:
        """The descriptor of the open root."""
        return self._fd

    def status(self) -> os.stat_result:
        """Return the status of the root, as `os.stat` does."""
        with explain_errors(self.root, "read"):
            return os.fstat(self._fd)

    def check(self, path: str) -> None:
        """Check that a path is below the root and does not belong to the journal.

        Raises:
            UnsafeActionError: It is not, or it does.
        """
        if self._is_reserved(safe_parts(path)):
            raise UnsafeActionError(f"{path}: this folder belongs to the journal")

    def status_of(self, path: str) -> os.stat_result:
        """Return the status of a file or a folder, of a link itself."""
        with self.parent(path, "read") as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def place(self) -> str:
        """Return the absolute path of the root, without links."""
        with explain_errors(self.root, "read"):
            return os.path.realpath(self.root)

    def unkept(self, path: str) -> tuple[str, ...]:
        """Return the attributes of a file that `undo` could not restore after its deletion."""
        with self.parent(path, "read") as (folder, name):
            return find_unkept(folder, name)

    def default_mode(self) -> int:
        """Return the permission bits that a new file gets here.

        A folder is made and its mode is read: `os.umask` can only be read by setting it, for all
        threads, and a default access list of the root counts too.
        """
        name = f".symops-{secrets.token_hex(8)}"
        with explain_errors(self.root, "written to"):
            os.mkdir(name, 0o777, dir_fd=self._fd)
            mode = os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_mode
            os.rmdir(name, dir_fd=self._fd)
        return mode & 0o666

    # ---- within

    def _is_reserved(self, parts: tuple[str, ...]) -> bool:
        if not parts or not self._reserved:
            return False
        return parts[0].casefold() == self._reserved

    @contextmanager
    def parent(self, path: str, participle: str) -> Iterator[tuple[int, str]]:
        """Open the parent of a path, and yield its descriptor and the name in it.

        `participle` is for messages: `a: cannot be written: …`.
        """
        self.check(path)
        parts = safe_parts(path)
        reached = self._open(parts[:-1], path)
        with reached as folder, explain_errors(self._prefix + path, participle):
            yield folder, parts[-1]

    @contextmanager
    def _open(self, parts: tuple[str, ...], path: str) -> Iterator[int]:
        # The stack ends after the body: errors of the body are not ones of reaching the folder.
        with ExitStack() as stack:
            with explain_errors(self._prefix + path, "reached"):
                folder = stack.enter_context(open_folder(self._fd, parts))
            yield folder


def safe_parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path.

    Args:
        path: The path.

    Returns:
        Plain names, at least one.

    Raises:
        UnsafeActionError: It does not lead below the root.
    """
    try:
        return split_path(path)
    except ValueError:
        raise UnsafeActionError(f"{path!r}: this is not a path below the root") from None


@contextmanager
def explain_errors(path: str, participle: str) -> Iterator[None]:
    """Turn errors of the system into messages with the path: `a: cannot be read: …`.

    Args:
        path: The path.
        participle: What was to happen to it: `read`, `written`.

    Raises:
        UnsafeActionError: A part of the path is a link.
        ChangedError: The path exists, and must not.
        WorkspaceError: Any other error of the system.
    """
    try:
        yield
    except LinkError as error:
        link = error.filename
        raise UnsafeActionError(
            f"{path}: {link!r} on the way is a link, and links are not followed"
        ) from None
    except FileExistsError:
        raise ChangedError(f"{path}: something has appeared there since it was planned") from None
    except OSError as error:
        reason = error.strerror or error
        raise WorkspaceError(f"{path}: cannot be {participle}: {reason}") from error
    except ValueError as error:  # a name that the file system cannot encode
        raise WorkspaceError(f"{path!r}: cannot be {participle}: {error}") from None
