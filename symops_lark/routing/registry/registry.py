"""The registry: the versions of models, which of them are stable, and how that came about.

Invariants:

1. Events are only ever added. The models result from the events, and can be built from them again.
2. If two processes make the same change at the same time, it happens once.
3. A change by a program that does not know the marks of the file is noticed (`store`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from ...core.ground.members import as_member
from ..errors import MetricError, RoutingError
from ..events import EvalMetricChange, ModelAddRequest, now
from ..logs.chain import Chain, Head
from ..manifests.manifest import Manifest
from ..manifests.supply_chain import Link, Status, SupplyChain, check_supply_chain
from ..metrics.metric_registry import MetricRegistry
from ..metrics.metrics import Metric, read_metric
from .promotion import Evidence
from .registry_events import (
    LOG_HEAD,
    METRIC_ADDED,
    METRIC_CHANGED,
    MODEL_AUDITED,
    MODEL_CHECKED,
    MODEL_DEMOTED,
    MODEL_PROMOTED,
    MODEL_REGISTERED,
    MODEL_WANTED,
    Happening,
    Model,
    State,
    advance,
    read_moment,
)
from .store import Store
from .tables import MIGRATIONS as MIGRATIONS


class Registry(Store):
    """A registry in a file. Use it in a `with`, or close it.

    The file is created, unless `create` is False.
    """

    # ---- read

    def models(self, state: State | None = None) -> list[Model]:
        """Return the versions of all models, or those in a state.

        They are in the order of the names, and the versions in the order of registration.
        """
        state = None if state is None else as_member(State, state, "state")
        with self._errors():
            rows = self._database.execute("SELECT model, mark FROM models").fetchall()
        models = [self._load(text, mark) for text, mark in rows]
        return _sorted(model for model in models if state in (None, model.state))

    def find(self, model_id: str, version: str | None = None) -> Model:
        """Return a version of a model, by default the newest.

        Raises:
            RoutingError: It is not registered.
        """
        versions = [model for model in self.models() if model.model_id == model_id]
        matches = [model for model in versions if version in (None, model.version)]
        # In the order of registration, so the last one is the newest.
        if matches:
            return matches[-1]
        name = model_id if version is None else f"{model_id}@{version}"
        names = ", ".join(model.version for model in versions)
        hint = f"; there are {names}" if names else ""
        raise RoutingError(f"{self.path}: {name} is not registered{hint}")

    def history(self, model_id: str | None = None) -> list[Happening]:
        """Return all events, or those of a model, in order."""
        return [event for event in self._events() if model_id in (None, event.model_id)]

    def at(self, moment: str) -> list[Model]:
        """Return the models at a time, or at the end of a day in UTC.

        Args:
            moment: Such as `2026-01-31T12:00:00Z`, or `2026-01-31`.
        """
        last = read_moment(moment)
        # The texts are compared, and for a day only the dates.
        events = self._events()
        return _sorted(self._replay(event for event in events if event.at[: len(last)] <= last))

    def metrics(self) -> MetricRegistry:
        """Return the metrics that were added, and the current one."""
        metrics = MetricRegistry()
        for event in self._events():
            try:
                if event.kind == METRIC_ADDED:
                    metrics = metrics.add(_read_metric(event))
                elif event.kind == METRIC_CHANGED:
                    metrics = metrics.replay([event.told()])
            except MetricError as error:
                raise self._damaged(f"event {event.number}: {error}") from None
        return metrics

    def log_heads(self, log: str | os.PathLike[str]) -> list[Head]:
        """Return the last rows that a run log had when the registry saw it.

        Args:
            log: The path of the log.
        """
        path = os.path.abspath(log)
        # Logs are compared by their absolute paths, as they were recorded.
        rows = [(event.at, event.told()) for event in self._events() if event.kind == LOG_HEAD]
        return [
            Head(row.head, row.row, f"{self.path} on {at}") for at, row in rows if row.log == path
        ]

    # ---- change

    def register(self, manifest: Manifest, supply_chain: SupplyChain | None = None) -> Model:
        """Add a version of a model as experimental. If it was added before, nothing changes.

        Args:
            manifest: Its manifest.
            supply_chain: The result of the check of its files. By default they are checked now.

        Raises:
            RoutingError: The files are not those of the manifest, or the version is registered
                with another manifest.
        """
        supply_chain = supply_chain or check_supply_chain(manifest)
        # Links that were not checked, for example without a network, are accepted.
        reasons = "; ".join(link.told for link in _wrong_links(supply_chain))
        if reasons:
            raise RoutingError(f"{manifest.name} cannot be registered: {reasons}")
        key = manifest.model_id, manifest.version
        data = {
            "manifest": manifest.to_dict(),
            "file": str(Path(manifest.file).absolute()) if manifest.file else "",
            "supply_chain": supply_chain.to_dict(),
        }
        with self._writing():
            model = self._read(key)
            if model is None:
                return self._add(MODEL_REGISTERED, key, data)
            # As JSON has it: tuples are lists there.
            if model.manifest != json.loads(json.dumps(data["manifest"])):
                raise RoutingError(
                    f"{self.path}: {manifest.name} is registered with another manifest, since "
                    f"{model.registered}: what has changed needs a new version"
                )
            return model

    def record_log(self, log: str | os.PathLike[str], chain: Chain) -> None:
        """Record the last row of a run log, so that a log that is cut or rewritten is noticed.

        Args:
            log: The path of the log.
            chain: `LogReport.chain`; without a row nothing is recorded.
        """
        with self._writing():
            self._record_head(log, chain.last, chain.head)

    def _record_head(self, log: str | os.PathLike[str], row: int | None, head: str) -> None:
        # The same row is recorded once.
        if row is not None and head not in [last.hash for last in self.log_heads(log)]:
            self._note(LOG_HEAD, {"log": os.path.abspath(log), "row": row, "head": head})

    def record_supply_chain(self, model_id: str, version: str, supply_chain: SupplyChain) -> Model:
        """Record a check of a model's files; a stable version with wrong files is demoted.

        Args:
            model_id: The model.
            version: Its version.
            supply_chain: The result of the check.
        """
        with self._writing():
            model = self._add(
                MODEL_CHECKED, (model_id, version), {"supply_chain": supply_chain.to_dict()}
            )
            wrong_links = _wrong_links(supply_chain)
            if not wrong_links:
                return model
            reasons = [f"{link.name}: {link.status}: {link.told}" for link in wrong_links]
            return self._demote(model, f"supply chain: {'; '.join(reasons)}")

    def record_audit(
        self, model_id: str, version: str, passed: bool, result: Mapping[str, Any] | None = None
    ) -> Model:
        """Record an audit; a stable version that failed it is demoted.

        Args:
            model_id: The model.
            version: Its version.
            passed: Whether it passed.
            result: Further results, which JSON can express.
        """
        data = {"passed": passed, "result": dict(result or {})}
        with self._writing():
            model = self._add(MODEL_AUDITED, (model_id, version), data)
            # An experimental version is left as it is, too.
            return model if passed else self._demote(model, "the audit failed")

    def promote(self, evidence: Evidence) -> Model:
        """Make a version stable. If it is stable, nothing changes.

        Raises:
            RoutingError: The evidence is not sufficient, or the last audit failed.
        """
        if not evidence.eligible:
            name = f"{evidence.model_id}@{evidence.version}"
            raise RoutingError(f"{name} cannot be promoted: {'; '.join(evidence.reasons)}")
        with self._writing():
            model = self._expect((evidence.model_id, evidence.version))
            # None: there was no audit, which is not necessary.
            if model.audit is False:
                raise RoutingError(f"{model.name} cannot be promoted: its last audit failed")
            if model.state is State.STABLE:
                return model
            # From now on, the rows that the promotion rests on cannot be removed unnoticed.
            self._record_head(evidence.log, evidence.row, evidence.head)
            return self._add(MODEL_PROMOTED, model.key, {"evidence": evidence.to_dict()})

    def review(self, evidence: Evidence, supply_chain: SupplyChain) -> Model:
        """Promote or demote a version, or leave it, by the evidence.

        A change of the check of its files is recorded. A version whose last audit failed is not
        promoted.
        """
        model = self._expect((evidence.model_id, evidence.version))
        # An unchanged result is not recorded again.
        if supply_chain.ok != model.supply_chain:
            model = self.record_supply_chain(*model.key, supply_chain)
        if model.state is State.STABLE and evidence.demotions:
            return self.demote(*model.key, "; ".join(evidence.demotions), evidence)
        if model.state is State.EXPERIMENTAL and evidence.eligible and model.audit is not False:
            return self.promote(evidence)
        return model

    def demote(
        self, model_id: str, version: str, reason: str, evidence: Evidence | None = None
    ) -> Model:
        """Make a stable version experimental. If it is not stable, nothing changes.

        Args:
            model_id: The model.
            version: Its version.
            reason: The reason, as a text for people.
            evidence: The evidence, if there is any.
        """
        with self._writing():
            return self._demote(self._expect((model_id, version)), reason, evidence)

    def add_metric(self, metric: Metric) -> None:
        """Add a metric; raises `MetricError` if its name has other weights already."""
        with self._writing():
            metrics = self.metrics()
            # The same metric may be added again.
            if metrics.add(metric).metrics != metrics.metrics:
                self._note(METRIC_ADDED, {"name": metric.name, "params": metric.params})

    def change_metric(self, name: str) -> EvalMetricChange:
        """Change the current metric; raises `MetricError` if it is unknown, or current already."""
        with self._writing():
            event = replace(self.metrics().change(name)[1], timestamp=now())
            data = event.to_dict()
            # The same as the kind.
            del data["event"]
            self._note(METRIC_CHANGED, data)
            return event

    def request_model(self, request: ModelAddRequest) -> None:
        """Record that a model is missing."""
        with self._writing():
            self._note(MODEL_WANTED, request.to_dict())

    def rebuild(self) -> bool:
        """Build all models from the events again; return whether nothing has changed by that."""
        with self._writing():
            before = None
            # A model that was changed by another program is repaired by this.
            with suppress(RoutingError):
                before = self.models()
            self._build()
            return before == self.models()

    # ---- private

    def _add(self, kind: str, key: tuple[str, str], data: Mapping[str, Any]) -> Model:
        """Add an event of a model, and return the model after it."""
        before = None if kind == MODEL_REGISTERED else self._expect(key)
        model = advance(before, self._note(kind, data, key))
        self._write(model)
        return model

    def _demote(self, model: Model, reason: str, evidence: Evidence | None = None) -> Model:
        if model.state is not State.STABLE:
            return model
        further = {} if evidence is None else {"evidence": evidence.to_dict()}
        return self._add(MODEL_DEMOTED, model.key, {"reason": reason, **further})

    def _expect(self, key: tuple[str, str]) -> Model:
        # It is not there: `find` raises the error, which names the known versions.
        return self._read(key) or self.find(*key)


def _read_metric(event: Happening) -> Metric:
    data = event.told()
    metric = read_metric(data.name, data.params)
    if not isinstance(metric, Metric):
        raise MetricError("a mixed metric consists of other metrics, and is not added")
    return metric


def _wrong_links(supply_chain: SupplyChain) -> list[Link]:
    """Return the links whose files are missing or differ."""
    return [link for link in supply_chain.links if link.status in (Status.MISMATCH, Status.MISSING)]


def _sorted(models: Iterable[Model]) -> list[Model]:
    return sorted(models, key=attrgetter("model_id", "registered", "version"))
