"""What a file has besides its bytes: what is kept when another takes its name, and what a person is told is not."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

import pytest
from crashes import change, do, read_tree, write_tree
from trees import create, delete, document, edit

from symops_lark import plan
from symops_lark.workspace.changes import Decision
from symops_lark.workspace.journal import undo
from symops_lark.workspace.view import FolderView

ACCESS = "system.posix_acl_access"
LIST = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, who)
    for tag, rights, who in ((1, 6, 0xFFFFFFFF), (2, 4, 4321), (4, 4, 0xFFFFFFFF), (16, 4, 0xFFFFFFFF),
                             (32, 0, 0xFFFFFFFF)))  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    write_tree(root, {"a": b"A\n", "b": b"B\n", "c": b"C\n"})
    return root


def test_other_names_of_a_file_are_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").hardlink_to(root / "a")
    made = plan(document(edit("a", "x"), edit("b", "x"), delete("c")), FolderView(root))
    assert made.changes[0].decision is Decision.ASK
    assert made.changes[0].reasons == ("the file has 2 names (hard links): the others keep the old text",)
    assert made.changes[1].decision is Decision.AUTO and made.possible
    assert "names" not in str(plan(document(delete("a")), FolderView(root)).changes[0].reasons)


@pytest.mark.parametrize("mode", [0o4755, 0o2755])
def test_rights_of_the_owner_are_not_given_to_a_new_text_and_come_back(root: Path, mode: int) -> None:
    (root / "a").chmod(mode)
    before = read_tree(root)
    made = plan(document(edit("a", "x")), FolderView(root))
    assert made.changes[0].decision is Decision.ASK and "with the rights of its owner" in made.changes[0].reasons[0]
    do(root, made.changes)
    assert (root / "a").stat().st_mode & 0o7777 == 0o755
    undo(root)
    assert read_tree(root) == before
    assert plan(document(create("n")), FolderView(root)).changes[0].decision is Decision.AUTO


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are those of Linux here")
def test_extended_attributes_are_kept(root: Path) -> None:
    wanted = {"user.origin": b"http://x/", ACCESS: LIST}
    try:
        for name, value in wanted.items():
            os.setxattr(root / "a", name, value)
    except OSError as error:
        pytest.skip(f"this file system has none: {error}")

    def attributes() -> dict[str, bytes]:
        return {name: os.getxattr(root / "a", name) for name in os.listxattr(root / "a") if name in wanted}

    mode = (root / "a").stat().st_mode
    do(root, (change(1, "a", b"A\n", b"AA\n"), change(2, "n", None, b"")))
    assert attributes() == wanted and (root / "a").stat().st_mode == mode and (root / "a").read_bytes() == b"AA\n"
    assert not set(os.listxattr(root / "n")) & set(wanted)
    undo(root)
    assert attributes() == wanted and (root / "a").stat().st_mode == mode


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="gives capabilities")
def test_capabilities_are_not_given_to_a_new_text(root: Path) -> None:
    capability = struct.pack("<5I", 0x02000000, 1 << 10, 0, 0, 0)
    try:
        os.setxattr(root / "a", "security.capability", capability)
    except OSError as error:
        pytest.skip(f"there are none here: {error}")
    do(root, (change(1, "a", b"A\n", b"AA\n"),))
    assert "security.capability" not in os.listxattr(root / "a")


def test_what_is_not_touched_keeps_its_times(root: Path) -> None:
    write_tree(root, {"d/deep": b"D"})
    for path in ("b", "c", "d/deep", "d"):
        os.utime(root / path, ns=(10**18, 10**18))
    (root / "c").chmod(0o444)
    seen = {path: (root / path).stat() for path in ("b", "c", "d/deep", "d")}
    do(root, (change(1, "a", b"A\n", b"AA\n"), change(2, "n/m", None, b"")))
    undo(root)
    for path, before in seen.items():
        now = (root / path).stat()
        assert (now.st_mtime_ns, now.st_ino, now.st_mode) == (before.st_mtime_ns, before.st_ino, before.st_mode), path
