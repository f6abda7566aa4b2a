"""The slots of a request: quoted from it, confirmed in the code, or only assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ...core.ground.json_objects import FieldError, JsonObject

SLOTS = ("target_feature", "trigger_condition", "observed_issue", "desired_action")
FACT = "FACT"
HYPOTHESIS = "HYPOTHESIS"
# Models call the result of a tool by several names.
_SUMMARIES = ("result_summary", "result", "summary", "file", "files", "path", "location")
_KEYS = {"tool", "params", "timestamp", *_SUMMARIES}
_NO_TOOL = (
    "evidence is an object that names the `tool` that was called, its `params` and its result"
)


class IntentType(StrEnum):
    """What the caller means to do. Only the first two ever write."""

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
        """Return the intent with a name.

        Args:
            value: The name, in upper or lower case.

        Raises:
            FieldError: No intent has this name.
        """
        name = str(value).strip().upper()
        if name not in cls.__members__:
            names = ", ".join(cls)
            raise FieldError(f"intent: {value!r} is not one of {names}")
        return cls[name]


@dataclass(frozen=True, slots=True)
class Evidence(JsonObject):
    """A call of a tool that supports a statement.

    Attributes:
        tool: The tool.
        params: Its parameters.
        result_summary: Its result, in a few words.
        timestamp: The time of the call.
    """

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict)
    result_summary: str = ""
    timestamp: str = ""

    @classmethod
    def read(cls, value: object) -> Evidence:
        """Return evidence in any of its shapes.

        Args:
            value: Evidence, or an object. `result`, `file`, `path` and others count as the summary;
                parameters may also be beside the tool.

        Raises:
            FieldError: The value names no tool, or `params` is not an object.
        """
        if isinstance(value, Evidence):
            return value
        if not isinstance(value, Mapping):
            raise FieldError(_NO_TOOL)
        tool = value.get("tool")
        # A call without a tool cannot be found in the record.
        if not isinstance(tool, str) or not tool.strip():
            raise FieldError(_NO_TOOL)
        nested = value.get("params")
        if nested is not None and not isinstance(nested, Mapping):
            raise FieldError("evidence: `params` is an object with the arguments of the tool")
        # Some models write the parameters beside the tool.
        params = {key: value[key] for key in value if key not in _KEYS}
        params |= nested or {}
        summaries = [_as_text(value[name]) for name in _SUMMARIES if value.get(name)]
        timestamp = value.get("timestamp")
        return cls(
            tool=tool.strip(),
            params={str(key): params[key] for key in params},
            result_summary=" ".join(summaries),
            timestamp=timestamp if isinstance(timestamp, str) else "",
        )


@dataclass(frozen=True, slots=True)
class MappedSymbol(JsonObject):
    """A symbol of the code that belongs to the request.

    Attributes:
        name: The symbol.
        source: `FACT` if it was found in the code, `HYPOTHESIS` if it is assumed.
        confidence: How certain it is, from 0 to 1.
        evidence: The call that shows it.
    """

    name: str
    source: str = FACT
    confidence: float = 1.0
    evidence: Evidence | None = None

    def __post_init__(self) -> None:
        """Check the source and the confidence."""
        if self.source not in (FACT, HYPOTHESIS):
            raise FieldError(f"source: {self.source!r} is neither {FACT} nor {HYPOTHESIS}")
        # True is 1 for Python, but it is not a measure.
        if isinstance(self.confidence, bool) or not 0 <= self.confidence <= 1:
            raise FieldError(f"confidence: {self.confidence!r} is not between 0 and 1")
        # Evidence from a log is still an object of JSON.
        if self.evidence is not None:
            object.__setattr__(self, "evidence", Evidence.read(self.evidence))


@dataclass
class QueryFrame(JsonObject):
    """A request in natural language, slot by slot.

    Attributes:
        raw_query: The request. It never changes.
        target_feature: What it is about.
        trigger_condition: When the problem occurs.
        observed_issue: The problem.
        desired_action: What is to be done.
        mapped_symbols: Symbols of the code that belong to it.
        confirmed_symbols: The names that stayed after the validation.
        slot_source: `FACT` or `HYPOTHESIS`, by slot. A slot that was only quoted has none.
        slot_evidence: The call that shows a slot, by slot.
        slot_quotes: The words of the request for a slot, by slot.
        extraction_confidence: The share of extracted slots that the request contains, from 0 to 1.
        missing_slots: The slots without a value. None: find them.
        slot_refusals: Values that the request does not contain, with the reason, by slot.
        extraction_error: Why no slot was extracted; empty if some were.
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
    missing_slots: list[str] = None  # type: ignore[assignment]  # `__post_init__` sets it
    slot_refusals: dict[str, dict[str, str]] = field(default_factory=dict)
    extraction_error: str = ""

    def __post_init__(self) -> None:
        if self.missing_slots is None:
            self.find_missing()

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field, but never the request another time."""
        if name == "raw_query" and "raw_query" in self.__dict__:
            raise AttributeError("raw_query is the request, and never changes")
        object.__setattr__(self, name, value)

    def get(self, slot: str) -> str | None:
        """Return the value of a slot."""
        if slot not in SLOTS:
            return None
        value: str | None = getattr(self, slot)
        return value

    def fill(
        self,
        slot: str,
        value: str | None,
        source: str | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        """Set a slot or empty it, and find the missing ones again.

        Args:
            slot: The slot.
            value: Its value. None empties it.
            source: `FACT` or `HYPOTHESIS`. None for a quote that is not confirmed.
            evidence: The call that shows it.

        Raises:
            FieldError: There is no such slot.
        """
        if slot not in SLOTS:
            names = ", ".join(SLOTS)
            raise FieldError(f"{slot!r} is not a slot; there are {names}")
        setattr(self, slot, value)
        # What the old value had does not support the new one.
        self.slot_source.pop(slot, None)
        self.slot_evidence.pop(slot, None)
        if source is not None:
            self.slot_source[slot] = source
        if evidence is not None:
            self.slot_evidence[slot] = evidence
        self.find_missing()

    def find_missing(self) -> None:
        """Name the slots without a value."""
        self.missing_slots = [slot for slot in SLOTS if not getattr(self, slot)]


def _as_text(value: object) -> str:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return " ".join(map(_as_text, value))
    return str(value)
