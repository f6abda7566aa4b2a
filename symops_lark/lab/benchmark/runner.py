"""A run: the cases that its settings select. Each is done once, and its record is written to a log.

Invariant: the final log depends on the settings only, not on the order of the work, on the engine,
or on interruptions.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.version import __version__
from ...core.replies.messages import Finish, ModelError, Reply, Usage
from .engines import Workers, load_engine
from .formats import Format, load_format
from .records import Case, Record, identify
from .rooms import by_name
from .runlog import Header, RunLog, open_log, read_log
from .scoring import judge, tell_crash
from .settings import FORMATS, RunSettings
from .sources import Asking, Given, Recorded, Source, load_source
from .tasks import Task, load_tasks

_START_COST = 50  # cases that are done in about the time that another worker takes to start


@dataclass(frozen=True, slots=True)
class Job:
    """One case, on any machine.

    Attributes:
        settings: The settings of the run.
        blank: The record without any result.
        task: The task, if there is one.
        reply: The reply, if an earlier run got it.
        given: The reply of a source that exists on the first machine only.
    """

    settings: RunSettings
    blank: Record
    task: Task | None = None
    reply: Reply | None = None
    given: Given | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """The parts of a run, made from its settings."""

    settings: RunSettings
    formats: Mapping[str, Format]
    tasks: Mapping[str, Task]
    source: Source

    @classmethod
    def of(cls, settings: RunSettings, tasks: Sequence[Task] | None = None) -> Bench:
        """Return the parts; raises `SymOpsError` for wrong settings, before any model is asked."""
        # Files may have changed since the last run.
        _source.cache_clear()
        _format.cache_clear()
        source = _source(settings)
        default = source.formats if isinstance(source, Recorded) else FORMATS
        formats = {name: _format(settings, name) for name in settings.formats or default}
        if tasks is None:
            tasks = _tasks_for(source, settings)
        return cls(settings, formats, by_name(tasks), source)

    def blanks(self) -> list[Record]:
        """Return the records of all cases without any result, in a fixed order."""
        formats = tuple(self.formats.values())
        tasks = tuple(self.tasks.values())
        hash_request = cache(self._hash_request)
        cases = self.source.cases(formats, tasks, self.settings.repetitions)
        return [self._blank(case, hash_request(case.format, case.task)) for case in cases]

    def _hash_request(self, format_name: str, task_name: str) -> str:
        """Return a hash of everything that replies to a task in a format depend on."""
        format = self.formats[format_name]
        task = self.tasks.get(task_name)
        if task is not None and isinstance(self.source, Asking):
            return identify(messages=[message.to_dict() for message in format.teach(task.request)])
        # A simulated reply depends on the writer of the format.
        return identify(format=format.fingerprint, task=task.fingerprint if task else None)

    def _blank(self, case: Case, request_hash: str) -> Record:
        format = self.formats[case.format]
        task = self.tasks.get(case.task)
        provenance = self.source.provenance
        settings = self.settings
        request = identify(
            kind=provenance.kind,
            # A reply of another day is the same.
            source=[[name, value] for name, value in provenance.detail if name != "date"],
            base_url=settings.option("base_url"),
            case=[case.format, case.task, case.repetition, *filter(None, [case.model])],
            asked=request_hash,
            sampling=[settings.seed, settings.max_tokens, settings.temperature],
        )
        key = identify(
            request=request,
            fingerprint=format.fingerprint,
            task=task.fingerprint if task else None,
            attempts=settings.attempts,
            package=tell_package(),
        )
        versions = [("symops-lark", tell_package()), ("python", platform.python_version())]
        versions += [(name, _version(name)) for name in getattr(format, "libraries", ())]
        return Record(
            key,
            request,
            case,
            provenance,
            format.fingerprint,
            format.rules,
            settings.seed,
            versions=tuple(versions),
        )

    def header(self, cases: int) -> Header:
        """Return the first line of the log."""
        return Header(
            self.settings,
            self.source.provenance,
            _fingerprints(self.formats),
            _fingerprints(self.tasks),
            tell_package(),
            cases,
        )


def _fingerprints(items: Mapping[str, Any]) -> dict[str, str]:
    return {name: item.fingerprint for name, item in items.items()}


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        total: The number of cases.
        done: The cases with a record.
        asked: The cases that this run worked on.
        failed: The cases without a reply.
        record: The newest record; None at the beginning.
        remarks: The assumptions of the source about its replies; only at the beginning.
    """

    total: int
    done: int
    asked: int
    failed: int
    record: Record | None = None
    remarks: Sequence[str] = ()


Watch = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class Setup:
    """How a run is done. It decides nothing about the records.

    Attributes:
        engine: The name of the engine.
        jobs: The number of workers.
        scheduler: The address of a cluster's scheduler.
        caches: Older logs, whose replies are used again.
    """

    engine: str = "local"
    jobs: int = 1
    scheduler: str | None = None
    caches: tuple[str, ...] = ()


@cache
def tell_package() -> str:
    """Return the package's version with a hash of its code, which changes between releases, too."""
    package = Path(__file__).parents[2]
    code = {}
    for path in package.rglob("*.py"):
        name = path.relative_to(package).as_posix()
        # Only an installed package has its data there.
        if not name.startswith("_data/"):
            code[name] = path.read_text(encoding="utf-8")
    return f"{__version__}+{identify(code=code)[:8]}"


def run(
    settings: RunSettings,
    out: str | Path,
    setup: Setup | None = None,
    *,
    tasks: Sequence[Task] | None = None,
    watch: Watch = lambda progress: None,
) -> list[Record]:
    """Do the cases that are not in the log yet.

    Args:
        settings: The settings.
        out: The log.
        setup: How the run is done.
        tasks: The tasks, instead of those that the settings select.
        watch: Called at the beginning and after each case.

    Returns:
        The records of all cases, in the order of the cases. A case without a reply has an error.

    Raises:
        SymOpsError: The settings are wrong, or the log is of other settings.
    """
    with open_log(out) as log:
        # A run that is resumed keeps its date.
        if log.header:
            settings = replace(settings, date=log.header.settings.date)
        bench = Bench.of(settings.dated(), tasks)
        blanks = bench.blanks()
        if not blanks:
            raise SymOpsError(
                "there is nothing to do: no task of the selection can be written in a format of it"
            )
        log.begin(bench.header(len(blanks)))
        try:
            _work(bench, blanks, log, setup or Setup(), watch)
        finally:
            # This ends servers that the source has started.
            _source.cache_clear()
        return [log.records[blank.key] for blank in blanks]


def _work(bench: Bench, blanks: Sequence[Record], log: RunLog, setup: Setup, watch: Watch) -> None:
    progress = Progress(
        total=len(blanks),
        done=sum(blank.key in log.records for blank in blanks),
        asked=0,
        failed=sum(bool(record.error) for record in log.records.values()),
        remarks=bench.source.remarks if isinstance(bench.source, Recorded) else (),
    )
    watch(progress)

    def add(record: Record, is_new: bool) -> None:
        nonlocal progress
        log.add(record)
        progress = Progress(
            progress.total,
            progress.done + 1,
            progress.asked + is_new,
            progress.failed + bool(record.error),
            record,
        )
        watch(progress)

    same, replies = _read_caches(setup.caches)
    todo = []
    for blank in blanks:
        if blank.key in log.records:
            continue
        # Everything is equal, so also the result.
        if blank.key in same:
            add(same[blank.key], is_new=False)
        else:
            todo.append(blank)
    # Workers take a moment to start, and a model may need to be loaded.
    if not todo:
        return
    workers = Workers(setup.jobs, isinstance(bench.source, Asking), setup.scheduler)
    # Work needs processes, and more of them than the work is worth only cost time.
    if not workers.waiting:
        workers = replace(workers, count=min(setup.jobs, len(todo) // _START_COST + 1))
    with load_engine(setup.engine, workers) as engine:
        for job, record in engine.run(perform, _make_jobs(bench, todo, replies)):
            # The engine has tried the case several times.
            if record is None:
                error = "the worker process ended while it was at work on this"
                record = replace(job.blank, error=error)
            add(record, is_new=True)


def _make_jobs(
    bench: Bench, blanks: Iterable[Record], replies: Mapping[str, Record]
) -> Iterator[Job]:
    source = bench.source
    for blank in blanks:
        case = blank.case
        job = Job(bench.settings, blank, bench.tasks.get(case.task))
        if isinstance(source, Recorded):
            # A worker on another machine does not have the folder of the replies.
            try:
                job = replace(job, given=source.give(case, bench.formats[case.format], job.task))
            except ModelError as error:
                job = replace(job, blank=replace(blank, error=str(error)))
        elif isinstance(source, Asking) and blank.request in replies:
            old = replies[blank.request]
            # Only the first reply is used again; with more attempts, its tokens are unknown.
            usage = Usage(*old.usage) if old.attempts == 1 else None
            reply = Reply(old.text, Finish(old.finish), usage, old.model)
            job = replace(job, reply=reply, blank=replace(blank, provenance=old.provenance))
        yield job


def _read_caches(paths: Sequence[str]) -> tuple[dict[str, Record], dict[str, Record]]:
    """Return the records of older logs that did not fail, by key and by request."""
    same: dict[str, Record] = {}
    replies: dict[str, Record] = {}
    for path in paths:
        for record in read_log(path).records:
            # A failure may be due to the network: the case is asked again.
            if not record.error:
                same.setdefault(record.key, record)
                replies.setdefault(record.request, record)
    return same, replies


def perform(job: Job) -> Record:
    """Get the reply of a case and judge it.

    Raises:
        SymOpsError: The package or the format differs from that of the first machine.
    """
    blank, settings = job.blank, job.settings
    if blank.error:
        return blank
    format = _format(settings, blank.case.format)
    if (
        format.fingerprint != blank.fingerprint
        or dict(blank.versions)["symops-lark"] != tell_package()
    ):
        raise SymOpsError(
            f"the package or the format {blank.case.format} is another here ({platform.node()}) "
            "than where the run began: have the same release, and the same files, everywhere"
        )
    try:
        result = job.given or _give(job, format)
    except ModelError as error:
        partial = error.partial.text if error.partial else ""
        return replace(blank, text=partial, error=str(error))
    except SymOpsError:
        raise
    except Exception as error:  # noqa: BLE001  (a crash is recorded)
        return replace(blank, error=tell_crash(error))
    # Without a model, the corrector does nothing.
    if not settings.attempts:
        result = replace(result, model=None)
    return judge(format, result, blank, job.task.document if job.task else None)


def _give(job: Job, format: Format) -> Given:
    source = _source(job.settings)
    if job.reply is not None and isinstance(source, Asking):
        return source.replay(format, job.task, job.reply)
    return source.give(job.blank.case, format, job.task)


_version = cache(metadata.version)  # cached, since it reads a file each time
_source = lru_cache(maxsize=2)(load_source)


@lru_cache(maxsize=64)
def _format(settings: RunSettings, name: str) -> Format:
    return load_format(name, settings.rules, settings.attempts)


def _tasks_for(source: Source, settings: RunSettings) -> Sequence[Task]:
    """Return the tasks of the selection."""
    # Recorded replies need no tasks, unless the user selects some.
    if isinstance(source, Recorded) and not settings.tasks:
        with suppress(SymOpsError):
            return load_tasks()
        return ()
    return load_tasks(settings.tasks)
