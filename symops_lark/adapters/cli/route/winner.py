"""`symops route winner`: who wins among candidates whose numbers are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ..contestants import choose_metric, metric_options
from ..options import file_argument, json_option
from ..texts import read_text, tell

if TYPE_CHECKING:
    from ....routing import Candidate, Metric, MixedMetric


@click.command(name="winner")
@file_argument
@metric_options
@json_option
def command(file: str, metric: str | None, alpha: float | None, as_json: bool) -> int:
    """Choose the winner among candidates by their numbers.

    FILE has a JSON list of objects, or an object on each line. An object has model_id, passed (or
    verifier_result), cost, either reward or the numbers to compute it from (q1 and
    refusal_penalty), and stable if it is. Rows of a run log are accepted.

    Exit code 0: there is a winner; 1: no candidate passed; 2: a number is invalid.
    """
    from ....routing import select_winner

    chosen = choose_metric(metric, alpha)
    text = read_text(file)
    candidates = [
        _read(item, f"{text.name}: candidate {n}", chosen) for n, item in enumerate(_items(text.text, text.name), 1)
    ]
    selection = select_winner(candidates)
    said = "no candidate passed" if selection.winner is None else selection.winner
    lines = [said, *(f"  {c.model_id}: reward {c.reward:.6g}, cost {c.cost:.6g}" for c in selection.ranking)]
    if selection.tie_break is not None:
        lines.append(f"equal rewards; what decided: {selection.tie_break}")
    tell(selection, lines, as_json)
    return 0 if selection.winner is not None else 1


def _items(text: str, name: str) -> list[Any]:
    import json

    from ....routing import RoutingError

    try:
        if text.lstrip().startswith("["):
            return list(json.loads(text))
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise RoutingError(f"{name}: not JSON: {error}") from None


def _read(item: Any, where: str, metric: Metric | MixedMetric) -> Candidate:
    from ....routing import Candidate, MetricError, RoutingError

    if not isinstance(item, Mapping) or not isinstance(item.get("model_id"), str):
        raise RoutingError(f"{where}: an object with a model_id is expected")
    passed = item["passed"] if "passed" in item else item.get("verifier_result") == "PASS"
    try:
        if not isinstance(passed, bool):
            raise MetricError(f"passed is {passed!r}; it is true or false")
        cost = item.get("cost")
        reward = item.get("reward")
        if reward is None:
            reward = metric.reward(int(passed), item.get("q1"), cost, item.get("refusal_penalty", 0.0))  # type: ignore[arg-type]
        return Candidate(item["model_id"], passed, reward, cost, item.get("stable", False))  # type: ignore[arg-type]
    except MetricError as error:
        raise RoutingError(f"{where} ({item['model_id'][:80]}): {error}") from None
