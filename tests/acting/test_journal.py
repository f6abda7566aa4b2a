"""The journal: all or none, and back again byte for byte, whatever fails and whoever else writes."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from crashes import FAILING, FILES, MODES, Counter, change, do, ends, kill_apart, read_tree, write_tree
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.acting.changes import Plan
from symops_lark.acting.execution import apply
from symops_lark.acting.files.filesystem import ChangedError, Folder
from symops_lark.acting.journal import journal as journals
from symops_lark.acting.journal.journal import recover, undo
from symops_lark.acting.journal.room import lock_journal
from symops_lark.acting.journal.trust import UntrustedError
from symops_lark.core.ground.errors import UnsafeActionError, WorkspaceError

pytestmark = pytest.mark.usefixtures("patient_disk")


# ---- there and back


def test_apply_and_undo(root: Path) -> None:
    before = read_tree(root, journal=True)
    do(root)
    assert (root / "a/new/d").read_bytes() == b"D" and (root / "e").read_bytes() == b"E"
    assert (root / "b.sh").stat().st_mode & 0o777 == 0o755 and not (root / "gone").exists()
    assert not list(root.rglob(".symops-*"))
    undone = undo(root)
    assert set(undone.files) == {"a", "a/new/d", "b.sh", "sub/c", "gone", "e", "f", "f/x", "f/g/y"}
    assert undone.folders == ("a", "a/new")
    assert json.loads(json.dumps(undone.to_dict()))["interrupted"] is False
    assert read_tree(root, journal=True) == before
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        undo(root)
    assert read_tree(root, journal=True) == before


def test_all_applies_of_a_run_are_undone(root: Path) -> None:
    before = read_tree(root)
    for run_id, path in [("one", "p"), ("two", "p"), ("two", "q"), ("two", "p")]:
        data = (root / path).read_bytes() if (root / path).exists() else None
        plan = Plan((change(1, path, data, (data or b"") + b"x"),))
        assert apply(plan, root, confirm=lambda change: True, run_id=run_id).done
    with pytest.raises(WorkspaceError, match="run one: the last apply"):
        undo(root, run="one")
    assert set(undo(root, run="two").files) == {"p", "q"}
    assert (root / "p").read_bytes() == b"x" and not (root / "q").exists()
    assert undo(root, run="one").files == ("p",) and read_tree(root) == before


def _write(root: Path, path: str, run_id: str) -> None:
    plan = Plan((change(1, path, None, b"x"),))
    assert apply(plan, root, confirm=lambda change: True, run_id=run_id).done


def test_an_older_apply_that_needs_consent_does_not_stop_a_run(root: Path) -> None:
    _write(root, "o", "")
    moved = root.rename(root.with_name("moved"))
    for path in ("p", "q"):
        _write(moved, path, "one")
    assert set(undo(moved, run="one").files) == {"p", "q"} and (moved / "o").exists()
    with pytest.raises(UntrustedError, match="moved"):
        undo(moved)


def test_an_older_apply_that_cannot_be_read_does_not_hide_what_was_undone(root: Path) -> None:
    _write(root, "o", "")
    _write(root, "p", "one")
    (root / ".symops/1/done.json").write_text("{")
    with pytest.raises(WorkspaceError, match=r"\A1 later apply was undone \(p\); then: .symops/1: .*damaged"):
        undo(root, run="one")
    assert not (root / "p").exists() and (root / "o").exists()


def test_an_error_in_the_middle_of_a_run_names_what_was_undone(root: Path) -> None:
    for path in ("p", "q", "r"):
        _write(root, path, "one")
    (root / "p").write_bytes(b"mine")
    with pytest.raises(ChangedError, match=r"\A2 later applies were undone \(r, q\); then: p: it has been changed"):
        undo(root, run="one")
    assert not (root / "q").exists() and (root / "p").read_bytes() == b"mine"


def test_applies_are_undone_one_after_another(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "KEEP", 3)
    for number in range(5):
        do(root, (change(1, "a", b"A" * (number + 1), b"A" * (number + 2)),))
    assert sorted(path.name for path in (root / ".symops").iterdir()) == [".gitignore", "3", "4", "5", "lock"]
    for number in (4, 3, 2):
        undo(root)
        assert (root / "a").read_bytes() == b"A" * (number + 1)
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        undo(root)


_NAMES = st.sampled_from(["a", "b", "a/x", "a/y", "b/x/y", "c/d/e", "ä ö", "-n", "c/d/f"])
_BYTES = st.one_of(st.none(), st.binary(max_size=3))
_MODES = st.sampled_from([0o644, 0o600, 0o755, 0o444, 0o000])


_FILES = st.dictionaries(_NAMES, st.tuples(st.binary(max_size=3), _MODES), max_size=4)


@given(_FILES, st.lists(st.tuples(_NAMES, _BYTES), max_size=8))
def test_undo_after_apply_is_the_identity(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, tuple[bytes, int]], drawn: list[tuple[str, bytes | None]]
) -> None:
    root = tmp_path_factory.mktemp("drawn")
    for name, (data, mode) in files.items():
        if not any((root / parent).is_file() for parent in Path(name).parents) and not (root / name).is_dir():
            write_tree(root, {name: data}, {name: mode})
    before = read_tree(root, journal=True)
    now = {name: value[0] for name, value in before.items() if isinstance(value, tuple)}
    changes = []
    for number, (name, after) in enumerate(drawn, 1):
        if now.get(name) != after:
            changes.append(change(number, name, now.get(name), after))
            now[name] = after  # type: ignore[assignment]
    try:
        do(root, tuple(changes))
    except WorkspaceError:  # a folder stands where a file should
        assert {**read_tree(root, journal=True)} == before or read_tree(root) == before
        return
    expected = {name: data for name, data in now.items() if data is not None}
    assert {name: value[0] for name, value in read_tree(root).items() if isinstance(value, tuple)} == expected
    if (root / ".symops/1").exists():
        undo(root)
    assert read_tree(root) == before
    shutil.rmtree(root)


# ---- errors of the system


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_every_call_may_fail_once(tmp_path: Path, number: int) -> None:
    before, after = ends(tmp_path)

    def fail() -> None:
        raise OSError(number, os.strerror(number))

    for at in range(1, 1000):
        root = tmp_path / "failing"
        write_tree(root, FILES, MODES)
        counter = Counter(at, fail, FAILING)
        try:
            with counter.watching():
                do(root)
        except WorkspaceError as error:
            assert os.strerror(number) in str(error)
            recover(root)
            done = read_tree(root) == after
            assert done or read_tree(root) == before, at
        if counter.count < at:
            break
        shutil.rmtree(root)
    assert at > 40 and read_tree(root) == after


@pytest.mark.slow
def test_an_interrupt_at_any_call(tmp_path: Path) -> None:
    before, after = ends(tmp_path)

    def interrupt() -> None:
        raise KeyboardInterrupt

    for at in range(1, 1000):
        root = tmp_path / "interrupted"
        write_tree(root, FILES, MODES)
        counter = Counter(at, interrupt, after=at % 2 == 0)
        try:
            with counter.watching():
                do(root)
        except KeyboardInterrupt:
            recover(root)
            assert read_tree(root) in (before, after), at
        if counter.count < at:
            break
        shutil.rmtree(root)
    assert at > 90


@pytest.mark.parametrize("moves", [True, False])
def test_a_folder_gives_way_to_a_file_unless_something_appears_in_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, moves: bool
) -> None:
    """On file systems that rename folders, and on layers of others, which do not."""
    before, real = read_tree(root), os.rename
    changes = (change(1, "f/x", b"X", None), change(2, "f/g/y", b"Y", None), change(3, "f", None, b"F"))

    def rename(*arguments: Any, **named: Any) -> None:
        if not moves:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        real(*arguments, **named)

    monkeypatch.setattr(os, "rename", rename)
    monkeypatch.setattr(os, "supports_dir_fd", os.supports_dir_fd | {rename})
    do(root, changes)
    assert (root / "f").read_bytes() == b"F" and not list(root.rglob(".symops-*"))
    undo(root)
    assert read_tree(root) == before
    with pytest.raises(ChangedError, match="f: there is a folder now"):
        do(root, changes[1:])
    take = Folder.take

    def taken(self: Folder, path: str, *arguments: Any) -> None:
        take(self, path, *arguments)
        if path == "f/g/y":
            (root / "f/g/new").write_text("of somebody else")

    monkeypatch.setattr(Folder, "take", taken)
    with pytest.raises(ChangedError, match="something has appeared in this folder"):
        do(root, changes)
    assert (root / "f/g/new").read_text() == "of somebody else"
    (root / "f/g/new").unlink()
    assert read_tree(root) == before


def test_a_disk_that_stays_full(tmp_path: Path) -> None:
    """What is written first is rolled back without more room."""
    before, after = ends(tmp_path)
    real = os.write
    for at in range(1, 100):
        root = tmp_path / "full"
        write_tree(root, FILES, MODES)
        calls = [0]

        def write(file: int, data: bytes, calls: list[int] = calls, at: int = at) -> int:
            calls[0] += 1
            if calls[0] >= at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(file, data)

        try:
            os.write = write  # type: ignore[assignment]
            do(root)
        except WorkspaceError as error:
            assert "No space left" in str(error)
            assert read_tree(root) == before
        else:
            break
        finally:
            os.write = real
        shutil.rmtree(root)
    assert at > 5 and read_tree(root) == after


# ---- what others do meanwhile


def test_undo_refuses_what_has_been_changed_since(root: Path) -> None:
    before = read_tree(root)
    do(root)
    (root / "b.sh").write_bytes(b"mine")
    with pytest.raises(ChangedError, match=r"b\.sh: it has been changed since; nothing was brought back"):
        undo(root)
    assert (root / "b.sh").read_bytes() == b"mine" and not (root / "gone").exists()
    undo(root, force=True)
    assert read_tree(root) == before


def test_undo_refuses_other_permissions_and_links(root: Path, tmp_path: Path) -> None:
    do(root)
    (root / "b.sh").chmod(0o700)
    with pytest.raises(ChangedError, match=r"b\.sh"):
        undo(root)
    (root / "b.sh").unlink()
    outside = tmp_path / "outside"
    outside.write_bytes(b"safe")
    (root / "b.sh").symlink_to(outside)
    for force in (False, True):
        with pytest.raises(ChangedError, match="there is a link now"):
            undo(root, force=force)
    assert outside.read_bytes() == b"safe"


def test_folders_with_files_of_others_are_left(root: Path) -> None:
    do(root, (change(1, "x/y/new", None, b"1"),))
    (root / "x/mine").write_bytes(b"2")
    undone = undo(root)
    assert undone.folders == ("x/y",) and undone.notes == ("x: other files are in this folder, so it was left",)
    assert (root / "x/mine").read_bytes() == b"2" and not (root / "x/y").exists()


@pytest.mark.slow
def test_stale_journal_with_changes_of_others_is_reported(root: Path) -> None:
    at = 60
    assert kill_apart(at, partial(do, root))
    while not (root / ".symops/1/open.json").exists() or (root / "gone").exists():
        shutil.rmtree(root)
        write_tree(root, FILES, MODES)
        at += 1
        assert kill_apart(at, partial(do, root))
    (root / "gone").write_bytes(b"mine")
    with pytest.raises(ChangedError, match=r"an apply was interrupted in .*: gone: it has been changed since"):
        do(root, (change(1, "z", None, b"z"),))
    assert (root / "gone").read_bytes() == b"mine" and not (root / "z").exists()
    undo(root, force=True)
    assert (root / "gone").read_bytes() == b"G"


def test_two_at_once(root: Path) -> None:
    with Folder(root) as folder, lock_journal(folder):
        for work in (do, undo, recover):
            with pytest.raises(WorkspaceError, match="another apply or undo is at work there"):
                work(root)
    do(root)


def test_many_at_once(root: Path) -> None:
    """Whoever gets in does all of its work; all of it can be undone, one after another."""
    before, done = read_tree(root), [0] * 4

    def work(number: int) -> None:
        for turn in range(5):
            try:
                do(root, (change(1, f"n{number}/{turn}", None, b"x"), change(2, f"m{number}-{turn}", None, b"y")))
                done[number] += 1
            except WorkspaceError as error:
                assert "another apply or undo" in str(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) > 0 and sum(isinstance(value, tuple) for value in read_tree(root).values()) == len(
        FILES
    ) + 2 * sum(done)
    for _ in range(min(sum(done), journals.KEEP)):
        undo(root)
    if sum(done) <= journals.KEEP:
        assert read_tree(root) == before


# ---- journals of strangers


def test_damaged_journal(root: Path) -> None:
    do(root)
    head = root / ".symops/1/done.json"
    for text in ("", "[]", "{}", '{"files": [{}]}', '{"files": [], "folders": 1}', "[" * 100_000):
        head.write_text(text)
        with pytest.raises(WorkspaceError, match=r"the journal is damaged .* are in \.symops/1/\*\.before"):
            undo(root)
    do(root, (change(1, "z", None, b"z"),))  # it is in nobody's way


def test_journal_folder_is_a_link_or_open_to_others(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (root / ".symops").symlink_to(outside)
    for work in (do, undo, recover):
        with pytest.raises(UnsafeActionError, match="link"):
            work(root)
    assert list(outside.iterdir()) == []
    (root / ".symops").unlink()
    (root / ".symops").mkdir()
    (root / ".symops").chmod(0o777)
    with pytest.raises(UnsafeActionError, match="not yours alone"):
        do(root)
    (root / ".symops").rmdir()
    (root / ".symops").write_bytes(b"")
    with pytest.raises(WorkspaceError, match="Not a directory"):
        do(root)


def test_a_lock_that_the_system_refuses_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, flags: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refuse)
    with (
        Folder(tmp_path) as folder,
        pytest.raises(WorkspaceError, match=f"the journal cannot be locked: {os.strerror(errno.ENOLCK)}"),
        lock_journal(folder),
    ):
        pass
