"""The front of Pareto: who is beaten by nobody in cost and in quality at once."""

from __future__ import annotations

from collections.abc import Sequence

from ..tallies import Key, Tally


def find_front(tallies: Sequence[Tally]) -> set[Key]:
    """Return those whom no other one beats: at most as costly, at least as often passing, and one of it truly."""
    points = {tally.key: (tally.sums.mean_cost, tally.pass_rate.value or 0.0) for tally in tallies}
    return {
        key
        for key, (cost, quality) in points.items()
        if not any(c <= cost and q >= quality and (c, q) != (cost, quality) for c, q in points.values())
    }
