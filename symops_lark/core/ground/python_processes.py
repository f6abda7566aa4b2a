"""Start this interpreter again, without running code of the working folder.

`python -m` and `python -c` put the working folder first on `sys.path`. A repository with a
`pickle.py` at its top would run whenever a process is started in it. Every process of this package
is therefore started by this module alone.

Invariants (tests/test_python_processes.py):

1. No started process imports a module from the working folder, whatever it contains.
2. A started process finds the package that is running now, also if that was found by a relative
   `PYTHONPATH`.
3. The environment of the caller is the same after a pool was started as before.
4. Processes of a pool leave Ctrl-C to this process, from their first moment on, and end when it
   ends or is killed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from .errors import SymOpsError

_SAFE = "PYTHONSAFEPATH"
_PATH = "PYTHONPATH"
_lock = threading.Lock()
_holders = 0  # contexts of `safe_environment`: pools that are being started, clusters that run
_before: dict[str, str | None] = {}  # the variables as they were before the first holder


class PythonStart(NamedTuple):
    """The parameters to start a process.

    Attributes:
        command: The program and its arguments.
        environment: The environment variables.
        folder: The absolute path of the working folder.
    """

    command: list[str]
    environment: dict[str, str]
    folder: str


def python_start(*arguments: str) -> PythonStart:
    """Return the parameters to run this interpreter with this package and no untrusted module.

    Args:
        arguments: Options and arguments of `python`, such as `-m`, a module, and its arguments.
            Paths among them must be absolute: the process does not run in the working folder.

    Returns:
        The command, environment and folder. The caller may replace the folder: no module is
        searched there.
    """
    home = _home()
    environment = dict(os.environ)
    # With `-E`, this process ignores variables such as PYTHONPATH; the next one must, too.
    if sys.flags.ignore_environment:
        for name in os.environ:
            if name.startswith("PYTHON"):
                del environment[name]
    environment |= _safe_variables(environment)
    user_site = ["-s"] if sys.flags.no_user_site else []
    # The package may be in an archive, which is not a folder that a process can run in.
    folder = home if os.path.isdir(home) else os.path.dirname(home)
    command = [sys.executable or "", "-P", *user_site, *arguments]
    return PythonStart(command, environment, folder)


@contextmanager
def safe_environment() -> Iterator[None]:
    """Make libraries that start this interpreter start it safely, within a context.

    `multiprocessing` takes no environment for its processes: they get that of this process. Several
    threads may hold the context at once; the last one restores the variables.

    Raises:
        SymOpsError: Python was started with `-E`: its processes would ignore the environment.
    """
    global _holders
    if sys.flags.ignore_environment and not sys.flags.safe_path:
        raise SymOpsError(
            "no processes are started: Python runs with -E, so that they would import modules of "
            "the working folder (start it with -P or -I too, or do one job at a time: --jobs 1)"
        )
    with _lock:
        if not _holders:
            safe = _safe_variables(os.environ)
            _before.update({name: os.environ.get(name) for name in safe})
            os.environ.update(safe)
            # Started now: its start unblocks Ctrl-C, which later may be blocked on purpose.
            if sys.platform != "win32":
                resource_tracker.ensure_running()
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if not _holders:
                _restore()


@contextmanager
def deaf_processes() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: each would print a traceback.

    The signal is blocked, also in threads that are started here, and their processes inherit that.
    This process receives it at the end of the context.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class WorkerPool(ProcessPoolExecutor):
    """A pool whose processes do not outlive an error or an interrupt of the caller."""

    def stop(self, patience: float) -> None:
        """Cancel the waiting work, and kill processes that do not end in time.

        Args:
            patience: The number of seconds for all processes together to end their current work.
        """
        # Before `shutdown`, which removes them from the pool. The standard library has no public
        # name for them.
        processes = list((self._processes or {}).values())
        self.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + patience
        for process in processes:
            process.join(max(0.0, end - time.monotonic()))
        for process in processes:
            process.kill()
            process.join()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for the end of all work, unless the caller was interrupted."""
        if kind is None:
            self.shutdown()
        else:
            self.stop(0.0)


def process_pool(
    count: int, *, may_fork: bool = True, initializer: Callable[[], None] | None = None
) -> WorkerPool:
    """Return a pool of processes of this program.

    Args:
        count: The number of processes.
        may_fork: Whether processes are forked where that is safe: on Linux, in a program of one
            thread. A fork has all modules and tables of this process, and starts no interpreter.
        initializer: Called by each process first; None for no call.

    Returns:
        The pool. The caller must close it.

    Raises:
        SymOpsError: Python was started with `-E`; see `safe_environment`.
    """
    # A thread of this process may hold a lock that a fork would wait for.
    if may_fork and sys.platform == "linux" and threading.active_count() == 1:
        return WorkerPool(count, _ForkContext(), _begin, (initializer,))
    with safe_environment():  # its queues start the process that tracks resources
        return WorkerPool(count, _SpawnContext(), _begin, (initializer,))


def _begin(initializer: Callable[[], None] | None) -> None:
    """Begin a process of a pool: leave Ctrl-C to the parent, and end with it."""
    # First ignored, then unblocked (see `deaf_processes`): at no moment does the signal arrive.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()  # returns also if the parent was killed
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
    if initializer is not None:
        initializer()


class _SpawnProcess(SpawnProcess):
    def start(self) -> None:
        with safe_environment(), deaf_processes():
            super().start()


class _SpawnContext(SpawnContext):
    Process = _SpawnProcess


if sys.platform != "win32":
    from multiprocessing.context import ForkContext, ForkProcess

    class _ForkProcess(ForkProcess):
        def start(self) -> None:
            with deaf_processes():
                super().start()

    class _ForkContext(ForkContext):
        Process = _ForkProcess


def _home() -> str:
    """Return the folder, or archive, that holds the running package."""
    return str(Path(os.path.abspath(__file__)).parents[3])  # above symops_lark/core/ground


def _safe_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that keep the working folder out of `sys.path`."""
    home = _home()
    entries = environment.get(_PATH, "").split(os.pathsep)
    # Only absolute ones: an empty entry of PYTHONPATH is the working folder, too.
    absolute = [entry for entry in entries if os.path.isabs(entry) and entry != home]
    return {_SAFE: "1", _PATH: os.pathsep.join([home, *absolute])}


def _restore() -> None:
    for name, value in _before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    _before.clear()
