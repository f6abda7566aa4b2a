"""Many requests at once, over the engines of the benchmark: threads of this machine, or Dask's workers.

Law: each request has its rows in the log once, whatever becomes of a worker, and also if the whole is started again:
the id of a run is made of its request, and what the log has is not asked again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from ...core.ground.json_objects import read_object
from ...lab.benchmark.engines import Workers, load_engine
from ..errors import RoutingError
from ..events import hash_text
from ..logs.run_log import RunLog
from ..manifests.manifest import Manifest
from ..metrics.metrics import METRIC_V1, Metric, MixedMetric
from .contest import Judge
from .flow import Flow, Missing
from .providers import Trust, open_contestants


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, and what it is about."""

    prompt: str
    tags: tuple[str, ...] = ()
    task: str | None = None


@dataclass(frozen=True, eq=False)
class BatchSettings:
    """All that decides what comes of a request; it can be sent to workers elsewhere, and is equal if it says the same.

    `models` are manifests and their states; they are opened where the work is done, with the same `trust`. The others
    are settings of a `Flow`. `asked` and `spent` are what the log has at the start; from there on each worker process
    counts its own requests.
    """

    models: tuple[tuple[Manifest, str], ...]
    metric: Metric | MixedMetric = METRIC_V1
    top_k: int = 3
    seconds: float = 120.0
    missing: str = "refuse"
    run_code: bool = False
    trust: Trust = field(default_factory=Trust)
    judge: Judge | None = None
    own_verifiers: bool = False
    cascade: bool = False
    explore_share: float = 0.1
    asked: Mapping[str, int] = field(default_factory=dict)
    spent: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def _said(self) -> str:
        """All of it, by which workers know settings that they have met: told once, for it is asked at each request."""
        return repr(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BatchSettings) and other._said == self._said

    def __hash__(self) -> int:
        return hash(self._said)


@dataclass(frozen=True, slots=True)
class Done:
    """How far a batch is: how many requests there are, how many the log has, and of how many no worker came back."""

    total: int
    logged: int
    lost: int


def read_requests(path: str | Path) -> list[Request]:
    """Return the requests of a file of JSON lines, `{"prompt": …, "tags": […], "task": …}`; raise `RoutingError`."""
    requests = []
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RoutingError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                requests.append(read_object(Request, json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise RoutingError(f"{path}:{number}: this is no request: {error}") from None
    return requests


def run_batch(
    requests: Iterable[Request],
    settings: BatchSettings,
    log: str | Path,
    engine: str = "local",
    workers: Workers | None = None,
    watch: Callable[[Done], object] = lambda done: None,
) -> Done:
    """Ask what the log does not have yet, and append the rows of each run; return how far it came.

    Raises `SymOpsError` for an engine that is not there, and for models that cannot be opened.
    """
    target = RunLog(log)
    settings = replace(settings, **target.read_history())
    jobs = list(_name_runs(requests))
    todo = [(settings, run_id, request) for run_id, request in _name_open(jobs, target)]
    logged, lost = len(jobs) - len(todo), 0
    with load_engine(engine, workers or Workers(4, waiting=True)) as at_work:
        for _, rows in at_work.run(perform, todo):
            if rows:
                target.append_run(rows)
            logged, lost = logged + (rows is not None), lost + (rows is None)
            watch(Done(len(jobs), logged, lost))
    return Done(len(jobs), logged, lost)


def perform(job: tuple[BatchSettings, str, Request]) -> Sequence[Mapping[str, Any]]:
    """Return the rows of one request: what a worker does."""
    settings, run_id, request = job
    return _open_flow(settings).run(request.prompt, request.tags, request.task, run_id=run_id).rows


@lru_cache(maxsize=4)
def _open_flow(settings: BatchSettings) -> Flow:
    models = open_contestants(settings.models, settings.trust, settings.seconds)
    names = ("run_code", "judge", "own_verifiers", "cascade", "explore_share")
    further = {name: getattr(settings, name) for name in names}
    # Copies: a flow counts on, and settings are compared with those of the next request.
    further |= {"asked": Counter(settings.asked), "spent": dict(settings.spent)}
    return Flow(models, settings.metric, settings.top_k, settings.seconds, Missing(settings.missing), **further)


def _name_runs(requests: Iterable[Request]) -> Iterator[tuple[str, Request]]:
    """Name each run by its request, and by how often that was asked before."""
    asked = Counter[Request]()
    for request in requests:
        asked[request] += 1
        facts = [request.prompt, list(request.tags), request.task, asked[request]]
        yield hash_text(json.dumps(facts))[:32], request


def _name_open(jobs: Iterable[tuple[str, Request]], log: RunLog) -> Iterator[tuple[str, Request]]:
    """Yield the runs that the log does not have; one of which a row is missing gets another name."""
    rows, wanted = Counter[str](), dict[str, int]()
    for row in log.rows() if log.path.exists() else ():
        if run := row.get("run_id"):
            rows[run] += 1
            wanted[run] = row.get("candidates") or 0
    for run, request in jobs:
        name = next(name for n in count(1) if rows[name := f"{run}.{n}"] >= wanted.get(name, 0))
        if name not in rows or not rows[name]:
            yield name, request
