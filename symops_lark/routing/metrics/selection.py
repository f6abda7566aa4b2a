"""Select the winner: the candidate that passes with the highest reward, in any order of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from ...core.ground.json_objects import JsonObject, read_object
from ..errors import MetricError
from .metrics import check_number

_LARGEST = 1e300

# They decide between equal rewards, in this order; and the words for it.
_TIES = {"cost": "it costs less", "stable": "it is stable", "model_id": "its id is the first"}


@dataclass(frozen=True, slots=True)
class Candidate(JsonObject):
    """The reply of one model, for the selection.

    Attributes:
        model_id: The id of the model.
        passed: Whether the verifier accepts the reply.
        reward: The reward.
        cost: The normalized cost.
        stable: Whether the model is registered as stable.
    """

    model_id: str
    passed: bool
    reward: float
    cost: float
    stable: bool = False

    def __post_init__(self) -> None:
        check_number(self.cost, "cost", math.inf)
        reward = self.reward
        # A reward may be negative, which `check_number` refuses.
        is_number = isinstance(reward, int | float) and not isinstance(reward, bool)
        # A whole number may be larger than a float can be.
        if not is_number or not -_LARGEST < reward < _LARGEST:
            raise MetricError(f"the reward of {self.model_id} is {reward!r}; it is a finite number")
        if not isinstance(self.passed, bool) or not isinstance(self.stable, bool):
            raise MetricError(f"`passed` and `stable` of {self.model_id} are true or false")

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read the JSON object that `to_dict` returns; a wrong key raises `SymOpsError`."""
        return read_object(cls, data)


@dataclass(frozen=True, slots=True)
class Selection(JsonObject):
    """The result of a selection.

    Attributes:
        winner: The id of a model; None if no candidate passed.
        tie_break: What decided between equal rewards: "cost", "stable" or "model_id"; None if
            rewards differed.
        ranking: The candidates that passed, the best first.
    """

    winner: str | None
    tie_break: str | None = None
    ranking: tuple[Candidate, ...] = ()


def select_winner(candidates: Iterable[Candidate]) -> Selection:
    """Return the winner among the candidates that pass.

    The highest reward wins, then the lowest cost, then a stable model, then the first id.
    """
    ranking = sorted((candidate for candidate in candidates if candidate.passed), key=_rank)
    if not ranking:
        return Selection(None)
    best = ranking[0]
    tie_break = None
    if len(ranking) > 1 and ranking[1].reward == best.reward:
        differing = (name for name in _TIES if getattr(ranking[1], name) != getattr(best, name))
        # Two candidates with the same id, such as two tries, may be equal in everything.
        tie_break = next(differing, "model_id")
    return Selection(best.model_id, tie_break, tuple(ranking))


def explain_selection(selection: Selection, count: int) -> str:
    """Return why the winner won, among a number of candidates."""
    ranking = selection.ranking
    result = f"{len(ranking)} of {count} passed"
    if len(ranking) == 1:
        return f"{result}: the only one"
    result = f"{result}; its reward {ranking[0].reward:.3f} is"
    second = ranking[1]
    # The rewards differ.
    if selection.tie_break is None:
        return f"{result} the highest, before {second.reward:.3f} of {second.model_id}"
    reason = _TIES[selection.tie_break]
    return f"{result} that of {second.model_id} as well, and {reason}"


def _rank(candidate: Candidate) -> tuple[float, float, bool, str]:
    # All fields take part, so that the order of the candidates decides nothing.
    return -candidate.reward, candidate.cost, not candidate.stable, candidate.model_id
