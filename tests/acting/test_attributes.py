"""What a file has besides its bytes: what is kept when another takes its name, and what a person is told is not."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crashes import change, do, read_tree, write_tree
from trees import create, delete, document, edit

from symops_lark import plan
from symops_lark.acting.changes import Change, Decision
from symops_lark.acting.files import renames
from symops_lark.acting.files.filesystem import Folder
from symops_lark.acting.files.view import FolderView
from symops_lark.acting.journal.journal import carry_out, undo
from symops_lark.core.ground.errors import UnsafeActionError, WorkspaceError

ACCESS = "system.posix_acl_access"
LIST = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, speaker)
    for tag, rights, speaker in (
        (1, 6, 0xFFFFFFFF),
        (2, 4, 4321),
        (4, 4, 0xFFFFFFFF),
        (16, 4, 0xFFFFFFFF),
        (32, 0, 0xFFFFFFFF),
    )
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    write_tree(root, {"a": b"A\n", "b": b"B\n", "c": b"C\n"})
    return root


def test_other_names_of_a_file_are_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").hardlink_to(root / "a")
    planned_changes = plan(document(edit("a", "A\nA"), edit("b", "B\nB"), delete("c")), FolderView(root))
    assert planned_changes.changes[0].decision is Decision.ASK
    assert planned_changes.changes[0].reasons == ("the file has 2 names (hard links): the others keep the old text",)
    assert planned_changes.changes[1].decision is Decision.AUTO and planned_changes.possible
    assert "names" not in str(plan(document(delete("a")), FolderView(root)).changes[0].reasons)


@pytest.mark.parametrize("mode", [0o4755, 0o2755])
def test_rights_of_the_owner_are_not_given_to_a_new_text_and_come_back(root: Path, mode: int) -> None:
    (root / "a").chmod(mode)
    before = read_tree(root)
    planned_changes = plan(document(edit("a", "x")), FolderView(root))
    assert (
        planned_changes.changes[0].decision is Decision.ASK
        and "with the rights of its owner" in planned_changes.changes[0].reasons[0]
    )
    do(root, planned_changes.changes)
    assert (root / "a").stat().st_mode & 0o7777 == 0o755
    undo(root)
    assert read_tree(root) == before
    assert plan(document(create("n")), FolderView(root)).changes[0].decision is Decision.AUTO


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are those of Linux here")
def test_extended_attributes_are_kept(root: Path) -> None:
    expected = {"user.origin": b"http://x/", ACCESS: LIST}
    try:
        for name, value in expected.items():
            os.setxattr(root / "a", name, value)
    except OSError as error:
        pytest.skip(f"this file system has none: {error}")

    def attributes() -> dict[str, bytes]:
        return {name: os.getxattr(root / "a", name) for name in os.listxattr(root / "a") if name in expected}

    mode = (root / "a").stat().st_mode
    do(root, (change(1, "a", b"A\n", b"AA\n"), change(2, "n", None, b"")))
    assert attributes() == expected and (root / "a").stat().st_mode == mode and (root / "a").read_bytes() == b"AA\n"
    assert not set(os.listxattr(root / "n")) & set(expected)
    undo(root)
    assert attributes() == expected and (root / "a").stat().st_mode == mode


def notes_of(root: Path, *changes: Change) -> tuple[str, ...]:
    with Folder(root) as folder:
        return carry_out(folder, changes).notes


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are those of Linux here")
def test_attributes_that_cannot_be_kept_are_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By apply and by undo; what is kept draws no word."""
    here: dict[int, dict[str, bytes]] = {}

    def refuse(file: int, name: str, value: bytes) -> None:
        if name == "user.bad":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        here.setdefault(os.fstat(file).st_ino, {})[name] = value

    def read(file: int) -> dict[str, bytes]:
        return here.get(os.fstat(file).st_ino, {})

    monkeypatch.setattr(os, "listxattr", lambda file: list(read(file)))
    monkeypatch.setattr(os, "getxattr", lambda file, name: read(file)[name])
    monkeypatch.setattr(os, "setxattr", refuse)
    assert notes_of(root, change(1, "a", b"A\n", b"x"), change(2, "n", None, b"")) == ()
    assert undo(root).notes == ()
    expected = {"user.good": b"1", "user.bad": b"2"}
    here[(root / "a").stat().st_ino] = expected
    here[(root / "c").stat().st_ino] = expected | {"security.label": b""}
    notes = notes_of(root, change(1, "a", b"A\n", b"x"), change(2, "c", b"C\n", None))
    assert notes == (
        "c: undo could not restore its extended attribute user.bad",
        "c: undo could not restore its extended attribute user.good",
        "a: its extended attribute user.bad could not be kept (No space left on device)",
    )
    assert here[(root / "a").stat().st_ino] == {"user.good": b"1"}
    here.clear()  # their numbers are given to other files
    here[(root / "a").stat().st_ino] = expected
    assert undo(root).notes == ("a: its extended attribute user.bad could not be kept (No space left on device)",)


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are those of Linux here")
@pytest.mark.parametrize("call", ["listxattr", "getxattr", "stat-like"])
def test_attributes_that_cannot_be_read_are_told(root: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "listxattr", lambda file: ["user.x"])
    monkeypatch.setattr(os, "getxattr", lambda file, name: b"")
    monkeypatch.setattr(os, "setxattr", fail)
    if call in ("listxattr", "getxattr"):
        monkeypatch.setattr(os, call, fail)
        assert notes_of(root, change(1, "a", b"A\n", b"x")) == (
            "a: its extended attributes could not be read (Input/output error)",
        )
    else:
        monkeypatch.setattr(os, "getxattr", lambda file, name: str(os.fstat(file).st_ino).encode())
        notes = notes_of(root, change(1, "a", b"A\n", b"x"))
        assert notes == ("a: its extended attribute user.x could not be kept (Input/output error)",)


@pytest.mark.slow
def test_notes_are_shown(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = pytest.importorskip("command_line").run  # a wing above, missing where this one is tested alone
    monkeypatch.setattr(
        "symops_lark.acting.files.filesystem.copy_attributes", lambda *_: ("its owner 1:1 could not be \x1b",)
    )
    (tmp_path / "reply").write_text("::edit @a\n<<<\nx\n>>>\n")
    arguments = ("apply", str(tmp_path / "reply"), "--root", str(root), "--yes")
    assert "\nnote: a: its owner 1:1 could not be ␛\n" in run(*arguments).stdout
    assert "note: a: its owner 1:1" in run("undo", "--root", str(root)).stdout
    assert json.loads(run(*arguments, "--json").stdout)["notes"] == ["a: its owner 1:1 could not be \x1b"]


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="gives capabilities")
def test_capabilities_are_not_given_to_a_new_text(root: Path) -> None:
    capability = struct.pack("<5I", 0x02000000, 1 << 10, 0, 0, 0)
    try:
        os.setxattr(root / "a", "security.capability", capability)
    except OSError as error:
        pytest.skip(f"there are none here: {error}")
    notes = notes_of(root, change(1, "a", b"A\n", b"AA\n"))
    assert notes == ("a: the rights of a program (capabilities) are not given to another text",)
    assert "security.capability" not in os.listxattr(root / "a")


def test_what_is_not_touched_keeps_its_times(root: Path) -> None:
    write_tree(root, {"d/deep": b"D"})
    for path in ("b", "c", "d/deep", "d"):
        os.utime(root / path, ns=(10**18, 10**18))
    (root / "c").chmod(0o444)
    table = {path: (root / path).stat() for path in ("b", "c", "d/deep", "d")}
    do(root, (change(1, "a", b"A\n", b"AA\n"), change(2, "n/m", None, b"")))
    undo(root)
    for path, before in table.items():
        now = (root / path).stat()
        assert (now.st_mtime_ns, now.st_ino, now.st_mode) == (before.st_mtime_ns, before.st_ino, before.st_mode), path


def as_nobody(work: Callable[[], object]) -> str:
    """Do something without permissions; give what was told."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            work()
            os.write(writing, b"done")
        except WorkspaceError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        message = pipe.read()
    os.waitpid(child, 0)
    return message


@pytest.fixture
def place() -> Iterator[Path]:
    """Give a folder that everybody can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name) / "root"


AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become somebody without permissions")


@AS_ROOT
@pytest.mark.parametrize("after", [b"AA", None])
def test_rights_of_others_are_not_exchanged_for_ours(place: Path, after: bytes | None) -> None:
    """Undo would make a program that runs with our rights of what somebody else wrote."""
    write_tree(place, {"a": b"A"}, {"a": 0o4755})
    os.chown(place, 65534, 65534)
    before = read_tree(place)
    assert "a: runs with the rights of somebody else" in as_nobody(lambda: do(place, (change(1, "a", b"A", after),)))
    assert read_tree(place) == before
    os.chown(place / "a", 65534, 65534)
    (place / "a").chmod(0o4755)
    with pytest.raises(UnsafeActionError, match="rights of somebody else"):
        do(place, (change(1, "a", b"A", after),))


@AS_ROOT
@pytest.mark.parametrize(("after", "told"), [(b"AA", "could not be kept (Operation not permitted)"), (None, "")])
def test_owners_that_cannot_be_kept_are_told(place: Path, after: bytes | None, told: str) -> None:
    write_tree(place, {"a": b"A"}, {"a": 0o666})
    os.chown(place, 65534, 65534)
    os.chown(place / "a", 12345, 12345)
    texts: list[str] = []

    def work() -> None:
        texts.extend(notes_of(place, change(1, "a", b"A", after)))
        raise WorkspaceError("\n".join(texts))

    lines = as_nobody(work).split("\n")
    expected = f"a: its owner 12345:12345 {told}" if told else "a: undo could not restore its owner 12345:12345"
    assert expected in lines, lines


@AS_ROOT
def test_files_of_others_in_a_folder_for_everybody(place: Path) -> None:
    """They may be linked to there, but not renamed: what is not allowed is not tried in another way."""
    write_tree(place, {"a": b"A"}, {"a": 0o666})
    place.chmod(0o1777)
    before = read_tree(place)
    changes = (change(1, "n", None, b""), change(2, "a", b"A", b"AA"))
    assert as_nobody(lambda: do(place, changes)) == "a: cannot be written: Operation not permitted"
    assert read_tree(place, journal=True) == before
    message = as_nobody(lambda: do(place, (change(1, "a", b"A", None),)))
    assert message == "a: cannot be deleted: Operation not permitted"
    assert read_tree(place, journal=True) == before


def test_containers_that_refuse_the_call_altogether(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        ctypes.set_errno(errno.EPERM)
        return -1

    monkeypatch.setattr(renames, "_system_call", lambda: refuse)
    before = read_tree(root)
    do(root, (change(1, "a", b"A\n", b"AA\n"), change(2, "n", None, b"")))
    assert (root / "a").read_bytes() == b"AA\n"
    undo(root)
    assert read_tree(root) == before
