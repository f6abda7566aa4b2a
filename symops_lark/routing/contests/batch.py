"""Route many requests, with the engines of the benchmark: threads here, or Dask's workers.

Invariant: each request has its rows in the log once, even if a worker ends, or if the batch is
interrupted and started again. The id of a run is made of its request, and a request that is in the
log is not sent again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from ...core.ground.json_objects import read_object
from ...core.ground.members import coerce_members
from ...lab.benchmark.engines import Workers, load_engine
from ..errors import RoutingError
from ..events import ModelAddRequest, hash_text
from ..logs.run_log import RunLog
from ..manifests.manifest import Manifest
from ..metrics.metrics import METRIC_V1, Metric, MixedMetric
from .contest import Judge
from .flow import Flow, Missing
from .providers import Trust, open_contestants

# Several threads of a worker begin at the same time, and each would open all models.
_OPENING = Lock()


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt, its topics, and the task that it is."""

    prompt: str
    tags: tuple[str, ...] = ()
    task: str | None = None


@dataclass(frozen=True)
class BatchSettings:
    """The settings of a batch, which can be sent to workers on other machines.

    Attributes:
        models: The manifests, each with its state. They are opened where the work is done.
        metric: As for a `Flow`, like all others without a description here.
        trust: The permissions of the manifests.
    """

    models: tuple[tuple[Manifest, str], ...]
    metric: Metric | MixedMetric = METRIC_V1
    top_k: int = 3
    seconds: float = 120.0
    missing: Missing = Missing.REFUSE
    run_code: bool = False
    trust: Trust = field(default_factory=Trust)
    judge: Judge | None = None
    own_verifiers: bool = False
    cascade: bool = False
    explore_share: float = 0.1

    def __post_init__(self) -> None:
        coerce_members(self)


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch as its workers know it: all of its requests have the same id.

    Attributes:
        id: A random name.
        settings: The settings.
        history: The calls and costs in the log at the start. From there on, each worker process
            counts its own requests.
    """

    id: str
    settings: BatchSettings = field(compare=False)
    history: Mapping[str, Any] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Done:
    """The progress of a batch.

    Attributes:
        total: The number of requests.
        logged: The number of requests in the log.
        lost: The number of requests whose workers ended again and again.
        unasked: The numbers of requests for which no model was asked, by the reason. The log has
            no row of them.
    """

    total: int
    logged: int
    lost: int
    unasked: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of one request, as a worker sends it: its rows and events, and the reason."""

    rows: tuple[Mapping[str, Any], ...]
    why: str
    missing: tuple[ModelAddRequest, ...]


def read_requests(path: str | Path) -> list[Request]:
    """Return the requests of a file of JSON lines, `{"prompt": …, "tags": […], "task": …}`.

    Raises:
        RoutingError: The file cannot be read, or a line is not a request.
    """
    requests = []
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RoutingError(f"{path}: cannot be read: {reason}") from None
    # Not `splitlines`, which also ends lines at characters that JSON allows in a string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            requests.append(read_object(Request, json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise RoutingError(f"{path}:{number}: this is not a request: {error}") from None
    return requests


def run_batch(
    requests: Iterable[Request],
    settings: BatchSettings,
    log: str | Path,
    engine: str = "local",
    workers: Workers | None = None,
    watch: Callable[[Done], object] = lambda done: None,
    record: Callable[[ModelAddRequest], object] = lambda event: None,
) -> Done:
    """Answer the requests that the log does not have yet, and append the rows of each run.

    Args:
        requests: The requests.
        settings: The settings.
        log: The run log.
        engine: The name of the engine that runs the requests.
        workers: The workers of the engine. None: four threads.
        watch: Called with the progress after each request.
        record: Called with each event that a model is missing, such as `Registry.request_model`.

    Returns:
        The progress at the end.

    Raises:
        SymOpsError: There is no such engine, the models cannot be opened, or the log has the name
            of the metric with other weights.
    """
    target = RunLog(log)
    target.check_metric(settings.metric)
    batch = _Batch(uuid4().hex, settings, target.read_history())
    # Before the first request, since the log then grows.
    runs = list(_name_runs(requests))
    jobs = [(batch, run_id, request) for run_id, request in _find_open(runs, target)]
    done = Done(len(runs), len(runs) - len(jobs), 0)
    # Requests mostly wait for the network, so threads are enough.
    with load_engine(engine, workers or Workers(4, waiting=True)) as at_work:
        for _, outcome in at_work.run(perform, jobs):
            if outcome is None:
                done = replace(done, lost=done.lost + 1)
            elif outcome.rows:
                target.append_run(outcome.rows)
                done = replace(done, logged=done.logged + 1)
            else:
                counts = Counter(done.unasked)
                counts[outcome.why] += 1
                done = replace(done, unasked=dict(counts))
            for event in outcome.missing if outcome is not None else ():
                record(event)
            watch(done)
    return done


def perform(job: tuple[_Batch, str, Request]) -> _Outcome:
    """Return the outcome of one request. A worker calls this."""
    batch, run_id, request = job
    with _OPENING:
        flow = _open_flow(batch)
    answer = flow.run(request.prompt, request.tags, request.task, run_id=run_id)
    return _Outcome(answer.rows, answer.why, answer.missing)


# By the id of the batch: a flow counts its requests, and the next batch begins with its own log.
@lru_cache(maxsize=4)
def _open_flow(batch: _Batch) -> Flow:
    settings = batch.settings
    return Flow(
        open_contestants(settings.models, settings.trust, settings.seconds),
        settings.metric,
        settings.top_k,
        settings.seconds,
        settings.missing,
        settings.run_code,
        judge=settings.judge,
        own_verifiers=settings.own_verifiers,
        cascade=settings.cascade,
        explore_share=settings.explore_share,
        **batch.history,
    )


def _name_runs(requests: Iterable[Request]) -> Iterator[tuple[str, Request]]:
    """Yield each request with the name of its run."""
    counts = Counter[Request]()
    for request in requests:
        # The same request may be in the file several times.
        counts[request] += 1
        facts = [request.prompt, request.tags, request.task, counts[request]]
        yield hash_text(json.dumps(facts))[:32], request


def _find_open(runs: Iterable[tuple[str, Request]], log: RunLog) -> Iterator[tuple[str, Request]]:
    """Yield the runs that the log does not have, each with a name that is not in the log."""
    begun = set()
    rows = Counter[str]()
    candidates: dict[str, int] = {}
    # A batch that begins has no log yet.
    for row in log.rows() if log.path.exists() else ():
        run_id = row.get("run_id")
        if run_id:
            # Before the slash: the rows of a cascade have longer names, except the last one.
            begun.add(run_id.partition("/")[0])
            rows[run_id] += 1
            candidates[run_id] = row.get("candidates") or 0
    for run, request in runs:
        for number in count(1):
            name = f"{run}.{number}"
            if name not in begun:
                yield name, request
                break
            # A run that lacks rows stays as it is, and is done again with the next number.
            if rows[name] >= candidates.get(name, 1):
                break
