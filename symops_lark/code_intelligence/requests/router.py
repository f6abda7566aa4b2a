"""Where to begin: which tools, which slots first, and how risky a request is. It decides nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.ground.json_objects import JsonObject
from .folding import fold_text, has_word
from .frame import HYPOTHESIS, SLOTS, IntentType, QueryFrame
from .hints import SLOT_TO_TOOLS
from .requirements import HIGH, LOW, MEDIUM
from .words import our_file

SHORT_ISSUE = 10  # characters below which an observed issue says little
MOST_TOOLS = 4
_WRITING = ("target_feature", "observed_issue", "trigger_condition", "desired_action")
_KNOWN_TARGET = ("find_definitions", "find_references", "search_text")
_UNKNOWN_TARGET = ("query", "search_text", "analyze_structure")


_LEANING = {  # by what a request is about: of the tools beside those for slots, which one comes first
    "error": "search_text",
    "impact": "find_references",
    "structure": "analyze_structure",
    "definition": "find_definitions",
}


@dataclass(frozen=True, slots=True)
class RoutingDecision(JsonObject):
    """The phase to begin with, which is always exploration, the first tools, the slots to fill first, and the risk."""

    initial_phase: str
    initial_tools: list[str]
    priority_slots: list[str]
    risk_level: str


def route(frame: QueryFrame, intent: IntentType | str, *, short_issue: int = SHORT_ISSUE) -> RoutingDecision:
    """Return where the exploration of a request begins."""
    intent = IntentType.read(intent)
    slots = [slot for slot in (_WRITING if intent.writes else SLOTS) if slot in frame.missing_slots]
    return RoutingDecision("EXPLORATION", _tools(frame, slots), slots, assess_risk(frame, intent, short_issue))


def assess_risk(frame: QueryFrame, intent: IntentType, short_issue: int = SHORT_ISSUE) -> str:
    """Return the risk of a request by the first rule that holds; what is only assumed counts as missing."""
    known = {slot: frame.get(slot) for slot in SLOTS if frame.slot_source.get(slot) != HYPOTHESIS}
    issue = known.get("observed_issue") or ""
    if frame.desired_action and not issue:
        return HIGH
    if intent is IntentType.MODIFY and not known.get("target_feature"):
        return HIGH
    return MEDIUM if issue and len(issue) < short_issue else LOW


def _tools(frame: QueryFrame, slots: list[str]) -> list[str]:
    """Return the tools for what is missing, then those for what is known of the target, each once, at most four."""
    for_slots = [tool for slot in slots for tool in SLOT_TO_TOOLS[slot]]
    beside: tuple[str, ...] = _KNOWN_TARGET if frame.target_feature or not slots else _UNKNOWN_TARGET
    if slots and (category := _classify(frame.raw_query)):
        beside = tuple(sorted(beside, key=lambda tool: tool != _LEANING[category]))
    return list(dict.fromkeys((*for_slots, *beside)))[:MOST_TOOLS]


def _classify(query: str) -> str | None:
    """Return the category whose words a request has most of, the first of equals; None if it has none."""
    counts = {each: _count(query, "categories", each) for each in _LEANING}
    best = max(counts, key=lambda each: counts[each])
    return best if counts[best] else None


def guess_intent(query: str) -> IntentType:
    """Return what a request asks for by its words; MODIFY, which asks for most, where they do not say."""
    ranked = (IntentType.MODIFY, IntentType.IMPLEMENT, IntentType.INVESTIGATE, IntentType.QUESTION)
    return next((intent for intent in ranked if _count(query, "intents", intent)), IntentType.MODIFY)


def _count(query: str, group: str, name: str) -> int:
    folded = fold_text(query)
    return sum(has_word(folded, word) for word in our_file("categories")[group][name])
