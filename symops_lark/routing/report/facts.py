"""What a report is made of: all that a log and a registry say, and their figures as JSON."""

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
    """What a report is made of: a log that was verified, and the models and events of a registry, if there is one."""

    log: LogReport
    models: tuple[Model, ...] = ()
    events: tuple[Happening, ...] = ()

    @classmethod
    def of(cls, log: LogReport, registry: Registry | None = None) -> RoutingReport:
        """Return the report on a log, with what a registry has."""
        if registry is None:
            return cls(log)
        return cls(log, tuple(registry.models()), tuple(registry.history()))

    @property
    def metrics(self) -> list[str]:
        """The metrics of the log; rewards by different ones are never in one table."""
        return sorted({tally.key.metric for tally in self.log.tallies})

    def tallies(self, metric: str) -> list[Tally]:
        """Return what the models did under a metric."""
        return [tally for tally in self.log.tallies if tally.key.metric == metric]

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as a JSON object."""
        periods = {
            f"{tally.key.model_id}@{tally.key.version} {tally.key.metric}": {
                time: {"rows": sums.rows, "passes": sums.passes, "mean_reward": sums.mean_reward}
                for time, sums in sorted(tally.periods.sums.items())
            }
            for tally in self.log.tallies
        }
        models, events = ([each.to_dict() for each in given] for given in (self.models, self.events))
        return {**self.log.to_dict(), "over_time": periods, "registered": models, "events": events}


def find_front(tallies: Sequence[Tally]) -> set[Key]:
    """Return those whom no other one beats: at most as costly, at least as often passing, and one of it truly."""
    points = {tally.key: (tally.sums.mean_cost, tally.pass_rate.value or 0.0) for tally in tallies}
    return {
        key
        for key, (cost, quality) in points.items()
        if not any(c <= cost and q >= quality and (c, q) != (cost, quality) for c, q in points.values())
    }
