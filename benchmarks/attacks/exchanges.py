"""At every call a folder on the way is moved away, and a link to a twin outside may take its place.

Nothing outside is ever touched, and what was there before can be brought back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

from crashes import EVERY, Counter, change, do, read_tree, write_tree

from symops_lark.acting.files.filesystem import JOURNAL
from symops_lark.acting.journal.journal import undo
from symops_lark.core.ground.errors import WorkspaceError

from . import LOST, OUTSIDE, WRONG, Figures, count, patient_disk

LARGE = 30_000
_CALLS = 650  # that there are about
_FILES = {"a": b"A", "sub/b": b"B", "sub/deep/c": b"C", "sub/deep/gone": b"G"}
_CHANGES = (
    change(1, "a", b"A", b"AA"),
    change(2, "sub/b", b"B", b"BB"),
    change(3, "sub/deep/c", b"C", b"CC"),
    change(4, "sub/deep/gone", b"G", None),
    change(5, "sub/deep/n", None, b"N"),
    change(6, "sub/new/m", None, b"M"),
)
_WAYS = ("sub", "sub/deep", "sub/b", "sub/deep/c", "a")
_JOURNALS = (JOURNAL, f"{JOURNAL}/1")
FOR_GOOD = 10**9  # calls
_LASTING = (1, 3, 10, FOR_GOOD)  # calls: looks at several files in a row may all happen meanwhile


@dataclass(frozen=True)
class Exchange:
    """What is moved away, during apply or undo, for how many calls, and whether a link takes its place."""

    name: str
    is_undone: bool
    lasts: int
    has_link: bool = True


def attack(n: int, seed: int, place: Path) -> Figures:
    """Exchange each folder at about `n` calls in all, of apply and of undo, for good or for some calls."""
    figures, random = count(OUTSIDE, LOST, WRONG), Random(seed)
    kinds = [Exchange(*kind) for kind in product(_WAYS, (False, True), _LASTING, (False, True))]
    # A journal that is away for a moment is made again, and then cannot come back.
    kinds += [Exchange(*kind) for kind in product(_JOURNALS, (False, True), _LASTING)]
    step = max(1, len(kinds) * _CALLS // n)
    with patient_disk():
        for kind in kinds:
            at = random.randint(1, step)
            while exchange(figures, place, kind, at):
                at += step
    return figures


def exchange(figures: Figures, place: Path, kind: Exchange, at: int) -> bool:
    """Exchange a folder at one call, and back some calls later; return whether there was such a call."""
    root, outside, aside = place / "root", place / "outside", place / "aside"
    name, path = kind.name, root / kind.name
    write_tree(root, _FILES)
    write_tree(outside, {**_FILES, f"{JOURNAL}/mine": b"1", f"{JOURNAL}/1/mine": b"1"})
    before, tree = read_tree(root), read_tree(outside, journal=True)
    if kind.is_undone:
        do(root, _CHANGES)
    turns = [0]

    def turn() -> None:
        turns[0] += 1
        if turns[0] == 1 and path.exists():
            path.rename(aside)
            if kind.has_link:
                path.symlink_to(outside / name)
        elif turns[0] > kind.lasts:
            put_back(path, aside)

    work: Callable[[Path], object] = undo if kind.is_undone else lambda root: do(root, _CHANGES)
    counter = Counter(at, turn, EVERY, lasts=kind.lasts + 1)
    try:
        with counter.watching():
            work(root)
        figures.seen["done"] += 1
    except WorkspaceError:
        figures.seen["refused"] += 1
    text = f"{kind} at call {at}"
    if read_tree(outside, journal=True) != tree:
        figures.won(OUTSIDE, text)
    put_back(path, aside)
    with suppress(WorkspaceError):
        undo(root)
    now = read_tree(root)
    if now != before:
        lost = [path for path in before if path not in now]
        figures.won(LOST if lost else WRONG, f"{text}: {now}")
    figures.tried += 1
    for folder in (root, outside):
        shutil.rmtree(folder)
    if aside.is_dir():
        shutil.rmtree(aside)
    elif aside.exists():
        aside.unlink()
    return counter.count >= at


def put_back(path: Path, aside: Path) -> None:
    """Let what was exchanged stand at its place again, unless something else stands there by now."""
    if os.path.lexists(aside) and (path.is_symlink() or not os.path.lexists(path)):
        path.unlink(missing_ok=True)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        aside.rename(path)
