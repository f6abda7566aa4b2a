"""A sandbox for commands: bubblewrap (`bwrap`), on Linux. Where it is missing it is an error, never left out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from ..errors import WorkspaceError
from .filesystem import JOURNAL


def prepare_sandbox(root: str) -> tuple[str, ...]:
    """Return what is put before a command to run it in a sandbox; raise `WorkspaceError` if there can be none."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        raise WorkspaceError("the sandbox needs Linux and the program `bwrap` (bubblewrap), which is not installed")
    arguments = sandbox_arguments(program, root)
    try:
        probe = subprocess.run([*arguments, "true"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkspaceError(f"the sandbox does not work here: {error}") from None
    if probe.returncode:
        said = probe.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise WorkspaceError(f"the sandbox does not work here: {said or f'exit code {probe.returncode}'}")
    return arguments


def sandbox_arguments(program: str, root: str) -> tuple[str, ...]:
    """Return the command of a sandbox: no network, nothing writable but the root; and of that not the journal.

    `/tmp` and `/run` are empty ones: sockets there (of agents, of Docker) would be ways out.
    """
    journal = os.path.join(root, JOURNAL)
    return (
        program,
        *("--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--proc", "/proc"),
        *("--tmpfs", "/tmp"),
        *("--tmpfs", "/run"),
        *("--bind", root, root),
        *("--ro-bind-try", journal, journal),
        *("--unshare-net", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"),
        *("--chdir", root, "--"),
    )
