"""Map a document of the repaired text back to the caller's text.

Spans are moved to the original, repairs and mistakes become diagnostics there, and the cost of each
repair lowers the confidence of the action that it touched.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from ..document import Action, Completeness, CustomSection, Document, Section, Skipped, judge_action
from ..grammar.codes import LOST_ACTION
from ..grammar.dialect import Dialect
from ..grammar.mistakes import load_mistakes
from ..ground.numbers import rounded
from ..recovery.doubts.confidence import COMPLETE_FORM, DOUBTED, action_confidence
from ..text.diagnostics import Diagnostic
from ..text.source import Source, Span
from .repaired import Repaired

_JUDGED = (Action, CustomSection)  # the sections that have a confidence


def carry_findings(
    repaired: Repaired, recovered: Document | None, dialect: Dialect
) -> list[Diagnostic]:
    """Return the diagnostics of a repaired text, with spans in the caller's text.

    Args:
        repaired: The repaired text.
        recovered: The document that recovery made of the repaired text; None if strict parsing
            read it, which assumes nothing.
        dialect: The dialect, whose recovery grammar holds the message for a lost action.

    Returns:
        One note for each repair, then the mistakes that recovery assumed, then one diagnostic for
        each lost action that recovery did not report at the same offset.
    """
    source = Source(repaired.original)
    notes = [repair.to_diagnostic() for repair in repaired.repairs]
    if recovered is not None:
        for diagnostic in recovered.diagnostics:
            span = repaired.original_span(diagnostic.span, source)
            notes.append(replace(diagnostic, span=span))
    reported = set()
    for note in notes:
        if note.code == LOST_ACTION:
            reported.add(note.span.start)
    lost = load_mistakes(dialect)[LOST_ACTION]
    for start in repaired.lost:
        if start in reported:
            continue
        span = source.span(start, start)
        notes.append(lost.diagnose(span))
    return notes


def carry_back(document: Document, repaired: Repaired) -> Document:
    """Return a document with spans in the caller's text and confidences lowered by the repairs.

    Args:
        document: The document of the repaired text.
        repaired: The repaired text.

    Returns:
        The document; its skipped and custom sections hold the caller's text, and each action has
        the completeness that the repair engine noted, if it did.
    """
    source = Source(repaired.original)
    completeness = dict(repaired.completeness)
    sections = list(document.sections)
    # Give up the old sections one by one, so that two documents of a large text never coexist.
    document = replace(document, sections=())
    spans = _original_spans(sections, repaired, source)
    judged = []
    for section, span in zip(sections, spans, strict=True):
        if isinstance(section, _JUDGED):
            judged.append(span)
    cost_of = _share_costs(judged, repaired)
    for index, span in enumerate(spans):
        section = sections[index]
        if isinstance(section, Skipped | CustomSection):
            text = source.text[span.start : span.end]
            section = replace(section, text=text, span=span)
        elif not isinstance(section, Action):
            section = replace(section, span=span)
        if not isinstance(section, _JUDGED):
            sections[index] = section
            continue
        cost = cost_of[span.start]
        by_repairs = action_confidence(cost)
        judgment = completeness.get(span.start, section.completeness)
        if judgment is not Completeness.COMPLETE:
            by_repairs = min(by_repairs, DOUBTED)
        # The section's own confidence counts relative to that of a complete form in a broken reply.
        by_form = by_repairs * section.confidence / COMPLETE_FORM
        confidence = rounded(min(by_repairs, by_form))
        if not isinstance(section, Action):
            sections[index] = replace(section, confidence=confidence, completeness=judgment)
            continue
        content_span = section.content_span
        if content_span is not None:
            content_span = repaired.original_span(content_span, source)
        sections[index] = judge_action(section, confidence, judgment, span, content_span)
    return Document(tuple(sections), document.dialect, document.price)


def _original_spans(sections: Sequence[Section], repaired: Repaired, source: Source) -> list[Span]:
    """Return the span of each section in the caller's text."""
    spans: list[Span] = []
    for section in sections:
        span = repaired.original_span(section.span, source)
        before = span
        if spans:
            before = spans[-1]
        # A closer and an action on one line: both sections map to the line, which they share.
        is_shared = before.start < span.start < before.end < span.end
        if is_shared:
            spans[-1] = source.span(before.start, span.start)
        spans.append(span)
    return spans


def _share_costs(actions: Sequence[Span], repaired: Repaired) -> dict[int, float]:
    """Return, by the start of each action, the sum of the costs of its repairs."""
    starts = [span.start for span in actions]
    costs = [0.0] * len(actions)
    for repair in repaired.repairs:
        start = repair.before.start
        end = repair.before.end
        is_insertion = start == end
        # The last action that begins at the repair or before it.
        owner = bisect_right(starts, start) - 1
        # A line that is inserted just before an action closes the block of the one before it.
        if owner >= 0 and is_insertion and start == starts[owner]:
            owner -= 1
        # Spans end before the last line ending (up to two characters). An inserted closing
        # delimiter comes after it, and still belongs to the action.
        reach = 0
        if is_insertion:
            reach = 2
        if owner >= 0 and start < actions[owner].end + reach:
            costs[owner] += repair.cost
        # A repair of a wrapper covers several actions: each of them bears its cost.
        first_after = bisect_left(starts, end)
        for covered in range(owner + 1, first_after):
            costs[covered] += repair.cost
    return dict(zip(starts, costs, strict=True))
