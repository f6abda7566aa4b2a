"""Looking at a folder: one piece of code serves planning and writing, reads no more than it may, and never waits."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command_line import run as symops
from crashes import change, read_tree, write_tree
from trees import create, delete, delete_file, document, edit, write_file

from symops_lark import plan
from symops_lark.acting.files import filesystem, view
from symops_lark.acting.files.entries import Entry, Kind
from symops_lark.acting.files.filesystem import ChangedError, Folder
from symops_lark.acting.files.view import FolderView, look_in
from symops_lark.acting.journal.journal import carry_out
from symops_lark.core.ground.errors import WorkspaceError

HUGE = 1 << 30


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    write_tree(root, {"a": b"A", "sub/b": b"B", "sub/deep/c": b"C"}, {"sub/b": 0o751})
    (root / "link").symlink_to("sub")
    os.mkfifo(root / "pipe")
    return root


def make_huge(path: Path) -> None:
    """Make a file that takes no room on the disk, but would in memory."""
    path.touch()
    os.truncate(path, HUGE)


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_both_views_tell_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ["a", "sub", "sub/b", "sub/deep/c", "no", "no/no", "a/no", "link", "link/b", "pipe", "pipe/no"]
    folders = ["", "sub", "sub/deep", "no", "a", "link", "pipe", "link/deep"]

    def everything(tree: FolderView | Folder) -> list[object]:
        return [*(tree.look(path) for path in paths), *(tree.names(path) for path in folders)]

    with Folder(root) as folder:
        expected = everything(folder)
    assert expected[2] == Entry(Kind.FILE, b"B", 0o751) and everything(FolderView(root)) == expected
    monkeypatch.setattr(view, "_BY_HANDLE", False)
    assert everything(FolderView(root)) == expected


@pytest.mark.parametrize("name", ["none", "a", "pipe"])
def test_a_root_that_is_no_folder(root: Path, name: str) -> None:
    with pytest.raises(WorkspaceError, match=f"{name}: there is no such folder to work in"):
        FolderView(root / name)


@pytest.mark.parametrize("by_handle", [True, False])
def test_large_files_are_not_read(root: Path, monkeypatch: pytest.MonkeyPatch, by_handle: bool) -> None:
    monkeypatch.setattr(view, "_BY_HANDLE", by_handle)
    make_huge(root / "huge")
    with little_memory():
        assert FolderView(root).look("huge") == Entry(Kind.FILE, None, 0o644)
        for action in (edit("huge", "x"), delete("huge")):
            planned_changes = plan(document(action), FolderView(root))
            assert [finding.code for finding in planned_changes.conflicts] == ["unreadable-file"]


def test_many_files_that_are_not_changed_are_not_kept(root: Path) -> None:
    """Each is small enough to be read, all of them are not."""
    names = [f"f{number}" for number in range(30)]
    for name in names:
        (root / name).touch()
        os.truncate(root / name, 9_000_000)
    actions = [edit(name, "x") for name in names[:15]]
    actions += [edit(f"{name}/x", "y") for name in names[15:20]] + [create("n", "x", dependencies=tuple(names[20:]))]
    with little_memory():
        planned_changes = plan(document(*actions), FolderView(root))
    codes = [finding.code for finding in planned_changes.conflicts]
    assert codes == ["unreadable-file"] * 15 + ["file-in-the-way"] * 5 and not planned_changes.notes


@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")])
def test_commands_do_not_read_large_files(root: Path, command: tuple[str, ...]) -> None:
    make_huge(root / "huge")
    before = sorted(os.listdir(root))
    with little_memory():
        result = symops(*command, "--root", str(root), stdin="::edit @huge\n<<<\nx\n>>>\n")
    assert result.exit_code == 1 and "[unreadable-file]" in result.output, result.output
    assert sorted(os.listdir(root)) == before and (root / "huge").stat().st_size == HUGE


@pytest.mark.parametrize("after", [b"x", None])
def test_files_that_have_become_large_are_not_read(root: Path, after: bytes | None) -> None:
    make_huge(root / "a")
    with little_memory(), Folder(root) as folder, pytest.raises(ChangedError, match="a: the file has changed"):
        carry_out(folder, [change(1, "a", b"A", after)])
    assert (root / "a").stat().st_size == HUGE


def test_a_limit_is_for_what_is_read_and_not_for_what_was_promised(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with files of /proc, or those that grow meanwhile."""
    assert FolderView(root, max_bytes=1).look("a").data == b"A"
    real = view._state
    monkeypatch.setattr(view, "_state", lambda *place: smaller(real(*place)))
    assert FolderView(root, max_bytes=0).look("a") == Entry(Kind.FILE, None, 0o644)


def smaller(found: os.stat_result | None) -> SimpleNamespace | None:
    return found and SimpleNamespace(st_mode=found.st_mode, st_size=0, st_nlink=1)


def test_what_becomes_a_pipe_does_not_block(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = view._state

    def late(folder: int | str, name: str) -> object:
        return real(folder, "a" if name == "pipe" else name)

    monkeypatch.setattr(view, "_state", late)
    with Folder(root) as folder:
        assert folder.look("pipe") == FolderView(root).look("pipe") == Entry(Kind.OTHER)


def test_what_is_not_ours_to_see(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan tells what it can; who writes must know, and stops."""
    real = os.open

    def refuse(path: str, flags: int, *rest: int, **named: int) -> int:
        if path in ("b", "deep"):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "supports_dir_fd", os.supports_dir_fd | {refuse})
    assert FolderView(root).look("sub/b") == Entry(Kind.FILE, None, 0o751)
    assert FolderView(root).look("sub/deep/c") == Entry(Kind.OTHER) and FolderView(root).names("sub/deep") == ()
    with Folder(root) as folder:
        works: list[Callable[[], object]] = [
            lambda: folder.look("sub/b"),
            lambda: folder.look("sub/deep/c"),
            lambda: folder.names("sub/deep"),
        ]
        for work in works:
            with pytest.raises(WorkspaceError, match="cannot be read: Permission denied"):
                work()


@pytest.mark.parametrize(
    "operation",
    [lambda folder: write_file(folder, "a", b"new", before=b"A"), lambda folder: delete_file(folder, "a", before=b"A")],
    ids=["write", "delete"],
)
def test_an_error_right_after_a_rename_loses_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, operation: Callable[[Folder], None]
) -> None:
    """What was taken away cannot be compared any more: then it goes back."""
    before, real, calls = read_tree_without_pipe(root), look_in, [0]

    def fail(folder: int, name: str, max_bytes: int | None = None) -> Entry:
        calls[0] += 1
        if calls[0] == 2:
            raise OSError(5, "Input/output error")
        return real(folder, name, max_bytes)

    monkeypatch.setattr(filesystem, "look_in", fail)
    with Folder(root) as folder, pytest.raises(WorkspaceError, match="Input/output error"):
        operation(folder)
    assert calls[0] == 2 and read_tree_without_pipe(root) == before


def read_tree_without_pipe(root: Path) -> object:
    (root / "pipe").unlink(missing_ok=True)
    return read_tree(root)


def test_a_folder_that_was_a_link_for_a_moment_is_not_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a").write_bytes(b"A")
    (tmp_path / "outside").mkdir()
    real = os.open
    swapped: list[str] = []

    def open_while_it_is_exchanged(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if path != "sub" or swapped:
            return real(path, flags, *more, **options)
        swapped.append(path)
        (tmp_path / "sub").rename(tmp_path / "aside")
        (tmp_path / "sub").symlink_to(tmp_path / "outside")
        try:
            return real(path, flags, *more, **options)
        finally:
            (tmp_path / "sub").unlink()
            (tmp_path / "aside").rename(tmp_path / "sub")

    folder_view = FolderView(tmp_path)
    monkeypatch.setattr(os, "open", open_while_it_is_exchanged)
    assert folder_view.look("sub/a").kind is Kind.LINK
    assert swapped and folder_view.look("sub/a").kind is Kind.FILE
