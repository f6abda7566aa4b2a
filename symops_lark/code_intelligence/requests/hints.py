"""What to look for next where slots are missing, in Japanese and English."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.ground.errors import SymOpsError
from .words import our_file

SLOT_TO_TOOLS = {
    "target_feature": ("query", "get_symbols", "analyze_structure"),
    "trigger_condition": ("search_text", "find_definitions"),
    "observed_issue": ("search_text", "query"),
    "desired_action": ("find_references", "analyze_structure"),
}


def generate_investigation_guidance(missing_slots: Iterable[str], language: str = "ja") -> dict[str, Any]:
    """Return hints for the slots that are missing, and the tools that may fill them, each once, in order."""
    missing = list(missing_slots)
    words = our_file("hints")
    if language not in words:
        raise SymOpsError(f"there are no hints in {language!r}, only in {', '.join(words)}")
    known = [slot for slot in missing if slot in SLOT_TO_TOOLS]
    return {
        "missing_slots": missing,
        "hints": [{"slot": slot, **words[language][slot]} for slot in known],
        "recommended_tools": list(dict.fromkeys(tool for slot in known for tool in SLOT_TO_TOOLS[slot])),
    }


def language_of(text: str) -> str:
    """Return the language that people are answered in: `ja` where a text has kana or kanji, else `en`."""
    return "ja" if any("\u3040" <= c <= "\u30ff" or "\u4e00" <= c <= "\u9fff" for c in text) else "en"
