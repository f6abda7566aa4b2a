"""Write what a run log has of a request: a row for each reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..events import hash_text, now
from ..metrics.metrics import Metric, MixedMetric
from .contest import Try

_MAX_REASON = 500  # characters of a reason: a row is one line that people read


def write_row(tried: Try, metric: Metric | MixedMetric, run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of one reply: the fields of the protocol, then those that explain it.

    Args:
        tried: The reply and its verdict.
        metric: The metric of its reward.
        run: The members that all rows of the run have.
    """
    verdict = tried.verdict
    manifest = tried.contestant.manifest
    row: dict[str, Any] = {
        "timestamp": now(),
        "model_id": manifest.model_id,
        "metric_version": metric.name,
        "verifier_result": "PASS" if verdict.passed else "FAIL",
        "q0": verdict.q0,
        "cost": tried.cost,
        "refusal_penalty": verdict.refusal_penalty,
        "reward": tried.reward,
        **run,
        "role": tried.role,
        "model_version": manifest.version,
        "stable": tried.contestant.stable,
        "metric_params": metric.params,
        "time_ms": round(tried.seconds * 1000, 3),
        "tokens": tried.tokens,
        "tokens_estimated": tried.tokens_estimated,
        "output_hash": hash_text(tried.output),
        "reason": tried.told[:_MAX_REASON],
    }
    if tried.q1 is not None:
        row["q1"] = tried.q1
    if isinstance(metric, MixedMetric):
        numbers = (verdict.q0, tried.q1, tried.cost, verdict.refusal_penalty)
        row["rewards"] = metric.parts(*numbers)
    return row


def separate_rows(rows: list[dict[str, Any]], roles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rows of a cascade, each as a run of its own: nobody was compared, and nobody won.

    Args:
        rows: The rows, in the order in which the models were asked.
        roles: The `way` of a row by its role.
    """
    separate = []
    for number, row in enumerate(rows, 1):
        row.pop("winner_model_id", None)
        if number > 1:
            row["run_id"] = f"{row['run_id']}/{number}"
        separate.append({**row, "candidates": 1, "way": roles[row["role"]]})
    return separate
