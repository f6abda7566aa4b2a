"""Watch and kill process groups, each started with its own leader."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process has ended.

    Where the system can (not on Windows), the process is not waited for: until then, the system
    gives its number to no other process, so that `kill_group` kills the right group.

    Args:
        process: The leader of the group.
    """
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    with suppress(ChildProcessError):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill all processes of a group, then wait for its leader.

    A group whose leader was waited for is not killed: another process may have its number by now.

    Args:
        process: The leader of the group.
    """
    if sys.platform == "win32":
        # By its full path: Windows would search the working folder first.
        program = os.path.join(
            os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe"
        )
        subprocess.run(
            [program, "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False
        )
    elif process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
