"""How much must have been looked at before anything is written, by the risk of a request."""

from __future__ import annotations

from typing import Any

from .frame import IntentType

HIGH, MEDIUM, LOW = "HIGH", "MEDIUM", "LOW"
RISKS = (LOW, MEDIUM, HIGH)
COUNTED = ("symbols_identified", "entry_points", "files_analyzed", "existing_patterns")
_COUNTS = {LOW: (3, 1, 2, 1), MEDIUM: (3, 1, 2, 1), HIGH: (5, 2, 4, 2)}
_EVIDENCE = {LOW: (), MEDIUM: ("target_feature",), HIGH: ("target_feature", "observed_issue")}
_READING = (1, 0, 1, 0)


def get_exploration_requirements(risk_level: str, intent: IntentType | str) -> dict[str, Any]:
    """Return how many symbols, entry points, files and patterns are asked for, and which slots need evidence."""
    if risk_level not in RISKS:
        raise ValueError(f"risk_level: {risk_level!r} is none of {', '.join(RISKS)}")
    writes = IntentType.read(intent).writes
    counts = dict(zip(COUNTED, _COUNTS[risk_level] if writes else _READING, strict=True))
    return {**counts, "required_slot_evidence": list(_EVIDENCE[risk_level]) if writes else []}
