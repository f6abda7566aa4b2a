"""A headless Chromium for tests: pages as people see them. It is skipped where there is none."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest
from highlighters import PACKAGES, node
from repository import TESTS


class Browser:
    """A page of a browser; each method is a command of `node/browser.mjs`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._input: IO[str] = process.stdin
        self._output: IO[str] = process.stdout

    def __getattr__(self, command: str) -> Any:
        def ask(**told: Any) -> Any:
            self._input.write(json.dumps({"command": command, **told}) + "\n")
            self._input.flush()
            line = self._output.readline()
            assert line, "the browser has ended: see what it said"
            answer = json.loads(line)
            assert "error" not in answer, f"{command} {told}: {answer['error']}"
            return answer["answer"]

        return ask


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser with a profile of its own."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on the path")
    if not (PACKAGES / "node_modules" / "playwright-core").is_dir():
        pytest.skip(f"npm could not reach a registry: `make test` tries again to set up {PACKAGES.name}")
    command = [node(), str(TESTS / "support" / "node" / "browser.mjs"), str(PACKAGES), chromium]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            yield Browser(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
