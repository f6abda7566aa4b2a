"""This machine: processes for work, threads for waiting."""

from __future__ import annotations

import gc
import threading
import time
from collections import Counter
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

_BATCH = 8  # jobs that a worker gets at once
_PATIENCE = 3.0  # seconds that the workers have to end their jobs
_LAST_JOB = 1.0  # seconds that the job of a thread may take after an interrupt
_TRIES = 3  # of a job that was at work when its worker ended


class Processes:
    """Worker processes. They are forked where that is safe, so they share what was loaded before.

    A pool of Loky breaks as a whole too, and its workers outlive a parent that is killed.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: WorkerPool | None = None
        self._has_worked = False  # whether there was a result yet

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Yield each job with its result.

        Raises:
            SymOpsError: The workers end before there is a result.
        """
        waiting = iter(jobs)
        tries: Counter[int] = Counter()
        pending: dict[Future[list[R]], tuple[list[J], WorkerPool]] = {}
        # Jobs that were lost with a worker. They are done again one by one, to find the culprit.
        lost: list[J] = []
        while True:
            while not lost and len(pending) < self.count * AHEAD:
                batch = list(islice(waiting, _BATCH))
                if not batch:
                    break
                self._submit(work, batch, pending)
            if not pending:
                if not lost:
                    return
                self._submit(work, [lost.pop()], pending)
            is_alone = len(pending) == 1
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                batch, pool = pending.pop(future)
                try:
                    results = future.result()
                except BrokenProcessPool:
                    self._drop(pool)
                    if not is_alone or len(batch) > 1:
                        lost += batch
                        continue
                    [job] = batch
                    tries[id(job)] += 1
                    if not self._has_worked and tries.total() >= _TRIES:
                        raise SymOpsError(
                            "the worker processes end before they have done anything: is there "
                            "memory for them? One job at a time needs none (--jobs 1)"
                        ) from None
                    if tries[id(job)] < _TRIES:
                        # The other jobs first: they show whether the workers are at fault.
                        lost.insert(0, job)
                    else:
                        yield job, None
                else:
                    self._has_worked = True
                    yield from zip(batch, results, strict=True)

    def close(self) -> None:
        """Let the workers end their jobs for a moment, then kill them.

        A pool whose workers are killed at once complains.
        """
        if self._pool is not None:
            self._pool.stop(_PATIENCE)

    def _submit(
        self,
        work: Callable[[J], R],
        jobs: list[J],
        pending: dict[Future[list[R]], tuple[list[J], WorkerPool]],
    ) -> None:
        while True:
            if self._pool is None:
                self._pool = process_pool(self.count, initializer=_prepare_worker)
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


def _prepare_worker() -> None:
    """Leave memory and open files to the parent."""
    gc.freeze()  # objects of the parent are not collected here, so their pages stay shared
    close_inherited()


class Threads:
    """Threads. They end with the process, so no reply is waited for after that."""

    def __init__(self, count: int) -> None:
        self.count = count

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Yield each job with its result."""
        submitted: SimpleQueue[J | None] = SimpleQueue()
        done: SimpleQueue[tuple[J, R | BaseException]] = SimpleQueue()

        def serve() -> None:
            while (job := submitted.get()) is not None:
                try:
                    done.put((job, work(job)))
                except BaseException as error:  # noqa: BLE001  (raised by the caller)
                    done.put((job, error))

        threads = [threading.Thread(target=serve, daemon=True) for _ in range(self.count)]
        for thread in threads:
            thread.start()
        waiting = iter(jobs)
        pending = 0
        try:
            while True:
                for job in islice(waiting, self.count - pending):
                    submitted.put(job)
                    pending += 1
                if not pending:
                    return
                job, result = done.get()
                pending -= 1
                if isinstance(result, BaseException):
                    raise result
                yield job, result
        finally:
            for _ in threads:
                submitted.put(None)
            # A thread inside of a C++ library when Python ends aborts the process, so it gets a
            # moment. A thread that waits for a model is harmless, and may wait for long.
            end = time.monotonic() + _LAST_JOB
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))


@contextmanager
def _load(workers: Workers) -> Iterator[Engine]:
    if workers.scheduler is not None:
        raise SymOpsError(
            "the engine 'local' has no scheduler: leave the address out, or use the engine 'dask'"
        )
    if workers.waiting or workers.count == 1:
        yield Threads(workers.count)
        return
    processes = Processes(workers.count)
    try:
        yield processes
    finally:
        processes.close()


ENGINES = {"local": _load}
