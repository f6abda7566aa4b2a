"""Ctrl-C, once or three times, ends whatever runs long without a traceback, and leaves no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import environment
from processes import is_running

pytestmark = pytest.mark.slow

_RUN = ("bench", "run", "-f", "v2", "-n", "400", "--out", "run.jsonl", "--quiet")
_COMMANDS = {
    "bench run": (*_RUN, "-j", "1"),
    "bench run with workers": (*_RUN, "-j", "2"),
    "ask": ("ask", "x", "-p", "command", "--command", "sleep 60"),
    "judge": ("judge", "rules.yaml", "reply.txt", "-p", "command", "--command", "sleep 60"),
    "bench judgments": ("bench", "judgments", "-n", "400", "--out", "run.jsonl"),
    "apply": ("apply", "reply.txt", "--run", "--yes"),
    "serve": ("serve",),
    "lsp": ("lsp",),
    "serve over HTTP": ("serve", "--http", "--port", "0"),
    "playground": ("playground",),
    "stream": ("stream",),
    "extract": ("extract",),
}


_CASES = [(name, times, gap) for name in _COMMANDS for times in (1, 3) for gap in (0.02, 0.4)]
_COMMANDS["bench run over Dask"] = (*_RUN, "-j", "2", "--engine", "dask")
_CASES.append(("bench run over Dask", 3, 0.3))  # it takes long to begin


def children_of(pid: int) -> list[int]:
    """Return the processes of a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            session = int((folder / "stat").read_text().rpartition(")")[2].split()[3])
        except (OSError, IndexError):
            continue
        if session == pid:
            found.append(int(folder.name))
    return found


def is_at_work(name: str, process: subprocess.Popen[bytes], folder: Path) -> bool:
    if name.startswith("bench"):
        log = folder / "run.jsonl"
        return log.exists() and log.read_bytes().count(b"\n") > 20
    return is_loaded(process.pid)


def is_loaded(pid: int) -> bool:
    """Return whether a process has its handler of SIGINT, and waits."""
    told = dict(line.split(":\t") for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    return bool(int(told["SigCgt"], 16) & 1 << (signal.SIGINT - 1))


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize(("name", "times", "gap"), _CASES)
def test_interrupts_end_a_command_without_a_traceback(name: str, times: int, gap: float, tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_text("::run @sleep 60\n", encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("steps: {review: {rules: [go on, ask]}}\n", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "symops_lark", *_COMMANDS[name]],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        end = time.monotonic() + 120
        while not is_at_work(name, process, tmp_path):
            assert time.monotonic() < end and process.poll() is None, process.communicate()
            time.sleep(0.05)
        time.sleep(2)  # Python itself has a handler before the command has begun
        session = children_of(process.pid)
        for _ in range(times):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            time.sleep(gap)
        process.wait(20)
        assert process.returncode in (0, 130, -signal.SIGINT)
        end = time.monotonic() + 5
        while any(map(is_running, session)) and time.monotonic() < end:
            time.sleep(0.1)
        assert not [pid for pid in session if is_running(pid)], "a process is left"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
    assert b"Traceback" not in errors and b"Exception ignored" not in errors


_IGNORED = """
import gc, signal, time
from symops_lark.adapters.cli.interrupts import hear_interrupts

class Interrupted:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def collect(phase, info):
    if phase == "stop":
        gc.callbacks.remove(collect)
        signal.raise_signal(signal.SIGINT)

class Broken:
    def __del__(self):
        raise ValueError("is reported")

hear_interrupts()
WAY
try:
    time.sleep(20)
except KeyboardInterrupt:
    print("interrupted")
Broken()
"""


@pytest.mark.parametrize("way", ["Interrupted()", "gc.callbacks.append(collect); gc.collect()"])
def test_an_interrupt_where_python_ignores_exceptions_ends_the_command(way: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IGNORED.replace("WAY", way)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "interrupted\n"
    assert "KeyboardInterrupt" not in done.stderr
    # Other exceptions are still reported.
    assert "is reported" in done.stderr
