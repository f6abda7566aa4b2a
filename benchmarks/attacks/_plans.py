"""Trees and changes of them, drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from random import Random

from crashes import CHANGES, FILES, MODES, change

from symops_lark.workspace.changes import Change

_NAMES = ("a", "b", "a/x", "a/y", "b/x/y", "c/d/e", "ä ö", "-n", "c/d/f", "c/g")


@dataclass(frozen=True)
class Drawn:
    """Files with their modes, and changes of them."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    modes: dict[str, int] = field(default_factory=lambda: dict(MODES))
    changes: tuple[Change, ...] = CHANGES


def draw(random: Random) -> Drawn:
    """Draw files and changes that fit them: what a folder is, or needs to be, no file becomes."""
    files: dict[str, bytes] = {}
    for name in random.sample(_NAMES, random.randint(1, 5)):
        if _fits(name, files):
            files[name] = random.randbytes(random.randint(0, 9))
    now = dict(files)
    changes: list[Change] = []
    for name in random.sample(_NAMES, random.randint(1, 6)):
        before = now.get(name)
        after = None if before is not None and random.random() < 0.4 else random.randbytes(random.randint(0, 9))
        rest = {other: data for other, data in now.items() if other != name}
        if after is None:
            now = rest
        elif _fits(name, rest) and before != after and not any(other.startswith(name + "/") for other in files):
            now = rest | {name: after}
        else:
            continue
        changes.append(change(len(changes) + 1, name, before, after))
    modes = {name: random.choice((0o644, 0o600, 0o755)) for name in files}
    return Drawn(files, modes, tuple(changes)) if changes else draw(random)


def _fits(name: str, files: dict[str, bytes]) -> bool:
    folders = {str(parent) for parent in PurePosixPath(name).parents}
    return folders.isdisjoint(files) and not any(other.startswith(name + "/") for other in files)
