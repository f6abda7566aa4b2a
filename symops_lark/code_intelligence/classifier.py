"""What kind of question a request looks like, by its words: a hint where nothing better is known."""

from __future__ import annotations

from enum import StrEnum

from .folding import fold_text, has_word
from .frame import IntentType
from .words import our_file


class Category(StrEnum):
    """What a request is about."""

    ERROR = "error"
    IMPACT = "impact"
    STRUCTURE = "structure"
    DEFINITION = "definition"


def classify(query: str) -> Category | None:
    """Return the category whose words a request has most of, the first of equals; None if it has none."""
    counts = {each: _count(query, "categories", each) for each in Category}
    best = max(counts, key=lambda each: counts[each])
    return best if counts[best] else None


def guess_intent(query: str) -> IntentType:
    """Return what a request asks for by its words; MODIFY, which asks for most, where they do not say."""
    ranked = (IntentType.MODIFY, IntentType.IMPLEMENT, IntentType.INVESTIGATE, IntentType.QUESTION)
    return next((intent for intent in ranked if _count(query, "intents", intent)), IntentType.MODIFY)


def _count(query: str, group: str, name: str) -> int:
    folded = fold_text(query)
    return sum(has_word(folded, word) for word in our_file("categories")[group][name])
