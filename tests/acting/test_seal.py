"""The key of the seals: this user's alone, made once, and what becomes of journals where it cannot be had."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from pathlib import Path

import pytest
from command_line import run
from crashes import do, kill_at, read_tree
from trees import MemoryTree, create, document

from symops_lark import plan
from symops_lark.acting.changes import Decision
from symops_lark.acting.journal import seal
from symops_lark.acting.journal.journal import undo
from symops_lark.acting.journal.seal import NoKeyError, load_key
from symops_lark.acting.journal.trust import UntrustedError
from symops_lark.core.ground.errors import WorkspaceError

pytestmark = pytest.mark.usefixtures("patient_disk")


def refused(root: Path, reason: str) -> UntrustedError:
    """Expect that a journal is not followed; give what is told."""
    before = read_tree(root)
    with pytest.raises(UntrustedError, match=reason) as caught:
        undo(root)
    assert read_tree(root) == before
    return caught.value


def test_the_key_is_this_users_alone(root: Path, state: Path) -> None:
    mask = os.umask(0)
    try:
        do(root)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(state.stat().st_mode) == 0o700 and [path.name for path in state.iterdir()] == ["journal.key"]
    key = state / "journal.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and key.stat().st_size == 32
    before = key.read_bytes()
    undo(root)
    do(root)
    assert key.read_bytes() == before == load_key()
    text = b"".join(path.read_bytes() for path in root.rglob("*") if path.is_file())
    assert before not in text and before.hex().encode() not in text


def test_a_strict_mask_makes_a_key_that_can_be_read(state: Path) -> None:
    state.mkdir(parents=True, mode=0o700)
    mask = os.umask(0o777)
    try:
        assert len(load_key(make=True)) == 32
    finally:
        os.umask(mask)
    assert stat.S_IMODE((state / "journal.key").stat().st_mode) == 0o600


@pytest.mark.slow
@pytest.mark.parametrize("long_way", [False, True])
def test_all_who_make_the_key_at_once_get_the_same(
    state: Path, monkeypatch: pytest.MonkeyPatch, long_way: bool
) -> None:
    if long_way:
        monkeypatch.setattr("symops_lark.acting.files.renames.call_rename", lambda *_: False)
    for _ in range(20):
        keys: list[bytes] = []
        start = threading.Barrier(8)

        def work(keys: list[bytes] = keys, start: threading.Barrier = start) -> None:
            start.wait()
            keys.append(load_key(make=True))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(keys) == 8 and set(keys) == {(state / "journal.key").read_bytes()}
        assert os.listdir(state) == ["journal.key"]
        shutil.rmtree(state)


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_kill_while_the_key_is_made(state: Path, after: bool) -> None:
    for at in range(1, 100):
        killed = kill_at(at, lambda: load_key(make=True), after=after)
        assert len(load_key(make=True)) == 32
        if not killed:
            assert at > 5
            return
        shutil.rmtree(state, ignore_errors=True)
    raise AssertionError("it never ended")


def _spoil(state: Path, how: str) -> None:
    key = state / "journal.key"
    if how in ("gone", "a folder", "a link", "a pipe"):
        key.unlink()
    match how:
        case "readable by others":
            key.chmod(0o644)
        case "a folder for everybody":
            state.chmod(0o777)
        case "a folder":
            key.mkdir(0o700)
        case "a link":
            (state / "other").write_bytes(b"x" * 32)
            (state / "other").chmod(0o600)
            key.symlink_to("other")
        case "a pipe":
            os.mkfifo(key, 0o600)
        case "short" | "long" | "another":
            key.write_bytes(b"x" * {"short": 31, "long": 33, "another": 32}[how])


_SPOILT = (
    "readable by others",
    "a folder for everybody",
    "a folder",
    "a link",
    "a pipe",
    "short",
    "long",
    "another",
    "gone",
)


@pytest.mark.parametrize("how", _SPOILT)
def test_a_key_that_is_none_believes_nothing(root: Path, state: Path, how: str) -> None:
    before = read_tree(root)
    do(root)
    _spoil(state, how)
    error = refused(root, "seal cannot be checked|its seal is not yours")
    assert error.fingerprint in str(error)
    undone = undo(root, trust=error.fingerprint)
    assert len(undone.files) == len(error.changes) > 5 and read_tree(root) == before


@pytest.mark.parametrize("where", ["none", "relative", "read-only", "no folder"])
def test_no_place_for_a_key(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Files are changed all or none nevertheless; it is told that the journal is believed by nobody."""
    monkeypatch.delenv("XDG_STATE_HOME")
    if where in ("none", "relative"):
        monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as without HOME, and without an account
        if where == "relative":
            monkeypatch.setenv("XDG_STATE_HOME", "state")
            monkeypatch.chdir(tmp_path)
    elif where == "no folder":
        (tmp_path / "file").write_bytes(b"")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    else:
        monkeypatch.setenv("XDG_STATE_HOME", "/proc/sys")
    before = read_tree(root)
    (tmp_path / "reply").write_text("::create @n\n<<<\nN\n>>>\n")
    done = run("apply", str(tmp_path / "reply"), "--root", str(root), "--yes")
    assert done.exit_code == 0 and "note: what was done has no seal: " in done.stdout, done.output
    assert ("set XDG_STATE_HOME" in done.stdout) is (where in ("none", "relative"))
    assert not (tmp_path / "state").exists()
    error = refused(root, "it has no seal")
    undo(root, trust=error.fingerprint)
    assert read_tree(root) == before


def test_what_may_be_otherwise_next_time_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many open files are no reason to write a journal that nobody believes."""
    before = read_tree(root)

    def fail(*_: object) -> bytes:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(seal, "_read", fail)
    with pytest.raises(WorkspaceError, match=r"journal\.key: the key .* cannot be made: Too many open files") as caught:
        do(root)
    assert not isinstance(caught.value, NoKeyError) and read_tree(root, journal=True) == before


def test_replies_do_not_reach_the_key() -> None:
    planned_changes = plan(document(create(".local/state/symops-lark/journal.key", "x" * 32)), MemoryTree())
    assert planned_changes.changes[0].decision is Decision.REFUSE
