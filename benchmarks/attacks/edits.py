"""Somebody else writes a file of the plan at any call of an apply or an undo: what they wrote is never lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from crashes import EVERY, Counter, do, read_tree, write_tree

from symops_lark.acting.journal.journal import undo
from symops_lark.core.ground.errors import WorkspaceError

from . import LOST, WRONG, Figures, count, patient_disk
from ._plans import Drawn, draw

LARGE = 20_000
_STEP = 12  # calls between two edits, at most
_PRECIOUS = b"what a person wrote"


def replace(path: Path) -> None:
    """Save as editors do: another file takes the name."""
    second = path.with_name("edited~")
    second.write_bytes(_PRECIOUS)
    os.replace(second, path)


def overwrite(path: Path) -> None:
    """Write into the file that stands there."""
    path.write_bytes(_PRECIOUS)


def append(path: Path) -> None:
    """Add to what stands there."""
    with path.open("ab") as file:
        file.write(_PRECIOUS)


_EDITS: tuple[Callable[[Path], None], ...] = (replace, overwrite, append)


def attack(n: int, seed: int, place: Path) -> Figures:
    """Make `n` edits of files of plans, in each way, some calls from one to the next, during apply or undo."""
    figures, random, drawn = count(LOST, WRONG), Random(seed), Drawn()
    with patient_disk():
        while figures.tried < n:
            is_undone, edit, long_way = random.random() < 0.4, random.choice(_EDITS), random.random() < 0.5
            at, struck = random.randint(1, _STEP), True
            while struck and figures.tried < n:
                path = random.choice(drawn.changes).path
                struck = edit_at(figures, place / "root", drawn, path, edit, at, is_undone, long_way)
                at += random.randint(1, _STEP)
            drawn = draw(random) if random.random() < 0.7 else Drawn()
    return figures


def edit_at(
    figures: Figures,
    root: Path,
    drawn: Drawn,
    path: str,
    edit: Callable[[Path], None],
    at: int,
    is_undone: bool,
    long_way: bool,
) -> bool:
    """Edit one file at one call; return whether there was such a call."""
    write_tree(root, drawn.files, drawn.modes)
    before = read_tree(root)
    if is_undone:
        do(root, drawn.changes)
    edited = [False]

    def strike() -> None:
        with suppress(OSError):  # a folder is there, or none above it
            edit(root / path)
            edited[0] = True

    counter = Counter(at, strike, EVERY, long_way=long_way)
    text = ""
    try:
        with counter.watching():
            undo(root) if is_undone else do(root, drawn.changes)
    except WorkspaceError as error:
        text = str(error)
    if edited[0]:
        figures.tried += 1
        figures.seen["refused" if text else "done"] += 1
        line_text = f"{path} at call {at}, {edit.__name__}, undo {is_undone}, {drawn.changes}: {text}"
        if not _is_there(root):
            figures.won(LOST, line_text)
        with suppress(WorkspaceError):  # it may not be brought back, as the person's text is in the way
            undo(root)
        if not _is_there(root):
            figures.won(LOST, f"{line_text}; then undone")
        with suppress(WorkspaceError):
            undo(root, force=True)
        now = read_tree(root)
        names = [name for name, value in before.items() if name != path and now.get(name) != value]
        if names and not (root / path).is_dir():
            figures.won(WRONG, f"{line_text}: {names} of {now}")
    shutil.rmtree(root)
    return counter.count >= at


def _is_there(root: Path) -> bool:
    return any(_PRECIOUS in path.read_bytes() for path in root.rglob("*") if path.is_file())
