"""Folders that give way to files.

On the way forward everything in such a folder is deleted, and a file gets its name. The folder is renamed, with what it
holds for the way back, and removed when all else is done: taking the change back needs no room on the disk then. What
it was is in the journal as well.

On the way back it is a folder that was made where a file stood. What others have put into it is never removed.
"""

from __future__ import annotations

import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence

from ..files.entries import Kind
from ..files.filesystem import ChangedError, Folder
from .steps import FileStep

Emptied = Mapping[str, int]  # the folders' paths, outer ones first, and their permission bits


def find_emptied(folder: Folder, steps: Sequence[FileStep]) -> dict[str, int]:
    """Return the folders that files take the place of, with those in them."""
    waiting = [step.path for step in steps if step.after is not None and folder.look(step.path).kind is Kind.FOLDER]
    found = {}
    for path in waiting:
        found[path] = stat.S_IMODE(folder.status_of(path).st_mode)
        inside = (f"{path}/{name}" for name in folder.names(path))
        waiting += [path for path in inside if folder.look(path, 0).kind is Kind.FOLDER]
    return found


def move_aside(folder: Folder, steps: Sequence[FileStep], emptied: Emptied) -> None:
    """Rename the folders; where the file system cannot, remove them."""
    for step in steps:
        if step.path in emptied and not folder.move_folder(step.path, step.aside):
            _clear(folder, steps, emptied, step.path, step.path)


def clear(folder: Folder, steps: Sequence[FileStep], emptied: Emptied) -> None:
    """Remove what was renamed; raise `ChangedError` if something has appeared in it."""
    for step in steps:
        if step.path in emptied and folder.look(step.aside).kind is Kind.FOLDER:
            _clear(folder, steps, emptied, step.path, step.aside)


def bring_back(folder: Folder, steps: Sequence[FileStep], emptied: Emptied) -> None:
    """Have the folders again, where their names are free; the same again after a crash in the middle."""
    for step in steps:
        if step.path in emptied and folder.look(step.aside).kind is Kind.FOLDER:
            folder.move_folder(step.aside, step.path)
    for path, mode in emptied.items():
        folder.ensure_folder(path, mode)


def expect_free(folder: Folder, steps: Sequence[FileStep], made: Sequence[str]) -> None:
    """Raise `ChangedError` if others have put something into a folder that a file must take the place of again."""
    own = set(made)
    for step in steps:
        own |= {step.path, step.temporary, step.aside, step.part}
    for top in _in_the_way(steps, made):
        for path in (path for path in made if path == top or path.startswith(f"{top}/")):
            for name in folder.names(path):
                if f"{path}/{name}" not in own:
                    raise ChangedError(
                        f"{path}/{name}: somebody put it into a folder that must give way to the file {top}; nothing "
                        "was brought back (move it away, or use force, which renames the folder)"
                    )


def make_way(folder: Folder, steps: Sequence[FileStep], made: Sequence[str]) -> Iterator[str]:
    """Rename the folders in which others have put something, and have files take their place; yield what was done."""
    for path in _in_the_way(steps, made):
        if folder.look(path, 0).kind is not Kind.FOLDER:
            continue
        kept = f"{path}.kept-{secrets.token_hex(4)}"
        if not folder.move_folder(path, kept):
            raise ChangedError(f"{path}: this folder cannot be renamed, and a file must take its place")
        yield f"{path}: other files were in this folder, which is now {kept}"


def _in_the_way(steps: Sequence[FileStep], made: Sequence[str]) -> list[str]:
    return [step.path for step in steps if step.before is not None and step.path in made]


def _clear(folder: Folder, steps: Sequence[FileStep], emptied: Emptied, top: str, at: str) -> None:
    for path in reversed([path for path in emptied if path == top or path.startswith(f"{top}/")]):
        here = at + path[len(top) :]
        for step in steps:
            if step.folder == path:
                folder.unlink(f"{here}/{step.temporary.rpartition('/')[2]}")
        if not folder.remove_folder(here):
            raise ChangedError(f"{path}: something has appeared in this folder since it was planned")
