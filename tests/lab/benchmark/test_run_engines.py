"""Engines: every case once, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from compliance_runs import faults, read_records

from symops_lark import SymOpsError
from symops_lark.lab.benchmark.engines import Workers, known_engines, load_engine
from symops_lark.lab.benchmark.engines.local import Threads
from symops_lark.lab.benchmark.runner import Progress, Setup, run
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.tasks import load_tasks

pytestmark = pytest.mark.slow


def double(number: int) -> int:
    return 2 * number


def fail(number: int) -> int:
    raise SymOpsError(f"{number} is not liked")


def die_of_seven(number: int) -> int:
    """Be a worker that a job ends, as lack of memory or a bug of a library does."""
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(_: int) -> int:
    """End the worker."""
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def die_once(job: tuple[int, str]) -> int:
    """End the worker on the first try, marked by a file."""
    number, mark = job
    if number == 7 and not os.path.exists(mark):
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("workers", [Workers(1), Workers(2), Workers(8, waiting=True)])
def test_every_job_comes_out_once(workers: Workers) -> None:
    with load_engine("local", workers) as engine:
        done = list(engine.run(double, range(40)))
        assert sorted(done) == [(number, 2 * number) for number in range(40)]
        assert list(engine.run(double, [])) == []


@pytest.mark.parametrize("workers", [Workers(1), Workers(2)])
def test_what_work_raises_ends_the_run(workers: Workers) -> None:
    with load_engine("local", workers) as engine, pytest.raises(SymOpsError, match="is not liked"):
        list(engine.run(fail, range(40)))


def test_a_worker_that_dies_loses_nothing(tmp_path: Path) -> None:
    jobs = [(number, str(tmp_path / "died")) for number in range(20)]
    with load_engine("local", Workers(2)) as engine:
        assert sorted(engine.run(die_once, jobs)) == [((n, mark), n) for n, mark in jobs]
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("count", [8, 12])  # of 8, the deadly one is the first that is tried alone
def test_a_job_that_ends_its_worker_each_time_is_given_up(count: int) -> None:
    with load_engine("local", Workers(2)) as engine:
        done = dict(engine.run(die_of_seven, range(count)))
    assert done == {**{number: number for number in range(count)}, 7: None}


def test_workers_that_never_do_anything_are_reported() -> None:
    with load_engine("local", Workers(2)) as engine, pytest.raises(SymOpsError, match="is there memory"):
        list(engine.run(die, range(12)))


def test_threads_work_at_once() -> None:
    together = threading.Barrier(4, timeout=20)
    with load_engine("local", Workers(4, waiting=True)) as engine:
        assert len(list(engine.run(lambda _: together.wait(), range(8)))) == 8


def test_a_run_that_is_given_up_waits_for_the_job_at_work() -> None:
    """Python aborts if a thread is inside of a C++ library when it ends."""
    begun, ended = threading.Event(), threading.Event()

    def work(number: int) -> None:
        if number == 1:
            begun.set()
            time.sleep(0.3)
            ended.set()

    # Two jobs at once: the second one is at work when the first one is done.
    threads = Threads(2)
    jobs = threads.run(work, [0, 1])
    next(jobs)
    assert begun.wait(5)
    del jobs  # closes the generator
    assert ended.is_set()


def test_engines_by_name() -> None:
    assert set(known_engines()) == {"local", "dask"}
    with pytest.raises(SymOpsError, match="no engine 'slurm'"):
        load_engine("slurm", Workers())
    with pytest.raises(SymOpsError, match="no scheduler"), load_engine("local", Workers(scheduler="tcp://127.0.0.1:1")):
        pass
    with pytest.raises(SymOpsError, match="at least 1"):
        load_engine("local", Workers(0))
    with pytest.raises(SymOpsError, match="cannot be reached"), load_engine("dask", Workers(scheduler="nonsense://x")):
        pass


def test_dask_with_a_worker_killed_in_the_middle(tmp_path: Path) -> None:
    """Two worker processes, one ended by SIGKILL in the middle: all records there, each once, as of the local engine.

    The cluster runs already, and is reached by its address, as one on many machines would be.
    """
    import distributed

    settings: RunSettings = faults(formats=("v2",), repetitions=80, date="2026-01-01")
    tasks = load_tasks(["poem-with-breaks"])
    victims: list[int] = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:

        def kill_one(progress: Progress) -> None:
            if progress.done == 30 and not victims:
                with distributed.Client(cluster.scheduler_address) as client:
                    victims.append(min(client.run(os.getpid).values()))
                os.kill(victims[0], signal.SIGKILL)

        setup = Setup("dask", jobs=2, scheduler=cluster.scheduler_address)
        records = run(settings, tmp_path / "dask.jsonl", setup, tasks=tasks, watch=kill_one)
    assert victims and len(records) == 80
    lines = (tmp_path / "dask.jsonl").read_bytes().splitlines()
    assert len(lines) == 81 and max(Counter(lines).values()) == 1
    run(settings, tmp_path / "local.jsonl", Setup(jobs=1), tasks=tasks)
    assert read_records(tmp_path / "dask.jsonl") == read_records(tmp_path / "local.jsonl")
