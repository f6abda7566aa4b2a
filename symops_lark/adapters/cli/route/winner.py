"""`symops route winner`: choose among candidates whose numbers are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ..contestants import choose_metric, metric_options
from ..options import file_argument, json_option
from ..texts import print_result, read_text
from ..visibility import visible_line

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
    \f

    Args:
        file: The file, or `-`.
        metric: The file of the metric; None for metric_v1.
        alpha: The weight of metric_v1 in a mix.
        as_json: Whether the output is JSON.
    """
    from ....routing import select_winner

    # A wrong metric is reported before the file is read.
    scorer = choose_metric(metric, alpha)
    text = read_text(file)
    candidates = []
    for number, item in enumerate(_items(text.text, text.name), 1):
        candidates.append(_read(item, f"{text.name}: candidate {number}", scorer))
    selection = select_winner(candidates)
    lines = ["no candidate passed" if selection.winner is None else selection.winner]
    for candidate in selection.ranking:
        numbers = f"reward {candidate.reward:.6g}, cost {candidate.cost:.6g}"
        lines.append(f"  {candidate.model_id}: {numbers}")
    if selection.tie_break is not None:
        lines.append(f"equal rewards; what decided: {selection.tie_break}")
    print_result(selection, map(visible_line, lines), as_json)
    return int(selection.winner is None)


def _items(text: str, name: str) -> list[Any]:
    """Return the values of a JSON list, or of lines of JSON."""
    import json

    from ....routing import RoutingError

    def join_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return an object whose keys are there once."""
        members = dict(pairs)
        if len(members) < len(pairs):
            raise RoutingError(f"{name}: an object has a key twice")
        return members

    # Editors of Windows begin files with a byte order mark, which `json` refuses.
    text = text.removeprefix("\ufeff")
    try:
        if text.lstrip().startswith("["):
            return list(json.loads(text, object_pairs_hook=join_pairs))
        # Not `splitlines`: strings of JSON may have other line separators of Unicode.
        lines = filter(str.strip, text.split("\n"))
        return [json.loads(line, object_pairs_hook=join_pairs) for line in lines]
    except (ValueError, RecursionError) as error:
        raise RoutingError(f"{name}: not JSON: {error}") from None


def _read(item: Any, place: str, metric: Metric | MixedMetric) -> Candidate:
    from ....routing import Candidate, MetricError, RoutingError

    model = item.get("model_id") if isinstance(item, Mapping) else None
    if not isinstance(model, str) or not model:
        raise RoutingError(f"{place}: expected an object with a model_id")
    # A row of a run log has the verdict as a word.
    verdict = item.get("verifier_result")
    passed = item.get("passed", verdict == "PASS")
    try:
        if not isinstance(passed, bool):
            raise MetricError(f"passed is {passed!r}; it is true or false")
        if verdict is not None and passed != (verdict == "PASS"):
            raise MetricError(f"passed is {passed}, and verifier_result is {verdict!r}")
        cost: Any = item.get("cost")
        reward: Any = item.get("reward")
        # The classes check the types of the numbers, and name the one that is wrong.
        if reward is None:
            penalty = item.get("refusal_penalty", 0.0)
            reward = metric.reward(int(passed), item.get("q1"), cost, penalty)
        return Candidate(item["model_id"], passed, reward, cost, item.get("stable", False))
    except MetricError as error:
        raise RoutingError(f"{place} ({item['model_id'][:80]}): {error}") from None
