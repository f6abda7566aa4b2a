"""Hostile paths, alone and mixed by chance, in plans for a real folder: nothing leaves it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

from crashes import read_tree, write_tree
from hostile import ASKED, HARMLESS, PROTECTED, REFUSED

from symops_lark import Action, Document, plan
from symops_lark.acting.changes import Decision
from symops_lark.acting.execution import apply
from symops_lark.acting.files.view import FolderView
from symops_lark.acting.journal.journal import undo
from symops_lark.core.ground.errors import SymOpsError

from . import OUTSIDE, WRONG, Figures, count, patient_disk

LARGE = 10_000
REACHED = "refused ones written"
_FILES = {
    "a": b"A",
    "sub/b": b"B",
    ".git/config": b"mine",
    ".git/hooks/x": b"mine",
    "bare/HEAD": b"",
    "bare/refs/x": b"",
}
_KEPT = frozenset((".git", ".hg", ".svn"))
_GLUE = ("/", "", "/../", "//", "/./", "\\", " ", ".", ":", "\0", "\u2215", "%2f", "a/", "/a")


def attack(n: int, seed: int, place: Path) -> Figures:
    """Plan and apply `n` paths, with consent to all of it; then undo."""
    figures, random, root = count(OUTSIDE, REACHED, WRONG), Random(seed), place / "inside/root"
    write_tree(place, {"inside/beside": b"mine", "outside/a": b"mine"})
    write_tree(root, _FILES)
    (root / "link").symlink_to(place / "outside")
    with patient_disk():
        for path in draw(random, n):
            before = read_tree(place, journal=True)
            figures.tried += 1
            planned_changes = plan(Document((Action("create", path, content="x"),)), FolderView(root))
            expected = [change.path for change in planned_changes.changes if change.decision is not Decision.REFUSE]
            if not planned_changes.possible or not expected:
                figures.seen["refused"] += 1
                continue
            figures.seen["let through" if planned_changes.changes[0].decision is Decision.AUTO else "asked about"] += 1
            if not is_below(root, expected[0]):  # not carried out: this machine is a real one
                figures.won(OUTSIDE, repr(path))
                continue
            try:
                apply(planned_changes, root, confirm=lambda change: True)
            except SymOpsError:
                figures.seen["refused late"] += 1
            now = read_tree(place, journal=True)
            new = {name for name in now if before.get(name) != now[name]} | (before.keys() - now.keys())
            if not all(map(is_allowed, new)):
                figures.won(OUTSIDE, f"{path!r}: {new}")
            if any(path == refused for paths in REFUSED.values() for refused in paths):
                figures.won(REACHED, repr(path))
            if (root / ".symops").exists():
                undo(root)
            if read_tree(place, journal=True) != before:
                figures.won(WRONG, repr(path))
                shutil.rmtree(root)
                write_tree(root, _FILES)
    return figures


def is_allowed(name: str) -> bool:
    """Return whether a name below the place may change: those in the root, but of version control's none."""
    inner = name.removeprefix("inside/root/")
    return inner != name and _KEPT.isdisjoint(part.lower() for part in inner.split("/"))


def is_below(root: Path, path: str) -> bool:
    """Return whether a path, with all links followed, ends below the root."""
    there = os.path.realpath(os.path.join(root, path))
    return there.startswith(os.path.realpath(root) + os.sep)


def draw(random: Random, n: int) -> Iterator[str]:
    """Yield the hostile paths that there are, then mixtures of them."""
    hostile = [path for paths in (*REFUSED.values(), *ASKED.values()) for path in paths] + PROTECTED
    if n < len(hostile):
        hostile = random.sample(hostile, n)
    yield from hostile
    pieces = (
        [path for path in hostile if len(path) < 100] + HARMLESS + ["link", "link/a", "sub", "bare", "a", "/", ".."]
    )
    for _ in range(n - len(hostile)):
        path = random.choice(pieces)
        for _ in range(random.randint(1, 3)):
            path += random.choice(_GLUE) + random.choice(pieces)
        cut = random.randint(0, len(path))
        yield random.choice((path, path[:cut] + random.choice(("\u200b", "\u202e", "..", "\r")) + path[cut:]))
