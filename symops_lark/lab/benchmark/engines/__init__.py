"""Engines: where the jobs of a run are done. One module each; a module with `ENGINES` is found.

    with load_engine("local", Workers(count=4)) as engine:
        for job, result in engine.run(work, jobs): ...

Invariant: every job is returned exactly once, even if its worker ends. The order is not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ....core.ground.errors import SymOpsError
from ..rooms import find_named

J = TypeVar("J")
R = TypeVar("R")
AHEAD = 4  # jobs that wait for each worker


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of an engine.

    Attributes:
        count: How many work at the same time.
        waiting: Whether they mostly wait for a network, so that threads are enough.
        scheduler: The address of a cluster's scheduler.
    """

    count: int = 1
    waiting: bool = False
    scheduler: str | None = None


class Engine(Protocol):
    """Workers that are running."""

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Yield each job with its result when it is done.

        The result is None if the job ended its worker several times. An error of `work` ends the
        run.

        Args:
            work: A function of a module, so that it can be pickled.
            jobs: The jobs. They and their results can be pickled.
        """


Load = Callable[[Workers], AbstractContextManager[Engine]]


def known_engines() -> Mapping[str, Load]:
    """Return the engines by name."""
    return find_named(__name__, __path__, "ENGINES")


def load_engine(name: str, workers: Workers) -> AbstractContextManager[Engine]:
    """Return an engine as a context.

    Raises:
        SymOpsError: The name is unknown, or there is not a single worker.
    """
    engines = known_engines()
    if name not in engines:
        raise SymOpsError(f"there is no engine {name!r}; there are {', '.join(engines)}")
    if workers.count < 1:
        raise SymOpsError(f"{workers.count} workers do nothing: there must be at least 1")
    return engines[name](workers)
