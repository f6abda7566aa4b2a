"""This machine: processes for work, threads for waiting."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from queue import SimpleQueue

from ...errors import SymOpsError
from . import AHEAD, Engine, J, R, Workers

_PATIENCE = 3.0  # seconds
_TRIES = 3  # of a job that was at work when its worker ended


class Processes:
    """Worker processes. They are spawned: a forked one would hold the lock of the run log when this one is killed.

    Loky's pools break as a whole as these do, and its workers outlive a parent that is killed: nothing would go here.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ProcessPoolExecutor | None = None
        self._worked = False  # whether anything came out yet

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Return each job with its result."""
        rest, tries = iter(jobs), dict[int, int]()
        pending: dict[Future[R], tuple[J, ProcessPoolExecutor]] = {}
        broken: list[J] = []  # waiting or at work when a worker ended; done again one by one, to find the culprit
        while True:
            room = 0 if broken else self.count * AHEAD - len(pending)
            for job in islice(rest, max(0, room)):
                self._submit(work, job, pending)
            if not pending:
                if not broken:
                    return
                self._submit(work, broken.pop(), pending)
            alone = len(pending) == 1
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                job, pool = pending.pop(future)
                try:
                    result = future.result()
                except BrokenProcessPool:
                    self._drop(pool)
                    tries[id(job)] = tries.get(id(job), 0) + alone
                    if tries[id(job)] < _TRIES:
                        broken.append(job)
                    elif self._worked:
                        yield job, None
                    else:
                        raise SymOpsError(
                            "the worker processes end before they have done anything: is there memory "
                            "for them? One job at a time needs none (--jobs 1)"
                        ) from None
                else:
                    self._worked = True
                    yield job, result

    def close(self) -> None:
        """Let the workers end what they are at, for a moment: to kill them makes the pool complain. Then kill them."""
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            end = time.monotonic() + _PATIENCE
            for process in processes:
                process.join(max(0.0, end - time.monotonic()))
            for process in processes:
                process.kill()
                process.join()

    def _submit(self, work: Callable[[J], R], job: J, pending: dict[Future[R], tuple[J, ProcessPoolExecutor]]) -> None:
        while True:
            if self._pool is None:
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_begin)
            try:
                pending[self._pool.submit(work, job)] = job, self._pool
                return
            except BrokenProcessPool:
                self._drop(self._pool)

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        pool.shutdown(wait=False, cancel_futures=True)
        if self._pool is pool:
            self._pool = None


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end with it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


class Threads:
    """Threads, which end with the process: nobody waits for a reply that is not wanted any more."""

    def __init__(self, count: int) -> None:
        self.count = count

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Return each job with its result."""
        waiting: SimpleQueue[J | None] = SimpleQueue()
        done: SimpleQueue[tuple[J, R | BaseException]] = SimpleQueue()

        def serve() -> None:
            while (job := waiting.get()) is not None:
                try:
                    done.put((job, work(job)))
                except BaseException as error:  # noqa: BLE001  (told where it can be handled)
                    done.put((job, error))

        threads = [threading.Thread(target=serve, daemon=True) for _ in range(self.count)]
        for thread in threads:
            thread.start()
        rest, open_jobs = iter(jobs), 0
        try:
            while True:
                for job in islice(rest, self.count - open_jobs):
                    waiting.put(job)
                    open_jobs += 1
                if not open_jobs:
                    return
                job, result = done.get()
                open_jobs -= 1
                if isinstance(result, BaseException):
                    raise result
                yield job, result
        finally:
            for _ in threads:
                waiting.put(None)


@contextmanager
def _load(workers: Workers) -> Iterator[Engine]:
    if workers.scheduler is not None:
        raise SymOpsError("the engine 'local' has no scheduler: leave the address out, or use the engine 'dask'")
    if workers.waiting or workers.count == 1:
        yield Threads(workers.count)
        return
    processes = Processes(workers.count)
    try:
        yield processes
    finally:
        processes.close()


ENGINES = {"local": _load}
