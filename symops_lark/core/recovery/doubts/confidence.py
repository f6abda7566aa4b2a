"""From cost to confidence: the one place where prices become numbers between 0 and 1.

The anchors are those of the original Sym-Ops notes (not part of this repository): a complete form in a broken reply
0.95, marks missing 0.70, and for a document ×0.5 without actions, ×0.8 for each action below 0.8 and each that is lost,
×0.9 for each empty content where one is due; strict 1.0.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from ...document import Action, Completeness, CustomSection, Document, judge_action
from ...ground.numbers import rounded

COMPLETE_FORM = 0.95
_PER_COST = 0.95  # so that a cost of 6, the price of missing marks, gives 0.70
_COST_PER_PRICE = 1 / 1000
DOUBTED = 0.85  # at most, for an action that may be none, be cut off, or say what is surely not meant
LOST = 0.8  # for each action that is certainly lost, as for one that is doubtful


def price_to_cost(price: int) -> float:
    """Convert a price of a recovery grammar (mistakes in thousands) to the cost unit of the repair rules."""
    return float(price * _COST_PER_PRICE)


@lru_cache(maxsize=1024)
def action_confidence(cost: float) -> float:
    """Return the confidence of an action of a broken reply whose own repairs and mistakes cost this much."""
    return rounded(max(0.05, COMPLETE_FORM * float(_PER_COST**cost)))


def document_confidence(document: Document, writing: Collection[str]) -> float:
    """Return the confidence of a whole document from that of its actions; `writing` are the verbs that want content."""
    score = 1.0 if document.actions else 0.5
    for action in document.actions:
        if action.confidence < 0.8:
            score *= 0.8
        if action.type in writing and not (action.content or "").strip():
            score *= 0.9
    lowest = min((action.confidence for action in document.actions), default=1.0)
    return rounded(min(score, lowest))


def mark_suspect(document: Document, starts: Collection[int]) -> Document:
    """Return the document with the actions and custom sections that begin at these offsets less sure, and suspect."""
    if not starts:
        return document
    return replace(
        document,
        sections=tuple(
            _doubt(section) if isinstance(section, Action | CustomSection) and section.span.start in starts else section
            for section in document.sections
        ),
    )


def mark_cut_off(document: Document, text: str) -> Document:
    """Mark the last action of a truncated reply, if no other section follows it."""
    last = document.sections[-1] if document.sections else None
    if not isinstance(last, Action):
        return document
    if last.content is None:
        last = replace(last, completeness=Completeness.TRUNCATED)
        return replace(document, sections=(*document.sections[:-1], last))
    # A closer at the end of the text may be the beginning of a line of content.
    return document if text.endswith("\n") else mark_suspect(document, {last.span.start})


def _doubt(section: Action | CustomSection) -> Action | CustomSection:
    whole = section.completeness is Completeness.COMPLETE
    completeness = Completeness.SUSPECT if whole else section.completeness
    confidence = min(section.confidence, DOUBTED)
    if isinstance(section, CustomSection):
        return replace(section, confidence=confidence, completeness=completeness)
    return judge_action(section, confidence, completeness, section.span, section.content_span)
