"""Repaired texts in the place of broken ones: shown, agreed to, and written through the journal, for `symops undo`.

The journal of a file below the current folder is kept there, that of any other in the file's own folder: what is
written of one folder is written all or none.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from ....acting.changes import Change, Decision, Operation, Plan
from ....core.document import Action
from ....core.ground.numbers import counted
from ..texts import InputText, complain
from ..visibility import visible_line
from .asking import make_asker

LEAST_KEPT = 0.5  # of the characters that are no blanks, for a text to be written unforced


@dataclass(frozen=True, slots=True)
class Fix:
    """A text and what is to stand in its place; `says_nothing` tells that no section was found in it."""

    text: InputText
    fixed: str
    says_nothing: bool = False

    @property
    def kept(self) -> float:
        """The share of the text's characters, blanks left out, that the fixed one has."""
        had = len("".join(self.text.text.split()))
        return min(1.0, len("".join(self.fixed.split())) / had) if had else 1.0


def find_refusal(fix: Fix, force: bool) -> str:
    """Return why a fixed text is not written, or an empty text; `force` writes what may have been meant."""
    if fix.says_nothing:
        return "it says nothing in any dialect, so that it is hardly a reply"
    path = fix.text.path
    if path is not None and not os.path.isfile(path):
        return "it is no regular file"
    if not force and fix.kept < LEAST_KEPT:
        return f"only {fix.kept:.0%} of it would be kept, and less than {LEAST_KEPT:.0%} is written with --force alone"
    if not force and path is not None and not os.stat(path).st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        return "it is read-only (--force writes it)"
    return ""


def bring_back_interrupted(files: Sequence[str]) -> None:
    """Undo an apply that was broken off in a folder of these files, before they are read."""
    from ....acting.journal.journal import recover

    for root in sorted({place_of(name)[0] for name in files if name != "-" and os.path.isfile(name)}):
        if recover(root) is not None:
            complain(f"{visible_line(root)}: an apply was interrupted here: what it had changed was brought back first")


def write_fixes(fixes: Sequence[Fix], yes: bool, full_diff: bool) -> set[str]:
    """Ask about each file, write those that are agreed to, and return their names.

    Raise `WorkspaceError` with the reason if nobody answers, or if a file cannot be written.
    """
    from ....acting.execution import Status, apply

    ask, written = make_asker(yes, False, full=full_diff, flags="--yes"), set()
    for root, group in _by_root(fixes):
        plan = Plan(tuple(_to_change(number, fix) for number, fix in enumerate(group, 1)))
        outcome = apply(plan, root, confirm=ask)
        done = [fix for fix, step in zip(group, outcome.steps, strict=True) if step.status is Status.DONE]
        written |= {fix.text.path or "" for fix in done}
        if done:
            complain(f"{counted(len(done), 'file')} written; {undo_command(root)} brings them back")
    return written


def _by_root(fixes: Sequence[Fix]) -> Iterator[tuple[str, list[Fix]]]:
    groups: dict[str, list[Fix]] = {}
    seen: dict[str, str] = {}
    for fix in fixes:
        name = fix.text.path or ""
        real = os.path.realpath(name)
        if real in seen:
            raise click.UsageError(f"{visible_line(name)} and {visible_line(seen[real])} are one file")
        seen[real] = name
        groups.setdefault(place_of(name)[0], []).append(fix)
    yield from groups.items()


def undo_command(root: str) -> str:
    """Return the command that takes back what was written below a folder, as a message shows it."""
    where = "" if root == os.getcwd() else f" --root {visible_line(root)}"
    return f"`symops undo{where}`"


def place_of(name: str) -> tuple[str, str]:
    """Return the folder whose journal a file belongs to, and the file's path below it; links are followed."""
    real, here = os.path.realpath(name), os.getcwd()
    root = here if os.path.commonpath([real, here]) == here else os.path.dirname(real)
    return root, os.path.relpath(real, root).replace(os.sep, "/")


def _to_change(number: int, fix: Fix) -> Change:
    path = place_of(fix.text.path or "")[1]
    kept = f"{fix.kept:.0%} of its text is kept"
    before, after = fix.text.text.encode(), fix.fixed.encode()
    action = Action("edit", path, fix.fixed)
    return Change(number, action, Operation.REPLACE, path, before, after, decision=Decision.ASK, reasons=(kept,))
