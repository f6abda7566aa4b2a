"""Many requests: each has its rows once, whatever becomes of a worker, and whoever starts again."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import run as symops
from route_models import changed, write_model
from routing_logs import lines_of, rows_of

from symops_lark import SymOpsError
from symops_lark.lab.benchmark.engines import Workers
from symops_lark.routing import Contestant, Manifest, Registry, RunLog, Trust, verify_log
from symops_lark.routing.contests import batch
from symops_lark.routing.contests.batch import BatchSettings, Done, Request, read_requests, run_batch
from symops_lark.routing.contests.providers import open_contestants

SAYS = {"good": "printf '{\"x\": 1}'", "bad": "printf no"}
REQUESTS = [Request(f"request {number % 20}") for number in range(24)]


@pytest.fixture(name="settings")
def make_settings(tmp_path: Path) -> BatchSettings:
    """Two models that are commands: one obeys."""
    results = []
    for name, command in SAYS.items():
        data = changed("provider", {"name": "command", "command": command})
        folder = write_model(tmp_path / name, {**data, "model_id": name})
        results.append((Manifest.load(folder), "experimental"))
    return BatchSettings(tuple(results), seconds=60, trust=Trust(commands=True))


def check(path: Path, requests: int) -> None:
    report = verify_log(path)
    assert report.ok and (report.runs, report.rows, report.decided) == (requests, 2 * requests, requests), report
    counts = Counter((row["run_id"], row["model_id"]) for row in rows_of(path))
    assert len(counts) == 2 * requests and max(counts.values()) == 1, "no row is lost, and none is twice"
    assert {row["winner_model_id"] for row in rows_of(path)} == {"good"}


def test_what_the_log_has_is_not_asked_again(tmp_path: Path, settings: BatchSettings) -> None:
    path = tmp_path / "run.jsonl"
    assert run_batch(REQUESTS[:4], settings, path) == Done(4, 4, 0)
    path.write_bytes(b"".join(lines_of(path)[:-1])[:-1])  # its writer was killed in the middle of a run
    assert run_batch(REQUESTS[:6], settings, path) == Done(6, 6, 0)
    report = verify_log(path)
    assert report.ok and (report.decided, report.incomplete) == (6, 1)
    before = path.read_bytes()
    assert run_batch(REQUESTS[:6], settings, path) == Done(6, 6, 0) and path.read_bytes() == before


@pytest.mark.slow
def test_threads_of_a_batch_open_the_models_once(
    tmp_path: Path, settings: BatchSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of eight threads opened all models, and counted the first request alone."""
    opened = []

    def open_slowly(*arguments: Any) -> list[Contestant]:
        opened.append(arguments)
        time.sleep(0.05)
        return open_contestants(*arguments)

    monkeypatch.setattr(batch, "open_contestants", open_slowly)
    workers = Workers(8, waiting=True)
    assert run_batch(REQUESTS[:8], settings, tmp_path / "run.jsonl", workers=workers) == Done(8, 8, 0)
    assert len(opened) == 1


def test_a_batch_begins_with_the_counts_of_its_log_alone(tmp_path: Path, settings: BatchSettings) -> None:
    """One model of two is asked, the least asked one: a second batch went on with the counts of the first."""
    for name in ("one", "two", "three"):
        log = tmp_path / f"{name}.jsonl"
        run_batch(REQUESTS[:1], replace(settings, top_k=1), log)
        assert [row["model_id"] for row in RunLog(log).rows()] == ["bad"]


@pytest.mark.slow
def test_dask_with_a_worker_killed_in_the_middle(tmp_path: Path, settings: BatchSettings) -> None:
    """Two worker processes, one ended by SIGKILL in the middle: every request has its rows, each once."""
    import distributed

    victims: list[int] = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:

        def kill_one(done: Done) -> None:
            if done.logged == 8 and not victims:
                with distributed.Client(cluster.scheduler_address) as client:
                    victims.append(min(client.run(os.getpid).values()))
                os.kill(victims[0], signal.SIGKILL)

        workers = Workers(2, scheduler=cluster.scheduler_address)
        done = run_batch(REQUESTS, settings, tmp_path / "run.jsonl", "dask", workers, kill_one)
    assert victims and done == Done(24, 24, 0)
    check(tmp_path / "run.jsonl", 24)


def test_the_command_goes_on_with_a_log(tmp_path: Path, settings: BatchSettings) -> None:
    path, log = tmp_path / "requests.jsonl", tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({"prompt": item.prompt}) + "\n" for item in REQUESTS[:3]))
    words = ["route", "batch", str(path), "--log", str(log), "--allow-commands"]
    words += [word for name in SAYS for word in ("-m", str(tmp_path / name))]
    for _ in range(2):
        done = symops(*words)
        assert done.exit_code == 0 and done.output.endswith("3 of 3 requests are done\n"), done.output
    check(log, 3)
    assert settings.models


def test_requests_that_no_model_fits_are_counted_apart(tmp_path: Path, settings: BatchSettings) -> None:
    """They counted as done, without a row, and no registry recorded that a model is missing."""
    path = tmp_path / "run.jsonl"
    missing: list[Any] = []
    requests = [Request("a"), Request("b", tags=("format:xml",)), Request("c", tags=("format:xml",))]
    why = "no model is a candidate, and no fallback served"
    for _ in range(2):
        assert run_batch(requests, settings, path, record=missing.append) == Done(3, 1, 0, {why: 2})
    check(path, 1)
    assert [event.reason for event in missing] == ["no-candidate"] * 4


def test_the_command_reports_requests_without_a_row(tmp_path: Path, settings: BatchSettings) -> None:
    path, log, registry = (str(tmp_path / name) for name in ("requests.jsonl", "run.jsonl", "registry.db"))
    items: list[dict[str, Any]] = [{"prompt": "a"}, {"prompt": "b", "tags": ["format:xml"]}]
    Path(path).write_text("".join(json.dumps(item) + "\n" for item in items))
    folders = [str(tmp_path / name) for name in SAYS]
    assert symops("route", "register", *folders, "--registry", registry).exit_code == 0
    done = symops("route", "batch", path, "--log", log, "--allow-commands", "--registry", registry)
    assert (done.exit_code, done.stdout) == (1, f"{log}: 1 of 2 requests are done\n"), done.output
    assert "1 request without a row: no model was asked: no model is a candidate" in done.stderr
    with Registry(registry) as records:
        [event] = [event for event in records.history() if event.kind == "MODEL_ADD_REQUEST"]
    assert event.data["reason"] == "no-candidate"
    check(Path(log), 1)
    assert settings.models


def test_requests_are_told_by_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text('{"prompt": "x", "tags": ["a"], "task": "t"}\n\n{"prompt": 1}\n')
    with pytest.raises(
        SymOpsError, match=r"requests\.jsonl:3: this is not a request: prompt: expected a string, got a number"
    ):
        read_requests(path)
    path.write_text('{"prompt": "x", "tags": ["a"], "task": "t"}\n', encoding="utf-8-sig")  # as PowerShell does
    assert read_requests(path) == [Request("x", ("a",), "t")]
    with pytest.raises(SymOpsError, match="cannot be read"):
        read_requests(tmp_path / "none")
