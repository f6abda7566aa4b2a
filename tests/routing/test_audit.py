"""Audit sets: their format, the benchmark's tasks as one, and what comes of models by one metric or by two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run as symops
from route_models import changed, make_contestant, write_model

from symops_lark.lab.benchmark.tasks import load_tasks
from symops_lark.models import Finish, Reply, ScriptedModel, Usage
from symops_lark.routing import AuditSet, Metric, RoutingError, audit_tasks, run_audit

CASE = {"input": "x?", "expected_format": "json_schema", "verifier_config": {"schema": {"required": ["x"]}}}
AUDIT = {"audit_id": "first", "version": "v1", "test_cases": [CASE, {"input": "hi", "expected_format": "symops"}]}


def write(folder: Path, value: Any) -> Path:
    path = folder / "audit.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_an_audit_set_is_read(tmp_path: Path) -> None:
    audit = AuditSet.load(write(tmp_path, AUDIT))
    assert audit.to_dict() == {**AUDIT, "test_cases": [CASE, {**AUDIT["test_cases"][1], "verifier_config": {}}]}  # type: ignore[dict-item]
    assert AuditSet.from_dict(audit.to_dict()) == audit


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("{", r"audit\.json:1:2: not JSON"),
        ("[]", "JSON object"),
        ({**AUDIT, "version": "v2"}, "version"),
        ({**AUDIT, "audit_id": " "}, "audit_id: it is empty"),
        ({**AUDIT, "test_cases": []}, "there are none"),
        ({**AUDIT, "cases": []}, "cases: no such key"),
        ({**AUDIT, "test_cases": [{**CASE, "input": 3}]}, r"test_cases\[0\]\.input: expected a string"),
        ({**AUDIT, "test_cases": [CASE, {**CASE, "input": ""}]}, r"test_cases\[1\]\.input: it is empty"),
        ({**AUDIT, "test_cases": [{**CASE, "expected_format": "xml"}]}, "expected_format: it is 'xml'"),
        ({**AUDIT, "test_cases": [{**CASE, "verifier_config": {"x": 1}}]}, r"verifier_config\.x: no such key"),
        ({**AUDIT, "test_cases": [{**CASE, "verifier_config": {"pass_condition": "eval"}}]}, "no fact is called eval"),
        ({**AUDIT, "test_cases": [{**CASE, "verifier_config": {"pass_condition": 1}}]}, "pass_condition: a text"),
    ],
)
def test_what_is_wrong_in_an_audit_set_is_told(value: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(RoutingError, match=rf"(?s)audit\.json.*{told}" if "audit" not in told else told):
        AuditSet.load(write(tmp_path, value))


def test_models_are_examined_side_by_side(tmp_path: Path) -> None:
    """The same replies by two metrics: who writes less wins where the cost weighs more than the score."""
    cases = [
        {**CASE, "verifier_config": {"expected": {"x": 1, "y": 2}}},
        {**CASE, "verifier_config": {"pass_condition": "json_found and errors == 0"}},
    ]
    audit = AuditSet.from_dict({**AUDIT, "test_cases": cases})
    long = ScriptedModel([Reply('{"x": 1, "y": 2}', Finish.STOP, Usage(1, 900))] * 2)
    short = ScriptedModel([Reply('{"x": 1}', Finish.STOP, Usage(1, 10))] * 2)
    none = ScriptedModel(["Sorry, I cannot do that."] * 2)
    models = [make_contestant(tmp_path, name, model) for name, model in (("l", long), ("n", none), ("s", short))]
    metrics = (Metric("metric_v1"), Metric("metric_v2", lambda_=3.0))
    report = run_audit(audit, models, metrics, least=0.5)
    by = {model.model_id: model for model in report.models}
    assert [by[name].passed for name in "lns"] == [2, 0, 2] and by["n"].refusals == 2
    assert [score.wins for score in by["l"].scores] == [1, 0] and [score.wins for score in by["s"].scores] == [1, 2]
    assert by["l"].scores[0].mean_reward > by["l"].scores[1].mean_reward
    assert [report.holds(name) for name in "lns"] == [True, False, True]
    assert by["n"].low == 0 and by["n"].high < 1 and [number for number, _ in by["n"].failures] == [0, 1]
    assert json.loads(json.dumps(report.to_dict()))["models"][1]["ok"] is False


def test_the_command_counts_cases_from_one(tmp_path: Path) -> None:
    """The second case that failed was printed as case 1."""
    cases = [{**CASE, "verifier_config": {"pass_condition": condition}} for condition in ("errors == 0", "errors > 9")]
    data = changed("provider", {"name": "command", "command": "printf '{\"x\": 1}'"})
    words = ("route", "audit", str(write(tmp_path, {**AUDIT, "test_cases": cases})), "--allow-commands")
    done = symops(*words, "-m", str(write_model(tmp_path / "model", data)))
    assert done.exit_code == 1 and "\n  case 2: " in done.stdout and "case 1: " not in done.stdout, done.output


def test_equal_rewards_are_told_apart_by_the_costs_of_their_metric(tmp_path: Path) -> None:
    case = {**CASE, "verifier_config": {"pass_condition": "json_found and errors == 0"}}
    audit = AuditSet.from_dict({**AUDIT, "test_cases": [case]})
    models = [
        make_contestant(tmp_path, name, ScriptedModel([Reply('{"x": 1}', Finish.STOP, Usage(1, tokens))]))
        for name, tokens in (("l", 900), ("s", 10))
    ]
    free = {"lambda_": 0.0, "w_t": 0.0, "w_o": 1.0}  # at the second metric both cost all there is: the first one wins
    metrics = (Metric("metric_v1", tokens_ref=1000, **free), Metric("metric_v2", tokens_ref=1, **free))
    report = run_audit(audit, models, metrics, least=0.5)
    assert [[score.wins for score in model.scores] for model in report.models] == [[0, 1], [1, 0]]


def test_nobody_cannot_be_examined() -> None:
    with pytest.raises(RoutingError, match="no model"):
        run_audit(AuditSet.from_dict(AUDIT), [])


def test_the_tasks_of_the_benchmark_are_an_audit_set(tmp_path: Path) -> None:
    """What is right passes every case, by the letter."""
    tasks = load_tasks()[:5]
    audit = audit_tasks(tasks)
    assert AuditSet.load(write(tmp_path, audit.to_dict())) == audit
    assert [case.input for case in audit.test_cases] == [task.request for task in tasks]
    from symops_lark.lab.benchmark.formats import load_format

    format = load_format("v2", (), 0)
    right = make_contestant(tmp_path, "right", ScriptedModel([format.write(task.document) for task in tasks]))
    [model] = run_audit(audit, [right]).models
    assert (model.passed, model.rate) == (5, 1.0) and model.scores[0].mean_reward > 1.5
