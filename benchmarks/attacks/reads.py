"""Another process lets a folder and a link to a twin outside take turns, while files below the folder are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from crashes import write_tree

from symops_lark.acting.files.view import FolderView
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.routing.files import open_below

from . import Figures, count
from .swaps import swapping

LARGE = 100_000
FOREIGN = "read outside the root"
_OURS, _THEIRS = b"ours", b"of somebody else"
_WAYS = ("sub/b", "sub/deep/c", "to_b")  # the last one is a link inside the folder


def attack(n: int, seed: int, place: Path) -> Figures:
    """Read `n` times meanwhile, as manifests and as plans and searches do."""
    figures, root, outside = count(FOREIGN), place / "root", place / "outside"
    write_tree(root, {"sub/b": _OURS, "sub/deep/c": _OURS})
    write_tree(outside, {"b": _THEIRS, "deep/c": _THEIRS})
    os.symlink("sub/b", root / "to_b")
    view = FolderView(root)
    readers: tuple[Callable[[str], bytes | None], ...] = (
        lambda name: _read_below(root, name),
        lambda name: view.look(name).data,
    )
    with swapping(figures, root, outside, seed):
        for number in range(n):
            name, reader = _WAYS[number % len(_WAYS)], readers[number // len(_WAYS) % len(readers)]
            data = None
            with suppress(SymOpsError):
                data = reader(name)
            figures.tried += 1
            figures.seen["read"] += data == _OURS
            if data == _THEIRS:
                figures.won(FOREIGN, f"{name}, read {number}")
    return figures


def _read_below(root: Path, name: str) -> bytes:
    with open(open_below(str(root), name), "rb") as file:
        return file.read()
