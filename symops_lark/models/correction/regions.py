"""Putting the broken sections of a reply right one by one: which they are, and where their new texts go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...core.document import Action, Document, Section, Skipped
from ...core.grammar.dialect import Dialect
from ...core.ground.errors import RenderError
from ...core.rendering.renderer import render
from ...core.result import Result
from ...core.text.diagnostics import Diagnostic, Severity
from .guard import is_sure


@dataclass(frozen=True, slots=True)
class Region:
    """A broken stretch of a reply: whole lines from `start` to `end`, what it was read as, and what is wrong."""

    start: int
    end: int
    text: str
    section: Section
    findings: tuple[Diagnostic, ...]


def find_regions(result: Result) -> list[Region]:
    """Return the broken sections of a reply, in order; none if what is wrong has no place in a section."""
    text, regions = result.text, []
    errors = [finding for finding in result.diagnostics if finding.severity is Severity.ERROR]
    placed = 0
    for section in result.document.sections:
        span = section.span
        own = [
            finding
            for finding in result.diagnostics
            if finding.severity is not Severity.NOTE and span.start <= finding.span.start <= span.end
        ]
        wrong = [finding for finding in own if finding in errors]
        placed += len(wrong)
        unsure = isinstance(section, Action) and not is_sure(section)
        if not (wrong or unsure) or span.end <= span.start:
            continue
        start = text.rfind("\n", 0, span.start) + 1
        end = text.find("\n", span.end)
        end = len(text) if end < 0 else end + 1
        regions.append(Region(start, end, text[start:end], section, tuple(wrong or own)))
    apart = all(a.end <= b.start for a, b in pairwise(regions))
    return regions if apart and placed >= len(errors) else []


def splice(result: Result, regions: Sequence[Region], answer: Document, dialect: Dialect) -> str | None:
    """Return the reply with an answer's sections for the broken ones; None if it is not clear which goes where.

    An action belongs to the region that names its path; otherwise the actions belong to the regions in their order, if
    there are as many. An answer that repeats what was not asked for is a whole reply.
    """
    text = result.text
    told = [section for section in answer.sections if not isinstance(section, Skipped)]
    actions = [section for section in told if isinstance(section, Action)]
    broken = [region.section for region in regions]
    kept = {action.path for action in result.document.actions if action not in broken}
    if any(action.path in kept for action in actions):
        return None
    if len(regions) == 1:
        placed: list[tuple[Section, ...]] = [tuple(told)] if told else []
    else:
        by_path = {action.path: action for action in reversed(actions)}
        found = [by_path[s.path] for s in broken if isinstance(s, Action) and s.path in by_path]
        placed = [(action,) for action in (found if len(found) == len(regions) else actions)]
    if len(placed) != len(regions):
        return None
    pieces, at = [], 0
    for region, sections in zip(regions, placed, strict=True):
        try:
            written = render(Document(sections), dialect)
        except RenderError:
            return None
        pieces += [text[at : region.start], written]
        at = region.end
    return "".join(pieces) + text[at:]
