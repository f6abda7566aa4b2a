"""The power fails at any moment of an apply or an undo: what was not synced is lost, torn or there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from random import Random

from crashes import do, read_tree, write_tree

from symops_lark.errors import WorkspaceError
from symops_lark.workspace.journal import undo
from symops_lark.workspace.trust import UntrustedError

from . import LOST, WRONG, Figures, count, patient_disk
from ._disk import Disk
from ._plans import Drawn, draw

LARGE = 60
UNTRUSTED = "not trusted any more"


def attack(n: int, seed: int, place: Path) -> Figures:
    """Lose the power at each event of `n` plans, and of undoing them; then undo."""
    figures, random = count(LOST, WRONG, UNTRUSTED), Random(seed)
    kept, os.environ["XDG_STATE_HOME"] = os.environ.get("XDG_STATE_HOME"), str(place / "state")
    try:
        for number in range(n):
            drawn = draw(random) if number else Drawn()
            lose_everywhere(figures, random, place, drawn, False)
            lose_everywhere(figures, random, place, drawn, True)
    finally:
        if kept is not None:
            os.environ["XDG_STATE_HOME"] = kept
    return figures


def lose_everywhere(figures: Figures, random: Random, place: Path, drawn: Drawn, is_undone: bool) -> None:
    """Record an apply, or the undo after it, and lose the power at each of its events."""
    root, state = place / "root", place / "state"
    for folder in (root, state):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    write_tree(root, drawn.files, drawn.modes)
    before = read_tree(root)
    if is_undone:
        with patient_disk():
            do(root, drawn.changes)
    disk = Disk(root, state)
    with patient_disk(), disk.recording():
        undo(root) if is_undone else do(root, drawn.changes)
    figures.seen["events recorded"] += len(disk.events)
    for at in range(len(disk.events) + 1):
        disk.lose(at, random)
        figures.tried += 1
        left = read_tree(root, journal=True)
        try:
            with patient_disk():
                undo(root)
        except UntrustedError as error:
            figures.won(UNTRUSTED, f"event {at} of {len(disk.events)}: {error}")
        except WorkspaceError as error:
            if "nothing to undo" not in str(error):
                figures.won(WRONG, f"event {at} of {len(disk.events)}: {error}")
        now = read_tree(root)
        if now != before:
            missing = {name for name in before if name not in now}
            figures.won(LOST if missing else WRONG, f"event {at} of {len(disk.events)}: {now} of {left}")
