"""Ctrl-C, once or three times, ends whatever runs long without a traceback, and leaves no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
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

# How many signals, and the seconds between them.
_WAYS = [(1, 0.02), (1, 0.4), (3, 0.4), (3, 0.02)]
_SLOW_TO_BEGIN = {"bench run over Dask": (*_RUN, "-j", "2", "--engine", "dask")}
_CASES = [
    *((name, command, _WAYS) for name, command in _COMMANDS.items()),
    *((name, command, [(3, 0.3)]) for name, command in _SLOW_TO_BEGIN.items()),
]


def children_of(pid: int) -> list[int]:
    """Return the processes of a session."""
    results = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            session = int((folder / "stat").read_text().rpartition(")")[2].split()[3])
        except (OSError, IndexError):
            continue
        if session == pid:
            results.append(int(folder.name))
    return results


def wait_until_at_work(name: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until a benchmark has written rows, or any other command has done all that it can without input."""
    log = folder / "run.jsonl"
    end = time.monotonic() + 120
    ticks = None
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
        if name.startswith("bench"):
            if log.exists() and log.read_bytes().count(b"\n") > 20:
                return
        elif is_loaded(process.pid):
            # Python itself has a handler before the command has begun: it begins until it waits.
            before, ticks = ticks, ticks_of(process.pid)
            if ticks is not None and ticks == before:
                return
            time.sleep(0.4)
    raise AssertionError(process.communicate())


def is_loaded(pid: int) -> bool:
    """Return whether a process has its handler of SIGINT."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = dict(line.split(":\t") for line in lines if ":\t" in line)
    return bool(int(status["SigCgt"], 16) & 1 << (signal.SIGINT - 1))


def ticks_of(pid: int) -> int | None:
    """Return the processor time of a process so far, in ticks; None while it runs, or waits for its turn or a disk."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return None if fields[0] in "RD" else int(fields[11]) + int(fields[12])


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.alike(4)
@pytest.mark.parametrize(("name", "command", "ways"), _CASES, ids=[case[0] for case in _CASES])
def test_interrupts_end_a_command_without_a_traceback(
    name: str, command: Sequence[str], ways: Sequence[tuple[int, float]], tmp_path: Path, stride: int
) -> None:
    """Each way is a process, and all run at the same time: most of it is to wait."""

    def interrupt(way: tuple[int, float]) -> str:
        folder = tmp_path / f"{way}"
        folder.mkdir()
        fault = find_fault(name, command, way, folder)
        return f"{way[0]} times, each after {way[1]} s: {fault}" if fault else ""

    chosen = ways[::2] if stride > 1 else ways
    with ThreadPoolExecutor(len(chosen)) as pool:
        assert [*filter(None, pool.map(interrupt, chosen))] == []


def find_fault(name: str, command: Sequence[str], way: tuple[int, float], folder: Path) -> str:
    """Start a command, interrupt it, and return what is wrong then; empty if all is well."""
    times, gap = way
    (folder / "reply.txt").write_text("::run @sleep 60\n", encoding="utf-8")
    (folder / "rules.yaml").write_text("steps: {review: {rules: [go on, ask]}}\n", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "symops_lark", *command],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until_at_work(name, process, folder)
        session = children_of(process.pid)
        for _ in range(times):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            time.sleep(gap)
        process.wait(20)
        end = time.monotonic() + 5
        while any(map(is_running, session)) and time.monotonic() < end:
            time.sleep(0.1)
        if any(map(is_running, session)):
            return "a process is left"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
    if process.returncode not in (0, 130, -signal.SIGINT):
        return f"the code is {process.returncode}: {errors.decode()}"
    return errors.decode() if b"Traceback" in errors or b"Exception ignored" in errors else ""


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
