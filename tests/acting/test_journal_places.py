"""The journal where files and folders take each other's place, and where a power cut left a file half written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from crashes import change, do, read_tree

from symops_lark.acting.files import filesystem
from symops_lark.acting.files.filesystem import ChangedError
from symops_lark.acting.journal import journal as journals
from symops_lark.acting.journal.journal import undo
from symops_lark.acting.journal.trust import UntrustedError
from symops_lark.core.ground.errors import WorkspaceError

pytestmark = pytest.mark.usefixtures("patient_disk")


def test_a_folder_with_files_of_others_does_not_give_way_to_a_file(root: Path) -> None:
    before = read_tree(root)
    do(root, (change(1, "gone", b"G", None), change(2, "gone/x/y", None, b"new"), change(3, "e", None, b"E")))
    (root / "gone/x/mine").write_bytes(b"mine")
    done = read_tree(root)
    with pytest.raises(ChangedError, match=r"gone/x/mine: somebody put it .* the file gone; nothing was brought back"):
        undo(root)
    assert read_tree(root) == done  # before anything was changed
    undone = undo(root, force=True)
    [saved] = root.glob("gone.kept-*")
    assert (saved / "x/mine").read_bytes() == b"mine"
    assert f"gone: other files were in this folder, which is now {saved.name}" in undone.notes
    shutil.rmtree(saved)
    assert read_tree(root) == before


def test_a_folder_gives_way_once_the_files_of_others_are_away(root: Path) -> None:
    before = read_tree(root)
    do(root, (change(1, "gone", b"G", None), change(2, "gone/x/y", None, b"new")))
    (root / "gone/mine").mkdir()
    with pytest.raises(ChangedError, match=r"gone/mine: somebody put it"):
        undo(root)
    (root / "gone/mine").rmdir()
    undo(root)
    assert read_tree(root) == before


def test_a_file_may_take_the_place_of_a_folder_for_a_while(root: Path) -> None:
    before = read_tree(root)
    chain = (
        change(1, "f/x", b"X", None),
        change(2, "f/g/y", b"Y", None),
        change(3, "f", None, b"F"),
        change(4, "f", b"F", None),
        change(5, "f/g/new", None, b"N"),
    )
    do(root, chain)
    assert (root / "f/g/new").read_bytes() == b"N" and not (root / "f/x").exists()
    undo(root)
    assert read_tree(root) == before


@pytest.mark.parametrize("torn", [b"", b"b", b"\0\0", b"b\0", b"neither"])
@pytest.mark.parametrize("is_undone", [False, True])
def test_what_was_not_yet_written_is_no_file_of_somebody_else(
    root: Path, monkeypatch: pytest.MonkeyPatch, torn: bytes, is_undone: bool
) -> None:
    """After a power cut a file that was being written may be short, or zero, or hold anything."""
    before = read_tree(root)
    if is_undone:
        do(root)

    def fail(file: int, *_: object) -> None:
        os.ftruncate(file, 0)
        os.pwrite(file, torn, 0)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(filesystem, "copy_attributes", fail)  # the next thing after the bytes are written
        patch.setattr(journals, "_give_up", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            undo(root) if is_undone else do(root)
    undo(root)
    assert read_tree(root) == before


@pytest.mark.parametrize("mine", [b"", b"mine"])
def test_a_file_that_appears_where_the_plan_has_one_for_a_while_stops_it(root: Path, mine: bytes) -> None:
    (root / "new").write_bytes(mine)
    before = read_tree(root)
    with pytest.raises(ChangedError, match="new: the file has changed since it was planned"):
        do(root, (change(1, "new", None, b"1"), change(2, "new", b"1", None)))
    assert read_tree(root) == before


@pytest.mark.parametrize("name", ["a" * 250, "é" * 125])
def test_a_folder_with_a_long_name_gives_way_too(root: Path, name: str) -> None:
    (root / name).write_bytes(b"G")
    before = read_tree(root)
    do(root, (change(1, name, b"G", None), change(2, f"{name}/b", None, b"new"), change(3, "e", None, b"E")))
    (root / name / "mine").write_bytes(b"mine")
    undo(root, force=True)
    [saved] = root.glob("*.kept-*")
    assert (saved / "mine").read_bytes() == b"mine" and name.startswith(saved.name.partition(".")[0])
    shutil.rmtree(saved)
    assert read_tree(root) == before


def test_bytes_that_were_not_restored_are_kept(root: Path) -> None:
    """What is wrong with them may be a part only, or the limit of a policy."""
    do(root, (change(1, "a", b"A", None), change(2, "b.sh", b"B" * 9, None)))
    saved = root / ".symops/1/0.before"
    saved.write_bytes(saved.read_bytes() + b"extra")
    with pytest.raises(UntrustedError) as caught:
        undo(root)
    undone = undo(root, trust=caught.value.fingerprint)
    [kept] = (root / ".symops").glob("kept-1-*")
    assert undone.notes[-1] == f".symops/{kept.name} has what the journal kept of these files"
    # Git does not add them.
    assert (root / ".symops/.gitignore").exists()
    assert (kept / "0.before").read_bytes().endswith(b"extra")
    # It is not undone again, and not in the way of others.
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        undo(root)
    do(root, (change(1, "e", None, b"E"),))
    assert undo(root).files == ("e",) and kept.is_dir()
