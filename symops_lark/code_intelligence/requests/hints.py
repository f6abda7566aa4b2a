"""Hints for slots that are missing, in Japanese and English."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ...core.ground.errors import SymOpsError
from .words import our_file

# The tools that can fill a slot, the best first.
SLOT_TO_TOOLS = {
    "target_feature": ("query", "get_symbols", "analyze_structure"),
    "trigger_condition": ("search_text", "find_definitions"),
    "observed_issue": ("search_text", "query"),
    "desired_action": ("find_references", "analyze_structure"),
}
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")  # kana and kanji


def generate_investigation_guidance(
    missing_slots: Iterable[str], language: str = "ja"
) -> dict[str, Any]:
    """Return hints for the slots that are missing, and the tools that may fill them.

    Args:
        missing_slots: The slots. Unknown names get no hint.
        language: `ja` or `en`.

    Returns:
        `missing_slots`, `hints` and `recommended_tools`; each tool once, in order of the slots.

    Raises:
        SymOpsError: There are no hints in this language.
    """
    words = our_file("hints")
    if language not in words:
        languages = ", ".join(words)
        raise SymOpsError(f"there are no hints in {language!r}, only in {languages}")
    missing = list(missing_slots)
    hints: list[dict[str, Any]] = []
    tools: dict[str, None] = {}
    for slot in missing:
        # A client may send other names.
        if slot in SLOT_TO_TOOLS:
            hints.append({"slot": slot, **words[language][slot]})
            tools |= dict.fromkeys(SLOT_TO_TOOLS[slot])
    return {"missing_slots": missing, "hints": hints, "recommended_tools": list(tools)}


def language_of(text: str) -> str:
    """Return the language of answers to a text: `ja` if it has kana or kanji, else `en`."""
    return "ja" if _JAPANESE.search(text) else "en"
