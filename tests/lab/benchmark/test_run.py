"""Runs: interrupted and resumed, killed, cached, parallel; always the same records."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import environment, write_rule
from command_line import run as symops
from compliance_runs import TASKS, faults, read_records, timeless

from symops_lark import SymOpsError
from symops_lark.lab.benchmark import runner
from symops_lark.lab.benchmark.runlog import read_log
from symops_lark.lab.benchmark.runner import Progress, Setup, run
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.sources import find_source, known_sources

SMALL = ("bench", "run", "--task", "c-ring-buffer,poem-with-breaks", "--format", "v1,v2", "--quiet")


class Stopped(BaseException):
    """What a test interrupts a run with, as Ctrl-C does."""


def stop_after(count: int) -> object:
    def watch(progress: Progress) -> None:
        if progress.done == count:
            raise Stopped

    return watch


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "whole.jsonl"
    run(faults(repetitions=3), path, tasks=TASKS)
    return path


@pytest.mark.parametrize("count", [0, 1, 5, 11])
def test_an_interrupted_run_gives_the_same_in_the_end(whole: Path, tmp_path: Path, count: int) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(Stopped):
        run(faults(repetitions=3), path, tasks=TASKS, watch=stop_after(count))  # type: ignore[arg-type]
    assert len(read_log(path).records) == count and read_log(path).missing == 12 - count
    progresss: list[Progress] = []
    records = run(faults(repetitions=3), path, tasks=TASKS, watch=progresss.append)
    assert (progresss[0].done, progresss[-1].done, progresss[-1].asked) == (count, 12, 12 - count)
    assert read_records(path) == read_records(whole)
    assert [record.case for record in records] == [
        record.case for record in run(faults(repetitions=3), whole, tasks=TASKS)
    ], "the order of the cases"


def test_a_finished_run_does_nothing_more(whole: Path) -> None:
    before, visited = whole.read_bytes(), list[Progress]()
    run(faults(repetitions=3), whole, tasks=TASKS, watch=visited.append)
    assert whole.read_bytes() == before
    assert [(progress.done, progress.asked) for progress in visited] == [(12, 0)]


def test_the_date_is_that_of_the_beginning(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(Stopped):
        run(faults(repetitions=3, date="1999-12-31"), path, tasks=TASKS, watch=stop_after(2))  # type: ignore[arg-type]
    run(faults(repetitions=3), path, tasks=TASKS)
    assert read_log(path).header.settings.date == "1999-12-31" and read_log(whole).header.settings.date > "2025"


def test_an_older_log_is_used_again_where_nothing_changed(whole: Path, tmp_path: Path) -> None:
    path, visited = tmp_path / "run.jsonl", list[Progress]()
    run(faults(repetitions=4), path, Setup(caches=(str(whole),)), tasks=TASKS, watch=visited.append)
    assert visited[-1].done == 16 and visited[-1].asked == 4
    fresh = tmp_path / "fresh.jsonl"
    run(faults(repetitions=4), fresh, tasks=TASKS)
    assert read_records(path) == read_records(fresh)


@pytest.mark.slow
def test_keys_tell_all_that_a_result_depends_on(whole: Path, tmp_path: Path) -> None:
    """Law: whatever changes the reply changes the request; whatever changes its reading alone changes the key alone."""
    write_rule(tmp_path / "rules")
    base = {(r.case.format, r.case.task, r.case.repetition): (r.request, r.key) for r in read_log(whole).records}
    assert len({key for _, key in base.values()}) == 12
    for settings, same_reply in (
        (faults(seed=1), False),
        (faults(options=(("profile", "mid"),)), False),
        (faults(attempts=1), True),
    ):
        for record in run(settings, tmp_path / f"{settings.seed}{settings.attempts}{len(str(settings))}", tasks=TASKS):
            request, key = base[record.case.format, record.case.task, record.case.repetition]
            assert (record.request == request) == same_reply and record.key != key
    ruled = run(faults(rules=(str(tmp_path / "rules"),)), tmp_path / "ruled", tasks=TASKS)
    assert {record.key for record in ruled}.isdisjoint(key for _, key in base.values())
    assert len({record.rules for record in ruled} & {r.rules for r in read_log(whole).records}) == 0


def test_settings_survive_json() -> None:
    settings = faults(tasks=("a*",), rules=("rules",), max_tokens=9, temperature=0.5, attempts=1, date="2026-01-01")
    assert RunSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


def test_wrong_settings_are_told_before_anything_is_asked(tmp_path: Path) -> None:
    for settings, value in {
        faults(formats=("v22",)): "no format is called 'v22'",
        faults(source="nowhere"): "there is no source 'nowhere'",
        faults(options=(("no", "x"),)): "has no option 'no'",
        faults(source="live", options=(("provider", "nobody"),)): "no provider 'nobody'",
        faults(source="transcripts", options=(("path", str(tmp_path / "gone")),)): "no such file or folder",
    }.items():
        with pytest.raises(SymOpsError, match=value):
            run(settings, tmp_path / "run.jsonl", tasks=TASKS)
    with pytest.raises(SymOpsError, match="nothing to do"):
        run(faults(), tmp_path / "run.jsonl", tasks=())
    with pytest.raises(SymOpsError, match="no engine 'cloud'; there are dask, local"):
        run(faults(), tmp_path / "other.jsonl", Setup(engine="cloud"), tasks=TASKS)
    with pytest.raises(SymOpsError, match="at least 1"):
        faults(repetitions=0)


def test_sources_by_what_a_user_says(tmp_path: Path) -> None:
    assert {"faults", "live", "local-model", "transcripts"} <= set(known_sources())
    assert find_source("faults") == ("faults", {})
    assert find_source("ollama:qwen3:8b") == ("live", {"provider": "ollama", "model": "qwen3:8b"})
    assert find_source("llama.cpp") == ("live", {"provider": "llama.cpp"})
    assert find_source(str(tmp_path)) == ("transcripts", {"path": str(tmp_path)})
    with pytest.raises(SymOpsError, match="there is no source 'fault'"):
        find_source("fault")


# ---- the command


def test_the_command_writes_a_log_and_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = symops(*SMALL, "--jobs", "1")
    assert done.exit_code == 0, done.output
    (log,) = tmp_path.glob("bench-faults-*.jsonl")
    assert f"log: {log.name}" in done.stdout and "simulated(mid, 0, " in done.stdout
    rows = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if line.startswith(("v1 ", "v2 "))}
    assert rows == {"v1": "2", "v2": "2"}
    before = log.read_bytes()
    assert symops(*SMALL).exit_code == 0 and log.read_bytes() == before, "the same command goes on with the same log"
    assert symops(*SMALL, "--seed", "5", "--out", log.name).exit_code == 2
    loud = symops(*SMALL[:-1], "--seed", "6")
    assert "0 of 4" in loud.stderr and "4 of 4" in loud.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--source", "nowhere"), "there is no source"),
        (("--option", "profile"), "NAME=VALUE"),
        (("--option", "wings=2"), "no option 'wings'"),
        (("--profile", "nobody"), "nobody"),
        (("--task", "no-such-task"), "no task is called"),
        (("--scheduler", "tcp://127.0.0.1:1"), "no scheduler"),
        (("--cache", "gone.jsonl"), "gone.jsonl: cannot be read"),
        (("--rules", "gone"), "gone"),
    ],
)
def test_bad_arguments_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = symops(*SMALL, *arguments)
    assert done.exit_code == 2 and told in done.stderr, done.output
    assert len(done.stderr.splitlines()) <= 4 and "Traceback" not in done.stderr


def start(out: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a run in a process of its own, and wait until it has written some records."""
    command = [sys.executable, "-m", "symops_lark", "bench", "run", "--format", "v2", "--quiet", "--out", str(out)]
    process = subprocess.Popen(
        [*command, *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while process.poll() is None and (not out.exists() or out.read_bytes().count(b"\n") < 9):
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()
    return process


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    """Killed in the middle by SIGKILL, with its workers: the log is free, and in the end as if nothing had happened."""
    out, arguments = tmp_path / "run.jsonl", ("--task", "poem-with-breaks", "--repetitions", "99")
    process = start(out, *arguments, "--jobs", "2")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    saved = out.read_bytes().rpartition(b"\n")[0]
    repeated_texts = ("bench", "run", "--format", "v2", "--quiet", "--jobs", "1", *arguments, "--out")
    done = symops(*repeated_texts, str(out))
    assert done.exit_code == 0, done.output
    assert out.read_bytes().startswith(saved)
    expected = tmp_path / "whole.jsonl"
    assert symops(*repeated_texts, str(expected)).exit_code == 0
    assert read_records(out) == read_records(expected)


@pytest.mark.slow
def test_ctrl_c_leaves_a_sound_log(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    process = start(out, "--task", "poem-with-breaks", "--repetitions", "5000", "--jobs", "2")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, message = process.communicate(timeout=30)
    assert process.returncode == 130, message
    log = read_log(out)
    assert len(log.records) >= 8 and log.missing > 0
    assert f"has {len(log.records)} of {log.header.cases} records; the same command resumes the run" in message.decode()
    assert b"Traceback" not in message
    assert len({timeless(record)["key"] for record in log.records}) == len(log.records)


def test_versions_name_the_code_and_the_libraries(tmp_path: Path) -> None:
    record = run(faults(formats=("json",)), tmp_path / "run.jsonl", tasks=TASKS)[0]
    versions = dict(record.versions)
    assert versions["symops-lark"].startswith("0.") and "+" in versions["symops-lark"] and "python" in versions
    assert "json-repair" in versions
    assert read_log(tmp_path / "run.jsonl").header.package == versions["symops-lark"]


def test_another_package_elsewhere_is_told(whole: Path) -> None:
    blank = read_log(whole).records[0]
    job = runner.Job(faults(repetitions=3), blank, TASKS[0])
    assert timeless(runner.perform(job))["key"] == blank.key
    for item in (replace(blank, fingerprint="x"), replace(blank, versions=(("symops-lark", "0.0"),))):
        with pytest.raises(SymOpsError, match="is another here"):
            runner.perform(replace(job, blank=item))
