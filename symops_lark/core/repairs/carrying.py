"""From the repaired text back to the caller's: places, what was found, and what the repairs cost each action."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from ..document import Action, Completeness, CustomSection, Document, Skipped, judge_action
from ..grammar.codes import LOST_ACTION
from ..grammar.dialect import Dialect
from ..grammar.mistakes import load_mistakes
from ..ground.numbers import rounded
from ..recovery.doubts.confidence import COMPLETE_FORM, DOUBTED, action_confidence
from ..text.diagnostics import Diagnostic
from ..text.source import Source, Span
from .repaired import Repaired

_JUDGED = (Action, CustomSection)  # what has a confidence


def carry_findings(repaired: Repaired, recovered: Document | None, dialect: Dialect) -> list[Diagnostic]:
    """Return what was repaired, assumed and lost, as places of the caller's text."""
    source = Source(repaired.original)
    notes = [repair.to_diagnostic() for repair in repaired.repairs]
    assumed = recovered.diagnostics if recovered else ()
    notes += [replace(finding, span=repaired.original_span(finding.span, source)) for finding in assumed]
    known = {note.span.start for note in notes if note.code == LOST_ACTION}
    lost = load_mistakes(dialect)[LOST_ACTION]
    return notes + [lost.diagnose(source.span(at, at)) for at in repaired.lost if at not in known]


def carry_back(document: Document, repaired: Repaired) -> Document:
    """Return the document with spans in the caller's text, and of what has a confidence the one that is left."""
    source = Source(repaired.original)
    completeness = dict(repaired.completeness)
    sections = list(document.sections)
    document = replace(document, sections=())  # each is given up for the one that takes its place
    spans: list[Span] = []
    for section in sections:
        span = repaired.original_span(section.span, source)
        left = spans[-1] if spans else span
        if left.start < span.start < left.end < span.end:  # a closer and an action on one line
            spans[-1] = source.span(left.start, span.start)
        spans.append(span)
    judged = [span for section, span in zip(sections, spans, strict=True) if isinstance(section, _JUDGED)]
    cost_of = _share_costs(judged, repaired)
    for at, span in enumerate(spans):
        section = sections[at]
        if isinstance(section, Skipped | CustomSection):
            section = replace(section, text=source.text[span.start : span.end], span=span)
        elif not isinstance(section, Action):
            section = replace(section, span=span)
        if not isinstance(section, _JUDGED):
            sections[at] = section
            continue
        own = action_confidence(cost_of[span.start])
        known = completeness.get(span.start, section.completeness)
        if known is not Completeness.COMPLETE:
            own = min(own, DOUBTED)
        sure = rounded(min(own, own * section.confidence / COMPLETE_FORM))
        if isinstance(section, Action):
            inside = section.content_span
            inside = repaired.original_span(inside, source) if inside is not None else None
            sections[at] = judge_action(section, sure, known, span, inside)
        else:
            sections[at] = replace(section, confidence=sure, completeness=known)
    return Document(tuple(sections), document.dialect, document.price)


def _share_costs(actions: Sequence[Span], repaired: Repaired) -> dict[int, float]:
    """Return by where each action begins what the repairs of it cost."""
    starts = [span.start for span in actions]
    costs = [0.0] * len(actions)
    for made in repaired.repairs:
        start, end = made.before.start, made.before.end
        inserted = start == end
        owner = bisect_right(starts, start) - 1
        if owner >= 0 and inserted and start == starts[owner]:
            owner -= 1  # what was inserted before an action closes the one before it
        # a closing delimiter goes behind the action's last line
        if owner >= 0 and start < actions[owner].end + (2 if inserted else 0):
            costs[owner] += made.cost
        for later in range(owner + 1, bisect_left(starts, end)):
            costs[later] += made.cost  # a wrapper around several of them
    return dict(zip(starts, costs, strict=True))
