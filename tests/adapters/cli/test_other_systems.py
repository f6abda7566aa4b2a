"""What is said on systems where files cannot be changed safely."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from crashes import read_tree, write_tree
from repository import ROOT

WINDOWS = """
import os, sys
os.supports_dir_fd, os.supports_fd = set(), set()
for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "mkfifo"):
    delattr(os, name)
for name in ("fcntl", "resource"):
    sys.modules[name] = None
from symops_lark.adapters.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("apply", "--yes"), 1, "`apply` and `undo` need Linux or macOS (on Windows: WSL)"),
        (("undo",), 1, "`apply` and `undo` need Linux or macOS (on Windows: WSL)"),
        (("plan",), 0, "1 by itself"),
    ],
)
def test_systems_that_open_nothing_relative_to_folders(
    tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """Windows is one; reading a reply and planning work there."""
    root = tmp_path / "root"
    write_tree(root, {"a": b"A"})
    before = read_tree(root, journal=True)
    command_line = [*arguments, "--root", str(root), *(() if arguments == ("undo",) else ("-",))]
    done = subprocess.run(
        [sys.executable, "-c", WINDOWS, *command_line],
        input=">> x\n::create @new.py\n<<<\nx\n>>>\n",
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == code and said in done.stdout + done.stderr, done.stderr
    assert "Traceback" not in done.stderr and read_tree(root, journal=True) == before
