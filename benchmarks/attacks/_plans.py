"""Trees and changes of them, drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from random import Random

from crashes import CHANGES, FILES, MODES, change

from symops_lark.acting.changes import Change

_NAMES = ("a", "b", "a/x", "a/y", "A", "b/x", "b/x/y", "B/x", "c", "c/d", "c/d/e", "ä ö", "-n", "c/d/f", "c/g")


@dataclass(frozen=True)
class Drawn:
    """Files with their modes, and changes of them."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    modes: dict[str, int] = field(default_factory=lambda: dict(MODES))
    changes: tuple[Change, ...] = CHANGES


def draw(random: Random) -> Drawn:
    """Draw files and changes that fit them.

    Files become folders and folders files, in chains too; some changes give a file another name, at times only in
    another case.
    """
    files: dict[str, bytes] = {}
    for name in random.sample(_NAMES, random.randint(1, 5)):
        if _fits(name, files):
            files[name] = random.randbytes(random.randint(0, 9))
    now = dict(files)
    changes: list[Change] = []
    for name in random.sample(_NAMES, random.randint(1, 6)):
        if now and random.random() < 0.3:
            _rename(random.choice(sorted(now)), name, now, changes)
            continue
        before = now.get(name)
        after = None if before is not None and random.random() < 0.4 else random.randbytes(random.randint(0, 9))
        table = {key: data for key, data in now.items() if key != name}
        if after is None:
            now = table
        elif _fits(name, table) and before != after:
            now = table | {name: after}
        else:
            continue
        changes.append(change(len(changes) + 1, name, before, after))
    modes = {name: random.choice((0o644, 0o600, 0o755)) for name in files}
    return Drawn(files, modes, tuple(changes)) if changes else draw(random)


def _rename(old: str, new: str, now: dict[str, bytes], changes: list[Change]) -> None:
    """Give a file a free name, by a deletion and a creation."""
    table = {name: data for name, data in now.items() if name != old}
    if new == old or new in table or not _fits(new, table):
        return
    changes.append(change(len(changes) + 1, old, now[old], None))
    changes.append(change(len(changes) + 1, new, None, now[old]))
    now[new] = now.pop(old)


def _fits(name: str, files: dict[str, bytes]) -> bool:
    folders = {str(parent) for parent in PurePosixPath(name).parents}
    return folders.isdisjoint(files) and not any(file.startswith(name + "/") for file in files)
