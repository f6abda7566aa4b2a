"""Look up the paths of a plan in a tree, and find what is in their way.

Each folder is read once, so a plan is made for one state of the tree even if others change it
meanwhile; `acting.journal` compares again when it is carried out.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator

from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import counted
from ..files.entries import Entry, Kind, Tree
from ..files.paths import fold, folders_of, is_internal
from ..files.view import FolderView


class Obstacle(SymOpsError):
    """A path cannot be used.

    Attributes:
        code: The code of the diagnostic.
        hint: What to do.
    """

    def __init__(self, code: str, message: str, hint: str) -> None:
        self.code = code
        self.hint = hint
        super().__init__(message)


class Places:
    """The entries of a tree, and the state that the steps of a plan so far leave.

    Args:
        tree: The tree that the plan is made for.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        root = tree.root.replace(os.sep, "/") if isinstance(tree, FolderView) else ""
        self._is_inside = is_internal(root)
        self._entries: dict[str, Entry] = {}  # by path; without files
        self._names: dict[str, dict[str, None]] = {}  # by folder; a dict keeps order and is a set
        self._names_by_form: dict[str, dict[str, str]] = {}  # by folder, then by `fold(name)`

    def find(self, path: str) -> Entry:
        """Return the entry at a checked path.

        Args:
            path: The path, relative to the root.

        Returns:
            The entry: a file, a folder, or MISSING also if a folder on the way is missing.

        Raises:
            Obstacle: There is a link, a file in the way, another spelling, or a repository's
            inside.
        """
        folder = ""
        for current in (*folders_of(path), path):
            self._check_repository(folder, path)
            self._check_spelling(folder, current)
            entry = self._entries.get(current) or self._tree.look(current)
            # Files are large, and the plan keeps those that it needs.
            if entry.kind is not Kind.FILE:
                self._entries[current] = entry
            _check_kind(entry, current, path)
            # Everything below a missing folder is missing: no more system calls.
            if entry.kind is Kind.MISSING:
                return Entry(Kind.MISSING)
            folder = current
        return entry

    def _check_repository(self, folder: str, path: str) -> None:
        """Refuse a folder that Git would take for a repository: it runs hooks in it."""
        self.names(folder)
        if is_repository(self._names_by_form[folder]):
            keeper = "Git keeps for itself (HEAD, objects, refs)"
        # A root such as `project/.git/hooks` has nothing in it that tells.
        elif not folder and self._is_inside:
            keeper = "version control, or this program, keeps for itself"
        else:
            return
        raise Obstacle(
            "repository-itself",
            f"{folder or 'the root'} is what {keeper}, where files are run and trusted; {path} "
            "would be in it",
            "name files of a working tree",
        )

    def _check_spelling(self, folder: str, path: str) -> None:
        """Refuse a name that another system would take for an existing one with other letters."""
        name = path.rpartition("/")[2]
        # The exact name comes first: a case-sensitive system may have `A` and `a` side by side.
        if name in self.names(folder):
            return
        spelling = self._names_by_form[folder].get(fold(name), name)
        if spelling == name:
            return
        existing = f"{folder}/{spelling}" if folder else spelling
        raise Obstacle(
            "name-clash",
            f"{path} and {existing}, which is there already, are one name where case or the form "
            "of characters is ignored",
            "use the spelling that is there",
        )

    def remove(self, path: str) -> None:
        """Record that a file is deleted, and so the folders that become empty."""
        while path:
            folder, _, name = path.rpartition("/")
            self._entries[path] = Entry(Kind.MISSING)
            names = self.names(folder)
            names.pop(name, None)
            self._names_by_form[folder].pop(fold(name), None)
            # An empty folder can give way to a file of its name (`journal.emptied`).
            if names:
                return
            path = folder

    def holds(self, path: str) -> bool:
        """Return whether a checked path exists; a file is not read.

        Raises `Obstacle` as `find` does.
        """
        folder, _, name = path.rpartition("/")
        if folder and self.find(folder).kind is not Kind.FOLDER:
            return False
        return name in self.names(folder)

    def names(self, folder: str) -> dict[str, None]:
        """Return the names in a folder, in order, less those that were removed."""
        if folder not in self._names:
            names = self._tree.names(folder)
            self._names[folder] = dict.fromkeys(names)
            self._names_by_form[folder] = {fold(name): name for name in names}
        return self._names[folder]


def _check_kind(entry: Entry, current: str, path: str) -> None:
    """Raise `Obstacle` for an entry on the way to a path that cannot be used or passed."""
    if entry.kind is Kind.LINK:
        raise Obstacle(
            "link-on-the-way",
            f"{current} is a link, which may lead out of the root",
            "links are not followed: name the file that it leads to",
        )
    if entry.kind is Kind.OTHER:
        raise Obstacle(
            "not-a-file",
            f"{current} is neither a file nor a folder that can be read",
            "only plain files are changed",
        )
    if current != path and entry.kind is Kind.FILE:
        raise Obstacle(
            "file-in-the-way",
            f"{path} needs a folder {current}, but that is a file",
            "choose another path, or move that file first",
        )


def is_repository(names: Collection[str]) -> bool:
    """Return whether folded names are those of a repository's inside (Git).

    The test is that of Git's `is_git_directory`: HEAD, with objects and refs or a `commondir`.
    """
    if "head" not in names:
        return False
    return "commondir" in names or ("objects" in names and "refs" in names)


def find_doubts(entry: Entry, *, deleted: bool = False) -> Iterator[str]:
    """Yield reasons to ask before a file is deleted or replaced.

    Args:
        entry: The file.
        deleted: Whether it is deleted; otherwise a new file takes its name.

    Yields:
        One sentence for each reason.
    """
    if entry.mode is not None and not entry.mode & stat.S_IWUSR:
        yield "the file is read-only, so it was probably not meant to be changed"
    if deleted:
        return
    # A new file takes the name, so other names keep the old one.
    if entry.links > 1:
        names = counted(entry.links, "name")
        yield f"the file has {names} (hard links): the others keep the old text"
    if (entry.mode or 0) & (stat.S_ISUID | stat.S_ISGID):
        yield "the file runs with the rights of its owner or group: with its new text it does not"
