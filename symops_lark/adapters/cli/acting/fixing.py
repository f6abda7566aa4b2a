"""Write repaired texts over broken ones: shown, agreed to, and written through the journal.

The journal of a file below the current folder is kept there, and that of any other file in the
file's own folder. The files of one folder are written all or none.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ....acting.changes import Change, Decision, Operation, Plan
from ....acting.files.paths import fold, is_internal
from ....acting.plan.places import is_repository
from ....core.document import Action
from ....core.ground.errors import UnsafeActionError
from ....core.ground.numbers import counted
from ..texts import InputText, complain
from ..visibility import shell_word, visible_line
from .asking import make_asker

if TYPE_CHECKING:
    from ....acting.journal.transaction import Undone

# A share of the characters that are not blanks. A repair that loses more needs `--force`.
LEAST_KEPT = 0.5
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class Fix:
    """A text and its repaired version.

    Attributes:
        text: The text.
        fixed: Its repaired version.
        is_empty: Whether the text has no section of any dialect.
    """

    text: InputText
    fixed: str
    is_empty: bool = False

    @property
    def kept(self) -> float:
        """The share of the text's characters that the repaired one has, without blanks."""
        before = len("".join(self.text.text.split()))
        after = len("".join(self.fixed.split()))
        return min(1.0, after / before) if before else 1.0


def find_refusal(fix: Fix, force: bool) -> str:
    """Return why a repaired text is not written, or an empty text.

    Args:
        fix: The text with its repaired version.
        force: Whether texts that lose much and read-only files are written.
    """
    if fix.is_empty:
        return "it has no section of any dialect, so it is probably not a reply"
    path = fix.text.path
    # A pipe or a device cannot be replaced, nor restored.
    if path is not None and not os.path.isfile(path):
        return "it is not a regular file"
    if force:
        return ""
    if fix.kept < LEAST_KEPT:
        return (
            f"only {fix.kept:.0%} of it would be kept (--force writes less than {LEAST_KEPT:.0%})"
        )
    if path is not None and not os.stat(path).st_mode & _WRITABLE:
        return "it is read-only (--force writes it)"
    return ""


def undo_interrupted(root: str) -> Undone | None:
    """Undo an apply that was interrupted in a folder, before its files are read."""
    from ....acting.journal.journal import recover

    undone = recover(root)
    if undone is not None:
        place = visible_line(root)
        complain(f"{place}: an earlier apply was interrupted: its changes were undone first")
    return undone


def write_fixes(fixes: Sequence[Fix], yes: bool, full_diff: bool) -> set[str]:
    """Ask about each file, and write those that the user agrees to.

    Args:
        fixes: The texts with their repaired versions.
        yes: Whether all are agreed to.
        full_diff: Whether long differences are shown completely.

    Returns:
        The names of the files that were written.

    Raises:
        UsageError: Two names are one file.
        WorkspaceError: There is no answer, or a file cannot be written.
    """
    from ....acting.execution import Status, apply

    # One function for all folders: "a" holds for the files of the others, too.
    ask = make_asker(yes, False, full=full_diff, flags="--yes")
    names = set()
    for root, group in _by_root(fixes).items():
        changes = [_to_change(number, fix) for number, fix in enumerate(group, 1)]
        outcome = apply(Plan(tuple(changes)), root, confirm=ask)
        count = 0
        for fix, step in zip(group, outcome.steps, strict=True):
            if step.status is Status.DONE:
                names.add(fix.text.path or "")
                count += 1
        report_written(count, root)
    return names


def _by_root(fixes: Sequence[Fix]) -> dict[str, list[Fix]]:
    """Return the fixes by the folder of their journal; raise `UsageError` for a file twice."""
    groups: dict[str, list[Fix]] = {}
    names: dict[str, str] = {}
    for fix in fixes:
        name = fix.text.path or ""
        # Links and other spellings: the second write would be lost.
        real = os.path.realpath(name)
        if real in names:
            first = visible_line(names[real])
            raise click.UsageError(f"{visible_line(name)} and {first} are one file")
        names[real] = name
        groups.setdefault(place_of(name)[0], []).append(fix)
    return groups


def report_written(count: int, root: str) -> None:
    """Write on standard error how many files were written, and which command restores them."""
    if count:
        files = counted(count, "file")
        complain(f"{files} written; `{undo_line(root)}` restores the state before")


def undo_line(root: str) -> str:
    """Return the command line that restores the files of a folder."""
    return "symops undo" if root == os.getcwd() else f"symops undo --root {shell_word(root)}"


def place_of(name: str) -> tuple[str, str]:
    """Return the folder whose journal a file belongs to, and the file's path below it.

    Links are followed.

    Raises:
        UnsafeActionError: Version control, or this program, keeps the file for itself.
    """
    # The journal must be where the bytes are, not where a link to them is.
    real = os.path.realpath(name)
    # Of the whole path: the planner sees only names below the folder.
    if is_internal(real.replace(os.sep, "/")) or _is_in_repository(real):
        raise UnsafeActionError(
            f"{visible_line(name)}: version control, or this program, keeps it for itself"
        )
    here = os.getcwd()
    root = here if os.path.commonpath([real, here]) == here else os.path.dirname(real)
    return root, os.path.relpath(real, root).replace(os.sep, "/")


def above_of(root: str) -> str:
    """Return what comes before the paths in a folder, for `plan`: its names count, too.

    They count from the root of the working tree down, or from the home folder: where a project is
    says nothing about its files, as in `.claude/worktrees/x`. Elsewhere the whole path counts.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    top = root
    while top != home and not os.path.lexists(os.path.join(top, ".git")):
        if top == os.path.dirname(top):
            return f"{root.rstrip(os.sep)}/".replace(os.sep, "/")
        top = os.path.dirname(top)
    below = os.path.relpath(root, top)
    return "" if below == os.curdir else f"{below}/".replace(os.sep, "/")


def _is_in_repository(real: str) -> bool:
    """Return whether a file is in a repository of Git without a `.git` folder, as servers have."""
    folder = os.path.dirname(real)
    while folder != os.path.dirname(folder):
        try:
            names = {fold(name) for name in os.listdir(folder)}
        except OSError:
            names = set()
        # A working tree may be in such a repository.
        if ".git" in names:
            return False
        if is_repository(names):
            return True
        folder = os.path.dirname(folder)
    return False


def _to_change(number: int, fix: Fix) -> Change:
    path = place_of(fix.text.path or "")[1]
    return Change(
        number,
        Action("edit", path, fix.fixed),
        Operation.REPLACE,
        path,
        fix.text.text.encode(),
        fix.fixed.encode(),
        decision=Decision.ASK,
        reasons=(f"{fix.kept:.0%} of its text is kept",),
    )
