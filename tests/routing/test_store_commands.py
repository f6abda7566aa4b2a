"""`symops route register`, `promote`, `history` and `log`: from manifests to a stable model, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run as symops
from route_models import GOOD, changed, write_model
from routing_logs import lines_of, make_run, write_runs

from symops_lark.routing import RunLog

WIN, LOSE = ("strong", True, 0.9, 0.1), ("weak", True, 0.4, 0.1)


@pytest.fixture(name="place")
def make_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two registered models, whose base is known, and no log yet."""
    monkeypatch.chdir(tmp_path)
    for name in ("strong", "weak"):
        base = {**GOOD["base_model"], "path": "base.bin"}
        write_model(tmp_path / name, {**changed("base_model", base), "model_id": name, "version": "1.0.0"})
    done = symops("route", "register", "strong", "weak")
    assert done.exit_code == 0 and done.output.count("experimental") == 2, done.output
    return tmp_path


def write_thousand(path: Path, runs: int = 1000) -> None:
    rows = [row for number in range(runs) for row in make_run(f"r{number}", [WIN, LOSE], candidates=2)]
    RunLog(path)._append(rows)


@pytest.mark.slow
def test_rows_promote_and_tampered_weights_demote(place: Path) -> None:
    """The whole way: too few rows, enough of them, a changed file; history tells all of it."""
    log = place / "run_log.jsonl"
    write_thousand(log, 99)
    done = symops("route", "promote", "strong", "--dry-run")
    assert done.exit_code == 1 and "there are 99 of 100 rows" in done.output
    assert "would stay experimental; nothing was changed" in done.output
    log.unlink()
    write_thousand(log)
    dry = symops("route", "promote", "--dry-run")
    assert dry.exit_code == 0 and "would be promoted; nothing was changed" in dry.output
    assert "won          100.0 % (99.6 to 100.0; 1,000 of 1,000)" in dry.output
    done = symops("route", "promote", "strong@1.0.0", "weak")
    assert done.exit_code == 1 and "is now stable" in done.output and "it won 0 of the last 1000" in done.output
    assert symops("route", "promote", "strong").exit_code == 0
    (place / "strong" / "adapter.bin").write_bytes(b"other weights")
    done = symops("route", "promote", "--json")
    table = {load["evidence"]["model_id"]: load for load in json.loads(done.output)}
    assert (table["strong"]["before"], table["strong"]["after"]) == ("stable", "experimental")
    events = json.loads(symops("route", "history", "strong", "--json").output)
    assert [event["kind"] for event in events] == [
        "MODEL_REGISTERED", "MODEL_PROMOTED", "MODEL_CHECKED", "MODEL_DEMOTED"
    ]  # fmt: skip
    output = symops("route", "history").output
    assert "passed 100 of 100, won 1000 of 1000" in output and "weights: mismatch" in output
    then = json.loads(symops("route", "history", "--at", events[1]["at"], "--json").output)
    assert {model["model_id"]: model["state"] for model in then} == {"strong": "stable", "weak": "experimental"}
    assert "no model was registered then" in symops("route", "history", "--at", "2020-01-01").output


def test_a_log_that_does_not_follow_promotes_nobody(place: Path) -> None:
    log = place / "run_log.jsonl"
    write_thousand(log)
    log.write_bytes(log.read_bytes().replace(b'"cost":0.1', b'"cost":0.0', 1))
    done = symops("route", "promote", "strong")
    assert done.exit_code == 1 and "the log does not follow (1 problem, the first on line 1)" in done.output


def test_registering_refuses_what_is_not_what_it_says(place: Path) -> None:
    (place / "weak" / "adapter.bin").write_bytes(b"other")
    write_model(place / "third", changed("license", drop=True))
    for folder, text in (("weak", "adapter.bin has the sha256"), ("third", "`license` is missing")):
        done = symops("route", "register", folder, "--registry", "new.db")
        assert done.exit_code == 2 and text in done.stderr and "Traceback" not in done.output, done.stderr
    write_model(place / "fourth", changed("model_id", "fourth"))
    done = symops("route", "register", "fourth")
    assert done.exit_code == 0 and "base unverified" in done.output and "not OK" in done.output
    assert symops("route", "register", "fourth", "--base", "fourth/base.bin", "--json").exit_code == 0


def test_log_commands(tmp_path: Path) -> None:
    path = write_runs(tmp_path / "run.jsonl", [[WIN, LOSE], [WIN, ("weak", False, 0.4, 0.1)]])
    done = symops("route", "log", "verify", str(path))
    assert done.exit_code == 0 and done.output.endswith("4 rows, 2 runs, 2 with a winner: every row follows\n")
    done = symops("route", "log", "stats", str(path))
    assert "strong  1.0.0    metric_v1  100.0 % (15.8 to 100.0; 2 of 2)" in done.output
    for words in (("run-0", str(path)), (str(path), "run-0")):
        done = symops("route", "log", "why", *words)
        assert done.exit_code == 0 and "strong won: the highest reward of those that passed" in done.output
    assert "winner     PASS     1  0.9  0.1000        0  1.8700  no" in done.output
    assert (
        json.loads(symops("route", "log", "why", "run-1", str(path), "--json").output)["verdict"]["winner"] == "strong"
    )
    lines = lines_of(path)
    path.write_bytes(lines[0].replace(b'"reward":', b'"reward":1') + b"".join(lines[1:]) + b'{"seq":4,')
    done = symops("route", "log", "verify", str(path))
    assert done.exit_code == 1 and f"{path}:1: error: the reward is 11.87" in done.output
    assert f"{path}: note: line 5: the line is half written" in done.output
    data = json.loads(symops("route", "log", "verify", str(path), "--json").output)
    assert (data["ok"], data["wrong"], data["problems"][0]["line"]) == (False, 1, 1)
    assert symops("route", "log", "why", "none", str(path)).exit_code == 2
    assert symops("route", "log", "verify", str(tmp_path / "none")).exit_code == 2


def test_a_log_is_scored_again(tmp_path: Path) -> None:
    path, metric = write_runs(tmp_path / "run.jsonl", [[WIN, LOSE]]), tmp_path / "metric.json"
    metric.write_text('{"name": "metric_v2", "lambda": 1.0}')
    words = ("route", "log", "rescore", str(path), "--metric", str(metric), "--out", str(tmp_path / "new.jsonl"))
    assert symops(*words).output.endswith("new.jsonl: 2 rows by metric_v2\n")
    repeated_finished = symops(*words)
    assert repeated_finished.exit_code == 2 and "nothing is overwritten" in repeated_finished.stderr
    assert symops("route", "log", "verify", str(tmp_path / "new.jsonl")).exit_code == 0


def test_a_route_is_run_with_the_registry_and_logged(place: Path) -> None:
    for name, says in (("speaks", '{"x": 1}'), ("mumbles", "no")):
        provider = {"name": "command", "command": f"printf '{says}'"}
        write_model(place / name, {**changed("provider", provider), "model_id": name})
    assert symops("route", "register", "speaks", "mumbles", "--registry", "two.db").exit_code == 0
    words = ("--registry", "two.db", "--allow-commands", "--log", "two.jsonl", "--tag", "format:json", "--json")
    done = symops("route", "run", *words, "x?")
    assert done.exit_code == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["model_id"] == "speaks"
    why = symops("route", "log", "why", data["run_id"], "two.jsonl")
    assert why.exit_code == 0 and "speaks won" in why.output and "mumbles" in why.output
    assert symops("route", "log", "verify", "two.jsonl").exit_code == 0
    assert symops("route", "run", *words[:-3], "--tag", "none", "--quiet", "x?").exit_code == 1
    [expected] = json.loads(symops("route", "history", "--registry", "two.db", "--json").output)[2:]
    assert (expected["kind"], expected["data"]["reason"]) == ("MODEL_ADD_REQUEST", "no-candidate")


def test_what_is_not_there_is_told(place: Path) -> None:
    for words, text in (
        (("promote", "strong", "--log", "none"), "none: cannot be read"),
        (("history", "--registry", "none.db"), "there is no registry"),
        (("history", "nobody"), "nobody is not registered"),
        (("history", "--at", "soon"), "is not a date"),
        (("history", "--at", "0001-01-01T00:00:00+05:00"), "is not a date"),
    ):
        done = symops("route", *words)
        assert done.exit_code == 2 and text in done.stderr, done.output
    assert not (place / "none.db").exists()
