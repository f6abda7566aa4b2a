"""Turn prices into confidence, a number from 0 to 1.

No other module does this. The anchors are those of the original Sym-Ops notes, which are not part
of this repository:

    1.00   an action of a valid reply
    0.95   a complete action of a broken reply
    0.70   an action whose marks are missing
    × 0.5  a document without actions
    × 0.8  for each action below 0.8, and for each that is lost
    × 0.9  for each action that lacks its content
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from ...document import Action, Completeness, CustomSection, Document, judge_action
from ...grammar.codes import DRAFT_ACTION, EARLY_CLOSE
from ...ground.numbers import rounded
from ...text.diagnostics import Diagnostic

COMPLETE_FORM = 0.95
_PER_COST = 0.95  # so that a cost of 6, the price of missing marks, gives 0.70
_COST_PER_PRICE = 1 / 1000
_LEAST = 0.05  # however high the cost is
LOW = 0.8  # below it, an action lowers the confidence of its document
# At most, for an action that is perhaps not meant, not complete, or not an action.
DOUBTED = 0.85
# Diagnostics that an action gets for being suspect.
_ON_SUSPECTS = (EARLY_CLOSE, DRAFT_ACTION)
LOST = 0.8  # for each action that is certainly lost, as for one that is doubtful


def price_to_cost(price: int) -> float:
    """Convert a price of a recovery grammar to the cost unit of the repair rules.

    Args:
        price: Thousandths of a mistake.
    """
    return float(price * _COST_PER_PRICE)


@lru_cache(maxsize=1024)
def action_confidence(cost: float) -> float:
    """Return the confidence of an action of a broken reply.

    Args:
        cost: The cost of the repairs and mistakes in it.
    """
    return rounded(max(_LEAST, COMPLETE_FORM * float(_PER_COST**cost)))


def lowered(confidence: float, price: int) -> float:
    """Return a confidence that is lowered by a price.

    Args:
        confidence: The confidence without what the price is for.
        price: Thousandths of a mistake.
    """
    cost = price_to_cost(price)
    # Prices are added, so their factors are multiplied.
    factor = float(_PER_COST**cost)
    lower = confidence * factor
    return rounded(lower)


def document_confidence(document: Document, writing: Collection[str]) -> float:
    """Return the confidence of a document, from that of its actions.

    Args:
        document: The document of a broken reply.
        writing: The verbs that need a content.
    """
    score = 1.0 if document.actions else 0.5
    lowest = 1.0
    for action in document.actions:
        lowest = min(lowest, action.confidence)
        if action.confidence < LOW:
            score *= 0.8
        if action.type in writing and not (action.content or "").strip():
            score *= 0.9
    return rounded(min(score, lowest))


def mark_suspect(document: Document, starts: Collection[int], limit: float = DOUBTED) -> Document:
    """Return a document in which some actions and custom sections are suspect.

    Args:
        document: The document.
        starts: The offsets at which these sections begin.
        limit: Their greatest confidence.
    """
    if not starts:
        return document
    sections = []
    for section in document.sections:
        if isinstance(section, Action | CustomSection) and section.span.start in starts:
            section = _doubt(section, limit)
        sections.append(section)
    return replace(document, sections=tuple(sections))


def mark_cut_off(document: Document, text: str) -> Document:
    """Mark the last action of a truncated reply, if no other section follows it.

    Args:
        document: The document.
        text: The text that it was read from.
    """
    if not document.sections:
        return document
    last = document.sections[-1]
    if not isinstance(last, Action):
        return document
    if last.content is None:
        last = replace(last, completeness=Completeness.TRUNCATED)
        return replace(document, sections=(*document.sections[:-1], last))
    if text.endswith("\n"):
        return document
    # A closer at the end of the text may be the beginning of a line of content.
    return mark_suspect(document, {last.span.start})


def _doubt(section: Action | CustomSection, limit: float) -> Action | CustomSection:
    """Return a section as suspect. One that is known to be incomplete stays so."""
    completeness = section.completeness
    if completeness is Completeness.COMPLETE:
        completeness = Completeness.SUSPECT
    confidence = min(section.confidence, limit)
    if isinstance(section, CustomSection):
        return replace(section, confidence=confidence, completeness=completeness)
    return judge_action(section, confidence, completeness, section.span, section.content_span)


def leave_out_told(
    checked: Sequence[Diagnostic], doubts: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return the validator's diagnostics without those that only repeat a doubt.

    A doubt gives its own reason. Without this, the same action would be reported a second time,
    because it is suspect.

    Args:
        checked: The diagnostics of the validator.
        doubts: The diagnostics of `find_doubts`.
    """
    doubted = {doubt.span.start for doubt in doubts}
    return tuple(
        diagnostic
        for diagnostic in checked
        if diagnostic.code not in _ON_SUSPECTS or diagnostic.span.start not in doubted
    )


def in_order(*groups: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return diagnostics in the order of the text, each once.

    Args:
        groups: The diagnostics. Of equal code and place the last one counts.
    """
    by_position = {}
    for group in groups:
        for diagnostic in group:
            span = diagnostic.span
            by_position[diagnostic.code, span.start, span.end] = diagnostic
    return tuple(sorted(by_position.values(), key=lambda diagnostic: diagnostic.span.start))
