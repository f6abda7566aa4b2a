"""kill -9 at every call of the system: what is left is brought to one of the two ends, by undo or by the next apply."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from crashes import EVERY, FILES, MODES, do, ends, kill_apart, kill_at, read_tree, write_tree

from symops_lark.acting.files import filesystem
from symops_lark.acting.files.filesystem import ChangedError
from symops_lark.acting.files.renames import exchange
from symops_lark.acting.journal.journal import recover, undo
from symops_lark.core.ground.errors import WorkspaceError

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("patient_disk")]


def kill_everywhere(
    tmp_path: Path,
    work: Callable[[Path], object],
    check: Callable[[Path], None],
    stride: int,
    prepare: Callable[[Path], object] = lambda root: None,
    **how: Any,
) -> int:
    """Kill some work at its first call, a later one and so on, until it lives to its end; check what is left."""
    for at in range(1, 10_000, stride):
        root = tmp_path / "killed"
        write_tree(root, FILES, MODES)
        prepare(root)
        killed = kill_apart(at, partial(work, root), **how)
        if not killed:
            return at
        check(root)
        shutil.rmtree(root)
    raise AssertionError("it never ended")


HOW: list[dict[str, Any]] = [{}, {"torn": True}, {"after": True, "long_way": True}]


@pytest.mark.parametrize("how", [*HOW, {"names": EVERY}])
def test_kill_at_every_call_then_undo(tmp_path: Path, stride: int, how: dict[str, Any]) -> None:
    before, after = ends(tmp_path)

    def check(root: Path) -> None:
        try:
            undo(root)
        except WorkspaceError as error:
            assert "nothing to undo" in str(error)
        assert read_tree(root) == before

    assert kill_everywhere(tmp_path, do, check, stride, **how) > 90
    assert read_tree(tmp_path / "killed") == after


@pytest.mark.parametrize("how", HOW)
def test_kill_at_every_call_then_apply_again(tmp_path: Path, stride: int, how: dict[str, Any]) -> None:
    before, after = ends(tmp_path)

    def check(root: Path) -> None:
        try:
            do(root)
        except ChangedError:
            assert read_tree(root) == after  # it had been done before the kill
            undo(root)
            assert read_tree(root) == before
            return
        assert read_tree(root) == after
        undo(root)
        assert read_tree(root, journal=True) == before

    kill_everywhere(tmp_path, do, check, stride, **how)


@pytest.mark.parametrize("how", HOW)
def test_kill_at_every_call_of_undo(tmp_path: Path, stride: int, how: dict[str, Any]) -> None:
    before, after = ends(tmp_path)

    def check(root: Path) -> None:
        left = read_tree(root)
        try:
            undone = undo(root)
        except WorkspaceError as error:
            assert "nothing to undo" in str(error) and left == before
        else:
            assert undone.interrupted or left == after
        assert read_tree(root) == before

    assert kill_everywhere(tmp_path, undo, check, stride, do, **how) > 60
    assert read_tree(tmp_path / "killed", journal=True) == before


def test_kill_of_an_undo_after_a_kill(tmp_path: Path) -> None:
    before, _ = ends(tmp_path)
    for first in range(40, 110, 7):
        root = tmp_path / "twice"
        write_tree(root, FILES, MODES)
        kill_apart(first, partial(do, root))
        shutil.copytree(root, tmp_path / "unused")
        for second in range(1, 100, 3):
            if not (root / ".symops").exists() or not kill_apart(second, partial(recover, root)):
                break
        recover(root)
        done = root / ".symops/1/done.json"
        if done.exists():
            undo(root)
        assert read_tree(root) == before
        shutil.rmtree(root)
        shutil.rmtree(tmp_path / "unused")


def test_what_others_wrote_right_before_a_kill_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    write_tree(root, FILES, MODES)
    before, real = read_tree(root), exchange

    def strike(*arguments: Any) -> None:
        (root / "other").write_bytes(b"precious")
        os.replace(root / "other", root / "b.sh")
        real(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(filesystem, "exchange", strike)
    assert kill_at(0, lambda: do(root))
    monkeypatch.undo()
    undone = undo(root)
    [saved] = root.glob("b.sh.kept-*")
    assert saved.read_bytes() == b"precious" and undone.interrupted
    assert undone.notes == (f"b.sh: somebody wrote it while it was being changed; that is now in {saved.name}",)
    saved.unlink()
    assert read_tree(root) == before
