"""What a request says, slot by slot: what was quoted from it, what was found in the code, what is only assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ...core.ground.json_objects import FieldError, JsonObject

SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
FACT, HYPOTHESIS = "FACT", "HYPOTHESIS"
_SUMMARIES = ("result_summary", "result", "summary", "file", "files", "path", "location")
_OWN_KEYS = frozenset({"tool", "params", "timestamp", *_SUMMARIES})


class IntentType(StrEnum):
    """What the caller means to do; only the first two ever write."""

    IMPLEMENT = "IMPLEMENT"
    MODIFY = "MODIFY"
    INVESTIGATE = "INVESTIGATE"
    QUESTION = "QUESTION"

    @property
    def writes(self) -> bool:
        """Whether files are changed at the end."""
        return self in (IntentType.IMPLEMENT, IntentType.MODIFY)

    @classmethod
    def read(cls, value: object) -> IntentType:
        """Return the intent of a name in any case; raise `FieldError` if there is none."""
        if isinstance(value, str) and value.strip().upper() in cls.__members__:
            return cls[value.strip().upper()]
        raise FieldError(f"intent: {value!r} is none of {', '.join(cls)}")


@dataclass(frozen=True, slots=True)
class Evidence(JsonObject):
    """A call of a tool that supports something: which, with what, what came of it, and when."""

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict)
    result_summary: str = ""
    timestamp: str = ""

    @classmethod
    def read(cls, value: object) -> Evidence:
        """Return evidence in any of its shapes (`result`, `file`, `path` as the summary, parameters beside the tool).

        Raises `FieldError` for what names no tool.
        """
        if isinstance(value, Evidence):
            return value
        if not isinstance(value, Mapping) or not isinstance(value.get("tool"), str) or not value["tool"].strip():
            raise FieldError("evidence is an object that names the `tool` that was called, its `params` and its result")
        params = value.get("params")
        if params is not None and not isinstance(params, Mapping):
            raise FieldError("evidence: `params` is an object, as the tool was given it")
        beside = {str(key): each for key, each in value.items() if key not in _OWN_KEYS}
        said = [_as_text(value[name]) for name in _SUMMARIES if value.get(name)]
        named = {str(key): each for key, each in (params or {}).items()}
        at = value.get("timestamp")
        return cls(value["tool"].strip(), beside | named, " ".join(said), at if isinstance(at, str) else "")


@dataclass(frozen=True, slots=True)
class MappedSymbol(JsonObject):
    """A symbol of the code that belongs to the request: found (FACT) or assumed (HYPOTHESIS), how surely, and why."""

    name: str
    source: str = FACT
    confidence: float = 1.0
    evidence: Evidence | None = None

    def __post_init__(self) -> None:
        """Refuse another source, and a confidence that is none."""
        if self.source not in (FACT, HYPOTHESIS):
            raise FieldError(f"source: {self.source!r} is neither {FACT} nor {HYPOTHESIS}")
        if isinstance(self.confidence, bool) or not 0 <= self.confidence <= 1:
            raise FieldError(f"confidence: {self.confidence!r} is not between 0 and 1")
        if self.evidence is not None and not isinstance(self.evidence, Evidence):
            object.__setattr__(self, "evidence", Evidence.read(self.evidence))


@dataclass
class QueryFrame(JsonObject):
    """A request in natural language, slot by slot. `raw_query` never changes.

    A slot is absent from `slot_source` until it is confirmed: what was quoted from the request is no fact yet.
    `slot_refusals` shows what was said of the request without being in it; `extraction_error` why nothing was said.
    """

    raw_query: str
    target_feature: str | None = None
    trigger_condition: str | None = None
    observed_issue: str | None = None
    desired_action: str | None = None
    mapped_symbols: list[MappedSymbol] = field(default_factory=list)
    confirmed_symbols: list[str] | None = None
    slot_source: dict[str, str] = field(default_factory=dict)
    slot_evidence: dict[str, Evidence] = field(default_factory=dict)
    slot_quotes: dict[str, str] = field(default_factory=dict)
    extraction_confidence: float = 0.0
    missing_slots: list[str] = None  # type: ignore[assignment]  # made of the slots if it is not given
    slot_refusals: dict[str, dict[str, str]] = field(default_factory=dict)
    extraction_error: str = ""

    def __post_init__(self) -> None:
        if self.missing_slots is None:
            self.find_missing()

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field, but never the request another time."""
        if name == "raw_query" and "raw_query" in self.__dict__:
            raise AttributeError("raw_query is what was asked, and never changes")
        object.__setattr__(self, name, value)

    def get(self, slot: str) -> str | None:
        """Return what a slot holds."""
        value: str | None = getattr(self, slot) if slot in SLOTS else None
        return value

    def fill(self, slot: str, value: str | None, source: str | None = None, evidence: Evidence | None = None) -> None:
        """Set a slot with its source and evidence, or empty it, and name the missing ones anew."""
        if slot not in SLOTS:
            raise FieldError(f"{slot!r} is no slot; there are {', '.join(SLOTS)}")
        setattr(self, slot, value)
        self.slot_source.pop(slot, None)
        self.slot_evidence.pop(slot, None)
        if source is not None:
            self.slot_source[slot] = source
        if evidence is not None:
            self.slot_evidence[slot] = evidence
        self.find_missing()

    def find_missing(self) -> None:
        """Name the slots that hold nothing."""
        self.missing_slots = [slot for slot in SLOTS if not getattr(self, slot)]


def _as_text(value: object) -> str:
    if isinstance(value, Mapping):
        return " ".join(map(_as_text, value.values()))
    return " ".join(map(_as_text, value)) if isinstance(value, list | tuple) else str(value)
