"""Whether processes still run."""

from __future__ import annotations

import time
from pathlib import Path


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(pid: int) -> None:
    for _ in range(200):
        if not is_running(pid):
            return
        time.sleep(0.02)
    raise AssertionError("it is still running")
