"""This machine: processes for work, threads for waiting."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from queue import SimpleQueue

from ....core.ground.errors import SymOpsError
from ....core.ground.json_lines import close_inherited
from ....core.ground.python_processes import WorkerPool, process_pool
from . import AHEAD, Engine, J, R, Workers

_AT_ONCE = 8  # jobs that a worker is handed together
_PATIENCE = 3.0  # seconds
_LAST_JOB = 1.0  # seconds that the job of a thread may take after an interrupt
_TRIES = 3  # of a job that was at work when its worker ended


class Processes:
    """Worker processes. They are forked where nothing speaks against it: so they know what this one has read.

    Loky's pools break as a whole as these do, and its workers outlive a parent that is killed: nothing would go here.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: WorkerPool | None = None
        self._worked = False  # whether anything came out yet

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Return each job with its result."""
        rest, tries = iter(jobs), dict[int, int]()
        pending: dict[Future[list[R]], tuple[list[J], WorkerPool]] = {}
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
                    if not alone or len(some) > 1:
                        broken += some
                        continue
                    tries[id(some[0])] = tries.get(id(some[0]), 0) + 1
                    if not self._worked and sum(tries.values()) >= _TRIES:
                        raise SymOpsError(
                            "the worker processes end before they have done anything: is there memory "
                            "for them? One job at a time needs none (--jobs 1)"
                        ) from None
                    if tries[id(some[0])] < _TRIES:
                        broken[:0] = some  # the others first: they show whether the job is at fault, or the workers
                    else:
                        yield some[0], None
                else:
                    self._worked = True
                    yield from zip(some, results, strict=True)

    def close(self) -> None:
        """Let the workers end what they are at, for a moment: to kill them makes the pool complain. Then kill them."""
        if self._pool is not None:
            self._pool.stop(_PATIENCE)

    def _submit(
        self, work: Callable[[J], R], jobs: list[J], pending: dict[Future[list[R]], tuple[list[J], WorkerPool]]
    ) -> None:
        while True:
            if self._pool is None:
                self._pool = process_pool(self.count, initializer=_share)
            try:
                pending[self._pool.submit(_do_all, work, jobs)] = jobs, self._pool
                return
            except BrokenProcessPool:
                self._drop(self._pool)

    def _drop(self, pool: WorkerPool) -> None:
        pool.shutdown(wait=False, cancel_futures=True)
        if self._pool is pool:
            self._pool = None


def _do_all(work: Callable[[J], R], jobs: list[J]) -> list[R]:
    return [work(job) for job in jobs]


def _share() -> None:
    """Leave open files to the parent."""
    gc.freeze()  # what is inherited is not collected here, so its pages stay shared
    close_inherited()


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
            # A thread that is inside of a C++ library when Python ends aborts the process. One that waits for a model
            # is not, and may wait for long.
            end = time.monotonic() + _LAST_JOB
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))


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
