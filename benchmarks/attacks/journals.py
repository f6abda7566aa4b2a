"""Journals that somebody else made or changed: none is followed without consent, none reaches further than a plan.

Each begins as a true one, of this user for another folder, for this folder, or of another user; then parts of it are
exchanged. What is followed without consent must be a true one, and give back exactly what there was.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from crashes import change, do, read_tree, write_tree

from symops_lark.acting.journal.journal import recover, undo
from symops_lark.acting.journal.trust import UntrustedError
from symops_lark.core.ground.errors import SymOpsError

from . import Figures, count, patient_disk
from ._plans import Drawn, draw

LARGE = 2_000
FOLLOWED, TOO_FAR, REFUSED = "followed unasked", "reached too far", "true ones refused with consent"
_PATHS = (".envrc", ".git/hooks/post-checkout", "../out", "/tmp/x", ".symops/2/open.json", "id_rsa", "a", ".bashrc")
_VALUES: tuple[Any, ...] = (None, True, 0, -1, 1 << 70, "", "x", [], {}, [[]], 0.5, *_PATHS)


def attack(n: int, seed: int, place: Path) -> Figures:
    """Plant `n` journals; then apply a harmless change, recover and undo, without consent and with all of it."""
    figures, random = count(FOLLOWED, TOO_FAR, REFUSED), Random(seed)
    with patient_disk():
        for _ in range(n):
            plant(figures, random, place)
            for name in ("root", "other", "elsewhere"):
                shutil.rmtree(place / name, ignore_errors=True)
    return figures


def plant(figures: Figures, random: Random, place: Path) -> None:
    """Plant one journal, and see what becomes of it."""
    drawn, root, origin = draw_change(random), place / "root", random.choice(("here", "other", "stranger"))
    before = make(root if origin == "here" else place / "other", drawn, origin == "stranger")
    if origin != "here":
        shutil.copytree(place / "other", root)
        (root / ".symops").chmod(0o700)
    spoilt = random.choice(_SPOIL)
    text = f"{spoilt.__name__} of {origin}"
    write_tree(root, {".git/hooks/post-checkout": b"mine"})
    is_changed = spoilt(random, root / ".symops/1")
    done = root / ".symops/1/done.json"
    if done.exists() and random.random() < 0.5:
        done.rename(done.with_name("open.json"))
    figures.tried += 1
    figures.seen["as they were" if not is_changed else "changed"] += 1
    left, is_true = read_tree(root), origin == "here" and not is_changed
    try:
        _TRIES[random.randrange(len(_TRIES))](root)
    except SymOpsError as error:
        figures.seen["refused"] += 1
        if is_true:
            figures.won(REFUSED, f"{text}: {error}")
    now = {name: value for name, value in read_tree(root).items() if name != "harmless"}
    if now != left and not is_true:
        figures.won(FOLLOWED, f"{text}: {left} became {now}")
    agree(root)
    entry = read_tree(root).get(".git/hooks/post-checkout", (b"",))
    if entry[0] != b"mine" or (root / ".envrc").exists() or (root / "id_rsa").exists() or (place / "out").exists():  # type: ignore[index]
        figures.won(TOO_FAR, text)
    if not is_changed:
        now = {name: value for name, value in read_tree(root).items() if name != "harmless" and ".git" not in name}
        if now != before:
            figures.won(REFUSED, f"{text}: {before} is {now}")


def draw_change(random: Random) -> Drawn:
    """Draw a plan that changes something in the end; others leave no journal."""
    while True:
        drawn = draw(random)
        left = {change.path: change.after for change in drawn.changes}
        if any(drawn.files.get(path) != after for path, after in left.items()):
            return drawn


def make(root: Path, drawn: Drawn, is_of_stranger: bool) -> Any:
    """Apply a plan there, as this user or as somebody with another key; return what there was before."""
    write_tree(root, drawn.files, drawn.modes)
    before, value = read_tree(root), os.environ.get("XDG_STATE_HOME", "")
    if is_of_stranger:
        os.environ["XDG_STATE_HOME"] = str(root.parent / "elsewhere")
    do(root, drawn.changes)
    os.environ["XDG_STATE_HOME"] = value
    return before


def agree(root: Path) -> None:
    """Undo as somebody does who agrees to all that is shown."""
    for _ in range(3):
        try:
            undo(root, force=True)
        except UntrustedError as error:
            try:
                undo(root, force=True, trust=error.fingerprint)
            except SymOpsError:
                return
        except SymOpsError:
            return


def go_on(root: Path) -> None:
    """Apply something harmless, as somebody does who knows of nothing; and take it back."""
    recover(root)
    do(root, (change(1, "harmless", None, b"x"),))
    undo(root)


_TRIES: tuple[Callable[[Path], object], ...] = (go_on, undo)


def leave(random: Random, inside: Path) -> bool:
    """Change nothing."""
    return False


def swap_bytes(random: Random, inside: Path) -> bool:
    """Exchange kept bytes for others."""
    paths = sorted(inside.glob("*.before")) + sorted(inside.glob("*.after"))
    path = random.choice(paths)
    old, new = path.read_bytes(), random.randbytes(random.choice((path.stat().st_size, 3)))
    path.write_bytes(new)
    return old != new


def drop_bytes(random: Random, inside: Path) -> bool:
    """Remove kept bytes, or let a link stand for them."""
    path = random.choice([path for path in sorted(inside.iterdir()) if path.suffix in (".before", ".after")])
    path.unlink()
    if random.random() < 0.5:
        path.symlink_to("/etc/passwd")
    return True


def set_value(random: Random, inside: Path) -> bool:
    """Set something in the head to something else."""
    head = json.loads((inside / "done.json").read_text())
    old, outer, key = json.dumps(head), head, "head"
    while isinstance(outer[key], dict | list) and outer[key] and random.random() < 0.8:
        outer = outer[key]
        key = random.choice(list(outer) if isinstance(outer, dict) else list(range(len(outer))))
    outer[key] = random.choice(_VALUES)
    (inside / "done.json").write_text(json.dumps(head))
    return json.dumps(head) != old


def aim(random: Random, inside: Path) -> bool:
    """Let a file of the journal be another one."""
    head = json.loads((inside / "done.json").read_text())
    row, path = random.choice(head["head"]["files"]), random.choice(_PATHS)
    text = path.rpartition("/")[0] + "/" if "/" in path else ""
    row |= {"path": path, "temporary": text + ".symops-0-0.new", "aside": text + ".symops-0-0.old"}
    if random.random() < 0.5:
        head["seal"] = random.choice((None, "", "0" * 64))
    (inside / "done.json").write_text(json.dumps(head))
    return True


def flip_byte(random: Random, inside: Path) -> bool:
    """Change one byte of the head."""
    data = bytearray((inside / "done.json").read_bytes())
    old, at = bytes(data), random.randrange(len(data))
    data[at] ^= 1 << random.randrange(8)
    (inside / "done.json").write_bytes(data)
    try:
        return bool(json.loads(data) != json.loads(old))
    except ValueError:
        return True


_SPOIL: tuple[Callable[[Random, Path], bool], ...] = (leave, swap_bytes, drop_bytes, set_value, aim, flip_byte)
