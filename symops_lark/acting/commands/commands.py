"""Run the commands of a plan: with limits, without secrets, and without a shell by default.

Purpose
    `Runner.run` executes one command line in a folder and returns a `CommandResult`. It bounds the
    time and the size of the output, and it passes only harmless environment variables.

Invariants
    1. No process of the command's group outlives the call, however the call ends: success, time
       limit, cancellation, an exception (`test_commands.py`), or the death of this process
       (`test_commands_orphans.py`).
    2. Without `shell=True`, no character of the line reaches a shell. A line that needs a shell is
       refused and not executed with a different meaning.
    3. A command line that cannot be started is a result (`code` is None). An unsafe or impossible
       request raises `WorkspaceError`.

Theory of operation
    Each command runs in a new session, so it leads a separate process group. A polling loop waits
    for the end, the time limit or the cancellation, and then kills the whole group. A second
    process, the watcher, covers the case that this process is killed::

        this process ──pipe──> /bin/sh (_WATCH): reads the group's number, then waits
             │ is killed          │ reads the end of the pipe
             ▼                    ▼
        the pipe closes       kill -KILL -GROUP

    Linux could kill a child together with its parent (`PR_SET_PDEATHSIG`), but not the children of
    the child. That request would also have to run between fork and exec, where a process with
    threads must not execute Python.

Known weakness
    A command that leaves its group on purpose (`setsid`) survives. Only the sandbox ends it too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from typing import IO

from ...core.ground.errors import UnsafeActionError, WorkspaceError
from ...core.ground.json_objects import JsonObject
from ...core.ground.numbers import counted
from ...core.ground.process_groups import has_ended, kill_group
from .environment import FRESH_CODE, clean_environment
from .sandbox import Sandbox, check_sandbox, open_sandbox
from .shell_syntax import split_words

# Seconds between two looks at a running command: short commands end promptly, polling costs little.
_POLL_SECONDS = 0.02
_READ_BYTES = 65_536  # the capacity of a pipe on Linux
# This process is the only writer of the watcher's pipe, so the pipe ends when this process dies. If
# all goes well, the watcher is killed before that. The braces keep `kill` from running without a
# group: `read` fails if this process dies before it has started a command.
_WATCH = 'read -r group && { read -r end; kill -s KILL -- "-$group"; }'


@dataclass(frozen=True, slots=True)
class CommandResult(JsonObject):
    """The result of one command.

    Attributes:
        line: The command line, as the plan has it.
        arguments: The arguments that were executed, without those of the sandbox.
        code: The exit code; negative: the signal that killed it; None: it never ran.
        output: Standard output and standard error together. The middle of a long output is missing.
        omitted: The number of bytes that are missing from `output`.
        seconds: The running time in seconds.
        timed_out: Whether it was killed because of the time limit.
        cancelled: Whether it was killed because the caller cancelled it.
        error: Why it did not run; empty if it ran.
        withheld: The names of the environment variables that it did not see, sorted.
        made: One sentence for each protected thing that a sandboxed command created.
    """

    line: str
    arguments: tuple[str, ...]
    code: int | None
    output: str = ""
    omitted: int = 0
    seconds: float = 0.0
    timed_out: bool = False
    cancelled: bool = False
    error: str = ""
    withheld: tuple[str, ...] = ()
    made: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it ended with exit code 0 and created nothing that is protected."""
        return self.code == 0 and not self.timed_out and not self.cancelled and not self.made

    @property
    def reason(self) -> str:
        """Why it is not ok, in a few words; empty if it is."""
        if self.ok:
            return ""
        if self.code is None:
            return self.error
        if self.timed_out:
            return f"not done in time, killed after {self.seconds:.1f} s"
        if self.cancelled:
            return f"cancelled, killed after {self.seconds:.1f} s"
        reasons = []
        if self.code > 0:
            reasons.append(f"exit code {self.code}")
        elif self.code < 0:
            reasons.append(f"killed by signal {-self.code}")
        reasons.extend(self.made)
        return "; ".join(reasons)


@dataclass(frozen=True, slots=True)
class Runner:
    """How commands are run.

    Attributes:
        shell: Whether `/bin/sh -c` gets the line. Default: a line that needs a shell is refused.
        sandbox: Whether `bwrap` (Linux) runs it: no rights, no network, only the root is writable.
        timeout: The time limit of a command, in seconds.
        limit: The number of bytes of output to keep, half from the start and half from the end.
        allow: Names, or globs of names, of variables that commands see besides the harmless ones.
        readable: Folders that a sandboxed command may read even below `/tmp`, which it sees empty.
    """

    shell: bool = False
    sandbox: bool = False
    timeout: float = 120.0
    limit: int = 40_000
    allow: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()

    def prepare(self, line: str, root: str | os.PathLike[str]) -> tuple[str, ...]:
        """Check a command line without running it.

        Args:
            line: The command line.
            root: The folder to run it in; matters only for the sandbox.

        Returns:
            The arguments that `run` would execute.

        Raises:
            UnsafeActionError: The line is not a command, or it needs a shell and none is allowed.
            WorkspaceError: The sandbox does not work here.
        """
        arguments = ["/bin/sh", "-c", line] if self.shell else split_words(line)
        if "\0" in line or not line.strip() or not arguments[0]:
            raise UnsafeActionError(f"{line!r}: not a command")
        if self.sandbox:
            check_sandbox(os.path.realpath(root))
        return tuple(arguments)

    def run(
        self, line: str, root: str | os.PathLike[str], cancel: Event | None = None
    ) -> CommandResult:
        """Run a command in a folder and wait for its end.

        Args:
            line: The command line.
            root: The folder to run it in.
            cancel: Setting this event kills the command early. None: it cannot be cancelled.

        Returns:
            The result. A program that is not found is a result too, with `code` None.

        Raises:
            UnsafeActionError: The line is not a command, or it needs a shell and none is allowed.
            WorkspaceError: The sandbox does not work here, or nothing can end the command reliably.
        """
        folder = os.path.realpath(root)
        arguments = self.prepare(line, folder)
        shared = self.readable
        with open_sandbox(folder, shared) if self.sandbox else nullcontext(Sandbox()) as sandbox:
            result = self._run(line, arguments, folder, sandbox, cancel)
        # `created` is filled in when the sandbox closes, so it must not be read any earlier.
        return replace(result, made=sandbox.created)

    def _run(
        self,
        line: str,
        arguments: tuple[str, ...],
        folder: str,
        sandbox: Sandbox,
        cancel: Event | None,
    ) -> CommandResult:
        passed = clean_environment(os.environ, self.allow)
        environment = {**FRESH_CODE, **passed, "PWD": folder}
        withheld = tuple(sorted(os.environ.keys() - environment.keys()))
        with _receive_exit_codes(), _watch() as watch_group:
            begin = time.monotonic()
            try:
                process = subprocess.Popen(
                    (*sandbox.arguments, *arguments),
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    pass_fds=sandbox.descriptors,
                )
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                message = f"it cannot be started: {reason}"
                return CommandResult(line, arguments, None, error=message, withheld=withheld)
            output = _Output(self.limit)
            timed_out = cancelled = False
            try:
                watch_group(process.pid)
                reader = Thread(target=output.read, args=(process.stdout,), daemon=True)
                reader.start()
                while not (timed_out or cancelled or has_ended(process)):
                    time.sleep(_POLL_SECONDS)
                    # Not `>=`, which is false for NaN: nothing would end the command.
                    timed_out = not time.monotonic() - begin < self.timeout
                    cancelled = cancel is not None and cancel.is_set()
            finally:
                seconds = time.monotonic() - begin
                kill_group(process)
        # One second only: a process that left the group may hold the other end of the pipe forever.
        reader.join(1)
        text, omitted = output.text()
        return CommandResult(
            line,
            arguments,
            process.returncode,
            text,
            omitted,
            seconds=round(seconds, 3),
            timed_out=timed_out,
            cancelled=cancelled,
            withheld=withheld,
        )


@contextmanager
def _receive_exit_codes() -> Iterator[None]:
    """Let the system report how children end, even if our parent process switched that off.

    A process inherits an ignored SIGCHLD. Children then vanish without an exit code.
    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGCHLD) is not signal.SIG_IGN:
        yield
        return
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    except ValueError:  # only the main thread may set a handler
        raise WorkspaceError(
            "no command is run, as SIGCHLD is ignored and exit codes would be lost: set it to its "
            "default in the main thread"
        ) from None
    try:
        yield
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)


@contextmanager
def _watch() -> Iterator[Callable[[int], None]]:
    """Yield a function that gets a process group killed if this process dies within the context.

    Raises:
        WorkspaceError: The watcher cannot be started.
    """
    if os.name != "posix":
        yield lambda group: None
        return
    try:
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
        )
    except OSError as error:
        reason = error.strerror or error
        raise WorkspaceError(
            f"/bin/sh: cannot be started, to end commands if symops is killed: {reason}"
        ) from None
    assert watcher.stdin is not None
    pipe = watcher.stdin.fileno()
    try:
        yield lambda group: _send_group(pipe, group)
    finally:
        # Kill it before its pipe closes: the end of the pipe is its order to kill the group.
        watcher.kill()
        watcher.wait()
        watcher.stdin.close()


def _send_group(pipe: int, group: int) -> None:
    with suppress(BrokenPipeError):  # another process killed the watcher; the command still runs
        os.write(pipe, b"%d\n" % group)


class _Output:
    """The start and the end of an output, of half of `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._omitted = 0  # bytes between head and tail
        # The reading thread may still run when `text` is called: see `Runner._run`.
        self._lock = Lock()

    def read(self, pipe: IO[bytes]) -> None:
        """Read a pipe to its end."""
        with suppress(OSError, ValueError), pipe:
            while data := os.read(pipe.fileno(), _READ_BYTES):
                with self._lock:
                    self._append(data)

    def text(self) -> tuple[str, int]:
        """Return the output without its middle, and the number of omitted bytes."""
        with self._lock:
            head = bytes(self._head)
            tail = bytes(self._tail)
            omitted = self._omitted
        if not omitted:
            # Decoded as one: the border between head and tail may be within a character.
            return (head + tail).decode("utf-8", "replace"), 0
        gap = f"\n[… {counted(omitted, 'byte')} left out …]\n"
        return head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace"), omitted

    def _append(self, data: bytes) -> None:
        free = self._half - len(self._head)
        self._head += data[:free]
        self._tail += data[free:]
        surplus = max(0, len(self._tail) - self._half)
        del self._tail[:surplus]
        self._omitted += surplus
