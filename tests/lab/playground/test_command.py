"""`symops playground` in a process of its own: how it begins, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import run
from repository import ROOT

pytestmark = pytest.mark.slow


@contextmanager
def started(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "symops_lark", "playground", *arguments]
    fields = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=fields) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_prints_its_address_and_ends_with_ctrl_c() -> None:
    with started() as process:
        assert process.stdout is not None and process.stderr is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:") and len(address.rstrip("/").rpartition("/")[2]) >= 32
        with urllib.request.urlopen(address, timeout=60) as page:
            assert b"<title>Sym-Ops playground</title>" in page.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == "" and "Ctrl-C" in process.stdout.read()


def test_a_browser_is_shown_a_file_that_nobody_else_can_read(tmp_path: Path) -> None:
    """What a browser is started with can be seen by all users of a machine, so it does not hold the key."""
    path = tmp_path / "shown"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {path}.part\nmv {path}.part {path}\n')
    browser.chmod(0o700)
    with started("--open", BROWSER=f"{browser} %s") as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        for _ in range(600):
            if path.exists():
                break
            time.sleep(0.05)
        text = path.read_text()
        assert text.startswith("file://") and address.rstrip("/").rpartition("/")[2] not in text
        file = Path(text.removeprefix("file://"))
        assert address in file.read_text()
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert not file.parent.exists()


def test_what_cannot_be_served_is_told() -> None:
    with socket.socket() as used:
        used.bind(("127.0.0.1", 0))
        used.listen()
        port = str(used.getsockname()[1])
        output = run("playground", "--port", port)
    assert output.exit_code == 2
    assert f"port {port}: " in output.output and "Traceback" not in output.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-f", "nothing"), "no dialect is called 'nothing'"),
        (("-f", "missing.lark"), "missing.lark: the grammar cannot be read"),
        (("--port", "70000"), "70000"),
        (("--port", "-1"), "-1"),
    ],
)
def test_wrong_arguments_are_told(arguments: tuple[str, ...], said: str) -> None:
    output = run("playground", *arguments)
    assert output.exit_code == 2 and said in output.output
