"""The run log: rows are there as a whole, numbered, whoever is killed and whatever the disk says."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import environment
from crashes import kill_apart
from routing_logs import PROMPT, lines_of, make_run, rows_of, write_runs

from symops_lark import SymOpsError
from symops_lark.routing import Metric, MixedMetric, RowError, RunLog, explain_run, rescore_log, verify_log
from symops_lark.routing.logs.rows import REQUIRED, Row, RowReader
from symops_lark.routing.logs.weights import Weights

PAIR = [("a", True, 0.5, 0.1), ("b", False, 0.5, 0.1)]


def test_rows_have_the_fields_of_the_protocol(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR, PAIR])
    rows = rows_of(path)
    assert all({*REQUIRED, "q1", "winner_model_id", "run_id", "metric_params"} <= set(row) for row in rows)
    assert [row["seq"] for row in rows] == [0, 1, 2, 3] and [row["candidates"] for row in rows] == [2] * 4
    assert list(RunLog(path)) == rows and verify_log(path).ok
    row = {key: item for key, item in make_run("x", PAIR)[0].items() if key != "timestamp"}
    assert RunLog(path).append(row)["timestamp"].endswith("Z") and rows_of(path)[-1]["seq"] == 4
    assert RunLog(path).append_run([]) == [] and len(rows_of(path)) == 5


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("timestamp", "2026-01-31T12:00:00", "timestamp: a time with its offset"),
        ("timestamp", 7, "timestamp"),
        ("prompt_hash", "", "prompt_hash: a text"),
        ("model_id", None, "model_id: a text"),
        ("metric_version", "best", "metric_v"),
        ("verifier_result", "MAYBE", "PASS or FAIL"),
        ("q0", 0, "1 belongs to PASS"),
        ("q0", True, "q0"),
        ("q1", 1.5, "q1"),
        ("q1", float("nan"), "q1"),
        ("cost", -0.1, "cost"),
        ("cost", float("inf"), "cost"),
        ("cost", "0.1", "cost"),
        ("cost", 1e300, "cost: a normalised cost"),
        ("refusal_penalty", 2, "refusal_penalty"),
        ("reward", float("nan"), "reward: a finite number"),
        ("reward", 10**400, "reward: a finite number"),
        ("metric_params", [1], "metric_params"),
        ("metric_params", {"lambda": -1}, "lambda"),
        ("run_id", 5, "run_id: a text"),
        ("candidates", 0, "candidates: a number of rows"),
        ("stable", "yes", "stable: true or false"),
        ("model_version", "v" * 201, "model_version"),
        ("output", object(), "JSON"),
    ],
)
def test_what_is_no_row_is_refused_and_nothing_is_written(tmp_path: Path, field: str, value: Any, said: str) -> None:
    path = tmp_path / "run.jsonl"
    with pytest.raises(RowError, match=said):
        RunLog(path).append({**make_run("x", PAIR)[0], field: value})
    assert not path.exists() or path.read_bytes() == b""
    for name in REQUIRED[1:]:
        with pytest.raises(RowError, match=f"{name}: there is none"):
            RunLog(path).append({key: item for key, item in make_run("x", PAIR)[0].items() if key != name})


def weighted(run: str, weight: float, name: str = "metric_v2") -> list[dict[str, Any]]:
    """Return the rows of a run by a metric with this weight of costs."""
    metric = Metric(name, lambda_=weight)
    rows = make_run(run, PAIR, metric_version=name, metric_params=metric.params)
    return [{**row, "reward": metric.reward(row["q0"], row["q1"], row["cost"], 0.0)} for row in rows]


def test_a_name_with_other_weights_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    """Such a row made each later verification fail, and no promotion was possible any more."""
    path = tmp_path / "run.jsonl"
    logs = [RunLog(path), RunLog(path)]
    logs[0].check_metric(Metric("metric_v2"))  # there is no log yet
    with pytest.raises(RowError, match="metric_v2 has other weights in another row"):
        logs[0].append_run(weighted("r", 0.4)[:1] + weighted("r", 0.5)[1:])
    logs[0].append_run(make_run("r0", PAIR))
    logs[1].append_run(weighted("r1", 0.5))
    with path.open("ab") as file:  # a writer that was killed, and another program
        file.write(b'{"seq":4,"metric_ver')
    before = path.read_bytes()
    for log in (*logs, RunLog(path)):
        for rows in (weighted("r2", 0.4), weighted("r2", 0.4, "metric_v1")):
            with pytest.raises(RowError, match=r"run\.jsonl: metric_v[12] has other weights in this log"):
                log.append_run(rows)
        with pytest.raises(RowError, match="give the metric a new name"):
            log.check_metric(Metric("metric_v2", lambda_=0.4))
        assert path.read_bytes() == before
    for number, log in enumerate(logs):
        log.append_run(weighted(f"s{number}", 0.5))
        log.append_run(weighted(f"t{number}", 0.6, f"metric_v{3 + number}"))
        log.check_metric(Metric("metric_v2", lambda_=0.5))
    for log in logs:  # each knows what the other one has added
        for name in ("metric_v3", "metric_v4"):
            with pytest.raises(RowError, match=f"{name} has other weights"):
                log.append(weighted("u", 0.7, name)[0])
    assert verify_log(path).ok


@pytest.mark.parametrize("way", ["rename", "delete", "truncate", "longer"])
def test_another_file_in_the_place_of_a_log_has_its_own_weights(tmp_path: Path, way: str) -> None:
    """A log that was moved away refused the metrics of the new one, or missed them."""
    path = tmp_path / "run.jsonl"
    log = RunLog(path)
    for number in range(5):
        log.append_run(weighted(f"r{number}", 0.4))
    if way == "truncate":
        path.write_bytes(b"")
    elif way == "delete":
        path.unlink()
    else:
        path.rename(tmp_path / "former.jsonl")
    log.check_metric(Metric("metric_v2", lambda_=0.5))
    other = RunLog(path)
    for number in range(20 if way == "longer" else 1):
        other.append_run(weighted(f"s{number}", 0.5, "metric_v7"))
    before = path.read_bytes()
    with pytest.raises(RowError, match="metric_v7 has other weights in this log"):
        log.append_run(weighted("t", 0.6, "metric_v7"))
    assert path.read_bytes() == before
    log.append_run(weighted("u", 0.5))
    assert verify_log(path).ok


def test_weights_are_found_however_a_line_is_written(tmp_path: Path) -> None:
    """Lines with a metric that was seen are not parsed; other spellings of another metric are."""
    path = tmp_path / "run.jsonl"
    for spell in (
        lambda line: line,
        lambda line: line.replace(b'"metric_version":', b'"metric_version" : '),
        lambda line: line.replace(b'"metric_version"', b'"metric\\u005fversion"'),
        lambda line: line.replace(b"metric_v3", b"metric_v\\u0033"),
        lambda line: line.replace(b'"metric_v', b'"metric\\u005fv', 1).replace(b'"metric_p', b'"metric\\u005fp', 1),
        lambda line: b"\n".join(
            line.split(b',"resc')[0].replace(b':"metric_v3', b': "metric_v' + c) + b"}" for c in (b"4", b"3")
        ),
    ):
        path.unlink(missing_ok=True)
        RunLog(path).append_run(weighted("r", 0.4))
        # The former metric of a row is not its metric.
        former = weighted("s", 0.4)[0]
        note = {key: former[key] for key in ("metric_version", "metric_params")}
        row = {**weighted("s", 0.5, "metric_v3")[0], "rescored_from": note}
        line = spell(json.dumps(row, separators=(",", ":")).encode())
        with path.open("ab") as file:
            file.write(line + b"\n")
        with pytest.raises(RowError, match="metric_v3 has other weights"):
            RunLog(path).check_metric(Metric("metric_v3", lambda_=0.6))


def test_a_log_is_read_once_for_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only lines with a metric that was not seen are parsed: a first append to a long log was slow."""
    path = write_runs(tmp_path / "run.jsonl", [PAIR] * 20)
    taken: list[bytes] = []
    parsed: list[bytes] = []
    take, read = Weights._take, RowReader.read

    def count_taken(weights: Weights, line: bytes) -> None:
        taken.append(line)
        take(weights, line)

    def count_parsed(reader: RowReader, line: bytes, number: int) -> Row:
        parsed.append(line)
        return read(reader, line, number)

    monkeypatch.setattr(Weights, "_take", count_taken)
    monkeypatch.setattr(RowReader, "read", count_parsed)
    log = RunLog(path)
    for number in range(5):
        log.append_run(make_run(f"x{number}", PAIR))
        assert len(taken) == 40 + 2 * number and len(parsed) == 1


def test_half_a_line_survives_and_is_gone_on_behind(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR])
    whole_data = path.read_bytes()
    ends = [place + step for place, byte in enumerate(whole_data) if byte in b"\n}" for step in (-1, 0, 1, 2)]
    for cut in sorted({*range(0, len(whole_data), 9), *ends} & {*range(len(whole_data))}):
        path.write_bytes(whole_data[:cut])
        before = whole_data[:cut].count(b"\n")
        complete = before + (cut > 0 and whole_data[cut : cut + 1] == b"\n")
        RunLog(path).append({**make_run("y", PAIR)[0], "candidates": 1})
        assert path.read_bytes().startswith(whole_data[:cut]), "nothing is taken away"
        report = verify_log(path)
        assert report.ok and report.rows == complete + 1, (cut, report.problems)
        torn = cut > 0 and whole_data[cut - 1 : cut] != b"\n" and complete == before
        assert ("half written" in " ".join(report.notes)) == torn
        assert len(list(RunLog(path))) == report.rows


def test_rows_of_older_logs_are_read(tmp_path: Path) -> None:
    old = {
        "timestamp": "2025-01-01T00:00:00Z",
        "prompt_hash": PROMPT,
        "model_id": "a",
        "metric_version": "v1",
        "verifier_result": "PASS",
        "reward": 1.611,
        "proxy_values": {"q0": 1, "q1": 0.8, "c": 0.63, "refusal_penalty": 0.0},
    }
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps(old) + "\n" + json.dumps({**old, "reward": 1.38}) + "\n")
    report = verify_log(path)
    assert [problem.line for problem in report.problems] == [2] and report.rows == 2
    first = next(iter(RunLog(path)))
    assert (first["metric_version"], first["cost"], first["q1"]) == ("metric_v1", 0.63, 0.8)
    assert json.loads(path.read_text().split("\n")[0]) == old, "the file stays as it is"


# ---- killed, together, without room


@pytest.mark.slow
@pytest.mark.parametrize("torn", [False, True])
def test_whoever_is_killed_at_a_write_leaves_rows_or_half_a_line(tmp_path: Path, torn: bool) -> None:
    names, killed = ("open", "write", "ftruncate", "lseek", "read", "close"), 0
    for at in range(1, 40):
        path = write_runs(tmp_path / f"{at}.jsonl", [PAIR])
        before = path.read_bytes()
        was = kill_apart(at, partial(write_runs, path, [PAIR, PAIR]), names=names, torn=torn)
        killed += was
        assert path.read_bytes().startswith(before)
        RunLog(path).append_run(make_run("after", PAIR))
        report = verify_log(path)
        assert report.ok and report.rows >= 4 and report.tallies, (at, report.problems)
        assert [row["seq"] for row in RunLog(path)] == list(range(report.rows)), "no row is lost, and none is twice"
        if not was:
            break
    assert 6 <= killed < 39


_WRITER = """
import sys
from routing_logs import make_run
from symops_lark.routing import RunLog
for number in range(int(sys.argv[3])):
    RunLog(sys.argv[1]).append_run(make_run(f"{sys.argv[2]}-{number}", [("a", True, 0.5, 0.1), ("b", True, 0.4, 0.1)]))
"""


@pytest.mark.slow
def test_several_processes_write_one_log(tmp_path: Path) -> None:
    path, here = tmp_path / "run.jsonl", str(Path(__file__).parent.parent / "support")
    variables = environment()
    variables["PYTHONPATH"] = os.pathsep.join([variables["PYTHONPATH"], here])
    command = [sys.executable, "-c", _WRITER, str(path)]
    writers = [subprocess.Popen([*command, name, "60"], env=variables) for name in "xyz"]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    report = verify_log(path)
    assert report.ok and (report.rows, report.runs, report.decided) == (360, 180, 180) and not report.notes
    assert [row["seq"] for row in rows_of(path)] == list(range(360))


def test_threads_write_one_log(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writers = [threading.Thread(target=lambda n=n: RunLog(path).append_run(make_run(f"r{n}", PAIR))) for n in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert verify_log(path).ok and [row["seq"] for row in rows_of(path)] == list(range(16))


def test_a_disk_that_is_full_leaves_the_log_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR])
    before, write = path.read_bytes(), os.write

    def fill_up(descriptor: int, data: bytes) -> int:
        if len(data) < 300:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: len(data) - 200])

    monkeypatch.setattr(os, "write", fill_up)
    with pytest.raises(SymOpsError, match="No space left on device; nothing was added"):
        RunLog(path).append_run(make_run("x", PAIR))
    assert path.read_bytes() == before


_FULL = """
import subprocess, sys
from pathlib import Path
disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], check=True)
from routing_logs import make_run
from symops_lark import SymOpsError
from symops_lark.routing import RunLog, verify_log
log, written = RunLog(disk / "run.jsonl"), 0
try:
    while True:
        log.append_run(make_run(f"r{written}", [("a", True, 0.5, 0.1)]))
        written += 1
except SymOpsError as error:
    print(error)
report = verify_log(log.path)
print(report.ok and report.rows == written > 50, report.notes)
subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
try:
    log.append_run(make_run("x", [("a", True, 0.5, 0.1)]))
except SymOpsError as error:
    print(error)
print(verify_log(log.path).ok)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are those of Linux")
def test_a_real_disk_that_gets_full_and_one_that_cannot_be_written_to(tmp_path: Path) -> None:
    tried = subprocess.run(["unshare", "-rm", "true"], capture_output=True)
    if tried.returncode:
        pytest.skip(f"no namespaces here: {tried.stderr.decode()}")
    variables = environment()
    support = str(Path(__file__).parent.parent / "support")
    variables["PYTHONPATH"] = os.pathsep.join([variables["PYTHONPATH"], support])
    command = ["unshare", "-rm", sys.executable, "-c", _FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
    first, second, third, fourth = done.stdout.splitlines()
    assert "No space left on device; nothing was added" in first and second == "True ()"
    assert "Read-only file system" in third and fourth == "True", done.stderr


def test_a_clock_that_goes_back_is_told_and_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for number, time in enumerate(("2026-01-31T12:00:00Z", "2020-01-01T00:00:00Z", "2026-02-01T00:00:00+09:00")):
        RunLog(path).append_run(make_run(f"r{number}", PAIR, timestamp=time))
    report = verify_log(path)
    assert report.ok and "the clock went back 1 time, first on line 3" in report.notes[0]
    assert [row["seq"] for row in rows_of(path)] == list(range(6))


def test_no_place_to_write_is_told(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "run.jsonl"):
        with pytest.raises(SymOpsError, match="cannot be"):
            RunLog(place).append(make_run("x", PAIR)[0])
        with pytest.raises(SymOpsError, match="cannot be read"):
            list(RunLog(place))


# ---- scored again, explained


def test_a_log_is_scored_again_and_nothing_is_overwritten(tmp_path: Path) -> None:
    runs = [[("dear", True, 0.9, 1.0), ("cheap", True, 0.8, 0.1)], PAIR]
    path = write_runs(tmp_path / "run.jsonl", runs)
    before, out = path.read_bytes(), tmp_path / "new.jsonl"
    metric = Metric("metric_v2", lambda_=0.0)
    assert rescore_log(path, metric, out) == 4 and path.read_bytes() == before
    rows = rows_of(out)
    assert [row["winner_model_id"] for row in rows] == ["dear", "dear", "a", "a"]
    assert rows[0]["rescored_from"]["winner_model_id"] == "cheap" and rows[0]["reward"] == 1.9
    assert verify_log(out).ok and sorted(os.listdir(tmp_path)) == ["new.jsonl", "run.jsonl"]
    with pytest.raises(SymOpsError, match="nothing is overwritten"):
        rescore_log(path, metric, out)
    mixed = MixedMetric(Metric("metric_v1"), metric, 0.5)
    assert rescore_log(path, mixed, tmp_path / "mixed.jsonl") == 4 and verify_log(tmp_path / "mixed.jsonl").ok
    # The rewards by the parts of a mixed metric are not those of another one.
    row = rows_of(tmp_path / "mixed.jsonl")[0]
    parts = mixed.parts(row["q0"], row["q1"], row["cost"], row["refusal_penalty"])
    log = RunLog(tmp_path / "parts.jsonl")
    log.append({**row, "run_id": "alone", "candidates": 1, "rewards": parts, "winner_model_id": row["model_id"]})
    metrics: list[Metric | MixedMetric] = [metric, MixedMetric(metric, Metric("metric_v3"), 0.5)]
    for number, second in enumerate(metrics):
        target = tmp_path / f"again{number}.jsonl"
        assert rescore_log(log.path, second, target) == 1 and verify_log(target).ok
        assert "rewards" not in rows_of(target)[0]


def test_a_run_of_which_a_row_is_missing_has_no_winner_by_another_metric_either(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [[("a", True, 0.5, 0.1), ("b", True, 0.9, 0.1)]])
    path.write_bytes(lines_of(path)[0])
    rescore_log(path, Metric("metric_v2"), tmp_path / "new.jsonl")
    assert rows_of(tmp_path / "new.jsonl")[0]["winner_model_id"] is None


def test_a_run_is_explained(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR, [("b", True, 0.5, 0.1), ("a", True, 0.5, 0.1)]])
    with open(path, "ab") as file:
        file.write(b'{"run_id":"run-1", nonsense}\n')
    result = explain_run(path, "run-1")
    assert [row.model_id for row in result.rows] == ["b", "a"]
    assert (result.verdict.winner, result.verdict.tie_break) == ("a", "model_id")
    with pytest.raises(SymOpsError, match="there is no run 'none'"):
        explain_run(path, "none")
    strange = 'r"ü\n'
    RunLog(path).append_run(make_run(strange, PAIR))
    assert explain_run(path, strange).verdict.winner == "a"
