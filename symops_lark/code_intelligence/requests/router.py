"""Suggest where to begin: the first tools, the first slots, and the risk of a request."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.ground.json_objects import JsonObject
from .folding import fold_text, has_word
from .frame import HYPOTHESIS, SLOTS, IntentType, QueryFrame
from .hints import SLOT_TO_TOOLS
from .requirements import HIGH, LOW, MEDIUM
from .words import our_file

SHORT_ISSUE = 10  # characters below which an observed issue says little
_MAX_TOOLS = 4
_WRITING = ("target_feature", "observed_issue", "trigger_condition", "desired_action")
_KNOWN_TARGET = ("find_definitions", "find_references", "search_text")
_UNKNOWN_TARGET = ("query", "search_text", "analyze_structure")
# The first of the tools beside those for slots, by the category of a request.
_CATEGORY_TOOLS = {
    "error": "search_text",
    "impact": "find_references",
    "structure": "analyze_structure",
    "definition": "find_definitions",
}


@dataclass(frozen=True, slots=True)
class RoutingDecision(JsonObject):
    """A suggestion where to begin.

    Attributes:
        initial_phase: The first phase. It is always `EXPLORATION`.
        initial_tools: The first tools.
        priority_slots: The slots to fill first.
        risk_level: The risk.
    """

    initial_phase: str
    initial_tools: list[str]
    priority_slots: list[str]
    risk_level: str


def route(
    frame: QueryFrame, intent: IntentType | str, *, short_issue: int = SHORT_ISSUE
) -> RoutingDecision:
    """Return where the exploration of a request begins.

    Args:
        frame: The request.
        intent: What the caller wants to do.
        short_issue: The number of characters below which an issue says little.
    """
    intent = IntentType.read(intent)
    order = _WRITING if intent.writes else SLOTS
    slots = [slot for slot in order if slot in frame.missing_slots]
    return RoutingDecision(
        initial_phase="EXPLORATION",
        initial_tools=_choose_tools(frame, slots),
        priority_slots=slots,
        risk_level=assess_risk(frame, intent, short_issue),
    )


def assess_risk(frame: QueryFrame, intent: IntentType, short_issue: int = SHORT_ISSUE) -> str:
    """Return the risk of a request by the first rule that holds.

    Args:
        frame: The request. A slot that is only assumed counts as missing.
        intent: What the caller wants to do.
        short_issue: The number of characters below which an issue says little.
    """
    sources = frame.slot_source
    issue = frame.observed_issue or ""
    target = frame.target_feature
    if sources.get("observed_issue") == HYPOTHESIS:
        issue = ""
    if sources.get("target_feature") == HYPOTHESIS:
        target = None
    # An action without a problem: nothing shows when it is done.
    if frame.desired_action and not issue:
        return HIGH
    if intent is IntentType.MODIFY and not target:
        return HIGH
    return MEDIUM if 0 < len(issue) < short_issue else LOW


def guess_intent(query: str) -> IntentType:
    """Return the intent of a request by its words; MODIFY, which needs most, if they give none."""
    # From the intent with most requirements to the one with least: a wrong guess costs only time.
    order = (IntentType.MODIFY, IntentType.IMPLEMENT, IntentType.INVESTIGATE, IntentType.QUESTION)
    for intent in order:
        if _count(query, "intents", intent):
            return intent
    return IntentType.MODIFY


def _choose_tools(frame: QueryFrame, slots: list[str]) -> list[str]:
    """Return the tools for missing slots, then those for the target, each once, at most four."""
    # Each slot is worth its tools, the first one most.
    tools: list[str] = []
    for slot in slots:
        tools += SLOT_TO_TOOLS[slot]
    is_known = frame.target_feature or not slots
    more_tools = _KNOWN_TARGET if is_known else _UNKNOWN_TARGET
    # A request about errors searches texts first, one about effects looks for uses.
    first = _CATEGORY_TOOLS.get(_classify(frame.raw_query))
    if slots and first in more_tools:
        tools.append(first)
    tools += more_tools
    return list(dict.fromkeys(tools))[:_MAX_TOOLS]


def _classify(query: str) -> str:
    """Return the category whose words a request has most of, the first of equals, or ""."""
    best = ""
    best_count = 0
    for category in _CATEGORY_TOOLS:
        count = _count(query, "categories", category)
        if count > best_count:
            best = category
            best_count = count
    return best


def _count(query: str, group: str, name: str) -> int:
    folded = fold_text(query)
    words = our_file("categories")[group][name]
    return sum(has_word(folded, word) for word in words)
