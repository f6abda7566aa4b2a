"""The phases of a session, what is allowed in each, and when semantic search and readiness are."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from ..requests.frame import FACT, HYPOTHESIS, QueryFrame

MOST_ROUNDS = 3  # of semantic search, before the user is asked


class Phase(StrEnum):
    """Where a session stands."""

    EXPLORATION = "EXPLORATION"
    SEMANTIC = "SEMANTIC"
    VERIFICATION = "VERIFICATION"
    READY = "READY"
    NEEDS_USER = "NEEDS_USER"


SEARCHES = (
    "query",
    "get_symbols",
    "analyze_structure",
    "search_text",
    "search_files",
    "find_definitions",
    "find_references",
    "get_function_at_line",
)
SEMANTIC_SEARCH = "semantic_search"
_ALL = tuple(Phase)
_OPEN = (Phase.EXPLORATION, Phase.SEMANTIC, Phase.VERIFICATION)
ALLOWED: dict[str, tuple[Phase, ...]] = {
    **dict.fromkeys(SEARCHES, _ALL),
    SEMANTIC_SEARCH: (Phase.SEMANTIC,),
    "explore": _ALL,
    "set_query_frame": (Phase.EXPLORATION,),
    "update_slot": _OPEN,
    "get_session_status": _ALL,
    "submit_understanding": (Phase.EXPLORATION, Phase.SEMANTIC),
    "submit_semantic": (Phase.SEMANTIC,),
    "submit_verification": (Phase.VERIFICATION,),
    "check_write_target": _ALL,
    "check_plan": _ALL,
    "check_command": _ALL,
    "add_explored_files": _ALL,
    "revert_to_exploration": (*_OPEN, Phase.READY),
    "record_outcome": _ALL,
    "get_outcome_stats": _ALL,
}
_OF_PLANS = ("check_plan", "check_command")  # what a plan asks: no tool of a client
FACTS_FIRST = ("find_definitions", "find_references", "search_text")
DEVRAG_REASONS = {
    "target_feature": ("no_definition_found", "architecture_unknown"),
    "observed_issue": ("no_similar_implementation", "context_fragmented"),
}


def allowed_tools(phase: Phase) -> list[str]:
    """Return the tools that a client may call in a phase."""
    return [tool for tool, phases in ALLOWED.items() if phase in phases and tool not in _OF_PLANS]


class Allowance(NamedTuple):
    """Whether semantic search is allowed, the reason, and the slot that it is for."""

    allowed: bool
    reason: str
    slot: str | None = None


def should_allow_devrag(frame: QueryFrame, exploration_results: Mapping[str, Any]) -> Allowance:
    """Return whether facts were looked for first (`tools_used`), and did not do.

    A `reason` that is given must be one for a slot that is still no fact.
    """
    used = exploration_results.get("tools_used") or ()
    if unused := [tool for tool in FACTS_FIRST if tool not in used]:
        return Allowance(False, f"Required tools not used yet: {', '.join(unused)}")
    unfilled = [slot for slot in DEVRAG_REASONS if frame.slot_source.get(slot) != FACT]
    if not unfilled:
        return Allowance(False, "All critical slots already filled with FACT")
    reason = exploration_results.get("reason")
    if reason is None:
        return Allowance(True, DEVRAG_REASONS[unfilled[0]][0], unfilled[0])
    for slot in unfilled:
        if reason in DEVRAG_REASONS[slot]:
            return Allowance(True, str(reason), slot)
    known = ", ".join(reason for slot in unfilled for reason in DEVRAG_REASONS[slot])
    return Allowance(False, f"{reason!r} is no reason for semantic search here; there are {known}")


def validate_for_ready(frame: QueryFrame) -> list[str]:
    """Return what keeps a frame from being ready: slots and symbols that are only assumed; nothing if it is."""
    slots = [slot for slot, source in frame.slot_source.items() if source == HYPOTHESIS]
    symbols = [symbol.name for symbol in frame.mapped_symbols if symbol.source == HYPOTHESIS]
    again = "is still HYPOTHESIS. Must verify with code intel tools first."
    return [f"Slot '{slot}' {again}" for slot in slots] + [f"Symbol '{name}' {again}" for name in symbols]
