"""The phases of a session, their tools, and the conditions of semantic search and readiness."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from ..requests.frame import FACT, HYPOTHESIS, QueryFrame

MOST_ROUNDS = 3  # of semantic search, before the user is asked


class Phase(StrEnum):
    """The phase of a session."""

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
# Searches are allowed in each phase: looking changes nothing.
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
_OF_PLANS = ("check_plan", "check_command")  # questions of a plan, not tools of a client
# Semantic search is a guess: these searches come before it.
FACTS_FIRST = ("find_definitions", "find_references", "search_text")
# The reasons for semantic search, by the slot that facts did not give.
DEVRAG_REASONS = {
    "target_feature": ("no_definition_found", "architecture_unknown"),
    "observed_issue": ("no_similar_implementation", "context_fragmented"),
}
_ASSUMED = "is still HYPOTHESIS. Must verify with code intel tools first."


def allowed_tools(phase: Phase) -> list[str]:
    """Return the tools that a client may call in a phase."""
    tools = [tool for tool, phases in ALLOWED.items() if phase in phases]
    return [tool for tool in tools if tool not in _OF_PLANS]


class Allowance(NamedTuple):
    """Whether semantic search is allowed, the reason, and its slot."""

    allowed: bool
    reason: str
    slot: str | None = None


def should_allow_devrag(frame: QueryFrame, exploration_results: Mapping[str, Any]) -> Allowance:
    """Return whether semantic search is allowed: facts were searched first, and did not suffice.

    Args:
        frame: The request.
        exploration_results: `tools_used`, and perhaps a `reason`. This must be one for a slot that
            is not a fact yet.
    """
    used = exploration_results.get("tools_used") or ()
    unused = [tool for tool in FACTS_FIRST if tool not in used]
    if unused:
        tools = ", ".join(unused)
        return Allowance(False, f"Required tools not used yet: {tools}")
    reasons: dict[str, str] = {}
    for slot, slot_reasons in DEVRAG_REASONS.items():
        if frame.slot_source.get(slot) != FACT:
            reasons |= dict.fromkeys(slot_reasons, slot)
    if not reasons:
        return Allowance(False, "All critical slots already filled with FACT")
    reason = exploration_results.get("reason")
    if reason is None:
        # The first reason of the first slot.
        reason = next(iter(reasons))
    slot_of_reason = reasons.get(str(reason))
    if slot_of_reason:
        return Allowance(True, str(reason), slot_of_reason)
    accepted = ", ".join(reasons)
    message = f"{reason!r} is not a reason for semantic search here; there are {accepted}"
    return Allowance(False, message)


def validate_for_ready(frame: QueryFrame) -> list[str]:
    """Return a message for each slot and symbol that is only assumed, which no ready frame has."""
    slots = [slot for slot, source in frame.slot_source.items() if source == HYPOTHESIS]
    symbols = [symbol.name for symbol in frame.mapped_symbols if symbol.source == HYPOTHESIS]
    names = [f"Slot '{slot}'" for slot in slots]
    names += [f"Symbol '{symbol}'" for symbol in symbols]
    return [f"{name} {_ASSUMED}" for name in names]
