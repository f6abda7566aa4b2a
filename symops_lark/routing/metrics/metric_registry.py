"""Keep the metrics by name, and the current one, by the events of changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import MetricError
from ..events import EvalMetricChange, Event
from .metrics import METRIC_V1, Metric


@dataclass(frozen=True)
class MetricRegistry:
    """The metrics, never changed in place.

    A name keeps its weights forever. Each change has a higher epoch than all before it.

    Attributes:
        metrics: The metrics by name.
        current: The name of the current metric.
        epoch: The number of the last change; 0 before the first.
    """

    metrics: Mapping[str, Metric] = field(default_factory=lambda: {METRIC_V1.name: METRIC_V1})
    current: str = METRIC_V1.name
    epoch: int = 0

    def __getitem__(self, name: str) -> Metric:
        if name not in self.metrics:
            names = ", ".join(self.metrics)
            raise MetricError(f"no metric is called {name!r}; there are {names}")
        return self.metrics[name]

    def add(self, metric: Metric) -> MetricRegistry:
        """Return the registry with one more metric.

        Raises:
            MetricError: Its name has other weights already.
        """
        existing = self.metrics.get(metric.name, metric)
        # Rows of a log have the name: with other weights, their rewards would be wrong.
        if existing != metric:
            raise MetricError(
                f"{metric.name} has other weights already ({existing.params}): give the new "
                "metric a new name"
            )
        return MetricRegistry({**self.metrics, metric.name: metric}, self.current, self.epoch)

    def change(self, name: str) -> tuple[MetricRegistry, EvalMetricChange]:
        """Return the registry with another current metric, and the event of the change."""
        event = EvalMetricChange(self.current, name, self.epoch + 1)
        return self.replay([event]), event

    def replay(self, events: Iterable[Event]) -> MetricRegistry:
        """Return the registry after some events.

        Raises:
            MetricError: A change does not follow from the one before it.
        """
        current = self.current
        epoch = self.epoch
        # A log also has events of other kinds.
        for event in events:
            if not isinstance(event, EvalMetricChange):
                continue
            # An older event that is replayed again has an epoch of the past.
            if event.epoch <= epoch:
                raise MetricError(
                    f"the change to {event.new_metric} has the epoch {event.epoch}, after epoch "
                    f"{epoch}"
                )
            if event.old_metric != current:
                raise MetricError(
                    f"epoch {event.epoch} changes {event.old_metric}, but {current} was the "
                    "metric before"
                )
            # This also raises the error for an unknown name.
            if self[event.new_metric].name == current:
                raise MetricError(f"epoch {event.epoch} changes {current} to itself")
            current = event.new_metric
            epoch = event.epoch
        return MetricRegistry(self.metrics, current, epoch)
