"""Another process lets a folder and a link to a twin outside take turns under one name, while applies and undos run."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from crashes import change, do, read_tree, write_tree

from symops_lark.acting.journal.journal import undo
from symops_lark.core.ground.errors import WorkspaceError

from . import LOST, OUTSIDE, Figures, count, patient_disk

LARGE = 5_000
_PAUSES = (0.0, 0.0, 1e-5, 1e-4, 1e-3)  # seconds: where there is none, no apply gets through
_FILES = {"a": b"A", "sub/b": b"B", "sub/deep/c": b"C"}
_CHANGES = (
    change(1, "sub/b", b"B", b"BB"),
    change(2, "sub/new/file", None, b"N"),
    change(3, "sub/deep/c", b"C", None),
    change(4, "sub/n", None, b"n"),
)


def attack(n: int, seed: int, place: Path) -> Figures:
    """Apply and undo `n` times meanwhile."""
    figures, root, outside = count(OUTSIDE, LOST), place / "root", place / "outside"
    write_tree(root, _FILES)
    write_tree(outside, {"b": b"B", "deep/c": b"C"})
    before, tree = read_tree(root), read_tree(outside, journal=True)
    with patient_disk(), swapping(figures, root, outside, seed):
        for number in range(n):
            for work in (lambda: do(root, _CHANGES), lambda: undo(root)):
                figures.tried += 1
                try:
                    work()
                    figures.seen["done"] += 1
                except WorkspaceError:
                    figures.seen["refused"] += 1
            if read_tree(outside, journal=True) != tree:
                figures.won(OUTSIDE, f"round {number}")
                break
    settle(root)
    while (root / ".symops").exists():
        try:
            undo(root, force=True)
        except WorkspaceError as error:
            if "nothing to undo" not in str(error):
                figures.won(LOST, str(error))
            break
        settle(root)
    if read_tree(root) != before:
        figures.won(LOST, str(read_tree(root)))
    return figures


@contextmanager
def swapping(figures: Figures, root: Path, outside: Path, seed: int) -> Iterator[None]:
    """Let another process exchange the folder and the link meanwhile; count how often it did."""
    stop, path = root.parent / "stop", root.parent / "swaps"
    child = os.fork()
    if child == 0:
        try:
            flip(root, outside, stop, path, Random(seed))
        finally:
            os._exit(0)
    try:
        yield
    finally:
        stop.touch()
        os.waitpid(child, 0)
    figures.seen["swaps"] = int(path.read_text())


def settle(root: Path) -> None:
    """Put the folder back if its turns ended too early: an apply has made a folder of its name while it was away."""
    name, real, link = root / "sub", root / "real", root / "link"
    link.unlink(missing_ok=True)
    if name.is_symlink():
        name.unlink()
    if real.exists() and not name.exists():
        real.rename(name)


def flip(root: Path, outside: Path, stop: Path, told: Path, random: Random) -> None:
    """Exchange them until told to stop, or until nobody is there to tell."""
    real, link, name, swaps, parent = root / "real", root / "link", root / "sub", 0, os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        while not stop.exists() and os.getppid() == parent:
            for _ in range(random.randint(1, 20)):
                os.rename(name, real)
                os.symlink(outside, link)
                os.rename(link, name)
                time.sleep(random.choice(_PAUSES))
                os.unlink(name)
                os.rename(real, name)
                time.sleep(random.choice(_PAUSES))
                swaps += 1
    told.write_text(str(swaps))
