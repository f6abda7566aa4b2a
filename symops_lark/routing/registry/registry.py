"""The registry: which versions of which models there are, which are stable, and how that came about.

Laws: events are only ever added; what the registry says is what its events say, and is built again from them; of two
processes that say the same at once, one is heard. A SQLite file with a rollback journal: a registry on a disk that
cannot be written to can be read, and a killed writer leaves all of a change or nothing. Each event has a mark, the
hash of what it says and of the mark before it, and each model one of its own: what was changed from outside is told.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from ...core.ground.members import as_member
from ..errors import MetricError, RoutingError
from ..events import EvalMetricChange, ModelAddRequest, hash_text, now
from ..logs.chain import Chain, Head
from ..manifests.manifest import Manifest
from ..manifests.supply_chain import Status, SupplyChain, check_supply_chain
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
    replay,
)
from .tables import EXPLANATIONS, READ_EVENTS
from .tables import MIGRATIONS as MIGRATIONS

_APPLICATION, _PATIENCE = 0x53594D52, 30.0  # "SYMR"; seconds for which another writer is waited for


class Registry:
    """A registry in a file, which is made unless `create` is off; to be closed, or used in a `with`.

    Raises `RoutingError` where the file is none, is of a newer release, or cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = Path(path)
        address = f"file:{quote(str(self.path.absolute()))}?mode={'rwc' if create else 'rw'}"
        if not create and not self.path.exists():
            raise RoutingError(f"{self.path}: there is no registry: `symops route register` makes one")
        with self._errors():
            self._database = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
        try:
            with self._errors():
                self._database.execute("PRAGMA trusted_schema = OFF")
                self._migrate()
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- what there is

    def models(self, state: State | None = None) -> list[Model]:
        """Return the versions of all models, or those in a state, by name and in the order of registration."""
        state = None if state is None else as_member(State, state, "state")
        with self._errors():
            rows = self._database.execute("SELECT model, mark FROM models").fetchall()
        found = [self._load(text, mark) for text, mark in rows]
        return _sorted(model for model in found if state in (None, model.state))

    def find(self, model_id: str, version: str | None = None) -> Model:
        """Return a version of a model, without one the only or the newest; raise `RoutingError` if there is none."""
        known = [model for model in self.models() if model.model_id == model_id]
        found = [model for model in known if version in (None, model.version)]
        if not found:
            there = f"; there are {', '.join(model.version for model in known)}" if known else ""
            name = model_id if version is None else f"{model_id}@{version}"
            raise RoutingError(f"{self.path}: {name} is not registered{there}")
        return found[-1]

    def history(self, model_id: str | None = None) -> list[Happening]:
        """Return all that happened, or what happened to a model, in its order."""
        return [event for event in self._events() if model_id in (None, event.model_id)]

    def at(self, moment: str) -> list[Model]:
        """Return the models as they were at a time, `2026-01-31T12:00:00Z`, or when a day (UTC) ended, `2026-01-31`.

        Raises `RoutingError` for what is no time.
        """
        last = read_moment(moment)
        return _sorted(self._replay(event for event in self._events() if event.at[: len(last)] <= last))

    def metrics(self) -> MetricRegistry:
        """Return the metrics that were made known, and the one that holds."""
        found = MetricRegistry()
        for event in self._events():
            try:
                if event.kind == METRIC_ADDED:
                    told = event.told()
                    made = read_metric(told.name, told.params)
                    if not isinstance(made, Metric):
                        raise MetricError("a mixed metric is made of others, and not added")
                    found = found.add(made)
                elif event.kind == METRIC_CHANGED:
                    found = found.replay([event.told()])
            except MetricError as error:
                raise self._damaged(f"event {event.number}: {error}") from None
        return found

    def log_heads(self, log: str | os.PathLike[str]) -> list[Head]:
        """Return the last rows that a run log had when the registry saw it.

        Args:
            log: The path of the log.
        """
        seen = [(event.at, event.told()) for event in self._events() if event.kind == LOG_HEAD]
        path = os.path.abspath(log)
        return [Head(told.head, told.row, f"{self.path} on {at}") for at, told in seen if told.log == path]

    # ---- what happens

    def register(self, manifest: Manifest, supply_chain: SupplyChain | None = None) -> Model:
        """Make a version of a model known, as experimental; what is known already, and the same, stays as it is.

        Without a `supply_chain`, the files beside the manifest are looked at now.

        Raises `RoutingError` if its files are not those of the manifest, or if this version is registered with another
        manifest.
        """
        found = supply_chain or check_supply_chain(manifest)
        if bad := [link for link in found.links if link.status in (Status.MISMATCH, Status.MISSING)]:
            raise RoutingError(f"{manifest.name} cannot be registered: " + "; ".join(link.told for link in bad))
        key = manifest.model_id, manifest.version
        data = {
            "manifest": manifest.to_dict(),
            "file": str(Path(manifest.file).absolute()) if manifest.file else "",
            "supply_chain": found.to_dict(),
        }
        with self._writing():
            known = self._read(*key)
            if known is None:
                return self._add(MODEL_REGISTERED, *key, data)
            if known.manifest != json.loads(json.dumps(data["manifest"])):
                raise RoutingError(
                    f"{self.path}: {manifest.name} is registered with another manifest, since {known.registered}: what "
                    "has changed needs a new version"
                )
            return known

    def record_log(self, log: str | os.PathLike[str], chain: Chain) -> None:
        """Take note of the last row of a run log, so that a log that is cut or rewritten later is noticed.

        Args:
            log: The path of the log.
            chain: `LogReport.chain`; without a row nothing is noted.
        """
        with self._writing():
            self._record_head(log, chain.last, chain.head)

    def _record_head(self, log: str | os.PathLike[str], row: int | None, head: str) -> None:
        if row is not None and all(seen.hash != head for seen in self.log_heads(log)):
            self._note(LOG_HEAD, "", "", {"log": os.path.abspath(log), "row": row, "head": head})

    def record_supply_chain(self, model_id: str, version: str, supply_chain: SupplyChain) -> Model:
        """Take note of what a model's files were found to be; one that is stable and something else is demoted."""
        with self._writing():
            model = self._add(MODEL_CHECKED, model_id, version, {"supply_chain": supply_chain.to_dict()})
            bad = [link for link in supply_chain.links if link.status in (Status.MISMATCH, Status.MISSING)]
            told = "; ".join(f"{link.name}: {link.status}: {link.told}" for link in bad)
            return self._demote(model, f"supply chain: {told}") if bad else model

    def record_audit(self, model_id: str, version: str, passed: bool, result: Mapping[str, Any] | None = None) -> Model:
        """Take note of an audit; a stable version that failed it is demoted."""
        with self._writing():
            model = self._add(MODEL_AUDITED, model_id, version, {"passed": passed, "result": dict(result or {})})
            return model if passed else self._demote(model, "the audit failed")

    def promote(self, evidence: Evidence) -> Model:
        """Make a version stable; one that is so already stays so.

        Raises `RoutingError` if the evidence does not suffice, or if an audit was failed since the model was registered
        and not passed again.
        """
        if not evidence.eligible:
            name = f"{evidence.model_id}@{evidence.version}"
            raise RoutingError(f"{name} cannot be promoted: {'; '.join(evidence.reasons)}")
        with self._writing():
            model = self._expect(evidence.model_id, evidence.version)
            if model.audit is False:
                raise RoutingError(f"{model.name} cannot be promoted: its last audit failed")
            if model.state is State.STABLE:
                return model
            self._record_head(evidence.log, evidence.row, evidence.head)
            return self._add(MODEL_PROMOTED, *model.key, {"evidence": evidence.to_dict()})

    def review(self, evidence: Evidence, supply_chain: SupplyChain) -> Model:
        """Promote, demote or leave a version, by what is known of it; an event tells what its files were found to be.

        Who is eligible and failed its last audit is left as it is.
        """
        model = self._expect(evidence.model_id, evidence.version)
        if supply_chain.ok != model.supply_chain:
            model = self.record_supply_chain(*model.key, supply_chain)
        if model.state is State.STABLE and evidence.demotions:
            return self.demote(*model.key, "; ".join(evidence.demotions), evidence)
        if model.state is State.EXPERIMENTAL and evidence.eligible and model.audit is not False:
            return self.promote(evidence)
        return model

    def demote(self, model_id: str, version: str, reason: str, evidence: Evidence | None = None) -> Model:
        """Make a stable version experimental again; another one stays as it is."""
        with self._writing():
            return self._demote(self._expect(model_id, version), reason, evidence)

    def add_metric(self, metric: Metric) -> None:
        """Make a metric known; raise `MetricError` if its name has other weights already."""
        with self._writing():
            known = self.metrics()
            if known.add(metric).metrics != known.metrics:
                self._note(METRIC_ADDED, "", "", {"name": metric.name, "params": metric.params})

    def change_metric(self, name: str) -> EvalMetricChange:
        """Let another metric hold from now on; raise `MetricError` for one that is unknown, or holds already."""
        with self._writing():
            _, event = self.metrics().change(name)
            event = replace(event, timestamp=now())
            data = {key: value for key, value in event.to_dict().items() if key != "event"}
            self._note(METRIC_CHANGED, "", "", data)
            return event

    def request_model(self, request: ModelAddRequest) -> None:
        """Take note that a model is missing."""
        with self._writing():
            self._note(MODEL_WANTED, "", "", request.to_dict())

    def rebuild(self) -> bool:
        """Build all that the registry says from its events again; return whether it was so already."""
        with self._writing():
            before = None
            with suppress(RoutingError):  # what was changed from outside is mended by this
                before = self.models()
            self._build()
            return before == self.models()

    # ---- the file

    def _migrate(self) -> None:
        def version() -> int:
            return int(self._database.execute("PRAGMA user_version").fetchone()[0])

        empty = not self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not empty and self._database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise RoutingError(f"{self.path}: this is a database, and no registry of models")
        if version() > len(MIGRATIONS):
            raise RoutingError(f"{self.path}: a newer release of symops-lark wrote this registry: use that one")
        if version() < len(MIGRATIONS):
            with self._writing():
                for statement in chain(*MIGRATIONS[version() :]):  # another process may have been first
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._database.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
                self._build()

    def _build(self) -> None:
        self._database.execute("DELETE FROM models")
        for model in self._replay(self._events()):
            self._write(model)

    def _replay(self, events: Iterable[Happening]) -> Iterable[Model]:
        try:
            return replay(events).values()
        except RoutingError as error:
            raise self._damaged(str(error)) from None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            told = EXPLANATIONS.get(
                getattr(error, "sqlite_errorname", "").partition("_")[2].partition("_")[0], str(error)
            )
            raise RoutingError(f"{self.path}: {told}") from error
        except UnicodeDecodeError as error:  # SQLite quotes damaged names in its errors, and Python cannot read them
            raise RoutingError(f"{self.path}: {EXPLANATIONS['CORRUPT']}") from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Do several things as one; others wait meanwhile."""
        with self._errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def _events(self) -> list[Happening]:
        with self._errors():
            rows = self._database.execute(READ_EVENTS).fetchall()
        events, before = [], ""
        for number, at, kind, model_id, version, data, mark in rows:
            texts = (at, kind, model_id, version, data)
            if mark != _mark(before, *texts) or not all(type(text) is str for text in texts):
                raise self._damaged(f"event {number} is not what was written")
            try:
                events.append(Happening(number, at, kind, model_id, version, json.loads(data)))
            except (ValueError, RecursionError) as error:
                raise self._damaged(f"event {number}: {error}") from None
            except RoutingError as error:
                raise self._damaged(str(error)) from None
            before = mark
        return events

    def _load(self, text: str, mark: str) -> Model:
        if mark != _mark(text) or type(text) is not str:
            raise self._damaged("a model is not what was written")
        try:
            return Model.from_dict(json.loads(text))
        except (ValueError, RecursionError) as error:  # of JSON, and of what is no model
            raise self._damaged(f"a model: {error}") from None

    def _damaged(self, what: str) -> RoutingError:
        return RoutingError(f"{self.path}: the registry was changed from outside ({what}): restore a copy")

    def _note(self, kind: str, model_id: str, version: str, data: Mapping[str, Any]) -> Happening:
        """Add an event. Time does not go back here: where the clock does, the event says what it showed."""
        row = self._database.execute("SELECT at, mark FROM events ORDER BY number DESC LIMIT 1").fetchone()
        last, before = map(str, row or ("", ""))
        clock = now()
        at = max(last, clock)
        told = dict(data) if at == clock else {**data, "clock": clock}
        text = json.dumps(told, sort_keys=True)
        added = self._database.execute(
            "INSERT INTO events (at, kind, model_id, version, data, mark) VALUES (?, ?, ?, ?, ?, ?)",
            (at, kind, model_id, version, text, _mark(before, at, kind, model_id, version, text)),
        )
        return Happening(int(added.lastrowid or 0), at, kind, model_id, version, json.loads(text))

    def _add(self, kind: str, model_id: str, version: str, data: Mapping[str, Any]) -> Model:
        """Add an event of a model, and return the model after it."""
        before = self._read(model_id, version) if kind == MODEL_REGISTERED else self._expect(model_id, version)
        model = advance(before, self._note(kind, model_id, version, data))
        self._write(model)
        return model

    def _demote(self, model: Model, reason: str, evidence: Evidence | None = None) -> Model:
        if model.state is not State.STABLE:
            return model
        data = {"reason": reason, **({"evidence": evidence.to_dict()} if evidence is not None else {})}
        return self._add(MODEL_DEMOTED, *model.key, data)

    def _read(self, model_id: str, version: str) -> Model | None:
        row = self._database.execute(
            "SELECT model, mark FROM models WHERE model_id = ? AND version = ?", (model_id, version)
        ).fetchone()
        return self._load(*row) if row else None

    def _expect(self, model_id: str, version: str) -> Model:
        return self._read(model_id, version) or self.find(model_id, version)

    def _write(self, model: Model) -> None:
        text = json.dumps(model.to_dict(), sort_keys=True)
        self._database.execute("INSERT OR REPLACE INTO models VALUES (?, ?, ?, ?)", (*model.key, text, _mark(text)))


def _mark(*parts: object) -> str:
    """Return the hash of some texts; a blob, which SQLite gives as well, is told apart."""
    return hash_text(json.dumps(parts, default=repr))


def _sorted(models: Iterable[Model]) -> list[Model]:
    return sorted(models, key=lambda model: (model.model_id, model.registered, model.version))
