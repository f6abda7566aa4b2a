"""Correct the broken sections of a reply one by one."""

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
from .guard import find_errors, is_sure


@dataclass(frozen=True, slots=True)
class Region:
    """A broken section of a reply.

    Attributes:
        start: The offset of its first line.
        end: The offset after its last line.
        text: These lines.
        section: The section that they were read as.
        findings: The errors in it; without an error, the warnings.
    """

    start: int
    end: int
    text: str
    section: Section
    findings: tuple[Diagnostic, ...]


def find_regions(result: Result) -> list[Region]:
    """Return the broken sections of a reply, in order.

    Args:
        result: The result of reading the reply.

    Returns:
        The sections. None of them if an error is not in a section, or two sections share a line:
        the whole reply must then be written again.
    """
    text = result.text
    regions = []
    unplaced = set(find_errors(result))
    for section in result.document.sections:
        span = section.span
        errors = []
        warnings = []
        for finding in result.diagnostics:
            # Notes describe repairs: the model need not write anything again because of them.
            if span.start <= finding.span.start <= span.end:
                if finding.severity is Severity.ERROR:
                    errors.append(finding)
                elif finding.severity is Severity.WARNING:
                    warnings.append(finding)
        unplaced.difference_update(errors)
        is_unsure = isinstance(section, Action) and not is_sure(section)
        if not (errors or is_unsure) or span.end <= span.start:
            continue
        start = text.rfind("\n", 0, span.start) + 1
        # The last line of a text may have no line end.
        end = (text.find("\n", span.end) + 1) or len(text)
        regions.append(Region(start, end, text[start:end], section, tuple(errors or warnings)))
    for first, second in pairwise(regions):
        if first.end > second.start:
            return []
    return [] if unplaced else regions


def splice(
    result: Result, regions: Sequence[Region], answer: Document, dialect: Dialect
) -> str | None:
    """Return the reply with the sections of an answer in place of the broken ones.

    An action belongs to the region that names its path. If not all paths agree, the actions belong
    to the regions in their order. An answer that repeats other actions is a whole reply.

    Args:
        result: The result of the reply.
        regions: The broken sections.
        answer: The document of the answer.
        dialect: The dialect of the reply.

    Returns:
        The text; None if it is not clear which section belongs where.
    """
    broken = [region.section for region in regions]
    # Of several actions on one path the first one counts.
    by_path = {action.path: action for action in reversed(answer.actions)}
    for action in result.document.actions:
        if action.path in by_path and action not in broken:
            return None
    actions = [section for section in broken if isinstance(section, Action)]
    paths = [action.path for action in actions if action.path in by_path]
    replacements: list[tuple[Section, ...]] = [(action,) for action in answer.actions]
    if len(regions) == 1:
        # With all sections: the model may explain an action in a thought.
        replacements = [tuple(item for item in answer.sections if not isinstance(item, Skipped))]
    elif len(paths) == len(broken):
        replacements = [(by_path[path],) for path in paths]
    if len(replacements) != len(regions) or not all(replacements):
        return None
    pieces = []
    offset = 0
    for region, sections in zip(regions, replacements, strict=True):
        try:
            rendered = render(Document(sections), dialect)
        except RenderError:
            return None
        pieces += [result.text[offset : region.start], rendered]
        offset = region.end
    return "".join(pieces) + result.text[offset:]
