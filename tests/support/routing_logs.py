"""Run logs of routing for tests: runs whose rewards and winners are right, and what is told of a log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from route_models import GOOD

from symops_lark.lab.measuring.statistics import Rate
from symops_lark.routing import METRIC_V1, Candidate, Evidence, LogReport, Manifest, RunLog, reward, select_winner
from symops_lark.routing.manifests.supply_chain import Link, Status, SupplyChain

Try = tuple[str, bool, float, float]  # model, passed, q1, cost
PROMPT = "ab" * 32


def make_run(run: str, tries: Sequence[Try], **more: Any) -> list[dict[str, Any]]:
    """Return the rows of a run, with the winner that follows; `more` are fields of every row."""
    rows: list[dict[str, Any]] = [
        {
            "timestamp": "2026-01-31T12:00:00.000Z",
            "prompt_hash": PROMPT,
            "model_id": model,
            "metric_version": "metric_v1",
            "verifier_result": "PASS" if passed else "FAIL",
            "q0": int(passed),
            "q1": q1,
            "cost": cost,
            "refusal_penalty": 0.0,
            "reward": reward(int(passed), q1, cost, 0.0),
            "run_id": run,
            "model_version": "1.0.0",
            "metric_params": METRIC_V1.params,
            **more,
        }
        for model, passed, q1, cost in tries
    ]
    chosen = select_winner(Candidate(r["model_id"], r["q0"] == 1, r["reward"], r["cost"]) for r in rows)
    return [{**row, "winner_model_id": chosen.winner} for row in rows]


def write_runs(path: Path, runs: Iterable[Sequence[Try]], **more: Any) -> Path:
    """Append runs to a log."""
    log = RunLog(path)
    for number, tries in enumerate(runs):
        log.append_run(make_run(f"run-{number}", tries, **more))
    return path


# Few values, so that rewards are often equal.
tries = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d"]), st.booleans(), st.sampled_from([0.5, 0.7]), st.sampled_from([0.0, 0.5])
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda each: each[0],
)
some_runs = st.lists(tries, min_size=1, max_size=12)


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(path)]


def state_of(report: LogReport) -> Any:
    """Return what promotion depends on: all that a report says but its notes and its path."""
    fields = report.to_dict()
    return {name: fields[name] for name in ("ok", "rows", "runs", "decided", "incomplete", "models")}


def evidence_for(name: str, passes: tuple[int, int] = (100, 100), wins: tuple[int, int] = (400, 1000)) -> Evidence:
    """Return evidence that suffices, unless told otherwise."""
    model_id, _, version = name.partition("@")
    return Evidence(model_id, version or "1.0.0", "metric_v1", Rate(*passes), Rate(*wins), 3.0, True)


def manifest(name: str = "a", version: str = "1.0.0", **more: Any) -> Manifest:
    """Return the manifest of a version of a model."""
    return Manifest.from_dict({**GOOD, "model_id": name, "version": version, **more})


def chain(status: Status = Status.OK, name: str = "a", version: str = "1.0.0") -> SupplyChain:
    """Return what was found of a model's files: one link, of this status."""
    return SupplyChain(name, version, (Link("weights", status, f"told: {status}"),))
