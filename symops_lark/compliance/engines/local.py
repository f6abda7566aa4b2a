"""This machine: processes for work, threads for waiting."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from queue import SimpleQueue

from ...errors import SymOpsError
from ...measuring.json_lines import close_inherited
from . import AHEAD, Engine, J, R, Workers

_AT_ONCE = 8  # jobs that a worker is handed together
_PATIENCE = 3.0  # seconds
_TRIES = 3  # of a job that was at work when its worker ended


class Processes:
    """Worker processes. They are forked where nothing speaks against it: so they know what this one has read.

    Loky's pools break as a whole as these do, and its workers outlive a parent that is killed: nothing would go here.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ProcessPoolExecutor | None = None
        self._worked = False  # whether anything came out yet

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Return each job with its result."""
        rest, tries = iter(jobs), dict[int, int]()
        pending: dict[Future[list[R]], tuple[list[J], ProcessPoolExecutor]] = {}
        broken: list[J] = []  # waiting or at work when a worker ended; done again one by one, to find the culprit
        while True:
            while not broken and len(pending) < self.count * AHEAD and (some := list(islice(rest, _AT_ONCE))):
                self._submit(work, some, pending)
            if not pending:
                if not broken:
                    return
                self._submit(work, [broken.pop()], pending)
            alone = len(pending) == 1
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                some, pool = pending.pop(future)
                try:
                    results = future.result()
                except BrokenProcessPool:
                    self._drop(pool)
                    tries[id(some[0])] = tries.get(id(some[0]), 0) + (alone and len(some) == 1)
                    if tries[id(some[0])] < _TRIES:
                        broken += some
                    elif self._worked:
                        yield some[0], None
                    else:
                        raise SymOpsError(
                            "the worker processes end before they have done anything: is there memory "
                            "for them? One job at a time needs none (--jobs 1)"
                        ) from None
                else:
                    self._worked = True
                    yield from zip(some, results, strict=True)

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

    def _submit(
        self, work: Callable[[J], R], jobs: list[J], pending: dict[Future[list[R]], tuple[list[J], ProcessPoolExecutor]]
    ) -> None:
        while True:
            if self._pool is None:
                safe = sys.platform == "linux" and threading.active_count() == 1  # a thread may hold what a fork needs
                context = multiprocessing.get_context("fork" if safe else "spawn")
                self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_begin)
            try:
                pending[self._pool.submit(_do_all, work, jobs)] = jobs, self._pool
                return
            except BrokenProcessPool:
                self._drop(self._pool)

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        pool.shutdown(wait=False, cancel_futures=True)
        if self._pool is pool:
            self._pool = None


def _do_all(work: Callable[[J], R], jobs: list[J]) -> list[R]:
    return [work(job) for job in jobs]


def _begin() -> None:
    """Leave Ctrl-C and open files to the parent, and end with it, even if it is killed."""
    gc.freeze()  # what is inherited is not collected here, so its pages stay shared
    close_inherited()
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
