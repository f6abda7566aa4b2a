"""What a plan does to each file in the end: one step from the bytes before to the bytes after."""

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


@dataclass(frozen=True, slots=True)
class FileStep:
    """What happens to one file from the first to the last of a plan's changes; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    before_mode: int | None
    after_mode: int | None
    temporary: str  # staged beside the file, whole; then what was there before
    aside: str

    @property
    def part(self) -> str:
        """The name under which the bytes are written, until they are on the disk.

        Whatever is left there is ours, torn as it may be; `temporary` may also hold what somebody else wrote.
        """
        return f"{self.temporary}.part"

    @property
    def folder(self) -> str:
        """The folder that the file is in."""
        return self.path.rpartition("/")[0]


def make_steps(folder: Folder, changes: Sequence[Change], token: str, new_mode: int) -> list[FileStep]:
    """Return one step for each file, deletions first; raise `ChangedError` unless the files are as planned."""
    first: dict[str, Change] = {}
    last: dict[str, Change] = {}
    for change in changes:
        folder.check(change.path)
        if is_internal(change.path):
            raise UnsafeActionError(f"{change.path}: this is what version control keeps for itself")
        if change.path in last and last.pop(change.path).after != change.before:
            raise WorkspaceError(f"{change.path}: the plan contradicts itself")
        first.setdefault(change.path, change)
        last[change.path] = change
    steps = []
    for number, (path, change) in enumerate(last.items()):
        before = first[path].before
        now = folder.look(path, len(before or b""))
        if before is None and change.after is None and now.kind is Kind.FOLDER:
            continue  # a file took the folder's place for a while, and is gone at the end
        gives_way = now.kind is Kind.FOLDER and change.after is not None and folder.names(path)
        if gives_way and _is_emptied(folder, path, last):
            now = Entry(Kind.MISSING)
        expect(now, before, path)
        if (now.mode or 0) & (stat.S_ISUID | stat.S_ISGID) and folder.status_of(path).st_uid != os.geteuid():
            raise UnsafeActionError(
                f"{path}: runs with the rights of somebody else, which undo could not give back; change it by hand"
            )
        mode = change.mode if change.mode is not None else now.mode if now.mode is not None else new_mode
        after_mode = None if change.after is None else mode & 0o777
        if (before, now.mode) != (change.after, after_mode):
            names = (beside(path, f".symops-{token}-{number}.{kind}") for kind in ("new", "old"))
            steps.append(FileStep(path, before, change.after, now.mode, after_mode, *names))
    return sorted(steps, key=lambda step: step.after is not None)


def missing_folders(folder: Folder, steps: Sequence[FileStep]) -> list[str]:
    """Return the folders to make, outer ones first."""
    missing: dict[str, None] = {}
    for step in (step for step in steps if step.after is not None):
        for path in folders_of(step.path):
            kind = folder.look(path).kind
            if kind is Kind.LINK:
                raise UnsafeActionError(f"{step.path}: {path!r} on the way is a link, and links are not followed")
            if kind is not Kind.FOLDER:
                missing[path] = None
    return list(missing)


def _is_emptied(folder: Folder, path: str, last: Mapping[str, Change]) -> bool:
    """Return whether the plan deletes all that is in a folder."""
    for name in folder.names(path):
        inside = f"{path}/{name}"
        deleted = inside in last and last[inside].after is None
        if not deleted and not (folder.look(inside, 0).kind is Kind.FOLDER and _is_emptied(folder, inside, last)):
            return False
    return True
