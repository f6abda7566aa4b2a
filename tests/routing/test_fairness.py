"""Fair contests: one verifier for all, in the caller's words if there is a file; a cascade is no contest."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openai
import pytest
from command_line import environment, run
from route_models import make_contestant
from routing_logs import make_run

from symops_lark.lab.benchmark.engines import Workers
from symops_lark.models import Reply, ScriptedModel, Usage
from symops_lark.routing import (
    Contestant,
    Flow,
    Manifest,
    ManifestError,
    RoutingError,
    RunLog,
    Trust,
    promotion_evidence,
    verify_log,
)
from symops_lark.routing.contests.batch import BatchSettings, Request, run_batch
from symops_lark.routing.contests.contest import Judge
from symops_lark.routing.contests.flow import Missing, Way

GOOD, BAD = '{"x": 1}', "no object here"
EASY = {"type": "rule_check", "pass_condition": "characters > 0", "config": {"rules": [{"id": "any", "must": "."}]}}
Make = Callable[..., Contestant]


@pytest.fixture(name="make")
def make_maker(tmp_path: Path) -> Make:
    return lambda name, reply=GOOD, **more: make_contestant(tmp_path, name, reply, **more)


def priced(text: str, tokens: int) -> ScriptedModel:
    return ScriptedModel([Reply(text, usage=Usage(1, tokens))] * 200)


def write_verifier(folder: Path, **members: Any) -> Path:
    path = folder / "verifier.yaml"
    rules = {"type": "rule_check", "pass_condition": "kept == total"}
    config = {"rules": [{"id": "has_x", "must": "x"}]}
    path.write_text(json.dumps({**rules, "config": config, **members}), encoding="utf-8")
    return path


# ---- different verifiers


def test_candidates_with_different_verifiers_are_not_compared(make: Make) -> None:
    """A model that grades itself with an easy verifier won against a model that passes a strict one."""
    easy = make("easy", BAD, verifier=EASY)
    answer = Flow([make("strict"), easy]).run("x?")
    assert (answer.way, answer.tries, answer.rows) == (Way.UNSURE, (), ())
    assert answer.events[-1].to_dict()["reason"] == "verifiers-differ"
    assert "--own-verifiers" in answer.why and "easy" in answer.why and "strict" in answer.why
    assert Flow([make("strict"), easy], own_verifiers=True, missing=Missing.ZERO).run("x?").sure


def test_the_content_of_a_schema_decides_whether_verifiers_are_equal(make: Make, tmp_path: Path) -> None:
    models = [make("a"), make("b")]
    assert Flow(models).run("x?").way is Way.WINNER, "two files, the same schema"
    (tmp_path / "b" / "schemas" / "output.schema.json").write_text("{}", encoding="utf-8")
    assert Flow(models).run("x?").way is Way.UNSURE


def test_who_is_not_asked_makes_no_difference(make: Make) -> None:
    models = [make("a"), make("b", verifier=EASY, routing__tags=["other"])]
    assert Flow(models).run("x?", ["format:json"]).way is Way.WINNER


# ---- the caller's verifier


def test_the_verifier_of_the_caller_judges_all(make: Make, tmp_path: Path) -> None:
    models = [make("a", "x is here"), make("b", verifier=EASY), make("c", BAD, verifier=EASY)]
    answer = Flow(models, judge=Judge.load(str(write_verifier(tmp_path)), False)).run("x?")
    facts = {
        attempt.contestant.model_id: (attempt.verdict.passed, attempt.verdict.facts["own_passed"])
        for attempt in answer.tries
    }
    assert facts == {"a": (True, False), "b": (True, True), "c": (False, True)}
    assert {single_attempt.q1 for single_attempt in answer.tries} == {0.0, 1.0}, "the caller's score counts for all"


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"type": "rule_chek"}, "did you mean rule_check"),
        ({"pass_condition": "kept == nothing"}, "the condition is wrong"),
        ({"config": {"rules": 1}}, "rules"),
        ({"more": 1}, "more"),
    ],
)
def test_mistakes_of_a_verifier_are_told_with_their_place(tmp_path: Path, members: Any, said: str) -> None:
    path = write_verifier(tmp_path, **members)
    with pytest.raises(ManifestError) as caught:
        Judge.load(str(path), False)
    assert f"{path}:1:" in str(caught.value) and said in str(caught.value)


def test_a_verifier_lacks_nothing(tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text("type: rule_check\n", encoding="utf-8")
    with pytest.raises(ManifestError, match="`pass_condition` is missing"):
        Judge.load(str(tmp_path / "v.yaml"), False)


def test_the_options_of_a_contest(make: Make, tmp_path: Path) -> None:
    command = "command"
    for name, text in (("a", "x"), ("b", GOOD)):
        make(name, verifier=EASY if name == "a" else {"type": "json_schema", "pass_condition": "schema_valid"},
             provider={"name": command, "command": f"printf '%s' '{text}'"})  # fmt: skip
    models = ("-m", str(tmp_path / "a"), "-m", str(tmp_path / "b"), "--allow-commands")
    done = run("route", "run", *models, "x?")
    assert (done.exit_code, done.stdout) == (1, "") and "different verifiers" in done.stderr
    assert run("route", "run", *models, "--own-verifiers", "--missing-q1", "zero", "x?").exit_code == 0
    verifier = str(write_verifier(tmp_path))
    data = json.loads(run("route", "run", *models, "--verifier", verifier, "--json", "x?").stdout)
    assert {attempt["verdict"]["facts"]["own_passed"] for attempt in data["tries"]} == {True}
    both = run("route", "run", *models, "--verifier", verifier, "--own-verifiers", "x?")
    assert both.exit_code == 2 and "take one" in both.stderr
    requests = tmp_path / "requests.jsonl"
    requests.write_text("", encoding="utf-8")
    for name, argument in (("run", "x?"), ("batch", str(requests))):
        done = run("route", name, *models, "--explore-share", "0.5", argument)
        assert done.exit_code == 2 and "--explore-share is a share of the requests of --cascade" in done.stderr
    log = tmp_path / "log.jsonl"
    cascade = ("--verifier", verifier, "--cascade", "--explore-share", "0", "--log", str(log))
    data = json.loads(run("route", "run", *models, *cascade, "--json", "x?").stdout)
    assert (data["way"], len(data["tries"])) == ("cascade", 1) and verify_log(log).ok


# ---- a cascade


def make_cascade(make: Make, **settings: Any) -> Flow:
    models = [make("dear", priced(GOOD, 900)), make("cheap", priced(BAD, 10)), make("middle", priced(GOOD, 90))]
    costs = {"dear": 0.45, "cheap": 0.005, "middle": 0.045}
    flow = Flow(models, cascade=True, **settings)
    flow.asked.update(costs)
    flow.spent.update(costs)
    return flow


def test_a_cascade_asks_the_cheapest_first_and_stops_at_a_pass(make: Make) -> None:
    answer = make_cascade(make, explore_share=0.0).run("x?")
    assert (answer.way, answer.model_id, answer.output) == (Way.CASCADE, "middle", GOOD)
    assert [attempt.contestant.model_id for attempt in answer.tries] == ["cheap", "middle"]
    assert [(row["way"], row["candidates"], row["verifier_result"]) for row in answer.rows] == [
        ("cascade", 1, "FAIL"),
        ("cascade", 1, "PASS"),
    ]
    kinds = [event.to_dict()["event"] for event in answer.events]
    assert kinds == ["INFER_REQUEST", "INFER_RESULT", "INFER_RESULT"], "nobody won, so nobody learns"


def test_a_cascade_in_which_nobody_passes_asks_the_fallbacks(make: Make) -> None:
    models = [make("a", BAD, routing__fallback="general"), make("general", routing__tags=["other"])]
    flow = Flow(models, cascade=True, explore_share=0.0)
    answer = flow.run("x?", ["format:json"])
    assert (answer.way, answer.model_id) == (Way.FALLBACK, "general")
    assert [row["way"] for row in answer.rows] == ["cascade", "fallback"]
    lost = Flow(models[:1], cascade=True, explore_share=0.0).run("x?", ["format:json"])
    assert lost.way is Way.UNSURE and lost.rows[0]["way"] == "cascade"
    assert lost.events[-1].to_dict()["reason"] == "none-passed"


def test_a_cascade_counts_for_no_win_rate_and_its_log_follows(make: Make, tmp_path: Path) -> None:
    log = RunLog(tmp_path / "log.jsonl")
    flow = make_cascade(make, explore_share=0.0, log=log.append_run)
    for _ in range(5):
        flow.run("x?")
    report = verify_log(log.path)
    assert (report.ok, report.rows, report.runs, report.decided) == (True, 10, 10, 0)
    evidence = promotion_evidence(report, "middle", supply_chain=True)
    assert (evidence.passes.n, evidence.wins.n) == (5, 0)


@pytest.mark.slow
def test_a_share_of_the_requests_is_a_whole_contest(make: Make) -> None:
    flow = make_cascade(make)
    ways = [flow.run("x?", run_id=f"run-{number}").way for number in range(60)]
    assert {*ways} == {Way.CASCADE, Way.WINNER} and 1 <= ways.count(Way.WINNER) <= 15
    assert ways[:9] == [make_cascade(make).run("x?", run_id=f"run-{number}").way for number in range(9)]
    with pytest.raises(RoutingError, match="explore_share"):
        Flow([], explore_share=2)


def test_a_cascade_learns_what_models_cost(make: Make, tmp_path: Path) -> None:
    log = RunLog(tmp_path / "log.jsonl")
    models = [make("a", priced(GOOD, 900)), make("b", priced(GOOD, 9))]
    settings: dict[str, Any] = {"log": log.append_run}
    assert Flow(models, cascade=True, explore_share=1.0, **settings).run("x?").model_id == "b"
    after = Flow(models, cascade=True, explore_share=0.0, **log.read_history())
    assert [attempt.contestant.model_id for attempt in after.run("x?").tries] == ["b"]


def test_a_batch_goes_on_in_a_cascade(make: Make, tmp_path: Path) -> None:
    make("a", provider={"name": "command", "command": "printf no"})
    manifest = make("b", provider={"name": "command", "command": f"printf '%s' '{GOOD}'"}).manifest

    models = ((Manifest.load(tmp_path / "a"), "experimental"), (manifest, "experimental"))
    settings = BatchSettings(models, trust=Trust(True), cascade=True, explore_share=0.0)
    requests, log = [Request("one"), Request("two")], tmp_path / "log.jsonl"
    assert run_batch(requests, settings, log).logged == 2
    count = len(list(RunLog(log).rows()))
    assert run_batch(requests, settings, log).logged == 2
    assert count == len(list(RunLog(log).rows())) == 4 and verify_log(log).ok


def test_a_batch_repeats_a_cascade_whose_last_row_is_lost(make: Make, tmp_path: Path) -> None:
    """The first row, of a reply that failed, was taken for the whole run: the request was never answered."""
    make("a", provider={"name": "command", "command": "printf no"})
    make("b", provider={"name": "command", "command": f"printf '%s' '{GOOD}'"})
    models = tuple((Manifest.load(tmp_path / name), "experimental") for name in "ab")
    settings = BatchSettings(models, trust=Trust(True), cascade=True, explore_share=0.0)
    requests, log = [Request("one"), Request("two")], tmp_path / "log.jsonl"
    run_batch(requests, settings, log, workers=Workers(1))
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:3]) + lines[3][:-9])  # its writer was killed in the middle of the run
    for _ in range(2):
        assert run_batch(requests, settings, log).logged == 2
        assert [row["model_id"] for row in RunLog(log).rows()] == ["a", "b", "a", "a", "b"]
        assert verify_log(log).ok


def test_a_batch_begins_with_the_cheapest_model_of_its_log(make: Make, tmp_path: Path) -> None:
    """Both models pass: who is asked first is the only one, and the log alone knows the costs."""
    models = tuple(
        (make(name, provider={"name": "command", "command": f"printf '%s' '{GOOD}'"}).manifest, "experimental")
        for name in "ab"
    )
    settings = BatchSettings(models, trust=Trust(True), cascade=True, explore_share=0.0)
    for cheap in "ab":
        log = tmp_path / f"{cheap}.jsonl"
        costs = [(name, True, 0.5, 0.1 if name == cheap else 0.9) for name in "ab"]
        RunLog(log).append_run(make_run("before", costs))
        assert run_batch([Request("one"), Request("two")], settings, log).logged == 2
        assert [row["model_id"] for row in RunLog(log).rows()][2:] == [cheap] * 2


@pytest.mark.slow
def test_a_server_begins_with_the_cheapest_model_of_its_log(make: Make, tmp_path: Path) -> None:
    for name in "ab":
        make(name, provider={"name": "command", "command": f"printf '%s' '{GOOD}'"})
    log = RunLog(tmp_path / "log.jsonl")
    log.append_run(make_run("before", [("a", True, 0.5, 0.9), ("b", True, 0.5, 0.1)]))
    models = ("-m", str(tmp_path / "a"), "-m", str(tmp_path / "b"), "--allow-commands")
    cascade = ("--cascade", "--explore-share", "0", "--log", str(log.path), "--port", "0")
    command = [sys.executable, "-P", "-m", "symops_lark", "route", "serve", *models, *cascade]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url, key = (server.stdout.readline().split()[-1] for _ in range(2))
            client = openai.OpenAI(base_url=url, api_key=key, max_retries=0)
            client.chat.completions.create(model="auto", messages=[{"role": "user", "content": "x?"}])
        finally:
            server.terminate()
    assert [row["model_id"] for row in log.rows()][2:] == ["b"]
