"""The events of a registry, and the models after them: pure functions."""

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

# Kinds of events.
MODEL_REGISTERED = "MODEL_REGISTERED"
MODEL_CHECKED = "MODEL_CHECKED"
MODEL_AUDITED = "MODEL_AUDITED"
MODEL_PROMOTED = "MODEL_PROMOTED"
MODEL_DEMOTED = "MODEL_DEMOTED"
MODEL_WANTED = "MODEL_ADD_REQUEST"
METRIC_ADDED = "METRIC_ADDED"
METRIC_CHANGED = "EVAL_METRIC_CHANGE"
LOG_HEAD = "log_head"


class State(StrEnum):
    """How far a version of a model is trusted."""

    EXPERIMENTAL = "experimental"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class Happening(JsonObject):
    """An event of a registry.

    Attributes:
        number: Its number, from 1.
        at: Its time in UTC. It is never before that of the event before.
        kind: Its kind.
        model_id: The model; empty if it is not about a model.
        version: The version of the model.
        data: Further values, by kind. If the clock was set back, `clock` is what it showed.
    """

    number: int
    at: str
    kind: str
    model_id: str
    version: str
    data: Mapping[str, Any]

    def __post_init__(self) -> None:
        # Events of an unknown kind are of a newer release.
        if self.kind in _TOLD:
            self.told()

    def told(self) -> Any:
        """Return `data` as an object whose class depends on the kind.

        Raises:
            RoutingError: The data is not that of such an event.
        """
        try:
            return read_object(_TOLD[self.kind], self.data, exact=False)
        except FieldError as error:
            raise RoutingError(f"event {self.number}: {self.kind}: {error}") from None

    def tell(self, between: str, to: str) -> str:
        """Return its content in a few words.

        Args:
            between: The separator of several items.
            to: The separator of an old and a new value.
        """
        if self.kind not in _TOLD:
            return ""
        match self.told():
            case _Promoted(evidence):
                passes, wins = evidence.passes, evidence.wins
                return f"passed {passes.k} of {passes.n}, won {wins.k} of {wins.n}"
            case _Checked(chain):
                return between.join(f"{link.name} {link.status}" for link in chain.links)
            case EvalMetricChange() as change:
                return f"{change.old_metric} {to} {change.new_metric}, epoch {change.epoch}"
            case _Audited(passed):
                return "passed" if passed else "failed"
            case AddedMetric(name):
                return name
            case LogHead(log, row):
                return f"row {row} of {log}"
            case _Demoted(reason) | ModelAddRequest(reason):
                return reason
        return ""


# The data of events, as far as it is used. Further values are ignored.
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
    """A metric that was added: its name and weights."""

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
    """A version of a model in the registry.

    Attributes:
        model_id: The model.
        version: The version.
        state: Whether it is stable.
        since: The time of its last change of state.
        registered: The time of its registration.
        file: The path that its manifest had.
        manifest: The manifest, as a JSON object.
        supply_chain: Whether the last check of its files succeeded.
        audit: Whether the last audit passed; None without an audit.
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
        """Return the manifest as it was registered, even if its file has changed."""
        return replace(Manifest.from_dict(self.manifest), file=self.file)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the model of a JSON object; raises `SymOpsError` if it is wrong."""
        return read_object(cls, data)


def advance(model: Model | None, event: Happening) -> Model:
    """Return a model after an event.

    Args:
        model: The model before it; None before its registration.
        event: The event.

    Raises:
        RoutingError: The event cannot happen to the model.
    """
    if event.kind == MODEL_REGISTERED and model is None:
        data = event.told()
        return Model(
            event.model_id,
            event.version,
            State.EXPERIMENTAL,
            since=event.at,
            registered=event.at,
            file=data.file,
            manifest=data.manifest,
            supply_chain=data.supply_chain.ok,
        )
    # All other events need a registered model.
    if model is not None:
        if event.kind == MODEL_CHECKED:
            return replace(model, supply_chain=event.told().supply_chain.ok)
        if event.kind == MODEL_AUDITED:
            return replace(model, audit=event.told().passed)
        if event.kind == MODEL_PROMOTED:
            return replace(model, state=State.STABLE, since=event.at)
        if event.kind == MODEL_DEMOTED:
            return replace(model, state=State.EXPERIMENTAL, since=event.at)
    raise RoutingError(
        f"event {event.number}: {event.kind} cannot happen to {event.model_id}@{event.version}"
    )


def replay(events: Iterable[Happening]) -> dict[tuple[str, str], Model]:
    """Return the models after some events."""
    models: dict[tuple[str, str], Model] = {}
    for event in events:
        # Events about metrics and logs have no model.
        if event.model_id:
            key = event.model_id, event.version
            models[key] = advance(models.get(key), event)
    return models


def read_moment(text: str) -> str:
    """Return a time in UTC as events have it, or a day, so that the texts can be compared.

    Raises:
        RoutingError: It is neither a time with a zone nor a day.
    """
    try:
        # The length of a day without a time.
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
        time = datetime.fromisoformat(text)
        utc = time.astimezone(UTC)
    # The first and the last day of the calendar have no other zones.
    except (ValueError, OverflowError):
        raise RoutingError(
            f"{text!r} is not a date: write 2026-01-31, or 2026-01-31T12:00:00Z"
        ) from None
    if time.tzinfo is None:
        raise RoutingError(f"{text!r} has no time zone: write it with Z (UTC), or with an offset")
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
