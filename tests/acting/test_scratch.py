"""Programs that are tried: in a folder of their own each time, which is gone afterwards."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from sandboxes import needs_bwrap

from symops_lark import UnsafeActionError, WorkspaceError
from symops_lark.acting.commands.scratch import Copied, copy_checkout, link_needs, try_commands


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.slow
@needs_bwrap
def test_each_command_has_a_new_folder_with_the_files(place: Path) -> None:
    files = {"a.txt": "one\n", "deep/b.txt": "two\n"}
    first, second, last = try_commands(files, ["rm a.txt", "cat a.txt deep/b.txt", "sleep 30"], 0.5)
    assert first.ok and (second.ok, second.output) == (True, "one\ntwo\n")
    assert (last.ok, last.timed_out) == (False, True)
    assert not list(place.iterdir())


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", ".git/hooks/pre-commit", ""])
def test_no_file_is_written_elsewhere(path: str, place: Path) -> None:
    with pytest.raises(UnsafeActionError):
        try_commands({path: "x"}, ["true"], 1)
    assert not list(place.iterdir())


def test_without_a_sandbox_nothing_is_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(place))
    with pytest.raises(WorkspaceError, match="bwrap"):
        try_commands({}, ["true"], 1)


# ---- copies of a checkout


def fill(root: Path) -> Path:
    for path, text in {"a.py": "A", "src/b.py": "BB", ".git/config": "x", "node_modules/m/i.js": "m"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "link").symlink_to("a.py")
    return root


def names(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_symlink() or path.is_file()}


def test_a_copy_has_the_plain_files(tmp_path: Path) -> None:
    root, copy = fill(tmp_path / "root"), tmp_path / "copy"
    assert copy_checkout(root, copy) == Copied(3, 4)
    assert names(copy) == {"a.py", "src/b.py", "node_modules/m/i.js"} and (copy / "src/b.py").read_text() == "BB"
    path = tmp_path / "named"
    assert copy_checkout(root, path, paths=["src/b.py", "link", "no/such"]) == Copied(1, 2)
    assert names(path) == {"src/b.py"}


def test_a_copy_of_a_worktree_does_not_lead_to_its_repository(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("A")
    (root / ".git").write_text("gitdir: /elsewhere/.git/worktrees/root\n")
    copy_checkout(root, tmp_path / "copy")
    assert names(tmp_path / "copy") == {"a.py"}


@pytest.mark.parametrize("limit", [{"most_files": 2}, {"most_bytes": 3}])
def test_a_large_checkout_is_not_copied(tmp_path: Path, limit: dict[str, Any]) -> None:
    with pytest.raises(WorkspaceError, match="too large to copy"):
        copy_checkout(fill(tmp_path / "root"), tmp_path / "copy", **limit)


def test_needed_folders_are_links(tmp_path: Path) -> None:
    root, copy = fill(tmp_path / "root"), tmp_path / "copy"
    copy_checkout(root, copy, paths=["a.py"])
    link_needs(str(root), str(copy), ["node_modules", "no/such", "a.py"])
    assert (copy / "node_modules/m/i.js").read_text() == "m" and names(copy) == {"a.py", "node_modules"}
    with pytest.raises(UnsafeActionError, match="not linked"):
        link_needs(str(root), str(copy), ["../elsewhere"])


@pytest.mark.slow
@needs_bwrap
def test_a_command_sees_the_checkout_and_cannot_change_it() -> None:
    place = Path("/var/tmp") / f"symops-checkout-{time.monotonic_ns()}"
    try:
        root = fill(place)
        lines = ["cat a.py node_modules/m/i.js new.txt", "rm node_modules/m/i.js"]
        visited, removed = try_commands({"new.txt": "n"}, lines, 5, checkout=str(root), needs=["node_modules"])
        assert (visited.ok, visited.output) == (True, "Amn")
        # Whether the command may remove its own view of the file depends on the kernel.
        assert removed.code is not None
        assert names(root) >= {"node_modules/m/i.js"}
    finally:
        shutil.rmtree(place)


@pytest.mark.slow
@needs_bwrap
def test_needed_folders_are_read_only_wherever_they_are(place: Path) -> None:
    """The sandbox shows an empty `/tmp`: a checkout there has its folders all the same."""
    checkout = fill(place / "checkout")
    lines = ["cat node_modules/m/i.js", "touch node_modules/m/new.js"]
    output, _ = try_commands({}, lines, 20, checkout=str(checkout), needs=["node_modules"])
    assert output.output == "m"
    # Some kernels let the command change its own view; the checkout stays as it is.
    assert [path.name for path in (checkout / "node_modules/m").iterdir()] == ["i.js"]
