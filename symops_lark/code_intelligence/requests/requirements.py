"""How much must be explored before a file is written, by the risk of a request."""

from __future__ import annotations

from typing import Any

from .frame import IntentType

HIGH, MEDIUM, LOW = "HIGH", "MEDIUM", "LOW"
RISKS = (LOW, MEDIUM, HIGH)
COUNTED = ("symbols_identified", "entry_points", "files_analyzed", "existing_patterns")
# The least numbers of `COUNTED`, in the same order.
_LEAST = (3, 1, 2, 1)
_LEAST_AT_HIGH_RISK = (5, 2, 4, 2)
# The slots that need evidence: a wrong target is the first error, a wrong problem the next.
_EVIDENCE: dict[str, tuple[str, ...]] = {
    LOW: (),
    MEDIUM: ("target_feature",),
    HIGH: ("target_feature", "observed_issue"),
}
# Nothing is written: one symbol and one file.
_LEAST_FOR_READING = (1, 0, 1, 0)


def get_exploration_requirements(risk_level: str, intent: IntentType | str) -> dict[str, Any]:
    """Return the least numbers of an exploration, and the slots that need evidence.

    Args:
        risk_level: `LOW`, `MEDIUM` or `HIGH`.
        intent: What the caller wants to do.

    Returns:
        The numbers, by the names of `COUNTED`, and `required_slot_evidence`.

    Raises:
        ValueError: There is no such level.
    """
    if risk_level not in RISKS:
        levels = ", ".join(RISKS)
        raise ValueError(f"risk_level: {risk_level!r} is not one of {levels}")
    counts = _LEAST_FOR_READING
    slots: tuple[str, ...] = ()
    if IntentType.read(intent).writes:
        counts = _LEAST_AT_HIGH_RISK if risk_level == HIGH else _LEAST
        slots = _EVIDENCE[risk_level]
    requirements: dict[str, Any] = dict(zip(COUNTED, counts, strict=True))
    requirements["required_slot_evidence"] = list(slots)
    return requirements
