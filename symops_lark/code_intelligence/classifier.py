"""What kind of question a request looks like, by its words: a hint where nothing better is known."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path

from ..yaml_file import YamlFile
from .folding import fold_text, has_word
from .frame import IntentType

_FILE = Path(__file__).with_name("categories.yaml")


class Category(StrEnum):
    """What a request is about."""

    ERROR = "error"
    IMPACT = "impact"
    STRUCTURE = "structure"
    DEFINITION = "definition"


def classify(query: str) -> Category | None:
    """Return the category whose words a request has most of, the first of equals; None if it has none."""
    counts = {each: _count(query, _words()["categories"][each]) for each in Category}
    best = max(counts, key=lambda each: counts[each])
    return best if counts[best] else None


def guess_intent(query: str) -> IntentType:
    """Return what a request asks for by its words; MODIFY, which asks for most, where they do not say."""
    counts = {each: _count(query, _words()["intents"][each]) for each in IntentType}
    for intent in (IntentType.MODIFY, IntentType.IMPLEMENT, IntentType.INVESTIGATE, IntentType.QUESTION):
        if counts[intent]:
            return intent
    return IntentType.MODIFY


def _count(query: str, words: list[str]) -> int:
    folded = fold_text(query)
    return sum(has_word(folded, word) for word in words)


@cache
def _words() -> dict[str, dict[str, list[str]]]:
    return YamlFile(_FILE, "file of categories").data
