"""What can happen in a registry, and what a model is after it: pure functions of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, Self

from ...core.ground.json_objects import FieldError, JsonObject, read_object
from ...core.ground.members import coerce_members
from ..errors import RoutingError
from ..events import EvalMetricChange, ModelAddRequest
from ..manifests.manifest import Manifest
from ..manifests.supply_chain import Link

MODEL_REGISTERED, MODEL_CHECKED, MODEL_AUDITED = "MODEL_REGISTERED", "MODEL_CHECKED", "MODEL_AUDITED"
MODEL_PROMOTED, MODEL_DEMOTED = "MODEL_PROMOTED", "MODEL_DEMOTED"
MODEL_WANTED, METRIC_ADDED, METRIC_CHANGED = "MODEL_ADD_REQUEST", "METRIC_ADDED", "EVAL_METRIC_CHANGE"
LOG_HEAD = "log_head"


class State(StrEnum):
    """How far a version of a model is trusted."""

    EXPERIMENTAL = "experimental"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class Happening(JsonObject):
    """An event of a registry. `at` never goes back; where the clock did, `data` has what it showed (`clock`)."""

    number: int
    at: str
    kind: str
    model_id: str
    version: str
    data: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.kind in _TOLD:
            self.told()

    def told(self) -> Any:
        """Return what `data` tells, by its kind.

        Raises:
            RoutingError: An event of this kind does not tell that.
        """
        try:
            return read_object(_TOLD[self.kind], self.data, exact=False)
        except FieldError as error:
            raise RoutingError(f"event {self.number}: {self.kind}: {error}") from None

    def tell(self, between: str, to: str) -> str:
        """Return what it says, in a few words; `between` stands between several, `to` between old and new."""
        told = self.told() if self.kind in _TOLD else None
        match told:
            case _Promoted(evidence):
                passes, wins = evidence.passes, evidence.wins
                return f"passed {passes.k} of {passes.n}, won {wins.k} of {wins.n}"
            case _Checked(chain):
                return between.join(f"{link.name} {link.status}" for link in chain.links)
            case EvalMetricChange():
                return f"{told.old_metric} {to} {told.new_metric}, epoch {told.epoch}"
            case _Audited(passed):
                return "passed" if passed else "failed"
            case AddedMetric(name):
                return name
            case LogHead(log, row):
                return f"row {row} of {log}"
            case _Demoted(reason) | ModelAddRequest(reason):
                return reason
        return ""


@dataclass(frozen=True, slots=True)
class _Chain:
    ok: bool
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class _Checked:
    supply_chain: _Chain


@dataclass(frozen=True, slots=True)
class _Registered(_Checked):
    file: str
    manifest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Audited:
    passed: bool


@dataclass(frozen=True, slots=True)
class _Count:
    k: int
    n: int


@dataclass(frozen=True, slots=True)
class _Evidence:
    passes: _Count
    wins: _Count


@dataclass(frozen=True, slots=True)
class _Promoted:
    evidence: _Evidence


@dataclass(frozen=True, slots=True)
class _Demoted:
    reason: str


@dataclass(frozen=True, slots=True)
class AddedMetric:
    """A metric that was made known: its name and weights."""

    name: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LogHead:
    """The last row of a run log at some time.

    Attributes:
        log: The absolute path of the log.
        row: The number of the row.
        head: The hash of the row.
    """

    log: str
    row: int
    head: str


_TOLD: Mapping[str, type] = {
    MODEL_REGISTERED: _Registered,
    MODEL_CHECKED: _Checked,
    MODEL_AUDITED: _Audited,
    MODEL_PROMOTED: _Promoted,
    MODEL_DEMOTED: _Demoted,
    METRIC_ADDED: AddedMetric,
    METRIC_CHANGED: EvalMetricChange,
    MODEL_WANTED: ModelAddRequest,
    LOG_HEAD: LogHead,
}


@dataclass(frozen=True, slots=True)
class Model(JsonObject):
    """A version of a model as the registry knows it.

    `since` is when it came into its state; `supply_chain` and `audit` tell what was found last, None if nobody has
    looked; `file` is where its manifest stood.
    """

    model_id: str
    version: str
    state: State
    since: str
    registered: str
    file: str
    manifest: Mapping[str, Any]
    supply_chain: bool
    audit: bool | None = None

    def __post_init__(self) -> None:
        coerce_members(self)

    @property
    def key(self) -> tuple[str, str]:
        """The model and its version."""
        return self.model_id, self.version

    @property
    def name(self) -> str:
        """The model and its version, `json-writer@1.2.0`."""
        return f"{self.model_id}@{self.version}"

    def load_manifest(self) -> Manifest:
        """Return the manifest as it was registered, whatever its file says by now."""
        return replace(Manifest.from_dict(self.manifest), file=self.file)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the model of what `to_dict` returned; raises `SymOpsError` for anything else."""
        return read_object(cls, data)


def advance(model: Model | None, event: Happening) -> Model:
    """Return what a model is after an event; raise `RoutingError` for one that cannot have happened to it."""
    if event.kind == MODEL_REGISTERED and model is None:
        told = event.told()
        return Model(
            event.model_id, event.version, State.EXPERIMENTAL, event.at, event.at, told.file, told.manifest,
            told.supply_chain.ok,
        )  # fmt: skip
    if model is not None:
        if event.kind == MODEL_CHECKED:
            return replace(model, supply_chain=event.told().supply_chain.ok)
        if event.kind == MODEL_AUDITED:
            return replace(model, audit=event.told().passed)
        if event.kind == MODEL_PROMOTED:
            return replace(model, state=State.STABLE, since=event.at)
        if event.kind == MODEL_DEMOTED:
            return replace(model, state=State.EXPERIMENTAL, since=event.at)
    raise RoutingError(f"event {event.number}: {event.kind} cannot happen to {event.model_id}@{event.version}")


def replay(events: Iterable[Happening]) -> dict[tuple[str, str], Model]:
    """Return the models after some events."""
    models: dict[tuple[str, str], Model] = {}
    for event in events:
        if event.model_id:
            key = event.model_id, event.version
            models[key] = advance(models.get(key), event)
    return models


def read_moment(text: str) -> str:
    """Return a time in UTC as events have it, or a day, so that texts compare; raise `RoutingError` for others."""
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
        time = datetime.fromisoformat(text)
    except ValueError:
        raise RoutingError(f"{text!r} is no date: write 2026-01-31, or 2026-01-31T12:00:00Z") from None
    if time.tzinfo is None:
        raise RoutingError(f"{text!r} does not say where it is so late: write it with Z (UTC), or with an offset")
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
