"""Files below a root: nothing outside is ever touched, whatever is planted, whenever; nothing of others is lost."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import environment
from crashes import change, read_tree, write_tree
from repository import ROOT, TESTS
from trees import delete_file, write_file

from symops_lark.acting.changes import Change, Plan
from symops_lark.acting.files import filesystem, renames
from symops_lark.acting.files.entries import Entry, Kind, Tree
from symops_lark.acting.files.filesystem import ChangedError, Folder
from symops_lark.acting.files.renames import exchange, settle
from symops_lark.acting.journal.journal import carry_out, undo
from symops_lark.core.ground.errors import UnsafeActionError, WorkspaceError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    write_tree(root, {"a": b"A", "sub/b": b"B", "sub/deep/c": b"C"}, {"sub/b": 0o751})
    write_tree(tmp_path / "outside", {"a": b"A", "b": b"B", "deep/c": b"C"})
    return root


@pytest.fixture(params=[False, True], ids=["system-call", "long-way"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once with the system's own renames, once as where it has none."""
    if request.param:
        monkeypatch.setattr(renames, "call_rename", lambda *_: False)


# ---- looking


def test_look_and_names(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to("a")
    (root / "out").symlink_to(tmp_path / "outside")
    os.mkfifo(root / "pipe")
    (root / ".symops").mkdir()
    with Folder(root) as folder:
        tree: Tree = folder
        assert tree.look("sub/b") == Entry(Kind.FILE, b"B", 0o751)
        assert tree.names("") == ("a", "link", "out", "pipe", "sub") and tree.names("sub") == ("b", "deep")
        for path, kind in {
            "sub": Kind.FOLDER,
            "no": Kind.MISSING,
            "no/no": Kind.MISSING,
            "a/no": Kind.MISSING,
            "link": Kind.LINK,
            "out/a": Kind.LINK,
            "link/x": Kind.LINK,
            "pipe": Kind.OTHER,
            ".symops": Kind.OTHER,
            ".symops/1/open.json": Kind.OTHER,
            ".SymOps": Kind.OTHER,
        }.items():
            assert tree.look(path) == Entry(kind), path
        for path in ("no", "a", "out", "link", ".symops"):
            assert tree.names(path) == (), path


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../b", "./a", "a//b", "a/", "a\0b", "..", ".", "sub/../../x/a"])
def test_paths_that_are_none(root: Path, path: str) -> None:
    with Folder(root) as folder:
        works: list[Callable[[], object]] = [
            lambda: folder.look(path),
            lambda: write_file(folder, path, b"x", before=None),
            lambda: delete_file(folder, path, before=b"A"),
            lambda: folder.make_folder(path),
        ]
        for work in works:
            with pytest.raises(UnsafeActionError, match="not a path below the root"):
                work()


def test_roots(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "to-root").symlink_to(root)
    with Folder(tmp_path / "to-root") as folder:  # the user's own words may be a link
        assert folder.look("a").data == b"A"
    for name, message in {"none": "No such file", "root/a": "Not a directory"}.items():
        with pytest.raises(WorkspaceError, match=message):
            Folder(tmp_path / name)
    monkeypatch.setattr(os, "supports_dir_fd", set())
    with pytest.raises(WorkspaceError, match="cannot open files relative to folders"):
        Folder(root)


def test_no_descriptor_stays_open(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    with Folder(root) as folder:
        for path in ("a", "sub/deep/c", "a/x", "no/x"):
            folder.look(path)
            folder.names(path)
    with Folder(root) as folder, pytest.raises(ChangedError):
        carry_out(folder, [change(1, "n/m", None, b""), change(2, "a", b"other", b"")])
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) == before


# ---- writing


@pytest.mark.usefixtures("either_way")
def test_write_and_delete(root: Path) -> None:
    with Folder(root) as folder:
        write_file(folder, "sub/b", b"new", before=b"B")
        write_file(folder, "sub/x", b"", before=None)
        write_file(folder, "sub/y", b"", before=None, mode=0o600)
        delete_file(folder, "a", before=b"A")
    umask = os.umask(0)
    os.umask(umask)
    modes = {name: (root / name).stat().st_mode & 0o777 for name in ("sub/b", "sub/x", "sub/y")}
    assert modes == {"sub/b": 0o751, "sub/x": 0o666 & ~umask, "sub/y": 0o600}
    assert sorted(os.listdir(root)) == ["sub"] and sorted(os.listdir(root / "sub")) == ["b", "deep", "x", "y"]


@pytest.mark.usefixtures("either_way")
def test_what_is_not_as_planned_stays(root: Path) -> None:
    before = read_tree(root)
    with Folder(root) as folder:
        works: list[Callable[[], object]] = [
            lambda: write_file(folder, "a", b"x", before=b"other"),
            lambda: write_file(folder, "a", b"x", before=None),
            lambda: write_file(folder, "no", b"x", before=b""),
            lambda: delete_file(folder, "a", before=b""),
            lambda: write_file(folder, "sub", b"x", before=None),
            lambda: delete_file(folder, "sub", before=b""),
            lambda: delete_file(folder, "no", before=b""),
            lambda: folder.make_folder("sub"),
        ]
        for work in works:
            with pytest.raises(ChangedError):
                work()
    assert read_tree(root) == before


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    "operation",
    [lambda folder: write_file(folder, "a", b"new", before=b"A"), lambda folder: delete_file(folder, "a", before=b"A")],
    ids=["write", "delete"],
)
def test_writes_of_others_at_the_last_moment_are_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch, operation: Callable[[Folder], None]
) -> None:
    """The file is replaced by another between the comparison and the rename: that one must survive."""

    def strike() -> None:
        other_path = root / "other"
        other_path.write_bytes(b"precious")
        os.replace(other_path, root / "a")

    for name in ("exchange", "set_aside"):
        real = getattr(filesystem, name)

        def late(*arguments: object, real: Callable[..., None] = real) -> None:
            if (root / "a").exists() and (root / "a").read_bytes() == b"A":
                strike()
            real(*arguments)

        monkeypatch.setattr(filesystem, name, late)
    with Folder(root) as folder, pytest.raises(ChangedError, match="a: the file has changed since it was planned"):
        operation(folder)
    assert (root / "a").read_bytes() == b"precious" and sorted(os.listdir(root)) == ["a", "sub"]


@pytest.mark.usefixtures("either_way")
def test_a_file_that_appears_at_the_last_moment_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = settle

    def late(folder: int, source: str, target: str) -> None:
        if target == "n":
            (root / "n").write_bytes(b"precious")
        real(folder, source, target)

    monkeypatch.setattr(filesystem, "settle", late)
    with Folder(root) as folder, pytest.raises(ChangedError, match="n: something has appeared there"):
        write_file(folder, "n", b"new", before=None)
    assert (root / "n").read_bytes() == b"precious"


def test_hard_links_to_files_outside_are_cut(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside/a"
    (root / "h").hardlink_to(outside)
    with Folder(root) as folder:
        write_file(folder, "h", b"new", before=b"A")
    assert outside.read_bytes() == b"A" and (root / "h").read_bytes() == b"new"


def test_writes_reach_the_disk_before_they_get_their_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    real, put = os.fsync, exchange

    def fsync(file: int) -> None:
        events.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")
        real(file)

    def renamed(*arguments: Any) -> None:
        events.append("rename")
        put(*arguments)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(filesystem, "exchange", renamed)
    with Folder(root) as folder:
        write_file(folder, "a", b"new", before=b"A")
    assert events[:4] == ["file", "folder", "rename", "folder"]


# ---- links that are planted between plan and apply

CHANGES = {
    "create": lambda path: change(1, path + ".new", None, b"x"),
    "create-deeper": lambda path: change(1, path + ".d/e/f", None, b"x"),
    "replace": lambda path: change(1, path, path[-1].upper().encode(), b"x"),
    "delete": lambda path: change(1, path, path[-1].upper().encode(), None),
}


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize(
    ("path", "planted", "target"),
    [
        ("a", "a", "a"),
        ("sub/b", "sub/b", "b"),
        ("sub/b", "sub", ""),
        ("sub/deep/c", "sub", ""),
        ("sub/deep/c", "sub/deep", "deep"),
        ("sub/deep/c", "sub/deep/c", "deep/c"),
    ],
)
@pytest.mark.parametrize("dangling", [False, True])
def test_planted_links(
    root: Path, tmp_path: Path, kind: str, path: str, planted: str, target: str, dangling: bool
) -> None:
    """Every folder on the way, and the file, is replaced by a link to a twin outside."""
    if planted == path and kind.startswith("create"):
        path, planted = path, {"create": path + ".new", "create-deeper": path + ".d"}[kind]
    if (root / planted).exists():
        (root / planted).rename(tmp_path / "moved")
    (root / planted).symlink_to(tmp_path / "nowhere" if dangling else tmp_path / "outside" / target)
    inside, outside = read_tree(root), read_tree(tmp_path / "outside")
    with Folder(root) as folder, pytest.raises(WorkspaceError, match=r"link|changed since it was planned|is no"):
        carry_out(folder, [CHANGES[kind](path)])
    assert read_tree(tmp_path / "outside") == outside and not (tmp_path / "nowhere").exists()
    assert read_tree(root) == inside


def test_a_link_while_changes_are_taken_back_leaves_nothing_behind(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is staged in the folder cannot be seen then; it is tidied when the folder is back."""
    before, real = read_tree(root), Folder.put

    def strike(self: Folder, path: str, *rest: Any) -> None:
        (root / "sub").rename(tmp_path / "moved")
        (root / "sub").symlink_to(tmp_path / "outside")
        real(self, path, *rest)

    monkeypatch.setattr(Folder, "put", strike)
    with pytest.raises(
        WorkspaceError, match=r"sub/\.symops-.*: a folder on the way is a link now; .* use `symops undo`"
    ):
        apply_to(root, [change(1, "sub/b", b"B", b"BB"), change(2, "sub/n", None, b"n")])
    with pytest.raises(ChangedError, match="is a link now"):
        undo(root)
    (root / "sub").unlink()
    (tmp_path / "moved").rename(root / "sub")
    assert read_tree(root) != before
    undo(root)
    assert read_tree(root) == before


def flip(root: Path, outside: Path, stop: threading.Event, swaps: list[int]) -> None:
    """Let a folder and a link to a twin outside take turns under one name."""
    real, link, name = root / "real", root / "link", root / "sub"
    while not stop.is_set():
        os.rename(name, real)
        os.symlink(outside, link)
        try:
            os.rename(link, name)
            os.unlink(name)
        except IsADirectoryError:  # undo created the folder, which was missing
            os.unlink(link)
        put_back(real, name)
        swaps[0] += 1


def put_back(real: Path, name: Path) -> None:
    """Give a folder its name again, with what was made in its place."""
    while real.exists():
        with suppress(OSError):  # what is in its place changes at any time
            if name.is_dir():
                shutil.copytree(name, real, dirs_exist_ok=True)
                shutil.rmtree(name)
        with suppress(OSError):
            real.rename(name)


@pytest.mark.slow
@pytest.mark.usefixtures("either_way")
def test_folder_and_link_flip_while_applies_run(root: Path, tmp_path: Path) -> None:
    outside, stop, swaps, results = tmp_path / "outside", threading.Event(), [0], {"done": 0, "refused": 0}
    tree, before = read_tree(outside), read_tree(root)
    flipper = threading.Thread(target=flip, args=(root, outside, stop, swaps))
    flipper.start()
    changes = [
        change(1, "sub/b", b"B", b"BB"),
        change(2, "sub/new/file", None, b"N"),
        change(3, "sub/deep/c", b"C", None),
        change(4, "sub/n", None, b"n"),
    ]
    try:
        for _ in range(60):
            for work in (lambda: apply_to(root, changes), lambda: undo(root)):
                try:
                    work()
                    results["done"] += 1
                except WorkspaceError:
                    results["refused"] += 1
            assert read_tree(outside) == tree
    finally:
        stop.set()
        flipper.join()
    while (root / ".symops").exists():
        try:
            undo(root, force=True)
        except WorkspaceError as error:
            assert "nothing to undo" in str(error)
            break
    assert read_tree(outside) == tree and swaps[0] > 50 and results["refused"] > 0
    assert read_tree(root) == before


def apply_to(root: Path, changes: list[Change]) -> None:
    with Folder(root) as folder:
        carry_out(folder, changes)


# ---- errors of the system


_AS_NOBODY = """
import fcntl, os, sys
from crashes import change
from symops_lark.core.ground.errors import WorkspaceError
from symops_lark.acting.files.filesystem import Folder
from symops_lark.acting.journal.journal import carry_out
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    with Folder(sys.argv[1]) as folder:
        carry_out(folder, [change(1, "n", None, b"N"), change(2, "sub/b", b"B", b"x")])
except WorkspaceError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become somebody without permissions")
@pytest.mark.parametrize(("owner", "message"), [(0, ".symops: cannot be made"), (65534, "sub/.symops-")])
def test_folders_that_are_read_only(owner: int, message: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        write_tree(root, {"a": b"A", "sub/b": b"B"})
        os.chown(root, owner, owner)
        root.chmod(0o755)
        before = read_tree(root, journal=True)
        search = f"{ROOT}{os.pathsep}{TESTS / 'support'}"
        done = subprocess.run(
            [sys.executable, "-c", _AS_NOBODY, place],
            capture_output=True,
            text=True,
            env=environment(PYTHONPATH=search),
            timeout=60,
        )
        assert done.stdout.startswith(message) and "Permission denied" in done.stdout, done.stdout + done.stderr
        assert "undo" not in done.stdout and read_tree(root) == before


def test_plans_of_the_journals_folder_are_refused(root: Path) -> None:
    for path in (".symops/1/open.json", ".SYMOPS/x", ".symops"):
        with Folder(root) as folder, pytest.raises(UnsafeActionError, match="belongs to the journal"):
            carry_out(folder, [change(1, path, None, b"x")])
    assert Plan((change(1, "a", None, b""),)).possible
