"""Programs that are tried: in a folder of their own each time, which is gone afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from sandboxes import needs_bwrap

from symops_lark import UnsafeActionError, WorkspaceError
from symops_lark.acting.commands.scratch import try_commands


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
