"""A run: the cases that its settings ask for, each worked on once, its record written to the log as it is done.

Law: what is in the log at the end depends on nothing but the settings: not on the order of the work, the engine, or how
often the run was interrupted.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path

from ...core.ground.errors import SymOpsError
from ...core.ground.version import __version__
from ...core.replies.messages import Finish, ModelError, Reply, Usage
from .engines import Workers, load_engine
from .formats import Format, load_format
from .records import Case, Record, identify
from .runlog import Header, RunLog, open_log, read_log
from .scoring import judge, tell_crash
from .settings import FORMATS, RunSettings
from .sources import Asking, Given, Recorded, Source, load_source
from .tasks import Task, load_tasks

_WORTH = 50  # cases that are done in about the time that a further worker takes to start


@dataclass(frozen=True, slots=True)
class Job:
    """One case to work on, wherever: `blank` is its record without what comes of it.

    `reply` is one that an earlier run got; `given` is what the source gave already, because only this machine can.
    """

    settings: RunSettings
    blank: Record
    task: Task | None = None
    reply: Reply | None = None
    given: Given | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """What a run works with, made of its settings."""

    settings: RunSettings
    formats: Mapping[str, Format]
    tasks: Mapping[str, Task]
    source: Source

    @classmethod
    def of(cls, settings: RunSettings, tasks: Sequence[Task] | None = None) -> Bench:
        """Return it made of settings; raises `SymOpsError` for whatever is wrong with them, before it asks."""
        _source.cache_clear()  # files may have changed since the last run
        _format.cache_clear()
        source = _source(settings)
        names = settings.formats or (source.formats if isinstance(source, Recorded) else FORMATS)
        tasks = _tasks_for(source, settings) if tasks is None else tasks
        formats = {name: _format(settings, name) for name in names}
        return cls(settings, formats, {task.name: task for task in tasks}, source)

    def blanks(self) -> list[Record]:
        """Return the records of all cases without what comes of them, in an order that never changes."""
        cases = self.source.cases(tuple(self.formats.values()), tuple(self.tasks.values()), self.settings.repetitions)
        ask = cache(self._ask)
        return [self._blank(case, ask(case.format, case.task)) for case in cases]

    def _ask(self, format: str, task: str) -> str:
        """Return a hash of what replies to a task in a format depend on: what is asked, or how a reply is made up."""
        chosen, known = self.formats[format], self.tasks.get(task)
        if known is not None and isinstance(self.source, Asking):
            return identify(messages=[message.to_dict() for message in chosen.teach(known.request)])
        return identify(format=chosen.fingerprint, task=known.fingerprint if known else None)

    def _blank(self, case: Case, asked: str) -> Record:
        format, task = self.formats[case.format], self.tasks.get(case.task)
        provenance, settings = self.source.provenance, self.settings
        request = identify(
            kind=provenance.kind,
            source=[[name, value] for name, value in provenance.detail if name != "date"],
            base_url=settings.option("base_url"),
            case=[case.format, case.task, case.repetition, *filter(None, [case.model])],
            asked=asked,
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
            key, request, case, provenance, format.fingerprint, format.rules, settings.seed, versions=tuple(versions)
        )

    def header(self, cases: int) -> Header:
        """Return what the log says first."""
        formats = {name: format.fingerprint for name, format in self.formats.items()}
        tasks = {name: task.fingerprint for name, task in self.tasks.items()}
        return Header(self.settings, self.source.provenance, formats, tasks, tell_package(), cases)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; `record` is the newest one, None at the beginning. `asked` are those worked on in this run.

    `remarks` are what the source assumed of its replies; only at the beginning.
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
    """How a run is carried out, which decides nothing about its records."""

    engine: str = "local"
    jobs: int = 1
    scheduler: str | None = None
    caches: tuple[str, ...] = ()


@cache
def tell_package() -> str:
    """Return the package's version, with a hash of its code: between releases it changes as well."""
    package = Path(__file__).parents[2]
    paths = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    code = {name: path.read_text(encoding="utf-8") for name, path in paths.items() if not name.startswith("_data/")}
    return f"{__version__}+{identify(code=code)[:8]}"


def run(
    settings: RunSettings,
    out: str | Path,
    setup: Setup | None = None,
    *,
    tasks: Sequence[Task] | None = None,
    watch: Watch = lambda progress: None,
) -> list[Record]:
    """Do what is not in the log yet, and return the records of the whole run in the order of its cases.

    `tasks` are used instead of those that the settings select. A case without a reply is a record with an error. Raises
    `SymOpsError` for settings that are wrong, and for a log of others.
    """
    setup = setup or Setup()
    with open_log(out) as log:
        date = log.header.settings.date if log.header else settings.date or datetime.now(UTC).date().isoformat()
        bench = Bench.of(replace(settings, date=date), tasks)
        blanks = bench.blanks()
        if not blanks:
            raise SymOpsError("there is nothing to do: no task of the selection can be written in a format of it")
        log.begin(bench.header(len(blanks)))
        try:
            _work(bench, blanks, log, setup, watch)
        finally:
            _source.cache_clear()  # which ends what the source may run
        return [log.records[blank.key] for blank in blanks]


def _work(bench: Bench, blanks: Sequence[Record], log: RunLog, setup: Setup, watch: Watch) -> None:
    done = sum(blank.key in log.records for blank in blanks)
    failed = sum(bool(record.error) for record in log.records.values())
    asked = 0
    remarks = bench.source.remarks if isinstance(bench.source, Recorded) else ()
    watch(Progress(len(blanks), done, asked, failed, remarks=remarks))

    def add(record: Record, fresh: bool) -> None:
        nonlocal done, asked, failed
        log.add(record)
        done, asked, failed = done + 1, asked + fresh, failed + bool(record.error)
        watch(Progress(len(blanks), done, asked, failed, record))

    same, replies = _read_caches(setup.caches)
    todo = []
    for blank in blanks:
        if blank.key in log.records:
            continue
        if blank.key in same:
            add(same[blank.key], fresh=False)
        else:
            todo.append(blank)
    if not todo:
        return
    waiting = isinstance(bench.source, Asking)
    jobs = setup.jobs if waiting else min(setup.jobs, len(todo) // _WORTH + 1)
    with load_engine(setup.engine, Workers(jobs, waiting, setup.scheduler)) as engine:
        for job, record in engine.run(perform, _make_jobs(bench, todo, replies)):
            add(record or replace(job.blank, error="the worker process ended while it was at work on this"), fresh=True)


def _make_jobs(bench: Bench, blanks: Iterable[Record], replies: Mapping[str, Record]) -> Iterator[Job]:
    source = bench.source
    recorded, asking = isinstance(source, Recorded), isinstance(source, Asking)
    for blank in blanks:
        job = Job(bench.settings, blank, bench.tasks.get(blank.case.task))
        if recorded:  # a worker elsewhere has no such folder
            try:
                job = replace(job, given=source.give(blank.case, bench.formats[blank.case.format], job.task))
            except ModelError as error:
                job = replace(job, blank=replace(blank, error=str(error)))
        elif asking and (old := replies.get(blank.request)):
            usage = Usage(*old.usage) if old.attempts == 1 else None  # of the first reply alone, which is used again
            reply = Reply(old.text, Finish(old.finish), usage, old.model)
            job = replace(job, reply=reply, blank=replace(blank, provenance=old.provenance))
        yield job


def _read_caches(paths: Sequence[str]) -> tuple[dict[str, Record], dict[str, Record]]:
    """Return the records of older logs by key and by request; those that failed are not used again."""
    same: dict[str, Record] = {}
    replies: dict[str, Record] = {}
    for path in paths:
        for record in read_log(path).records:
            if not record.error:
                same.setdefault(record.key, record)
                replies.setdefault(record.request, record)
    return same, replies


def perform(job: Job) -> Record:
    """Get the reply of a case and judge it; raise `SymOpsError` only where this machine has other formats or rules."""
    blank, settings = job.blank, job.settings
    if blank.error:
        return blank
    format = _format(settings, blank.case.format)
    if format.fingerprint != blank.fingerprint or dict(blank.versions)["symops-lark"] != tell_package():
        raise SymOpsError(
            f"the package or the format {blank.case.format} is another here ({platform.node()}) than "
            "where the run began: have the same release, and the same files, everywhere"
        )
    try:
        given = job.given or _give(job, format)
    except ModelError as error:
        return replace(blank, text=error.partial.text if error.partial else "", error=str(error))
    except SymOpsError:
        raise
    except Exception as error:  # noqa: BLE001  (a crash is recorded)
        return replace(blank, error=tell_crash(error))
    if not settings.attempts:
        given = replace(given, model=None)
    return judge(format, given, blank, job.task.document if job.task else None)


def _give(job: Job, format: Format) -> Given:
    source = _source(job.settings)
    if job.reply is not None and isinstance(source, Asking):
        return source.replay(format, job.task, job.reply)
    return source.give(job.blank.case, format, job.task)


_version = cache(metadata.version)  # which reads a file each time
_source = lru_cache(maxsize=2)(load_source)


@lru_cache(maxsize=64)
def _format(settings: RunSettings, name: str) -> Format:
    return load_format(name, settings.rules, settings.attempts)


def _tasks_for(source: Source, settings: RunSettings) -> Sequence[Task]:
    """Return the tasks of the selection; recorded replies need none, unless some are asked for."""
    if isinstance(source, Recorded) and not settings.tasks:
        with suppress(SymOpsError):
            return load_tasks()
        return ()
    return load_tasks(settings.tasks)
