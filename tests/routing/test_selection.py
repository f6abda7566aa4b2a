"""Who wins, in whatever order the candidates come."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.routing import Candidate, MetricError, Selection, select_winner

FEW = st.sampled_from([0.0, 0.1, 1.0])  # so that there are ties
CANDIDATES = st.lists(
    st.builds(Candidate, st.sampled_from("abcdef"), st.booleans(), FEW, FEW, st.booleans()),
    max_size=6,
    unique_by=lambda candidate: candidate.model_id,
)


@given(CANDIDATES, st.randoms(use_true_random=False))
def test_the_order_of_candidates_decides_nothing(candidates: list[Candidate], chance: Any) -> None:
    shuffled = candidates[:]
    chance.shuffle(shuffled)
    assert select_winner(shuffled) == select_winner(candidates)


@given(CANDIDATES)
def test_the_winner_passes_and_nobody_that_passes_is_better(candidates: list[Candidate]) -> None:
    chosen = select_winner(candidates)
    passing = [c for c in candidates if c.passed]
    assert (chosen.winner is None) == (not passing)
    if passing:
        best = next(c for c in passing if c.model_id == chosen.winner)
        for item in passing:
            assert (best.reward, -best.cost, best.stable) >= (item.reward, -item.cost, item.stable)
        equals = [c for c in passing if c.reward == best.reward]
        assert (chosen.tie_break is None) == (len(equals) == 1)


@given(CANDIDATES)
def test_who_fails_changes_nothing(candidates: list[Candidate]) -> None:
    failing = Candidate("zzz", False, 100.0, 0.0, True)
    assert select_winner([*candidates, failing]) == select_winner(candidates)


@pytest.mark.parametrize(
    ("other", "winner", "tie_break"),
    [
        (Candidate("b", True, 0.9, 0.0, True), "a", None),
        (Candidate("b", True, 1.0, 0.1, False), "b", "cost"),
        (Candidate("b", True, 1.0, 0.2, True), "b", "stable"),
        (Candidate("b", True, 1.0, 0.2, False), "a", "model_id"),
        (Candidate("b", False, 9.0, 0.0, True), "a", None),
    ],
)
def test_ties_are_broken_in_this_order(other: Candidate, winner: str, tie_break: str | None) -> None:
    chosen = select_winner([Candidate("a", True, 1.0, 0.2, False), other])
    assert (chosen.winner, chosen.tie_break) == (winner, tie_break)


def test_nobody_wins_where_nobody_passes() -> None:
    assert select_winner([]) == select_winner([Candidate("a", False, 1.0, 0.0, True)]) == Selection(None)


@pytest.mark.parametrize("reward", [math.nan, math.inf, True, "1", None, 10**400, -(10**400)])
def test_a_reward_is_a_finite_number(reward: Any) -> None:
    with pytest.raises(MetricError, match="reward"):
        Candidate("a", True, reward, 0.0, False)


@pytest.mark.parametrize("cost", [math.nan, math.inf, -0.1, True, None])
def test_a_cost_is_a_finite_number_from_0(cost: Any) -> None:
    with pytest.raises(MetricError, match="cost"):
        Candidate("a", True, 1.0, cost, False)


def test_candidates_and_selections_are_json() -> None:
    first = Candidate("a", True, 1.0, 0.2, True)
    assert Candidate.from_dict(first.to_dict()) == first
    assert select_winner([first]).to_dict() == {"winner": "a", "tie_break": None, "ranking": [first.to_dict()]}
