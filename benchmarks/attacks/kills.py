"""kill -9 at every call of the system that an apply or an undo makes: before it, after it, or when half is written."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from crashes import EVERY, do, kill_at, read_tree, write_tree

from symops_lark.acting.journal.journal import recover, undo
from symops_lark.core.ground.errors import WorkspaceError

from . import LOST, WRONG, Figures, count, patient_disk
from ._plans import Drawn, draw

LARGE = 12
STEP = 1  # every so many-th call
_HOW: tuple[dict[str, Any], ...] = (
    {},
    {"torn": True},
    {"after": True},
    {"long_way": True},
    {"after": True, "long_way": True},
    {"names": EVERY},
)


def attack(n: int, seed: int, place: Path) -> Figures:
    """Kill `n` plans at every call in one of the ways, and undoing them; then undo, or apply again."""
    figures, random = count(LOST, WRONG), Random(seed)
    with patient_disk():
        for number in range(n):
            drawn, how = draw(random) if number else Drawn(), _HOW[number % len(_HOW)]
            kill_everywhere(figures, random, place / "root", drawn, False, how)
            kill_everywhere(figures, random, place / "root", drawn, True, how)
    return figures


def kill_everywhere(
    figures: Figures, random: Random, root: Path, drawn: Drawn, is_undone: bool, how: dict[str, Any]
) -> None:
    """Kill an apply, or the undo after it, at its first call, a later one and so on, until it lives to its end."""
    work: Callable[[], object] = (lambda: undo(root)) if is_undone else (lambda: do(root, drawn.changes))
    killed, at = True, 1 - STEP
    while killed:
        at += STEP
        write_tree(root, drawn.files, drawn.modes)
        before = read_tree(root)
        if is_undone:
            do(root, drawn.changes)
        done = read_tree(root)
        killed = kill_at(at, work, **how)
        figures.tried += killed
        if killed:
            text = _bring_back(root, random, drawn, figures)
            now = read_tree(root)
            if now != before or text:
                missing = [name for name in before if name not in now and name not in done]
                figures.won(LOST if missing else WRONG, f"call {at}, undo {is_undone}, {how}: {text or now}")
        shutil.rmtree(root)


def _bring_back(root: Path, random: Random, drawn: Drawn, figures: Figures) -> str:
    """Undo in one of the ways there are; return what was said if it failed."""
    try:
        if random.random() < 0.3:
            figures.seen["recovered by the next apply"] += recover(root) is not None
        undo(root)
    except WorkspaceError as error:
        return "" if "nothing to undo" in str(error) else str(error)
    return ""
