"""Replace folders by files, and restore them.

A plan may delete everything in a folder and create a file with the folder's name. Forward, the
folder is renamed, with the temporary files in it that the way back needs, and removed when
everything else is done. So undoing an interrupted apply takes no space on the disk. The journal
has the folder's path and permission bits as well.

Backward, such a folder is created where a file is. Files that others put into a folder meanwhile
are never removed.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence

from ..files.entries import Kind
from ..files.filesystem import ChangedError, Folder, make_unused
from .steps import FileStep

Emptied = Mapping[str, int]  # permission bits by the path of the folder, outer ones first


def find_emptied(folder: Folder, steps: Sequence[FileStep]) -> dict[str, int]:
    """Return the folders that files take the place of, and the folders in them.

    Args:
        folder: The root of the files.
        steps: The steps of the plan.

    Returns:
        The permission bits by path, outer folders first.
    """
    writes = [step.path for step in steps if step.after is not None]
    waiting = [path for path in writes if folder.look(path).kind is Kind.FOLDER]
    emptied = {}
    # The list grows while it is read, so outer folders come before those in them.
    for path in waiting:
        emptied[path] = stat.S_IMODE(folder.status_of(path).st_mode)
        for name in folder.names(path):
            inner = f"{path}/{name}"
            if folder.look(inner, 0).kind is Kind.FOLDER:
                waiting.append(inner)
    return emptied


def move_aside(folder: Folder, steps: Sequence[FileStep], emptied: Emptied) -> None:
    """Rename the folders that give way. Where the file system cannot, remove them.

    Args:
        folder: The root of the files.
        steps: The steps of the journal.
        emptied: The folders that give way, from `find_emptied`.

    Raises:
        ChangedError: Something has appeared in a folder that must be removed.
    """
    # An overlay (containers) cannot rename folders of its lower layers.
    for step in steps:
        if step.path in emptied and not folder.move_folder(step.path, step.aside):
            _clear(folder, steps, emptied, step.path, step.path)


def clear(folder: Folder, steps: Sequence[FileStep], emptied: Emptied) -> None:
    """Remove the renamed folders.

    Args:
        folder: The root of the files.
        steps: The steps of the journal.
        emptied: The folders that give way, from `find_emptied`.

    Raises:
        ChangedError: Something has appeared in one.
    """
    for step in steps:
        if step.path in emptied and folder.look(step.aside).kind is Kind.FOLDER:
            _clear(folder, steps, emptied, step.path, step.aside)


def bring_back(folder: Folder, steps: Sequence[FileStep], emptied: Emptied) -> None:
    """Restore the folders. Can be repeated after a crash in the middle.

    Args:
        folder: The root of the files.
        steps: The steps of the journal.
        emptied: The folders that gave way, from `find_emptied`.

    Raises:
        ChangedError: Something else has the name of a folder.
    """
    for step in steps:
        if step.path in emptied and folder.look(step.aside).kind is Kind.FOLDER:
            folder.move_folder(step.aside, step.path)
    # Those that were removed instead of renamed, and the permission bits of all.
    for path, mode in emptied.items():
        folder.ensure_folder(path, mode)


def expect_free(folder: Folder, steps: Sequence[FileStep], created: Sequence[str]) -> None:
    """Check that no created folder that must become a file again holds foreign files.

    Args:
        folder: The root of the files.
        steps: The steps of the journal.
        created: The folders that the journal has created.

    Raises:
        ChangedError: There is such a file.
    """
    # Temporary files of an interrupted apply may be there too; rolling back removes them.
    own = set(created)
    for step in steps:
        own |= {step.path, step.temporary, step.aside, step.part}
    for top in _in_the_way(steps, created):
        for path in created:
            if path != top and not path.startswith(f"{top}/"):
                continue
            for name in folder.names(path):
                if f"{path}/{name}" not in own:
                    raise ChangedError(
                        f"{path}/{name}: somebody put it into a folder that must give way to the "
                        f"file {top}; nothing was brought back (move it away, or use force, which "
                        "renames the folder)"
                    )


def make_way(folder: Folder, steps: Sequence[FileStep], created: Sequence[str]) -> Iterator[str]:
    """Rename the created folders that must become files again.

    Args:
        folder: The root of the files.
        steps: The steps of the journal.
        created: The folders that the journal has created.

    Yields:
        A message for each renamed folder.

    Raises:
        ChangedError: The file system cannot rename a folder.
    """
    for path in _in_the_way(steps, created):
        if folder.look(path, 0).kind is not Kind.FOLDER:
            continue
        new_path = make_unused(path)
        if not folder.move_folder(path, new_path):
            raise ChangedError(
                f"{path}: this folder cannot be renamed, and a file must take its place"
            )
        yield f"{path}: other files were in this folder, which is now {new_path}"


def _in_the_way(steps: Sequence[FileStep], created: Sequence[str]) -> list[str]:
    return [step.path for step in steps if step.before is not None and step.path in created]


def _clear(
    folder: Folder, steps: Sequence[FileStep], emptied: Emptied, top: str, target: str
) -> None:
    """Remove an emptied folder that is at `target` now, with the temporary files in it."""
    inner = [path for path in emptied if path == top or path.startswith(f"{top}/")]
    for path in reversed(inner):  # inner folders first
        current = target + path[len(top) :]
        for step in steps:
            if step.folder == path:
                name = step.temporary.rpartition("/")[2]
                folder.unlink(f"{current}/{name}")
        # Only an empty folder can be removed, so a file that has just appeared is safe.
        if not folder.remove_folder(current):
            raise ChangedError(
                f"{path}: something has appeared in this folder since it was planned"
            )
