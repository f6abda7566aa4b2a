"""Commands that a plan runs: within limits, without secrets, and without a shell unless one is asked for.

A command runs in a process group of its own, which is killed as a whole at the end, also if that is our own end:
nothing goes on in the background. Only the sandbox also ends what leaves the group on purpose (`setsid`). Linux could
kill a child with its parent (`PR_SET_PDEATHSIG`), but not the children of the child, and the request would have to be
made between fork and exec, where a process with threads must not run Python.
"""

from __future__ import annotations

import os
import re
import shlex
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
from .environment import clean_environment
from .sandbox import Sandbox, check_sandbox, open_sandbox

_PAUSE = 0.02
_READ = 65_536
# The pipe ends when its only writer, this process, does; if all goes well the watcher is killed before that.
_WATCH = 'read -r group && { read -r end; kill -s KILL -- "-$group"; }'
_OPERATORS = "|&;<>()\n`$*?["


@dataclass(frozen=True, slots=True)
class CommandResult(JsonObject):
    """How a command went: `code` is its exit code (negative: the signal that killed it), None if it never ran.

    `output` is what it wrote to both outputs, without its middle if that is long: `omitted` bytes of it. `withheld` are
    the names of the variables that it did not see; `made` tells what a sandboxed command made although it may not.
    """

    line: str
    arguments: tuple[str, ...]
    code: int | None
    output: str = ""
    omitted: int = 0
    seconds: float = 0.0
    timed_out: bool = False
    cancelled: bool = False
    error: str = ""  # why it did not run
    withheld: tuple[str, ...] = ()
    made: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it ran to its end with exit code 0, within what it may do."""
        return self.code == 0 and not self.timed_out and not self.cancelled and not self.made

    @property
    def reason(self) -> str:
        """What went wrong, in a few words; empty if nothing did."""
        if self.ok:
            return ""
        if self.code is None:
            return self.error
        if self.timed_out or self.cancelled:
            return f"{'not done in time' if self.timed_out else 'cancelled'}, killed after {self.seconds:.1f} s"
        ended = (f"exit code {self.code}" if self.code > 0 else f"killed by signal {-self.code}") if self.code else ""
        return "; ".join([*([ended] if ended else []), *self.made])


@dataclass(frozen=True, slots=True)
class Runner:
    """How commands are run: `timeout` in seconds, `limit` in bytes of output.

    `shell` gives the line to `sh`; `sandbox` runs it by `bwrap` (Linux): no rights, no network, nothing writable but
    the root. `allow` are names, or globs of names, of variables that commands see besides harmless ones.
    """

    shell: bool = False
    sandbox: bool = False
    timeout: float = 120.0
    limit: int = 40_000
    allow: tuple[str, ...] = ()

    def prepare(self, line: str, root: str | os.PathLike[str]) -> tuple[str, ...]:
        """Return the arguments that would be run; raise `WorkspaceError` with the reason if it cannot be done."""
        arguments = ["/bin/sh", "-c", line] if self.shell else _words(line)
        if "\0" in line or not line.strip() or not arguments[0]:
            raise UnsafeActionError(f"{line!r}: this is no command")
        if self.sandbox:
            check_sandbox(os.path.realpath(root))
        return tuple(arguments)

    def run(self, line: str, root: str | os.PathLike[str], cancel: Event | None = None) -> CommandResult:
        """Run a command in the root and wait for its end; `cancel` ends it early.

        Raise `WorkspaceError` if it cannot be run in this way; a command that is not found is told in the result.
        """
        place = os.path.realpath(root)
        arguments = self.prepare(line, place)
        with open_sandbox(place) if self.sandbox else nullcontext(Sandbox()) as sandbox:
            result = self._run(line, arguments, place, sandbox, cancel)
        return replace(result, made=sandbox.made)

    def _run(
        self, line: str, arguments: tuple[str, ...], place: str, sandbox: Sandbox, cancel: Event | None
    ) -> CommandResult:
        environment = clean_environment(os.environ, self.allow) | {"PWD": place}
        withheld = tuple(sorted(os.environ.keys() - environment.keys()))
        with _hearing_of_children(), _watch() as tell:
            begin = time.monotonic()
            try:
                process = subprocess.Popen(
                    [*sandbox.arguments, *arguments],
                    cwd=place,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    pass_fds=sandbox.descriptors,
                )
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                return CommandResult(line, arguments, None, error=f"it cannot be started: {reason}", withheld=withheld)
            kept, timed_out, cancelled = _Kept(self.limit), False, False
            try:
                tell(process.pid)
                reader = Thread(target=kept.read, args=(process.stdout,), daemon=True)
                reader.start()
                while not (timed_out or cancelled or has_ended(process)):
                    time.sleep(_PAUSE)
                    timed_out = time.monotonic() - begin >= self.timeout
                    cancelled = cancel is not None and cancel.is_set()
            finally:
                seconds = time.monotonic() - begin
                kill_group(process)
        reader.join(1)  # whoever left the process group may still hold the other end
        told = (*kept.text(), round(seconds, 3), timed_out, cancelled, "", withheld)
        return CommandResult(line, arguments, process.returncode, *told)


def find_shell_syntax(line: str) -> tuple[str, ...]:
    """Return what a shell would act on in a command line: operators, variables, patterns; each once, in order."""
    found: dict[str, None] = {"=": None} if re.match(r"\s*[A-Za-z_]\w*=", line) else {}
    quote, previous, index = "", " ", 0
    while index < len(line):
        sign = line[index]
        if sign == "\\" and quote != "'":
            index += 1
        elif sign == quote:
            quote = ""
        elif not quote and sign in "'\"":
            quote = sign
        elif quote:
            if quote == '"' and sign in "`$":
                found[sign] = None
        elif sign in _OPERATORS or (sign in "~#" and previous.isspace()):
            found[sign] = None
        previous, index = sign, index + 1
    return tuple(found)


def _words(line: str) -> list[str]:
    found = find_shell_syntax(line)
    if found:
        shown = ", ".join("a new line" if part == "\n" else f"`{part}`" for part in found)
        raise UnsafeActionError(f"{line}: {shown} would need a shell, which is not allowed (--shell)")
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UnsafeActionError(f"{line}: this is no command: {str(error).lower()}") from None


@contextmanager
def _hearing_of_children() -> Iterator[None]:
    """Have the system tell how children end, also if whoever started us asked it not to."""
    if sys.platform == "win32" or signal.getsignal(signal.SIGCHLD) is not signal.SIG_IGN:
        yield
        return
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    except ValueError:  # only the main thread may
        raise WorkspaceError(
            "no command is run, as SIGCHLD is ignored, so that no exit code would be known: set it to "
            "its default in the main thread"
        ) from None
    try:
        yield
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)


@contextmanager
def _watch() -> Iterator[Callable[[int], None]]:
    """Return a function that has a process group killed if this process dies before the end of the context.

    Raise `WorkspaceError` if nobody can watch.
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
        raise WorkspaceError(f"/bin/sh: cannot be started, to end commands if symops is killed: {reason}") from None
    assert watcher.stdin is not None
    pipe = watcher.stdin.fileno()
    try:
        yield lambda group: _tell(pipe, group)
    finally:
        watcher.kill()
        watcher.wait()
        watcher.stdin.close()


def _tell(pipe: int, group: int) -> None:
    with suppress(BrokenPipeError):  # somebody has killed the watcher: then nobody watches
        os.write(pipe, b"%d\n" % group)


class _Kept:
    """The head and the tail of an output, of half of `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head, self._tail = bytearray(), bytearray()
        self._omitted = 0  # bytes between them
        self._lock = Lock()

    def read(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError), pipe:
            while data := os.read(pipe.fileno(), _READ):
                with self._lock:
                    self._keep(data)

    def text(self) -> tuple[str, int]:
        """Return the output, and how many bytes are left out where a line says so."""
        with self._lock:
            head, tail, omitted = bytes(self._head), bytes(self._tail), self._omitted
        if not omitted:
            return (head + tail).decode("utf-8", "replace"), 0
        gap = f"\n[… {counted(omitted, 'byte')} left out …]\n"
        return head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace"), omitted

    def _keep(self, data: bytes) -> None:
        free = self._half - len(self._head)
        self._head += data[:free]
        self._tail += data[free:]
        surplus = max(0, len(self._tail) - self._half)
        del self._tail[:surplus]
        self._omitted += surplus
