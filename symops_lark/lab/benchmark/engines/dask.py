"""Dask: worker processes of this machine, or of a cluster whose scheduler is named.

Dask starts another worker when one dies.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any

from ....core.ground.errors import SymOpsError
from ....core.ground.python_processes import deaf_processes, safe_environment
from ...measuring.statistics import load_library
from . import AHEAD, Engine, J, R, Workers


class Cluster:
    """The workers that a client of Dask reaches."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Yield each job with its result; Dask repeats jobs that were lost with a worker.

        Raises:
            SymOpsError: The cluster cannot be reached any more.
        """
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        try:
            yield from self._run(work, jobs)
        except (CancelledError, FutureCancelledError, CommClosedError) as error:
            raise SymOpsError(
                f"the cluster is gone ({error}); what it had done is in the log"
            ) from None

    def _run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        import distributed

        waiting = iter(jobs)
        pending: dict[str, J] = {}
        done = distributed.as_completed(raise_errors=False)
        ahead = 0
        while True:
            if len(pending) <= ahead // 2:
                # Workers come and go, so their threads are counted each time.
                ahead = max(1, sum(self.client.nthreads().values())) * AHEAD
                for job in islice(waiting, max(0, ahead - len(pending))):
                    future = self.client.submit(work, job, pure=False)
                    pending[future.key] = job
                    done.add(future)
            if not pending:
                return
            future = next(done)
            job = pending.pop(future.key)
            try:
                result = future.result()
            except distributed.KilledWorker:
                result = None
            yield job, result
            future.release()


@contextmanager
def _load(workers: Workers) -> Iterator[Engine]:
    distributed = load_library("distributed", "symops-lark[dask]")
    with ExitStack() as stack:
        address: Any = workers.scheduler
        if address is None:
            # Held while the cluster runs, since a worker that dies is started again.
            stack.enter_context(safe_environment())
            with deaf_processes():
                # A worker that loses the scheduler at an interrupt logs a traceback as an error.
                # An error of a job reaches the client without the log.
                cluster = distributed.LocalCluster(
                    n_workers=workers.count,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
            address = stack.enter_context(cluster)
        try:
            client = stack.enter_context(distributed.Client(address))
        except (OSError, ValueError) as error:
            raise SymOpsError(
                f"the scheduler {workers.scheduler} cannot be reached: {error}"
            ) from None
        yield Cluster(client)


ENGINES = {"dask": _load}
