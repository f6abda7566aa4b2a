"""Where paths lead in a tree: what stands there, and what is in the way."""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterator

from ...core.ground.errors import SymOpsError
from ...core.ground.numbers import counted
from ..files.entries import Entry, Kind, Tree
from ..files.paths import fold, folders_of


class Obstacle(SymOpsError):
    """A path cannot be used: the code of the finding, its message and what to do."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        self.code, self.hint = code, hint
        super().__init__(message)


class Places:
    """Looks at a tree, at each folder once; what was found is what the plan is made for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._entries: dict[str, Entry] = {}
        self._names: dict[str, dict[str, None]] = {}
        self._folded: dict[str, dict[str, str]] = {}  # by what is left where case and form are ignored

    def find(self, path: str) -> Entry:
        """Return what stands at a checked path; raise `Obstacle` for links, files in the way and clashing names."""
        folder = ""
        for here in (*folders_of(path), path):
            part = here.rpartition("/")[2]
            names = self.names(folder)
            if is_repository(self._folded[folder]):
                raise Obstacle(
                    "repository-itself",
                    f"{folder or 'the root'} is what Git keeps for itself (HEAD, "
                    f"objects, refs), where files are run and trusted; {path} would lie in it",
                    "name files of a working tree",
                )
            known = part if part in names else self._folded[folder].get(fold(part), part)
            if known != part:
                there = f"{folder}/{known}" if folder else known
                raise Obstacle(
                    "name-clash",
                    f"{here} and {there}, which is there already, are one name where case or "
                    "the form of characters is ignored",
                    "use the spelling that is there",
                )
            entry = self._entries.get(here) or self._tree.look(here)
            if entry.kind is not Kind.FILE:  # files are large, and whoever plans with one keeps it
                self._entries[here] = entry
            if entry.kind is Kind.LINK:
                raise Obstacle(
                    "link-on-the-way",
                    f"{here} is a link, which may lead out of the root",
                    "links are not followed: name the file that it leads to",
                )
            if entry.kind is Kind.OTHER:
                raise Obstacle(
                    "not-a-file",
                    f"{here} is neither a file nor a folder that can be read",
                    "only plain files are changed",
                )
            if here != path and entry.kind is Kind.FILE:
                raise Obstacle(
                    "file-in-the-way",
                    f"{path} needs a folder {here}, but that is a file",
                    "choose another path, or move that file first",
                )
            if entry.kind is Kind.MISSING:
                return Entry(Kind.MISSING)
            folder = here
        return entry

    def remove(self, path: str) -> None:
        """Take a file that is deleted for gone, and so the folders that nothing is left in."""
        while path:
            folder, _, name = path.rpartition("/")
            self._entries[path] = Entry(Kind.MISSING)
            names = self.names(folder)
            names.pop(name, None)
            self._folded[folder].pop(fold(name), None)
            if names:
                return
            path = folder

    def holds(self, path: str) -> bool:
        """Return whether something stands at a checked path, which is not read; raise `Obstacle` as `find` does."""
        folder, _, name = path.rpartition("/")
        return (not folder or self.find(folder).kind is Kind.FOLDER) and name in self.names(folder)

    def names(self, folder: str) -> dict[str, None]:
        """Return the names in a folder that was found, in order."""
        if folder not in self._names:
            self._names[folder] = dict.fromkeys(self._tree.names(folder))
            self._folded[folder] = {fold(name): name for name in self._names[folder]}
        return self._names[folder]


def is_repository(names: Collection[str]) -> bool:
    """Return whether folded names are those of a bare repository of Git, or of a working tree's part of one."""
    return "head" in names and ("commondir" in names or ("objects" in names and "refs" in names))


def find_doubts(entry: Entry, *, deleted: bool = False) -> Iterator[str]:
    """Yield why a file is not simply deleted, or what it loses when another one takes its name."""
    if entry.mode is not None and not entry.mode & stat.S_IWUSR:
        yield "the file is read-only, so somebody did not want it to be changed"
    if deleted:
        return
    if entry.links > 1:
        yield f"the file has {counted(entry.links, 'name')} (hard links): the others keep the old text"
    if (entry.mode or 0) & (stat.S_ISUID | stat.S_ISGID):
        yield "the file is run with the rights of its owner or group: with its new text it is not"
