"""Processes that lead a group of their own: whether they have ended, and the end of all of the group."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process has ended; where possible it is not waited for, so that its number stays its own."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    with suppress(ChildProcessError):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a group, unless its leader was waited for: its number may be another's by now. Wait for the leader."""
    if sys.platform == "win32":
        # By its full path: Windows would look into the working folder first.
        program = os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")
        subprocess.run([program, "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    elif process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
