"""The power fails at any moment of an apply or an undo: what was not synced is lost, torn or there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from crashes import Tree, do, read_tree, write_tree

from symops_lark.acting.journal.journal import undo
from symops_lark.acting.journal.trust import UntrustedError
from symops_lark.core.ground.errors import WorkspaceError

from . import LOST, WRONG, Figures, count, patient_disk
from ._disk import Disk
from ._plans import Drawn, draw

LARGE = 60
AGAIN = 0.3  # so often the power fails a second time, while what was broken off is undone
UNTRUSTED = "not trusted any more"


def attack(n: int, seed: int, place: Path) -> Figures:
    """Lose the power at each event of `n` plans, and of undoing them, at times again; then undo."""
    figures, random = count(LOST, WRONG, UNTRUSTED), Random(seed)
    value, os.environ["XDG_STATE_HOME"] = os.environ.get("XDG_STATE_HOME"), str(place / "state")
    try:
        for number in range(n):
            loss = Loss(figures, random, place, draw(random) if number else Drawn(), number % 3 == 2)
            loss.everywhere(is_undone=False)
            loss.everywhere(is_undone=True)
    finally:
        if value is not None:
            os.environ["XDG_STATE_HOME"] = value
    return figures


@dataclass(frozen=True)
class Loss:
    """One plan in one folder; with `long_way` the system has no renames that overwrite nothing."""

    figures: Figures
    random: Random
    place: Path
    drawn: Drawn
    long_way: bool = False

    @property
    def root(self) -> Path:
        """The folder that is changed."""
        return self.place / "root"

    def everywhere(self, *, is_undone: bool) -> None:
        """Record an apply, or the undo after it, and lose the power at each of its events."""
        for folder in (self.root, self.place / "state"):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        write_tree(self.root, self.drawn.files, self.drawn.modes)
        before = read_tree(self.root)
        if is_undone:
            with patient_disk():
                do(self.root, self.drawn.changes)
        disk = self._record(lambda: undo(self.root) if is_undone else do(self.root, self.drawn.changes))
        for at in range(len(disk.events) + 1):
            disk.lose(at, self.random)
            where = f"event {at} of {len(disk.events)}"
            if self.random.random() < AGAIN:
                where += self._lose_again()
            self._check(before, where)

    def _record(self, work: Callable[[], object]) -> Disk:
        disk = Disk(self.root, self.place / "state")
        with patient_disk(), disk.recording(long_way=self.long_way):
            work()
        self.figures.seen["events recorded"] += len(disk.events)
        return disk

    def _lose_again(self) -> str:
        """Undo what was broken off, and lose the power at some event of that too; return which."""
        disk = self._record(lambda: self._undo("again"))
        at = self.random.randint(0, len(disk.events))
        disk.lose(at, self.random)
        self.figures.seen["powerless twice"] += 1
        return f", then {at} of {len(disk.events)}"

    def _undo(self, where: str) -> None:
        try:
            undo(self.root)
        except UntrustedError as error:
            self.figures.won(UNTRUSTED, f"{where}: {error}")
        except WorkspaceError as error:
            if "nothing to undo" not in str(error):
                self.figures.won(WRONG, f"{where}: {error}")

    def _check(self, before: Tree, where: str) -> None:
        """Undo: the tree is then what it was before."""
        self.figures.tried += 1
        left = read_tree(self.root, journal=True)
        with patient_disk():
            self._undo(where)
        now = read_tree(self.root)
        if now != before:
            missing = {name for name in before if name not in now}
            self.figures.won(LOST if missing else WRONG, f"{where}: {now} of {left}")
