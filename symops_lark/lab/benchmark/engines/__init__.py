"""Engines: where the cases of a run are worked on. One file each; a module with `ENGINES` has some.

    with load_engine("local", Workers(count=4)) as engine:
        for job, result in engine.run(work, jobs): ...

Law: every job comes out exactly once, whatever becomes of a worker, in no order that anybody may rely on.
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
    """How many work at once; `waiting` ones mostly wait for a network, so threads do. `scheduler` is an address."""

    count: int = 1
    waiting: bool = False
    scheduler: str | None = None


class Engine(Protocol):
    """What works on jobs."""

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Iterator[tuple[J, R | None]]:
        """Return each job with its result as it is done; None where the job ended its worker, again and again.

        `work` is a function of a module, and jobs and results can be pickled. What `work` raises ends the run.
        """


Load = Callable[[Workers], AbstractContextManager[Engine]]


def known_engines() -> Mapping[str, Load]:
    """Return the engines by name."""
    return find_named(__name__, __path__, "ENGINES")


def load_engine(name: str, workers: Workers) -> AbstractContextManager[Engine]:
    """Return an engine by its name, to be used in a `with`; raises `SymOpsError`."""
    known = known_engines()
    if name not in known:
        raise SymOpsError(f"there is no engine {name!r}; there are {', '.join(known)}")
    if workers.count < 1:
        raise SymOpsError(f"{workers.count} workers do nothing: there must be at least 1")
    return known[name](workers)
