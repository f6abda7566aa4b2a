"""Compare the router with the best single model and an oracle, on the contests of a log.

A contest is a complete run in which at least two models competed. The *router* asks all of them,
and serves the winner or a fallback. The *best single* model is the one that passes most often.
The *oracle* asks the right model at once: the cheapest one that passed, else the cheapest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...lab.measuring.statistics import Rate
from .rows import Row

_FINE = 10**9  # sums are of whole numbers, so that the order of rows does not matter


@dataclass(slots=True)
class Choice:
    """Results of one way to choose a model.

    Attributes:
        runs: The number of contests.
        passes: In how many of them a reply passed.
        calls: How many models were asked.
    """

    runs: int = 0
    passes: int = 0
    calls: int = 0
    _cost: int = 0

    def add(self, asked: Sequence[Row], passed: bool) -> None:
        """Count a contest.

        Args:
            asked: The rows of the models that are asked.
            passed: Whether a reply passes.
        """
        self.runs += 1
        self.passes += passed
        self.calls += len(asked)
        self._cost += sum(round(row.cost * _FINE) for row in asked)

    def merge(self, other: Choice) -> None:
        """Add the contests of another part of the log.

        Args:
            other: Its results.
        """
        self.runs += other.runs
        self.passes += other.passes
        self.calls += other.calls
        self._cost += other._cost

    @property
    def pass_rate(self) -> Rate:
        """In how many contests a reply passed."""
        return Rate(self.passes, self.runs)

    @property
    def mean_calls(self) -> float:
        """The number of calls for a request, in the mean."""
        return self.calls / self.runs if self.runs else 0.0

    @property
    def mean_cost(self) -> float:
        """The cost of a request, in the mean."""
        return self._cost / self.runs / _FINE if self.runs else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a JSON object."""
        return {
            "runs": self.runs,
            "pass_rate": self.pass_rate.to_dict(),
            "mean_calls": self.mean_calls,
            "mean_cost": self.mean_cost,
        }


@dataclass(slots=True)
class Comparison:
    """The ways to choose a model, on the same contests under one metric."""

    router: Choice = field(default_factory=Choice)
    oracle: Choice = field(default_factory=Choice)
    singles: dict[tuple[str, str], Choice] = field(default_factory=dict)

    def add(self, rows: Sequence[Row], winner: str | None) -> None:
        """Count a contest.

        Args:
            rows: The rows of the run, those of fallbacks included.
            winner: Who won it.
        """
        competing = [row for row in rows if row.competes]
        served = any(row.passed for row in rows if not row.competes)
        self.router.add(rows, winner is not None or served)
        # Without a right model, the oracle at least saves costs.
        passing = [row for row in competing if row.passed]
        # Of equally cheap ones, the first in the order of the rows.
        cheapest = min(passing or competing, key=lambda row: row.cost)
        self.oracle.add([cheapest], bool(passing))
        for row in competing:
            name = (row.model_id, row.version)
            single = self.singles.setdefault(name, Choice())
            single.add([row], row.passed)

    def merge(self, other: Comparison) -> None:
        """Add the contests of another part of the log.

        Args:
            other: Its results.
        """
        self.router.merge(other.router)
        self.oracle.merge(other.oracle)
        for key, choice in other.singles.items():
            self.singles.setdefault(key, Choice()).merge(choice)

    def find_best(self) -> tuple[tuple[str, str], Choice]:
        """Return the model and version with the most passes.

        If several have the same number, it is the cheapest, then the first by name.
        """
        return min(
            self.singles.items(), key=lambda item: (-item[1].passes, item[1].mean_cost, item[0])
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a JSON object."""
        (model_id, version), best = self.find_best()
        return {
            "router": self.router.to_dict(),
            "best_single": {"model_id": model_id, "version": version, **best.to_dict()},
            "oracle": self.oracle.to_dict(),
        }
