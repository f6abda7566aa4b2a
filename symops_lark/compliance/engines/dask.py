"""Dask: worker processes of this machine, or of a cluster whose scheduler is named. A worker that dies is replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any

from ...errors import SymOpsError
from . import AHEAD, Engine, J, R, Workers


class Cluster:
    """The workers that a client of Dask reaches."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Give each job with its result; Dask does again what was lost with a worker."""
        import distributed

        rest, pending = iter(jobs), dict[str, J]()
        done = distributed.as_completed(raise_errors=False)
        while True:
            room = max(1, sum(self.client.nthreads().values())) * AHEAD - len(pending)
            for job in islice(rest, max(0, room)):
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
                yield job, None
            else:
                yield job, result
            future.release()


@contextmanager
def _load(workers: Workers) -> Iterator[Engine]:
    try:
        import distributed
    except ImportError as error:
        raise SymOpsError(f"this needs the library {error.name}: pip install 'symops-lark[dask]'") from None
    with ExitStack() as stack:
        address: Any = workers.scheduler
        if address is None:
            cluster = distributed.LocalCluster(n_workers=workers.count, threads_per_worker=1, dashboard_address=None)
            address = stack.enter_context(cluster)
        try:
            client = stack.enter_context(distributed.Client(address))
        except (OSError, ValueError) as error:
            raise SymOpsError(f"the scheduler {workers.scheduler} cannot be reached: {error}") from None
        yield Cluster(client)


ENGINES = {"dask": _load}
