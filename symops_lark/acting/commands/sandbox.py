"""Run commands in a sandbox: bubblewrap (`bwrap`), on Linux.

A missing or weak sandbox is an error. It is never left out silently.

Theory of operation
    A command runs in separate namespaces as a user without any rights, even if the caller is root.
    `check_sandbox` starts a shell with the same arguments first and reads from the kernel, inside,
    which rights that shell has. A `bwrap` that does not do what its options ask for is refused.
    Seen from outside, new files belong to the caller.

    `open_sandbox` waits until the last process in the sandbox has ended (bubblewrap reports the
    number of the first process, which ends last), and only then looks for new repositories: see
    `guarded`.

References
    bubblewrap: https://github.com/containers/bubblewrap; user_namespaces(7), capabilities(7).
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

# The user without rights on all systems. A command of root runs as this user, so that programs do
# not take themselves for root. It still reads root's files: outside, it is root (`SECURITY.md`).
_NOBODY = 65534
_MAX_SECONDS = 30  # for the probe, and for the end of the last process; both take milliseconds
# Only builtins of the shell: the sandbox of a bare system may have no other program.
_SHOW = 'while read -r line; do printf "%s\\n" "$line"; done < /proc/self/'
_QUESTION = f"{_SHOW}status; echo; {_SHOW}mountinfo"
_WRITABLE = ("/tmp", "/run", "/dev")  # file systems of the sandbox, which vanish with it
_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


@dataclass(slots=True)
class Sandbox:
    """An open sandbox.

    Attributes:
        arguments: The command line to put before a command.
        descriptors: The file descriptors that the command must inherit.
        created: One sentence for each protected thing that the command created. Filled in when the
            sandbox closes.
    """

    arguments: tuple[str, ...] = ()
    descriptors: tuple[int, ...] = ()
    created: tuple[str, ...] = ()


def check_sandbox(root: str) -> None:
    """Check that commands can be run in a sandbox that may write to a folder.

    Args:
        root: The folder, an absolute path without links.

    Raises:
        WorkspaceError: There is no sandbox, or it leaves commands too many rights.
    """
    program = _find_program(root)
    places = Guarded(root).places
    with _filter() as calls:
        arguments = sandbox_arguments(program, root, places, calls)
        try:
            probe = subprocess.run(
                [*arguments, "/bin/sh", "-c", _QUESTION],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_MAX_SECONDS,
                env={},
                pass_fds=(calls,),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorkspaceError(f"the sandbox does not work here: {error}") from None
    if probe.returncode:
        message = probe.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        message = message or f"exit code {probe.returncode}"
        # "Unknown option --disable-userns": that option is new in 0.8
        hint = "; bubblewrap 0.8 or newer is needed" if "nknown option" in message else ""
        raise WorkspaceError(f"the sandbox does not work here: {message}{hint}")
    answer = probe.stdout.decode("utf-8", "surrogateescape")
    status, _, mounts = answer.partition("\n\n")
    problem = find_rights(status, mounts, root)
    if problem:
        raise WorkspaceError(f"the sandbox does not work here: {problem}")


@contextmanager
def open_sandbox(root: str, readable: Iterable[str] = ()) -> Iterator[Sandbox]:
    """Open a sandbox for one command.

    At the end, wait for the last process, and rename the repositories that the command created.

    Args:
        root: The folder that the command may write to, an absolute path without links.
        readable: Folders that it may read even below `/tmp`, which is empty inside.

    Yields:
        The sandbox. Its `created` is complete after the context.

    Raises:
        WorkspaceError: There is no sandbox here.
    """
    program = _find_program(root)
    guarded = Guarded(root)
    sandbox = Sandbox()
    with _filter() as calls:
        info_reader, info_writer = os.pipe()
        with held(info_reader):
            try:
                guarded.fill()
                places = guarded.places
                sandbox.arguments = sandbox_arguments(
                    program, root, places, calls, info_writer, readable
                )
                sandbox.descriptors = (calls, info_writer)
                yield sandbox
            finally:
                # Close our writing end first: else reading would block if bwrap never started.
                os.close(info_writer)
                _wait_for_end(info_reader)
                sandbox.created = guarded.settle()


def sandbox_arguments(
    program: str,
    root: str,
    guarded: Iterable[str],
    calls: int,
    info: int | None = None,
    readable: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return the command line of a sandbox, to be followed by a command.

    Args:
        program: The path of `bwrap`.
        root: The only folder outside that the command may write to.
        guarded: Paths below the root that are still read-only, outer ones first.
        calls: The descriptor of the filter of system calls.
        info: The descriptor to write the number of the first process to. None: do not write it.
        readable: Folders that the command may read even below `/tmp`.

    Returns:
        The arguments. `/tmp` and `/run` are empty inside. The user's number is the caller's, or
        65534 for root.
    """
    user = str(os.getuid() or _NOBODY)
    group = str(os.getgid() or _NOBODY)
    # The order matters: a later mount covers an earlier one, so the root comes after `/tmp` (it may
    # be in it), and the guarded places come after the root.
    shared: list[str] = []
    for place in readable:
        shared += ("--ro-bind", place, place)
    read_only: list[str] = []
    for place in guarded:
        read_only += ("--ro-bind", place, place)
    return (
        program,
        *("--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--uid", user, "--gid", group),
        *("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
        "--unshare-cgroup-try",
        # --new-session: without a terminal, no keystrokes can be put into it
        *("--die-with-parent", "--new-session"),
        *("--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--proc", "/proc", "--remount-ro", "/proc"),
        *("--tmpfs", "/tmp"),
        *("--tmpfs", "/run"),
        *shared,
        *("--bind", root, root),
        *read_only,
        *("--setenv", "TMPDIR", "/tmp"),
        *("--seccomp", str(calls)),
        *(() if info is None else ("--info-fd", str(info))),
        *("--chdir", root, "--"),
    )


def find_rights(status: str, mounts: str, root: str) -> str:
    """Find a right that a process must not have.

    Args:
        status: The process's `/proc/self/status`.
        mounts: The process's `/proc/self/mountinfo`.
        root: The folder that it may write to.

    Returns:
        A description of the first such right; empty if there is none. A missing line counts as the
        right that it would exclude.
    """
    values = {}
    # Not `splitlines`: the path of a mount may have other line separators of Unicode.
    for line in status.split("\n"):
        name, _, value = line.partition(":")
        values[name] = value.strip()
    if "0" in values.get("Uid", "0").split():
        return "the command would run as root"
    for name in _CAPABILITIES:
        if any(int(value, 16) for value in values.get(name, "1").split()):
            value = values.get(name, "unknown")
            return f"the command would keep system rights ({name} is {value})"
    if values.get("NoNewPrivs") != "1":
        return "programs could give the command new rights (NoNewPrivs is not set)"
    if values.get("Seccomp") != "2":  # 2: SECCOMP_MODE_FILTER
        return "system calls are not filtered (seccomp)"
    for line in filter(None, mounts.split("\n")):
        place, options = line.split(" ")[4:6]  # see proc(5): the mount point and its options
        if options.startswith("rw") and not _may_be_written(place, root):
            return f"{place} would be writable"
    return ""


def _may_be_written(place: str, root: str) -> bool:
    # The kernel writes these characters of a path in octal.
    escaped = root.replace("\\", "\\134").replace(" ", "\\040")
    escaped = escaped.replace("\t", "\\011").replace("\n", "\\012")
    is_below_root = place == escaped or place.startswith(f"{escaped}/")
    return place in _WRITABLE or place.startswith("/dev/") or is_below_root


def _find_program(root: str) -> str:
    program = find_program("bwrap") if sys.platform == "linux" else None
    if program is None:
        raise WorkspaceError(
            "the sandbox needs Linux and the program `bwrap` (bubblewrap), which is not installed"
        )
    # An earlier command may have written it.
    if os.path.realpath(program).startswith(root.rstrip(os.sep) + os.sep):
        raise WorkspaceError(f"{program}: a sandbox program inside the folder is not trusted")
    return program


@contextmanager
def _filter() -> Iterator[int]:
    """Open the filter of system calls for reading."""
    program = filter_calls()
    if program is None:
        raise WorkspaceError(
            "the sandbox is not supported on this machine: it has the system calls of x86_64, "
            "aarch64 and riscv64"
        )
    reader, writer = os.pipe()
    with held(reader):
        with held(writer):
            os.write(writer, program)  # about 1,000 bytes: a pipe holds them, so this cannot block
        yield reader


def _wait_for_end(info_reader: int) -> None:
    """Wait until the first process of a sandbox has ended: the kernel ends all others with it."""
    with suppress(ValueError, KeyError, OSError):
        first = json.loads(os.read(info_reader, 1 << 16))["child-pid"]
        with held(os.pidfd_open(first)) as process:
            select([process], [], [], _MAX_SECONDS)
