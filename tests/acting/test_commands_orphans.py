"""Nothing that was started goes on when symops itself is ended in whichever way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from command_line import environment
from processes import is_running, wait_for_end
from repository import ROOT

from symops_lark.acting.commands import commands
from symops_lark.acting.commands.commands import Runner
from symops_lark.core.ground.errors import WorkspaceError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
REPLY = "::run @echo $$ > pids; sleep 1000 & echo $! >> pids; echo done >> pids; sleep 1000\n"


def children(pid: int) -> list[int]:
    """Give the processes that a process has started and that still run."""
    results = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            results += [int(entry.name)] if parent == pid and is_running(int(entry.name)) else []
    return results


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_commands_end_with_us(tmp_path: Path, number: signal.Signals) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "reply").write_text(REPLY)
    pids = root / "pids"
    line = [
        sys.executable,
        "-m",
        "symops_lark",
        "apply",
        str(tmp_path / "reply"),
        "-f",
        "v2",
        "--root",
        str(root),
        "--run",
        "--shell",
    ]
    search = str(ROOT)
    with subprocess.Popen(
        line,
        env=environment(PYTHONPATH=search),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    ) as symops:
        for _ in range(1000):
            if pids.exists() and pids.read_text().endswith("done\n") and len(children(symops.pid)) == 2:
                break
            time.sleep(0.02)
        started = [*map(int, pids.read_text().split()[:2]), *children(symops.pid)]
        assert len(set(started)) == 3, "the shell, its child, and the watcher"
        time.sleep(0.1)
        symops.send_signal(number)
    for pid in started:
        wait_for_end(pid)


def test_no_watcher_stays(tmp_path: Path) -> None:
    before = children(os.getpid())
    assert Runner().run("true", tmp_path).ok and not Runner().run("false", tmp_path).ok
    assert Runner(timeout=0.1).run("sleep 60", tmp_path).timed_out
    assert children(os.getpid()) == before


def test_without_a_watcher_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Popen(subprocess.Popen[bytes]):
        def __init__(self, arguments: list[str], **named: object) -> None:
            if arguments[-1] == commands._WATCH:
                raise BlockingIOError(11, "Resource temporarily unavailable")
            super().__init__(arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", Popen)
    with pytest.raises(WorkspaceError, match=r"/bin/sh: cannot be started, .* Resource temporarily unavailable"):
        Runner().run("touch ran", tmp_path)
    assert not (tmp_path / "ran").exists()


def test_exit_codes_are_known_though_children_are_ignored(tmp_path: Path) -> None:
    """Some programs start others in this way; a lost exit code would read as success."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    raised: list[WorkspaceError] = []

    def elsewhere() -> None:
        with pytest.raises(WorkspaceError, match="SIGCHLD is ignored") as caught:
            Runner().run("false", tmp_path)
        raised.append(caught.value)

    try:
        assert Runner().run("false", tmp_path).code == 1 and Runner().run("true", tmp_path).ok
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert raised
