"""Try commands in temporary folders, in the sandbox only; copy a checkout to try changes in it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ...core.ground.errors import UnsafeActionError, WorkspaceError
from ...core.ground.numbers import counted
from ..files.paths import check_path, is_internal
from ..files.texts import encode
from .commands import CommandResult, Runner


@dataclass(frozen=True, slots=True)
class Copied:
    """The size of a copy.

    Attributes:
        files: The number of files.
        bytes: The number of their bytes.
    """

    files: int
    bytes: int


def try_commands(
    files: Mapping[str, str],
    lines: Sequence[str],
    seconds: float,
    *,
    checkout: str = "",
    needs: Sequence[str] = (),
) -> tuple[CommandResult, ...]:
    """Run each command in a new temporary folder, without network and rights.

    Args:
        files: The texts to write into each folder, by relative path.
        lines: The command lines.
        seconds: The time limit of each command.
        checkout: A folder that is copied into each folder first. Empty: the folders are empty.
        needs: Paths below `checkout` that the copy leaves out and that the commands read, such as
            `node_modules`. They are links, and the sandbox lets nobody write to where they lead.

    Returns:
        The results, in the order of `lines`. The folders are deleted.

    Raises:
        UnsafeActionError: A path leads out of the folder, or a line needs a shell.
        WorkspaceError: There is no sandbox on this machine, or the checkout is too large.
    """
    # The texts and commands come from a model, so there is no fallback without a sandbox.
    runner = Runner(sandbox=True, timeout=seconds)
    results = []
    for line in lines:
        # A command may leave files that cannot be deleted; that is not an error of the trial.
        with TemporaryDirectory(prefix="symops-scratch-", ignore_cleanup_errors=True) as root:
            if checkout:
                copy_checkout(checkout, root)
            for path, text in files.items():
                _write(Path(os.path.realpath(root)), path, text)
            needed = link_needs(checkout, root, needs)
            results.append(replace(runner, readable=needed).run(line, root))
    return tuple(results)


def copy_checkout(
    root: str | os.PathLike[str],
    into: str | os.PathLike[str],
    *,
    paths: Iterable[str] | None = None,
    most_files: int = 20_000,
    most_bytes: int = 500_000_000,
) -> Copied:
    """Copy the plain files of a folder, without links and without `.git`.

    Args:
        root: The folder.
        into: The folder to copy into.
        paths: The files to copy, relative to the root, such as those that an index has. None: all.
        most_files: The number of files above which nothing more is copied.
        most_bytes: The same for the bytes.

    Returns:
        The size of the copy.

    Raises:
        WorkspaceError: The folder has more files or bytes, or a file cannot be copied.
    """
    source, target = Path(os.path.realpath(root)), Path(os.path.realpath(into))
    file_count = byte_count = 0
    for path in _walk(source) if paths is None else paths:
        try:
            # Not `stat`: a link may lead to a file that is not in the checkout.
            status = (source / path).lstat()
            if not stat.S_ISREG(status.st_mode):
                continue
            # Counted before it is copied, so that a disk is not filled first.
            file_count += 1
            byte_count += status.st_size
            if file_count > most_files or byte_count > most_bytes:
                raise WorkspaceError(
                    f"{source}: too large to copy: the limit is {counted(most_files, 'file')} "
                    f"and {counted(most_bytes, 'byte')}"
                )
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / path, target / path, follow_symlinks=False)
        except FileNotFoundError:  # removed since it was listed
            continue
        except OSError as error:
            raise WorkspaceError(f"{path}: cannot be copied: {error.strerror or error}") from None
    return Copied(file_count, byte_count)


def link_needs(root: str, copy: str, needs: Sequence[str]) -> tuple[str, ...]:
    """Link folders of a checkout into a copy of it; one that is missing is left out.

    Args:
        root: The checkout.
        copy: The copy.
        needs: The paths of the folders, relative to the checkout.

    Returns:
        The folders that links lead to, for `Runner(readable=…)`.

    Raises:
        UnsafeActionError: A path leads out of the checkout.
    """
    places = []
    for name in needs:
        checked = check_path(name)
        if checked.refusal:
            raise UnsafeActionError(f"{name}: not linked: {checked.refusal}")
        place = os.path.realpath(os.path.join(root, checked.path))
        link = Path(copy, checked.path)
        # A project without dependencies has no such folder, and its tests need none.
        if os.path.isdir(place) and not os.path.lexists(link):
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(place, target_is_directory=True)
            places.append(place)
    return tuple(places)


def _walk(root: Path) -> Iterator[str]:
    """Yield the relative paths of files below a folder, without data of version control."""
    for folder, folders, names in os.walk(root):
        # In place, as `os.walk` asks: then it does not enter the others.
        folders[:] = sorted(name for name in folders if not is_internal(name))
        for name in sorted(names):
            # In a worktree `.git` is a file, which leads to the repository itself.
            if not is_internal(name):
                yield os.path.relpath(os.path.join(folder, name), root)


def _write(root: Path, path: str, text: str) -> None:
    checked = check_path(path)
    if checked.refusal:
        raise UnsafeActionError(f"{path}: not written: {checked.refusal}")
    place = root / checked.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(encode(text))
