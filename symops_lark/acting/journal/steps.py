"""Reduce the changes of a plan to one step a file: from the bytes before to the bytes after.

Example: a plan that creates `a`, edits it and deletes `b` becomes two steps, `b` (deleted) and then
`a` (from no file to the edited bytes). The state between the two changes of `a` is never written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...core.ground.errors import UnsafeActionError, WorkspaceError
from ..changes import Change
from ..files.entries import Entry, Kind
from ..files.filesystem import Folder, beside, expect
from ..files.paths import folders_of, is_internal

_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID


@dataclass(frozen=True, slots=True)
class FileStep:
    """What happens to one file, from the first to the last of a plan's changes.

    Attributes:
        path: The file.
        before: Its bytes before. None: there was no file.
        after: Its bytes after. None: it is deleted.
        before_mode: Its permission bits before. None: there was no file.
        after_mode: Its permission bits after. None: it is deleted.
        temporary: The name beside the file under which the new bytes are staged. After the exchange
            it has the old bytes.
        aside: A second name beside the file: for file systems that cannot exchange two names, and
            for a folder whose place the file takes.
    """

    path: str
    before: bytes | None
    after: bytes | None
    before_mode: int | None
    after_mode: int | None
    temporary: str
    aside: str

    @property
    def part(self) -> str:
        """The name under which the bytes are written until they are on the disk.

        A file with this name is always this program's, complete or not, and may be removed. A file
        named `temporary` may hold what another program wrote.
        """
        return f"{self.temporary}.part"

    @property
    def folder(self) -> str:
        """The folder of the file; empty: the root."""
        return self.path.rpartition("/")[0]


def make_steps(
    folder: Folder, changes: Sequence[Change], token: str, new_mode: int
) -> list[FileStep]:
    """Return one step for each file that changes, deletions first.

    Args:
        folder: The root of the files.
        changes: The changes, in the order of the plan.
        token: Hexadecimal digits that make the names of temporary files unique.
        new_mode: The permission bits of new files without their own.

    Returns:
        The steps. A file that ends as it began has none.

    Raises:
        ChangedError: A file is not as it was planned with.
        UnsafeActionError: A path must not be changed, or undo could not restore it.
        WorkspaceError: Two changes of a file do not fit together.
    """
    first, last = _first_and_last(folder, changes)
    steps = []
    for number, (path, change) in enumerate(last.items()):
        before = first[path].before
        # No more bytes than the plan knows: a longer file has changed in any case.
        now = folder.look(path, len(before or b""))
        if before is None and change.after is None and now.kind is Kind.FOLDER:
            continue  # a file takes the folder's place within the plan, and is deleted at the end
        # A folder that the plan empties counts as missing: a file takes its place.
        gives_way = now.kind is Kind.FOLDER and change.after is not None and folder.names(path)
        if gives_way and _is_emptied(folder, path, last):
            now = Entry(Kind.MISSING)
        expect(now, before, path)
        has_special_bits = bool((now.mode or 0) & _SPECIAL_BITS)
        if has_special_bits and folder.status_of(path).st_uid != os.geteuid():
            # Undo writes a new file, which would belong to this user, and run with that user's
            # rights.
            raise UnsafeActionError(
                f"{path}: runs with the rights of somebody else, which undo could not restore; "
                "change it by hand"
            )
        after_mode = _find_after_mode(change, now, new_mode)
        if (before, now.mode) != (change.after, after_mode):
            temporary = beside(path, f".symops-{token}-{number}.new")
            aside = beside(path, f".symops-{token}-{number}.old")
            step = FileStep(path, before, change.after, now.mode, after_mode, temporary, aside)
            steps.append(step)
    # Deletions first: a folder may take the place of a file.
    return sorted(steps, key=lambda step: step.after is not None)


def _first_and_last(
    folder: Folder, changes: Sequence[Change]
) -> tuple[dict[str, Change], dict[str, Change]]:
    """Return the first and the last change of each file, by path."""
    first: dict[str, Change] = {}
    last: dict[str, Change] = {}
    place = folder.place().replace(os.sep, "/")
    for change in changes:
        folder.check(change.path)
        if is_internal(f"{place}/{change.path}"):
            raise UnsafeActionError(f"{change.path}: this is what version control keeps for itself")
        # Popped, so that the order of `last` is that of the last changes.
        if change.path in last and last.pop(change.path).after != change.before:
            raise WorkspaceError(f"{change.path}: the plan contradicts itself")
        first.setdefault(change.path, change)
        last[change.path] = change
    return first, last


def _find_after_mode(change: Change, now: Entry, new_mode: int) -> int | None:
    if change.after is None:
        return None
    mode = new_mode
    if change.mode is not None:
        mode = change.mode
    elif now.mode is not None:
        mode = now.mode
    return mode & 0o777  # never a set-user-id bit: the new file belongs to this user


def missing_folders(folder: Folder, steps: Sequence[FileStep]) -> list[str]:
    """Return the folders to create, outer ones first.

    Args:
        folder: The root of the files.
        steps: The steps.

    Returns:
        The paths, without duplicates.

    Raises:
        UnsafeActionError: A folder on the way is a link.
    """
    missing: dict[str, None] = {}  # a dict as an ordered set
    for step in steps:
        if step.after is None:
            continue
        for path in folders_of(step.path):
            kind = folder.look(path).kind
            if kind is Kind.LINK:
                raise UnsafeActionError(
                    f"{step.path}: {path!r} on the way is a link, and links are not followed"
                )
            if kind is not Kind.FOLDER:
                missing[path] = None
    return list(missing)


def _is_emptied(folder: Folder, path: str, last: Mapping[str, Change]) -> bool:
    """Return whether the plan deletes everything in a folder."""
    for name in folder.names(path):
        inner = f"{path}/{name}"
        if inner in last and last[inner].after is None:
            continue
        if folder.look(inner, 0).kind is not Kind.FOLDER or not _is_emptied(folder, inner, last):
            return False
    return True
