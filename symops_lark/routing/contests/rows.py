"""Write the rows of a request in a run log: one for each reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..events import hash_text, now
from ..metrics.metrics import Metric, MixedMetric
from .contest import Try

_MAX_REASON = 500  # characters of a reason: a row is one line that people read


def write_rows(
    tries: Sequence[Try],
    metric: Metric | MixedMetric,
    run: Mapping[str, Any],
    ways: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one request.

    Args:
        tries: The replies and their verdicts, in the order in which the models were asked.
        metric: The metric of their rewards.
        run: The members that all rows of the run have.
        ways: The `way` of a row by its role, for a cascade; empty for a contest. Each row of a
            cascade is a separate run with one candidate, because its replies are not compared.
    """
    for number, tried in enumerate(tries, 1):
        members = dict(run)
        if ways:
            members |= {"candidates": 1, "way": ways[tried.role]}
        # The last one has the name alone: if a batch finds it in a log, all rows are there.
        if ways and number < len(tries):
            members["run_id"] = f"{run['run_id']}/{number}"
        yield _write_row(tried, metric, members)


def _write_row(tried: Try, metric: Metric | MixedMetric, run: Mapping[str, Any]) -> dict[str, Any]:
    """Return one row: the fields of the protocol, then those that explain it."""
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
    # The reward of a mix is the sum of these parts.
    if isinstance(metric, MixedMetric):
        numbers = (verdict.q0, tried.q1, tried.cost, verdict.refusal_penalty)
        row["rewards"] = metric.parts(*numbers)
    return row
