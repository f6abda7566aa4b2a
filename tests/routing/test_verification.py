"""Verification: what does not follow is found on its line; moved, torn or doubled lines never make another winner."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from routing_logs import lines_of, make_run, rows_of, some_runs, state_of, tries, write_runs

from symops_lark import SymOpsError
from symops_lark.routing import Candidate, Metric, MixedMetric, RunLog, explain_run, select_winner, verify_log
from symops_lark.routing.logs import folding as folding_module
from symops_lark.routing.logs.folding import Fold, fold_piece, read_lines
from symops_lark.routing.logs.rows import RowReader
from symops_lark.routing.logs.runs import find_winner

PAIR = [("a", True, 0.5, 0.1), ("b", True, 0.4, 0.1)]
fixed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)


def edited(path: Path, line: int, **fields: Any) -> Path:
    """Write a log with other fields on one line (from 0); None takes a field away."""
    lines = lines_of(path)
    value = {**json.loads(lines[line]), **fields}
    lines[line] = json.dumps({key: item for key, item in value.items() if item is not None}).encode() + b"\n"
    second = path.with_suffix(".edited")
    second.write_bytes(b"".join(lines))
    return second


def winners(path: Path) -> dict[str, str | None]:
    """The winner of each run that is decided."""
    runs = {row["run_id"] for row in RunLog(path).rows()}
    table = {run: explain_run(path, run).verdict for run in runs}
    return {run: verdict.winner for run, verdict in table.items() if verdict.decided}


# ---- laws


@pytest.mark.slow
@fixed
@given(runs=some_runs, seed=st.integers())
def test_the_order_of_lines_decides_nothing(tmp_path_factory: pytest.TempPathFactory, runs: Any, seed: int) -> None:
    path = write_runs(tmp_path_factory.mktemp("log") / "run.jsonl", runs)
    state, lines = state_of(verify_log(path)), lines_of(path)
    assert state["ok"] and state["runs"] == len(runs)
    random.Random(seed).shuffle(lines)
    path.write_bytes(b"".join(lines))
    assert state_of(verify_log(path)) == state
    for line in range(len(lines)):  # rows without numbers, as others write them
        lines[line] = json.dumps({k: v for k, v in json.loads(lines[line]).items() if k != "seq"}).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    unnumbered = state_of(verify_log(path))
    path.write_bytes(b"".join(reversed(lines)))
    assert state_of(verify_log(path)) == unnumbered and unnumbered["decided"] == state["decided"]


@pytest.mark.slow
@fixed
@given(runs=some_runs, cut=st.integers(0, 10**6), begin=st.booleans())
def test_a_torn_log_has_no_other_winner(
    tmp_path_factory: pytest.TempPathFactory, runs: Any, cut: int, begin: bool
) -> None:
    path = write_runs(tmp_path_factory.mktemp("log") / "run.jsonl", runs)
    existing, whole_data = winners(path), path.read_bytes()
    cut %= len(whole_data)
    path.write_bytes(whole_data[cut:] if begin else whole_data[:cut])
    report = verify_log(path)
    if report.ok:
        assert winners(path).items() <= existing.items()
    assert report.ok or begin, report.problems


@pytest.mark.slow
@fixed
@given(runs=some_runs, gone=st.integers(0, 10**6))
def test_a_missing_line_is_seen(tmp_path_factory: pytest.TempPathFactory, runs: Any, gone: int) -> None:
    path = write_runs(tmp_path_factory.mktemp("log") / "run.jsonl", runs)
    existing, lines = winners(path), lines_of(path)
    del lines[gone % len(lines)]
    path.write_bytes(b"".join(lines))
    report = verify_log(path)
    between = 0 < gone % (len(lines) + 1) < len(lines)
    assert not (between and report.ok) and (report.ok or "missing" in report.problems[0].what)
    assert winners(path).items() <= existing.items()


@given(rows=tries)
def test_the_winner_is_that_of_select_winner(rows: Any) -> None:
    """Law: the short way to the winner gives what the whole one gives."""
    run = make_run("x", rows)
    results = [RowReader().check(row) for row in run]
    chosen = select_winner(Candidate(r["model_id"], r["q0"] == 1, r["reward"], r["cost"]) for r in run)
    assert find_winner(results) == (chosen.winner, chosen.tie_break)


@pytest.mark.slow
@fixed
@given(runs=some_runs, cuts=st.lists(st.integers(0, 10**6), max_size=3), numbered=st.booleans())
def test_a_log_read_in_pieces_is_the_log(
    tmp_path_factory: pytest.TempPathFactory, runs: Any, cuts: list[int], numbered: bool
) -> None:
    """Law: what several processes read of a file, put together, is what one reads; lines keep their numbers."""
    path = write_runs(tmp_path_factory.mktemp("log") / "run.jsonl", runs)
    if not numbered:
        path = strip(path)
    path = edited(path, len(lines_of(path)) // 2, reward=9.0)
    size = path.stat().st_size
    ends = [0, *sorted(cut % size for cut in cuts), 1 << 62]
    folds = [fold_piece((path, piece, False)) for piece in pairwise(ends)]
    complete = fold_piece((path, None, False))
    for fold in folds[1:]:
        folds[0].merge(fold)
    assert folds[0].finish() and complete.finish()
    names = ["lines", "rows", "runs", "decided", "incomplete", "wrong", "ends_torn"]
    names += ["back_count", "back_line", "first_time", "last_time"]
    assert [getattr(folds[0], name) for name in names] == [getattr(complete, name) for name in names]
    assert sorted(folds[0].problems) == sorted(complete.problems) and folds[0].numbers.tell() == complete.numbers.tell()
    assert [t.to_dict() for t in folds[0].tallies] == [t.to_dict() for t in complete.tallies]


def strip(path: Path) -> Path:
    """Write a log as others write it: no number of rows, no number of candidates."""
    items = [{k: v for k, v in row.items() if k not in ("seq", "candidates")} for row in rows_of(path)]
    second = path.with_suffix(".stripped")
    second.write_text("".join(json.dumps(row) + "\n" for row in items))
    return second


# ---- examples


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"reward": 1.38}, "the reward is 1.38, and its numbers give"),
        ({"q1": 0.9}, "the reward is"),
        ({"cost": 0.2}, "the reward is"),
        ({"refusal_penalty": 0.1}, "the reward is"),
        ({"verifier_result": "FAIL"}, "q0: it is 1"),
        ({"verifier_result": "FAIL", "q0": 0}, "the reward is"),
        ({"winner_model_id": "b"}, "another winner"),
        ({"metric_params": {"lambda": 0.9}}, "the reward is"),
        ({"metric_version": "metric_v2"}, "another metric"),
        ({"prompt_hash": "cd" * 32}, "another prompt"),
        ({"model_id": "b"}, "b is in run run-1 twice"),
        ({"candidates": 5}, "another number of candidates"),
        ({"seq": 9}, "missing"),
        ({"seq": 0}, "there twice"),
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"reward": "much"}, "reward: a finite number"),
    ],
)
def test_what_is_changed_is_found(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    path = edited(write_runs(tmp_path / "run.jsonl", [PAIR, PAIR, PAIR]), 2, **fields)
    report = verify_log(path)
    assert not report.ok and any(said in problem.what for problem in report.problems), report.problems
    assert {problem.line for problem in report.problems} <= {0, 3, 4}


def test_a_false_winner_in_all_rows_is_found(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR])
    for line in (0, 1):
        path = edited(path, line, winner_model_id="b")
    [problem] = verify_log(path).problems
    assert problem.line == 1 and "the winner of run run-0 is b, and by its rows it is a" in problem.what
    path = edited(path, 0, winner_model_id="c")
    path = edited(path, 1, winner_model_id="c")
    assert "is c, and by its rows it is a" in verify_log(path).problems[0].what


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"\n", "empty"),
        (b"[1]\n", "not a JSON object"),
        (b"{}\n", "timestamp: there is none"),
        (b"nonsense\n", "not JSON"),
        (b'{"a": 1, "a": 2}\n', "the key 'a' is there twice"),
        (b'{"a": NaN}\n', "NaN is not a number"),
        (b'{"a": 1} {"b": 2}\n', "something after"),
        (b"\xff\n", "not JSON"),
        (b"[" * 100_000 + b"\n", "not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "not JSON"),
    ],
)
def test_what_is_no_row_is_told_with_its_line(tmp_path: Path, line: bytes, said: str) -> None:
    lines = lines_of(write_runs(tmp_path / "run.jsonl", [PAIR]))
    path = tmp_path / "bad.jsonl"
    path.write_bytes(lines[0] + line + lines[1])
    [problem] = verify_log(path).problems
    assert problem.line == 2 and said in problem.what


@pytest.mark.parametrize("colon", [b":", b" :", b"\t :"])
def test_a_key_that_is_twice_in_a_row_is_no_way_to_hide(tmp_path: Path, colon: bytes) -> None:
    path = write_runs(tmp_path / "run.jsonl", [PAIR])
    path.write_bytes(path.read_bytes().replace(b'"q1":0.5', b'"q1"' + colon + b'0.9,"q1":0.5'))
    assert "the key 'q1' is there twice" in verify_log(path).problems[0].what


def test_one_name_has_one_set_of_weights(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for number, weight in enumerate((0.3, 0.5)):
        metric = Metric("metric_v2", lambda_=weight)
        rows = make_run(f"r{number}", PAIR, metric_version="metric_v2", metric_params=metric.params)
        log = RunLog(tmp_path / f"part{number}.jsonl")
        log.append_run([{**row, "reward": metric.reward(1, row["q1"], row["cost"], 0.0)} for row in rows])
        # `RunLog` refuses such rows.
        path.write_bytes((path.read_bytes() if number else b"") + log.path.read_bytes())
    problems = [problem.what for problem in verify_log(path).problems]
    assert "metric_v2 has other weights than on line 1" in problems
    other_metric = Metric("metric_v1", lambda_=1.0)
    row = {
        **make_run("x", PAIR[:1])[0],
        "metric_params": other_metric.params,
        "reward": other_metric.reward(1, 0.5, 0.1, 0.0),
    }
    RunLog(tmp_path / "other.jsonl").append(row)
    assert "metric_v1 has other weights than the protocol's" in verify_log(tmp_path / "other.jsonl").notes[0]


def test_a_mixed_metric_has_both_rewards(tmp_path: Path) -> None:
    metric = MixedMetric(Metric("metric_v1"), Metric("metric_v2", lambda_=0.0), 0.25)
    parts, mixed = metric.parts(1, 0.5, 0.1, 0.0), metric.reward(1, 0.5, 0.1, 0.0)
    row = make_run("x", PAIR[:1], metric_version=metric.name, metric_params=metric.params, rewards=parts)[0]
    RunLog(tmp_path / "run.jsonl").append({**row, "reward": mixed})
    path = tmp_path / "run.jsonl"
    assert verify_log(path).ok
    second = verify_log(edited(path, 0, rewards={**parts, "metric_v2": 2.0}))
    assert "rewards: that by metric_v2 is 2.0" in second.problems[0].what


def test_fallbacks_do_not_compete(tmp_path: Path) -> None:
    failed = make_run("x", [("a", False, 0.5, 0.1), ("b", False, 0.5, 0.1)])
    served = {**make_run("x", [("c", True, 0.9, 0.1)], role="fallback")[0], "winner_model_id": None}
    RunLog(tmp_path / "run.jsonl").append_run([*failed, served])
    report = verify_log(tmp_path / "run.jsonl")
    assert report.ok and report.decided == 0
    assert {tally.key.model_id: tally.competed for tally in report.tallies} == {"a": 0, "b": 0, "c": 0}


def test_rows_without_a_run_are_told(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "run.jsonl")
    for row in make_run("x", PAIR):
        log.append({key: item for key, item in row.items() if key != "run_id"})
    assert "2 rows name a winner and no run_id" in verify_log(log.path).notes[0]
    failed = make_run("x", [("a", False, 0.5, 0.1)])[0]
    log.append({key: item for key, item in {**failed, "winner_model_id": "a"}.items() if key != "run_id"})
    assert "the winner is a, which did not pass" in verify_log(log.path).problems[0].what


# ---- memory, and several processes


@pytest.mark.parametrize("exact", [False, True])
def test_open_runs_are_few_whatever_the_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exact: bool) -> None:
    """Of runs that do not say how many rows they have, some are open at once; a row that comes later is noticed."""
    monkeypatch.setattr(folding_module, "_MAX_OPEN", 5)
    path = strip(write_runs(tmp_path / "run.jsonl", [PAIR] * 60))
    most, group = 0, Fold._group

    def watch(fold: Fold, row: Any) -> None:
        nonlocal most
        group(fold, row)
        most = max(most, len(fold._open))

    monkeypatch.setattr(Fold, "_group", watch)
    assert verify_log(path).decided == 60 and most == 5
    lines = lines_of(path)
    moved = tmp_path / "moved.jsonl"
    moved.write_bytes(b"".join([*lines[1:], lines[0]]))
    assert state_of(verify_log(moved)) == state_of(verify_log(path)) and most == 60


@pytest.mark.slow
def test_two_processes_read_a_large_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symops_lark.routing.logs import verification

    monkeypatch.setattr(verification, "_MIN_PIECE", 1000)
    path = write_runs(tmp_path / "run.jsonl", [PAIR] * 20)
    assert state_of(verify_log(path, jobs=2)) == state_of(verify_log(path))
    with pytest.raises(SymOpsError, match="cannot be read"):
        verify_log(tmp_path / "none", jobs=2)


def test_a_line_without_end_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"x" * (3 << 20))
    with pytest.raises(SymOpsError, match="a line is longer"):
        verify_log(path)
    with open(path, "rb") as file, pytest.raises(SymOpsError):
        list(read_lines(file))


def test_an_empty_log_follows(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.touch()
    report = verify_log(path)
    assert report.ok and report.rows == 0 and report.to_dict()["models"] == []
