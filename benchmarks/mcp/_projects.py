"""A small project to serve, and the server as a process of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from symops_lark.core.ground.python_processes import python_start

TOKEN = "a-token-of-the-benchmark"


def write_project(root: Path, clients: int) -> Path:
    """Write a project in which each client finds a module that nobody else does."""
    root.mkdir(parents=True, exist_ok=True)
    for number in range(clients):
        (root / f"feature_{number:02}.py").write_text(
            f'"""Feature {number}."""\n\n\ndef begin_{number:02}(value):\n'
            f'    """marker{number:02}x: begin feature {number}."""\n    return value + {number}\n\n\n'
            f"def finish_{number:02}(value):\n    return begin_{number:02}(value) * 2\n",
            encoding="utf-8",
        )
    return root


@contextmanager
def serving(root: Path, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start `symops serve --http` on a folder; give the process and the URL, and end it."""
    options = ("--http", "--port", str(port), "--root", os.path.abspath(root))
    start = python_start("-m", "symops_lark", "serve", *options)
    process = subprocess.Popen(
        start.command,
        stdout=subprocess.PIPE,
        text=True,
        env=start.environment | {"SYMOPS_TOKEN": TOKEN},
        cwd=start.folder,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError("the server did not start: see what it said")
        yield process, url
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
