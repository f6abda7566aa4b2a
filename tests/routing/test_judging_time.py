"""The time limit covers judging: whatever a reply and a manifest make of it, it ends in time and says why."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import run as symops
from model_server import Answer, model_server
from route_models import GOOD, changed, make_contestant, write_model
from sandboxes import needs_bwrap

from symops_lark.routing import Flow, RunLog, verify_log
from symops_lark.routing.contests.flow import Way

SECONDS, A_LITTLE = 1.0, 2.0
HOSTILE = "::create @a\n<<<\n" * 60_000  # reading it takes about 10 s
CODE = "```python\nx = 1\n```\n"
SLEEPS = ["{python} -c 'import time; time.sleep(9)'"] * 5
PATTERN = "(a|b)*a(a|b){400}c"  # over a megabyte of a and b it takes RE2 about 10 s

CASES: Mapping[str, tuple[str, Mapping[str, Any], str]] = {
    "symops": ("symops", {}, HOSTILE),
    "schema": ("json_schema", {"schema": {"$ref": "#/$defs/a0", "$defs": {
        **{f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}, "a40": {}
    }}}, '{"x": [' + "[1]," * 400_000 + "1]}"),
    "unit_test in a dialect": ("unit_test", {"commands": ["true"], "format": "v2"}, HOSTILE),
    "unit_test": ("unit_test", {"commands": SLEEPS}, CODE),
    "static_analysis": ("static_analysis", {"command": SLEEPS[0]}, CODE),
}  # fmt: skip


def judge_late(folder: Path, kind: str, config: Mapping[str, Any], reply: str) -> str:
    """Return why a reply failed, after the time was seen to be kept."""
    condition = {"symops": "valid == true", "json_schema": "schema_valid == true", "static_analysis": "exit_code == 0"}
    verifier = {"type": kind, "config": dict(config), "pass_condition": condition.get(kind, "failed == 0")}
    contestant = make_contestant(folder, "a", reply, verifier=verifier)
    begin = time.monotonic()
    answer = Flow([contestant], seconds=SECONDS, run_code=True).run("x?")
    took = time.monotonic() - begin
    assert answer.way is Way.UNSURE and took < SECONDS + A_LITTLE, f"{took:.1f} s"
    return answer.tries[0].told


PROGRAMS = ("unit_test", "static_analysis")


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, marks=needs_bwrap if case in PROGRAMS else ()) for case in CASES])
def test_judging_ends_in_time(case: str, tmp_path: Path) -> None:
    late = judge_late(tmp_path, *CASES[case])
    assert any(word in late for word in ("time limit", "steps", "longer than", "timed out", "took more")), late


@pytest.mark.slow
def test_a_large_pattern_ends_in_time(tmp_path: Path) -> None:
    text = "".join(random.Random(1).choices("ab", k=1_000_000))
    late = judge_late(tmp_path, "rule_check", {"rules": [{"id": "r", "must": PATTERN}]}, text)
    assert "the time limit was reached before the reply was judged" in late


@pytest.mark.slow
def test_what_was_not_done_in_time_stops(tmp_path: Path) -> None:
    """Work that nobody waits for any more would take the processor from the next requests."""
    before = threading.active_count()
    judge_late(tmp_path, *CASES["symops"])
    end = time.monotonic() + 3
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() == before


@pytest.mark.slow
def test_a_limit_that_judging_reaches_is_recorded(tmp_path: Path) -> None:
    """Over a real server: the reply arrives in time, judging does not end, and the log says so; others go on."""
    text = "".join(random.Random(1).choices("ab", k=1_000_000))
    rules = {"rules": [{"id": "r", "must": PATTERN}]}
    verifier = {"type": "rule_check", "config": rules, "pass_condition": "failed == 0"}
    log = str(tmp_path / "log.jsonl")
    with model_server([Answer(text, chunk_size=100_000), Answer("ac", chunk_size=9)] * 2) as server:
        provider = {"name": "vllm", "model": "m", "base_url": server.url}
        for name in ("slow", "other"):
            write_model(tmp_path / name, {**changed("verifier", verifier), "model_id": name, "provider": provider})
        models = ("-m", str(tmp_path / "slow"), "-m", str(tmp_path / "other"))
        task = ("--task", GOOD["scope"]["tasks"][0], "--tag", GOOD["routing"]["tags"][0])
        done = symops("route", "run", *models, *task, "--time-limit", "2", "--log", log, "--json", "x?")
    data = json.loads(done.stdout)
    reasons = [tried["verdict"]["told"] for tried in data["tries"]]
    assert done.exit_code == 1 and any("the time limit was reached before the reply was judged" in r for r in reasons)
    rows = list(RunLog(log))
    # On a slow machine, the other one may be late as well.
    late, *_ = [row for row in rows if "the time limit was reached before the reply was judged" in row["reason"]]
    assert len(rows) == 2 and late["verifier_result"] == "FAIL" and late["tokens"] and late["output_hash"]
    assert late["time_ms"] < 2_000 and verify_log(log).ok, "the time of the model, and not that of judging"
    finished = symops("route", "log", "why", data["run_id"], log)
    assert "the time limit was reached before" in finished.output and "Traceback" not in finished.output
