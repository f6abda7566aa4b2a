"""The events of the protocol, one for each step. A registry can be built again from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, ClassVar, Self

from ..core.ground.json_objects import read_object, write_object
from .errors import RoutingError


def now() -> str:
    """Return the time as events and rows have it: UTC, such as `2026-01-31T12:00:00.000Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text, 64 hex digits. Logs have it instead of prompts and outputs."""
    # A reply may contain half of a surrogate pair.
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# Keywords only, so that events may have fields without a default.
@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """The fields of all events: the run to which it belongs, and its time in UTC."""

    NAME: ClassVar[str] = ""

    run_id: str = ""
    timestamp: str = field(default_factory=now)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object, in which `event` is its name."""
        return {"event": self.NAME, **write_object(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the event of a JSON object; raises `SymOpsError` with the key if it is wrong."""
        # An event in a registry has no name: its kind is a column there.
        if data.get("event", cls.NAME) != cls.NAME:
            raise RoutingError(f"event: it is {data['event']!r}, and {cls.NAME!r} is expected")
        # Newer releases may add fields.
        return read_object(cls, data, exact=False)


@dataclass(frozen=True, slots=True)
class InferRequest(_Event):
    """A request was made."""

    NAME: ClassVar[str] = "INFER_REQUEST"

    prompt_hash: str
    tags: tuple[str, ...] = ()
    task: str | None = None


@dataclass(frozen=True, slots=True)
class InferResult(_Event):
    """A model has replied, and a verifier has judged the reply.

    The score is 0 for a failure, and 1 for a pass, to which the quality (q1) is added.
    """

    NAME: ClassVar[str] = "INFER_RESULT"

    model_id: str
    time_ms: float
    tokens: int
    output_hash: str
    verifier_score: float


@dataclass(frozen=True, slots=True)
class SelectTrainExample(_Event):
    """A winner was selected: a selector can learn from it."""

    NAME: ClassVar[str] = "SELECT_TRAIN_EXAMPLE"

    prompt_hash: str
    winner_model_id: str


@dataclass(frozen=True, slots=True)
class ModelAddRequest(_Event):
    """No model could serve the request: one is missing."""

    NAME: ClassVar[str] = "MODEL_ADD_REQUEST"

    reason: str
    stats_snapshot: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EvalMetricChange(_Event):
    """Another metric is used from now on; the epoch is the number of changes."""

    NAME: ClassVar[str] = "EVAL_METRIC_CHANGE"

    old_metric: str
    new_metric: str
    epoch: int


Event = InferRequest | InferResult | SelectTrainExample | ModelAddRequest | EvalMetricChange
