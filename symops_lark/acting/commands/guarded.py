"""Protect repositories and the journal from sandboxed commands.

A sandboxed command may write below its root, but not into version control's data (`.git`, `.hg`, a
bare repository) nor into this program's journal: hooks and settings in there run with the user's
rights later.

Existing places are bound read-only. A command can still create a new `.git` anywhere below the
root, and no mount prevents that. Such places are found after the command has ended, and renamed:
Git never takes them for a repository then, and no data is lost.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ...core.ground.errors import WorkspaceError
from ..files.filesystem import JOURNAL, make_unused
from ..files.paths import fold, is_internal
from ..plan.places import is_repository

# Missing ones are created as empty folders, so that they can be bound read-only too.
_AT_THE_TOP = (".git", JOURNAL)
# Each place takes three arguments of bubblewrap, which accepts 9,000 in all.
_MAX_PLACES = 1_000
_MAX_MESSAGES = 20  # a command that creates thousands of repositories gets a readable result
_Identity = tuple[int, int]  # device and inode


class Guarded:
    """The protected places below a root.

    Attributes:
        root: The folder that the command may write to, an absolute path without links.
    """

    def __init__(self, root: str) -> None:
        """Find the places that exist.

        Raises:
            WorkspaceError: The root, or a place below it, cannot be protected.
        """
        if root == os.sep or is_internal(root.strip(os.sep)):
            raise WorkspaceError(
                f"{root}: no sandbox can guard this folder: name the folder of a project"
            )
        self.root = root
        self._created: list[str] = []
        self._places, self._unreadable = self._scan()
        for path in self._places:
            # bubblewrap would bind what the link leads to, and the link could be replaced.
            if os.path.islink(path):
                raise WorkspaceError(
                    f"{path} is a link, which no sandbox can guard: move its target here"
                )
        if root in self._places:
            raise WorkspaceError(
                f"{root} is what Git keeps for itself: nothing can be run in it safely"
            )
        if len(self._places) > _MAX_PLACES:
            raise WorkspaceError(
                f"{root}: no sandbox can guard more than {_MAX_PLACES} repositories"
            )

    @property
    def places(self) -> tuple[str, ...]:
        """The protected paths, outer ones first."""
        return tuple(sorted(self._places))

    def fill(self) -> None:
        """Create the missing places at the top, to protect their names as well.

        Raises:
            WorkspaceError: A place cannot be created although the command could create it.
        """
        for name in _AT_THE_TOP:
            path = os.path.join(self.root, name)
            try:
                os.mkdir(path)
            except FileExistsError:
                continue
            except OSError as error:
                if os.access(self.root, os.W_OK):  # else the command cannot create it either
                    raise WorkspaceError(f"{path}: cannot be guarded: {error.strerror}") from None
            else:
                self._created.append(path)
                self._places[path] = _identity(path)

    def settle(self) -> tuple[str, ...]:
        """Rename the places that the command has created, and remove those of `fill`.

        Returns:
            One sentence for each renamed place or newly unreadable folder, at most 20, and the
            number of the others. Empty: the command created nothing that is protected.
        """
        # Compared by identity, not by path: a command may have moved an old repository.
        identities = set(self._places.values())
        places, unreadable = self._scan()
        messages = []
        for path, identity in places.items():
            if identity not in identities:
                messages.append(self._put_aside(path))
        closed = map(self._relative, sorted(unreadable - self._unreadable))
        messages += [f"{path}: it cannot be looked into any more" for path in closed]
        for path in self._created:
            with suppress(OSError):  # not empty any more: another program uses it by now
                os.rmdir(path)
        surplus = len(messages) - _MAX_MESSAGES
        if surplus > 0:
            messages[_MAX_MESSAGES:] = [f"and {surplus} more"]
        return tuple(messages)

    def _put_aside(self, path: str) -> str:
        """Rename a new place, or the file that makes a folder a repository; return a message."""
        # A bare repository is an ordinary folder: without its HEAD, Git does not recognize it.
        target = path
        if not is_internal(os.path.basename(path)):
            target = os.path.join(path, _head(path))
        new_path = make_unused(target)
        place = self._relative(target)
        try:
            os.rename(target, new_path)
        except OSError as error:
            return f"{place}: the command made it, and it cannot be put aside: {error.strerror}"
        new_name = os.path.basename(new_path)
        return f"{place}: the command made it, which is not allowed; it is now {new_name}"

    def _relative(self, path: str) -> str:
        return os.path.relpath(path, self.root)

    def _scan(self) -> tuple[dict[str, _Identity], set[str]]:
        """Return the protected places below the root, and the folders that cannot be read."""
        places = {}
        unreadable = set()
        waiting = [
            self.root
        ]  # a stack instead of recursion: trees may be deeper than Python's stack
        while waiting:
            folder = waiting.pop()
            rows = []
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        is_folder = entry.is_dir(follow_symlinks=False)
                        rows.append((entry.name, entry.path, is_folder))
            except OSError:
                unreadable.add(folder)
                continue
            if is_repository({fold(name) for name, _, _ in rows}):
                places[folder] = _identity(folder)
            for name, path, is_folder in rows:
                if is_internal(name):
                    places[path] = _identity(path)
                elif is_folder:
                    waiting.append(path)
        return places, unreadable


def _identity(path: str) -> _Identity:
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _head(folder: str) -> str:
    """Return the name, in whatever case, of the file that makes a folder a repository."""
    for name in os.listdir(folder):
        if fold(name) == "head":
            return name
    return "HEAD"
