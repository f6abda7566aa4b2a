"""A sandbox for commands: bubblewrap (`bwrap`), on Linux. Where it cannot be had it is an error, never left out.

A command runs in namespaces of its own as a user without any rights, root's included; what makes it one is asked of the
kernel, from inside, before anything is run. To the system outside its files are the caller's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from select import select

from ...core.ground.errors import WorkspaceError
from ...core.ground.program_search import find_program
from ..files.view import held
from .guarded import Guarded
from .system_calls import filter_calls

_NOBODY = 65534  # whose name is there on all systems; what root has is hidden behind it
_SECONDS = 30
_SHOW = 'while read -r line; do printf "%s\\n" "$line"; done < /proc/self/'
_QUESTION = f"{_SHOW}status; echo; {_SHOW}mountinfo"  # without any program but the shell
_WRITABLE = ("/tmp", "/run", "/dev")


@dataclass(slots=True)
class Sandbox:
    """A sandbox that is open: `arguments` are put before a command, which inherits the `descriptors`.

    After it has been left, `made` tells what the command made although nobody may.
    """

    arguments: tuple[str, ...] = ()
    descriptors: tuple[int, ...] = ()
    made: tuple[str, ...] = ()


def check_sandbox(root: str) -> None:
    """Raise `WorkspaceError` with the reason if commands cannot be run in a sandbox, with this folder to write to."""
    program = _find_program(root)
    places = Guarded(root).places
    with _filter() as calls:
        arguments = sandbox_arguments(program, root, places, calls)
        try:
            probe = subprocess.run(
                [*arguments, "/bin/sh", "-c", _QUESTION],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                env={},
                pass_fds=(calls,),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorkspaceError(f"the sandbox does not work here: {error}") from None
    if probe.returncode:
        said = probe.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        said = said or f"exit code {probe.returncode}"
        hint = "; bubblewrap 0.8 or newer is needed" if "nknown option" in said else ""
        raise WorkspaceError(f"the sandbox does not work here: {said}{hint}")
    status, _, mounts = probe.stdout.decode("utf-8", "surrogateescape").partition("\n\n")
    if lacking := find_rights(status, mounts, root):
        raise WorkspaceError(f"the sandbox does not work here: {lacking}")


@contextmanager
def open_sandbox(root: str) -> Iterator[Sandbox]:
    """Open a sandbox, in which one command may be run; what it made against the rules is put aside at the end."""
    program = _find_program(root)
    guarded, sandbox = Guarded(root), Sandbox()
    with _filter() as calls:
        told, telling = os.pipe()
        with held(told):
            try:
                guarded.fill()
                sandbox.arguments = sandbox_arguments(program, root, guarded.places, calls, telling)
                sandbox.descriptors = (calls, telling)
                yield sandbox
            finally:
                os.close(telling)
                _wait_for_end(told)
                sandbox.made = guarded.settle()


def sandbox_arguments(
    program: str, root: str, guarded: Iterable[str], calls: int, telling: int | None = None
) -> tuple[str, ...]:
    """Return the command of a sandbox: no rights, no network, nothing writable but the root without what is guarded.

    `/tmp` and `/run` are empty ones. `calls` is the descriptor of the filter of system calls; to `telling` the number
    of the first process is written. Inside a caller has its own number, but root that of nobody.
    """
    user, group = str(os.getuid() or _NOBODY), str(os.getgid() or _NOBODY)
    return (
        program,
        *("--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--uid", user, "--gid", group),
        *("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *("--die-with-parent", "--new-session"),
        *("--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--proc", "/proc", "--remount-ro", "/proc"),
        *("--tmpfs", "/tmp"),
        *("--tmpfs", "/run"),
        *("--bind", root, root),
        *(word for place in guarded for word in ("--ro-bind", place, place)),
        *("--setenv", "TMPDIR", "/tmp"),
        *("--seccomp", str(calls)),
        *(() if telling is None else ("--info-fd", str(telling))),
        *("--chdir", root, "--"),
    )


def find_rights(status: str, mounts: str, root: str) -> str:
    """Return which right a process still has, by its `/proc/self/status` and `mountinfo`; empty if it has none."""
    said = dict(line.partition(":")[::2] for line in status.splitlines())
    facts = {name: value.split() for name, value in said.items()}
    if "0" in facts.get("Uid", ["0"]):
        return "the command would run as root"
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        if any(int(value, 16) for value in facts.get(name, ["1"])):
            return f"the command would keep rights of the system's ({name} is {said.get(name, 'unknown').strip()})"
    if facts.get("NoNewPrivs") != ["1"]:
        return "programs could give the command new rights (NoNewPrivs is not set)"
    if facts.get("Seccomp") != ["2"]:
        return "system calls are not filtered (seccomp)"
    for line in mounts.splitlines():
        place, options = line.split(" ")[4:6]
        if options.startswith("rw") and not _may_be_written(place, root):
            return f"{place} would be writable"
    return ""


def _may_be_written(place: str, root: str) -> bool:
    shown = root.replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011").replace("\n", "\\012")
    return place in _WRITABLE or place.startswith("/dev/") or place == shown or place.startswith(f"{shown}/")


def _find_program(root: str) -> str:
    program = find_program("bwrap") if sys.platform == "linux" else None
    if program is None:
        raise WorkspaceError("the sandbox needs Linux and the program `bwrap` (bubblewrap), which is not installed")
    if os.path.realpath(program).startswith(root.rstrip(os.sep) + os.sep):
        raise WorkspaceError(f"{program}: a sandbox that lies in the folder is not trusted")
    return program


@contextmanager
def _filter() -> Iterator[int]:
    """Open the filter of system calls for reading."""
    program = filter_calls()
    if program is None:
        raise WorkspaceError("the sandbox knows no system calls of this machine: x86_64, aarch64 and riscv64 are known")
    reading, writing = os.pipe()
    with held(reading):
        with held(writing):
            os.write(writing, program)  # less than what a pipe holds
        yield reading


def _wait_for_end(told: int) -> None:
    """Wait until the last process of a sandbox is gone: the first one, which ends after all others."""
    with suppress(ValueError, KeyError, OSError):
        first = json.loads(os.read(told, 1 << 16))["child-pid"]
        with held(os.pidfd_open(first)) as process:
            select([process], [], [], _SECONDS)
