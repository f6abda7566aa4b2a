"""Collect the content of a report: the figures of a log and the events of a registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..logs.tallies import Key, Tally
from ..logs.verification import LogReport
from ..registry.registry import Registry
from ..registry.registry_events import Happening, Model


@dataclass(frozen=True, slots=True)
class RoutingReport:
    """The content of a report.

    Attributes:
        log: The log, which was verified.
        models: The models of the registry; empty without one.
        events: The events of the registry; empty without one.
    """

    log: LogReport
    models: tuple[Model, ...] = ()
    events: tuple[Happening, ...] = ()

    @classmethod
    def of(cls, log: LogReport, registry: Registry | None = None) -> RoutingReport:
        """Return the report on a log, with the content of a registry."""
        if registry is None:
            return cls(log)
        return cls(log, tuple(registry.models()), tuple(registry.history()))

    @property
    def metrics(self) -> list[str]:
        """The metrics of the log; rewards by different ones are never in one table."""
        return sorted({tally.key.metric for tally in self.log.tallies})

    def tallies(self, metric: str) -> list[Tally]:
        """Return the results of the models under a metric."""
        return [tally for tally in self.log.tallies if tally.key.metric == metric]

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as a JSON object."""
        over_time = {}
        for tally in self.log.tallies:
            periods = {}
            for time, sums in sorted(tally.periods.sums.items()):
                periods[time] = {
                    "rows": sums.rows,
                    "passes": sums.passes,
                    "mean_reward": sums.mean_reward,
                }
            key = tally.key
            over_time[f"{key.model_id}@{key.version} {key.metric}"] = periods
        return {
            **self.log.to_dict(),
            "over_time": over_time,
            "registered": list(map(Model.to_dict, self.models)),
            "events": list(map(Happening.to_dict, self.events)),
        }


def point_of(tally: Tally) -> tuple[float, float]:
    """Return the mean cost of a model, and its rate of passes."""
    return tally.sums.mean_cost, tally.pass_rate.value or 0.0


def find_front(tallies: Sequence[Tally]) -> set[Key]:
    """Return the models that no other one beats.

    One beats another if it costs at most as much and passes at least as often, and is better in one
    of the two.
    """
    points = {tally.key: point_of(tally) for tally in tallies}
    front = set()
    for key, point in points.items():
        rivals = {
            second for second in points.values() if second[0] <= point[0] and second[1] >= point[1]
        }
        # Models with the same point do not beat each other.
        if rivals == {point}:
            front.add(key)
    return front
