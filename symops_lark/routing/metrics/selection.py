"""Who wins: of the candidates that pass, the one with the highest reward; the order of candidates decides nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from ...core.ground.json_objects import JsonObject, read_object
from ..errors import MetricError
from .metrics import check_number

_TIES = ("cost", "stable", "model_id")  # what decides between equal rewards, in this order


@dataclass(frozen=True, slots=True)
class Candidate(JsonObject):
    """What is known of one model's reply when the winner is chosen; `stable` says how the model is registered."""

    model_id: str
    passed: bool
    reward: float
    cost: float
    stable: bool = False

    def __post_init__(self) -> None:
        check_number(self.cost, "cost", math.inf)
        reward = self.reward
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not math.isfinite(reward):
            raise MetricError(f"the reward of {self.model_id} is {reward!r}; it is a finite number")
        if not isinstance(self.passed, bool) or not isinstance(self.stable, bool):
            raise MetricError(f"`passed` and `stable` of {self.model_id} are true or false")

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read what `to_dict` wrote; raise `SymOpsError` with the key for anything else."""
        return read_object(cls, data)


@dataclass(frozen=True, slots=True)
class Selection(JsonObject):
    """Who won: `winner` is a model's id, None if no candidate passed.

    `tie_break` is what decided between equal rewards: "cost", "stable" or "model_id"; None if rewards differed.
    `ranking` are the candidates that passed, the best first.
    """

    winner: str | None
    tie_break: str | None = None
    ranking: tuple[Candidate, ...] = ()


def select_winner(candidates: Iterable[Candidate]) -> Selection:
    """Return who wins: the highest reward among those that pass, then the lowest cost, then stable, then the id."""
    ranking = tuple(sorted((each for each in candidates if each.passed), key=_rank))
    if not ranking:
        return Selection(None)
    best, tie = ranking[0], None
    if len(ranking) > 1 and ranking[1].reward == best.reward:
        tie = next((name for name in _TIES if getattr(ranking[1], name) != getattr(best, name)), _TIES[-1])
    return Selection(best.model_id, tie, ranking)


def _rank(candidate: Candidate) -> tuple[float, float, bool, str]:
    return -candidate.reward, candidate.cost, not candidate.stable, candidate.model_id
