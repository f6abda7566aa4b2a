"""A system that refuses: whichever call fails, once or from then on, the files are as they were, or it is told."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crashes import EVERY, FILES, MODES, Counter, change, do, ends, read_tree, write_tree

from symops_lark.acting.journal.journal import recover, undo
from symops_lark.core.ground.errors import UnsafeActionError, WorkspaceError

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("patient_disk")]

FALLIBLE = tuple(name for name in EVERY if name != "close")


class Broken(Counter):
    """From the `at`-th call on, all of them fail."""

    def wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.count += 1
            if self.count >= self.at:
                self.strike()
            return call(*arguments, **named)

        return counted


def fail() -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize("kind", [Counter, Broken], ids=["once", "from-then-on"])
@pytest.mark.parametrize("long_way", [False, True])
def test_all_or_none_or_it_is_told(tmp_path: Path, stride: int, kind: type[Counter], long_way: bool) -> None:
    before, after = ends(tmp_path)
    for at in range(1, 2000, stride):
        root = tmp_path / "root"
        write_tree(root, FILES, MODES)
        counter = kind(at, fail, FALLIBLE, long_way=long_way)
        failed = ""
        try:
            with counter.watching():
                do(root)
        except WorkspaceError as error:
            failed = str(error)
        left = read_tree(root)
        if failed and "symops undo" not in failed:
            assert left == before, (at, failed)
        if not failed:
            assert left == after, at
        recover(root)
        assert not [path for path in root.rglob(".symops-*") if ".symops" not in path.parts], at
        if read_tree(root) != before:
            undo(root)
        assert read_tree(root) == before, at
        shutil.rmtree(root)
        if counter.count < at:
            break
    assert 200 < at < 2000


def test_files_of_others_in_the_journals_folder_stay(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_tree(root, {"a": b"A", ".symops/mine": b"1", ".symops/1/mine": b"2", ".symops/7/sub/mine": b"3"})
    (root / ".symops").chmod(0o700)
    before = read_tree(root, journal=True)
    do(root, (change(1, "a", b"A", b"B"),))
    assert (root / "a").read_bytes() == b"B"
    undo(root)
    assert read_tree(root, journal=True) == before


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("/nowhere")])
def test_a_lock_that_is_none_is_told_by_its_path(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / ".symops").mkdir(mode=0o700)
    make(tmp_path / ".symops/lock")
    with pytest.raises(WorkspaceError, match=r"^\.symops/lock: cannot be opened"):
        do(tmp_path, (change(1, "n", None, b""),))
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize("path", [".git/config", "sub/.Git/x", ".hg/hgrc"])
def test_plans_made_by_hand_reach_no_version_control(tmp_path: Path, path: str) -> None:
    with pytest.raises(UnsafeActionError, match="what version control keeps for itself"):
        do(tmp_path, (change(1, path, None, b""),))
    assert not list(tmp_path.iterdir())
