"""Sandboxes for tests: whether there can be any, and commands in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from symops_lark.acting.commands.commands import CommandResult, Runner

PYTHON = os.path.realpath(sys.executable)  # an environment below `/tmp` is not seen in a sandbox
PLAIN = "bwrap --unshare-all --unshare-user --disable-userns --ro-bind / / --dev /dev --proc /proc true"


def works_here() -> str:
    """Give why a sandbox cannot be tried here; our own code is not asked."""
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    tried = subprocess.run(PLAIN.split(), capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else ""


needs_bwrap = pytest.mark.skipif(bool(works_here()), reason=works_here() or "-")


@pytest.fixture(name="root")
def make_root() -> Iterator[Path]:
    """A folder that is neither below `/tmp`, which is another one in a sandbox, nor in a repository."""
    root = Path("/var/tmp") / f"symops-sandbox-{os.getpid()}-{time.monotonic_ns()}"
    root.mkdir()
    yield root
    shutil.rmtree(root)


def sandboxed(line: str, root: Path, timeout: float = 60) -> CommandResult:
    return Runner(sandbox=True, shell=True, timeout=timeout).run(line, root)


def python(code: str, root: Path) -> str:
    """Run some Python in the sandbox and give what it prints."""
    (root / "code.py").write_text(code)
    return sandboxed(f"{PYTHON} code.py", root).output
