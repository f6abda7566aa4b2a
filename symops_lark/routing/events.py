"""The events of the protocol: each step of the flow gives one. What a registry says can be built again from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, ClassVar, Self

from ..core.ground.json_objects import read_object, write_object
from .errors import RoutingError


def now() -> str:
    """Return the time as events and rows have it: UTC, to the millisecond, `2026-01-31T12:00:00.000Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text, 64 hex digits: what logs have instead of prompts and outputs."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """What all events have: the run that it belongs to, and when it happened (UTC)."""

    NAME: ClassVar[str] = ""

    run_id: str = ""
    timestamp: str = field(default_factory=now)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object, in which `event` is its name."""
        return {"event": self.NAME, **write_object(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote, of this event; raise `SymOpsError` with the key for anything else."""
        if data.get("event", cls.NAME) != cls.NAME:
            raise RoutingError(f"event: it is {data['event']!r}, and {cls.NAME!r} is expected")
        return read_object(cls, data, exact=False)


@dataclass(frozen=True, slots=True)
class InferRequest(_Event):
    """Somebody asks."""

    NAME: ClassVar[str] = "INFER_REQUEST"

    prompt_hash: str
    tags: tuple[str, ...] = ()
    task: str | None = None


@dataclass(frozen=True, slots=True)
class InferResult(_Event):
    """A model has answered, and a verifier has looked at it: 0 is a failure, 1 a bare pass, more is what q1 adds."""

    NAME: ClassVar[str] = "INFER_RESULT"

    model_id: str
    time_ms: float
    tokens: int
    output_hash: str
    verifier_score: float


@dataclass(frozen=True, slots=True)
class SelectTrainExample(_Event):
    """A winner was decided: a selector may learn from it."""

    NAME: ClassVar[str] = "SELECT_TRAIN_EXAMPLE"

    prompt_hash: str
    winner_model_id: str


@dataclass(frozen=True, slots=True)
class ModelAddRequest(_Event):
    """No model could serve: one is missing."""

    NAME: ClassVar[str] = "MODEL_ADD_REQUEST"

    reason: str
    stats_snapshot: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EvalMetricChange(_Event):
    """From now on another metric holds; epochs count the changes."""

    NAME: ClassVar[str] = "EVAL_METRIC_CHANGE"

    old_metric: str
    new_metric: str
    epoch: int


Event = InferRequest | InferResult | SelectTrainExample | ModelAddRequest | EvalMetricChange
