"""The benchmark of edits reads histories of git, and its exit code says whether a notation overwrote a file."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest
from edit_changes import Change
from edit_notations import NAMED, NOTATIONS

from benchmarks.edits import __main__ as benchmark
from benchmarks.edits.versions import Version, cut_part, read_versions

BEFORE = "".join(f"row_{number} = {number}\n" for number in range(60))
AFTER = BEFORE.replace("row_30 = 30", "row_30 = call()")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    def git(*arguments: str) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(("git", "-C", str(tmp_path), *names, *arguments), check=True, capture_output=True)

    git("init", "-q")
    for text in (BEFORE, AFTER):
        (tmp_path / "a.py").write_text(text)
        (tmp_path / "b.bin").write_bytes(text.encode() + b"\0")
        git("add", ".")
        git("commit", "-qm", "x")
    return tmp_path


def test_versions_are_those_of_the_history(repository: Path) -> None:
    (version,) = read_versions(repository, 10, 1)
    assert (version.before, version.after, version.path, version.size) == (BEFORE, AFTER, "text.py", 60)
    for size in (1, 3, 20, 60):
        part = cut_part(version, size, Random(size))
        assert part is not None and part.before.count("\n") == size and "call()" in part.after
        assert part.before in BEFORE and part.after in AFTER
    assert cut_part(version, 61, Random(1)) is None
    assert cut_part(Version("a", "x\ny\n", "z\n"), 1, Random(1)) is None, "the change is larger"


@pytest.mark.slow
def test_the_exit_code_says_whether_a_file_was_overwritten(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run() -> int:
        monkeypatch.setattr("sys.argv", ["edits", str(repository), "--parts", "2"])
        return benchmark.main()

    assert run() == 0
    output = capsys.readouterr().out
    assert "| 50–199 | 0 (0.0%) | 0 | 1 |  |" in output and all(
        name.replace("|", "\\|") in output for name in NOTATIONS
    )

    def meaning(change: Change) -> str:
        return change.before + "# one line more\n"

    monkeypatch.setitem(NOTATIONS, NAMED[0], meaning)  # what no guard can take for a notation
    assert run() == 1
