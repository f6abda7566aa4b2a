"""Which metrics there are and which one holds, as the events of changes say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import MetricError
from ..events import EvalMetricChange, Event
from .metrics import METRIC_V1, Metric


@dataclass(frozen=True)
class MetricRegistry:
    """The metrics by name, and which one holds; never changed in place.

    Laws: a name keeps its weights for ever; each change has an epoch above all before it.
    """

    metrics: Mapping[str, Metric] = field(default_factory=lambda: {METRIC_V1.name: METRIC_V1})
    current: str = METRIC_V1.name
    epoch: int = 0

    def __getitem__(self, name: str) -> Metric:
        if name not in self.metrics:
            raise MetricError(f"no metric is called {name!r}; there are {', '.join(self.metrics)}")
        return self.metrics[name]

    def add(self, metric: Metric) -> MetricRegistry:
        """Return the registry with one more metric; raise `MetricError` if its name has other weights already."""
        known = self.metrics.get(metric.name, metric)
        if known != metric:
            raise MetricError(
                f"{metric.name} has other weights already ({known.params}): give the new metric a new name"
            )
        return MetricRegistry({**self.metrics, metric.name: metric}, self.current, self.epoch)

    def change(self, name: str) -> tuple[MetricRegistry, EvalMetricChange]:
        """Return the registry in which another metric holds, and the event that says so."""
        event = EvalMetricChange(self.current, name, self.epoch + 1)
        return self.replay([event]), event

    def replay(self, events: Iterable[Event]) -> MetricRegistry:
        """Return the registry after some events; raise `MetricError` where a change does not follow from the last."""
        current, epoch = self.current, self.epoch
        for event in events:
            if not isinstance(event, EvalMetricChange):
                continue
            if event.epoch <= epoch:
                raise MetricError(f"the change to {event.new_metric} has the epoch {event.epoch}, after epoch {epoch}")
            if event.old_metric != current:
                raise MetricError(f"epoch {event.epoch} changes {event.old_metric}, but {current} held before")
            if self[event.new_metric].name == current:
                raise MetricError(f"epoch {event.epoch} changes {current} to itself")
            current, epoch = event.new_metric, event.epoch
        return MetricRegistry(self.metrics, current, epoch)
