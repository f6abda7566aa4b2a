"""Choose the models that are asked: those that fit a request, the best one first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from ...core.ground.numbers import counted, grouped
from .contest import Contestant, Try

STATES = ("stable", "experimental")  # of the registry: a model in another state is not asked
# Threads share the counts of a flow: a server answers each request in another thread. One lock for
# all flows, since copies of a flow have the same counts.
_COUNTING = Lock()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A model that was not a candidate, or not a fallback.

    Attributes:
        model_id: The model.
        why: The reason.
    """

    model_id: str
    why: str


def choose_candidates(
    contestants: Sequence[Contestant],
    tags: Sequence[str],
    task: str | None,
    tokens: int,
    top_k: int,
    asked: Mapping[str, int],
) -> tuple[list[Contestant], list[Skipped]]:
    """Return the models to ask, the best fitting first, and the others with the reasons.

    A model fits by the share of the tags that it has. Between equals the stable one is first, then
    the least asked, then the id. The last place is for the least asked of all that fit, so that no
    model is left out forever.

    Args:
        contestants: The models.
        tags: The topics of the request.
        task: The task that it is. None: it is not known.
        tokens: The number of tokens of the request.
        top_k: The maximum number of models to ask.
        asked: How often each model was asked before.

    Returns:
        The candidates, and those that are not asked.
    """
    ranks = {}
    skipped = []
    for contestant in contestants:
        name = contestant.model_id
        share = _share(contestant, tags)
        reason = _refuse(contestant, share, task, tokens)
        if reason:
            skipped.append(Skipped(name, reason))
        else:
            ranks[name] = (-share, not contestant.stable, asked.get(name, 0), name)
    fitting = [contestant for contestant in contestants if contestant.model_id in ranks]
    fitting.sort(key=lambda contestant: ranks[contestant.model_id])
    # The first one of the least asked: without counts, the order stays.
    least = min(fitting, key=lambda contestant: ranks[contestant.model_id][2], default=None)
    if least is not None and least not in fitting[:top_k]:
        fitting.remove(least)
        fitting.insert(top_k - 1, least)
    reason = f"only {top_k} are asked"
    skipped += [Skipped(contestant.model_id, reason) for contestant in fitting[top_k:]]
    return fitting[:top_k], skipped


def count_calls(tries: Sequence[Try], asked: Counter[str], spent: dict[str, float]) -> None:
    """Add the tries of candidates to the counts.

    Args:
        tries: The tries.
        asked: How often each model was asked.
        spent: The costs of these calls.
    """
    # Both numbers at once: a call without its cost would make a model look cheap.
    with _COUNTING:
        for tried in tries:
            name = tried.contestant.model_id
            asked[name] += 1
            spent[name] = spent.get(name, 0.0) + tried.cost


def order_by_cost(
    candidates: Sequence[Contestant], asked: Counter[str], spent: Mapping[str, float]
) -> list[Contestant]:
    """Return candidates in the order of their mean costs.

    Args:
        candidates: The models.
        asked: How often each model was asked.
        spent: The costs of these calls.
    """
    costs = {}
    with _COUNTING:
        for contestant in candidates:
            name = contestant.model_id
            count = asked[name]
            # Without a known cost it comes last; whole contests make its cost known.
            costs[name] = spent.get(name, 0.0) / count if count else math.inf
    return sorted(candidates, key=lambda contestant: costs[contestant.model_id])


def _share(contestant: Contestant, tags: Sequence[str]) -> float:
    # Without topics, no model fits better than another.
    if not tags:
        return 1.0
    own_tags = contestant.manifest.routing.tags
    return sum(tag in own_tags for tag in tags) / len(tags)


def _refuse(contestant: Contestant, share: float, task: str | None, tokens: int) -> str:
    """Return why a model is not a candidate for a request; empty if it is."""
    manifest = contestant.manifest
    least = manifest.routing.recommended_min_confidence
    limit = manifest.io_contract.input.max_tokens
    if contestant.state not in STATES:
        return f"its state is {contestant.state}"
    # First, since it is the more precise reason.
    if task is not None and task in manifest.scope.non_scope:
        return f"the task {task} is what it is not for (non_scope)"
    if task is not None and task not in manifest.scope.tasks:
        return f"the task {task} is not in its scope"
    # A model that has none of the tags does not fit, whatever its manifest accepts.
    if share < least or share == 0:
        return f"it has {share:.0%} of the tags, and {max(least, 0.01):.0%} is the least"
    if tokens > limit:
        return f"the prompt has about {counted(tokens, 'token')}, and it takes {grouped(limit)}"
    return ""
