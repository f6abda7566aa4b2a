"""What a sandboxed command may not write although it lies in the folder: version control's own, and our journal.

What is there is bound read-only. What a command makes anew under such a name, anywhere below, nobody can forbid it:
that is found when it has ended, and renamed, so that no Git ever takes it for a repository and nothing is lost.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress

from ...core.ground.errors import WorkspaceError
from ..files.filesystem import JOURNAL
from ..files.paths import fold, is_internal
from ..plan.places import is_repository

_AT_THE_TOP = (".git", JOURNAL)  # guarded by an empty folder where there is none
_MOST = 1_000  # as many as bubblewrap takes arguments for
_TOLD = 20
_Identity = tuple[int, int]


class Guarded:
    """The places below a root that must be guarded; raise `WorkspaceError` where that cannot be done."""

    def __init__(self, root: str) -> None:
        if root == os.sep or is_internal(root.strip(os.sep)):
            raise WorkspaceError(f"{root}: no sandbox can guard this folder: name the folder of a project")
        self.root = root
        self._made: list[str] = []
        self._known, self._closed = self._find()
        for path in self._known:
            if os.path.islink(path):
                raise WorkspaceError(f"{path} is a link, which no sandbox can guard: move what it leads to here")
        if root in self._known:
            raise WorkspaceError(f"{root} is what Git keeps for itself: nothing can be run in it safely")
        if len(self._known) > _MOST:
            raise WorkspaceError(f"{root}: no sandbox can guard more than {_MOST} repositories")

    @property
    def places(self) -> tuple[str, ...]:
        """The guarded paths, outer ones first."""
        return tuple(sorted(self._known))

    def fill(self) -> None:
        """Make what is missing at the top, to be guarded as well."""
        for path in (os.path.join(self.root, name) for name in _AT_THE_TOP):
            try:
                os.mkdir(path)
            except FileExistsError:
                continue
            except OSError as error:
                if os.access(self.root, os.W_OK):  # else the command cannot make it either
                    raise WorkspaceError(f"{path}: cannot be guarded: {error.strerror}") from None
            else:
                self._made.append(path)
                self._known[path] = _identity(path)

    def settle(self) -> tuple[str, ...]:
        """Put aside what has been made meanwhile; return what was found, a sentence each."""
        known = set(self._known.values())
        found, closed = self._find()
        told = [self._put_aside(path) for path, identity in found.items() if identity not in known]
        told += [f"{self._show(path)}: it cannot be looked into any more" for path in sorted(closed - self._closed)]
        for path in self._made:
            with suppress(OSError):  # somebody else uses it by now
                os.rmdir(path)
        more = [f"and {len(told) - _TOLD} more"] if len(told) > _TOLD else []
        return (*told[:_TOLD], *more)

    def _put_aside(self, path: str) -> str:
        at = path if is_internal(os.path.basename(path)) else os.path.join(path, _head(path))
        kept = f"{at}.kept-{secrets.token_hex(4)}"
        try:
            os.rename(at, kept)
        except OSError as error:
            return f"{self._show(at)}: it was made by the command, and cannot be put aside: {error.strerror}"
        return f"{self._show(at)}: the command made it, which is not allowed; it is now {os.path.basename(kept)}"

    def _show(self, path: str) -> str:
        return os.path.relpath(path, self.root)

    def _find(self) -> tuple[dict[str, _Identity], set[str]]:
        """Return what must be guarded below the root, and the folders that could not be looked into."""
        found: dict[str, _Identity] = {}
        closed: set[str] = set()
        waiting = [self.root]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    rows = [(entry.name, entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
            except OSError:
                closed.add(folder)
                continue
            if is_repository({fold(name) for name, _, _ in rows}):
                found[folder] = _identity(folder)
            for name, path, is_folder in rows:
                if is_internal(name):
                    found[path] = _identity(path)
                elif is_folder:
                    waiting.append(path)
        return found, closed


def _identity(path: str) -> _Identity:
    try:
        state = os.lstat(path)
    except OSError:
        return 0, 0
    return state.st_dev, state.st_ino


def _head(folder: str) -> str:
    """Return the name in a folder that makes it a repository."""
    return next((name for name in os.listdir(folder) if fold(name) == "head"), "HEAD")
