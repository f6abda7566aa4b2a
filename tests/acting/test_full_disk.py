"""Undo where nothing can be written any more: a disk without room, and no folder for temporary files at all.

A disk of a few kilobytes is mounted in a namespace of the test's own; nothing of the machine is changed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are those of Linux")

_SCRIPT = """
import os, subprocess, sys, tempfile
from pathlib import Path
disk, state, when = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], check=True)
root = disk / "project"
os.mkdir(root)
(root / "kept").write_bytes(b"K" * 30_000)
(root / "kept").chmod(0o640)
(root / "gone").write_bytes(b"G" * 30_000)
reply = ["::create @new/n", "<<<", "N", ">>>", "", "::delete @gone", "", "::edit @kept", "<<<", "short", ">>>", ""]
(disk / "reply").write_text("\\n".join(reply))
symops = [sys.executable, "-m", "symops_lark"]
os.chdir(root)
run = lambda *words: subprocess.run([*symops, *words], capture_output=True, text=True)
if when == "later":
    done = run("apply", "../reply", "--yes")
    assert done.returncode == 0, done.stderr
subprocess.run(["mount", "-o", "remount,bind,ro", "/"], check=True)  # in this namespace alone
for line in Path("/proc/self/mounts").read_text().splitlines():
    place = line.split()[1]
    if place.startswith(("/tmp", "/var", "/usr")) and place != str(disk):
        subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
if when == "now":  # there is room for the journal, and none for the files
    with open(disk / "filler", "wb", 0) as file:
        file.write(b"x" * (256 * 1024 - 60_000 - 4096 - 80_000))
else:
    with open(disk / "filler", "wb", 0) as file:
        try:
            while file.write(b"x" * 4096) == 4096:
                pass
        except OSError as error:
            pass
if when == "later":
    try:
        print("temporary files in", tempfile.gettempdir())
    except FileNotFoundError:
        print("no temporary files")
    done = run("undo")
else:
    done = run("apply", "../reply", "--yes")
print("code", done.returncode)
print(done.stdout, done.stderr)
print(sorted(path.relative_to(root).as_posix() for path in root.rglob("*")))
print((root / "kept").read_bytes() == b"K" * 30_000, (root / "gone").read_bytes() == b"G" * 30_000)
print(oct((root / "kept").stat().st_mode & 0o777), [path.stat().st_nlink for path in (root / "kept", root / "gone")])
"""


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    tried = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(tmp_path)], capture_output=True)
    if tried.returncode:
        pytest.skip(f"no namespaces here: {tried.stderr.decode()}")
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def within(disk: Path, when: str) -> str:
    command = ["unshare", "-rm", sys.executable, "-c", _SCRIPT, str(disk), str(disk.parent / "state"), when]
    variables = environment(
        XDG_STATE_HOME=str(disk.parent / "state"), TMPDIR="/nonexistent", PYTHONDONTWRITEBYTECODE="1"
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_undo_on_a_full_disk_without_temporary_files(disk: Path) -> None:
    text = within(disk, "later")
    assert "no temporary files\ncode 0\n" in text, text
    assert "as it was before: kept" in text and "as it was before: gone" in text and "removed: new/" in text
    assert "['gone', 'kept']\nTrue True\n0o640 [1, 1]\n" in text, text


@pytest.mark.slow
def test_apply_on_a_disk_that_gets_full(disk: Path) -> None:
    text = within(disk, "now")
    assert "code 2\n" not in text and "Traceback" not in text
    assert "True True" in text and ("['gone', 'kept']" in text), text
