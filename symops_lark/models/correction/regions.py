"""Correct the broken sections of a reply one by one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
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
    findings = sorted(result.diagnostics, key=_start_of)
    for section in result.document.sections:
        span = section.span
        errors = []
        warnings = []
        low = bisect_left(findings, span.start, key=_start_of)
        high = bisect_right(findings, span.end, key=_start_of)
        for finding in findings[low:high]:
            # Notes describe repairs: the model need not write anything again because of them.
            if finding.severity is Severity.ERROR:
                errors.append(finding)
            elif finding.severity is Severity.WARNING:
                warnings.append(finding)
        unplaced.difference_update(errors)
        is_unsure = isinstance(section, Action) and not is_sure(section)
        if span.end <= span.start:
            continue
        if not errors and not is_unsure:
            continue
        start = text.rfind("\n", 0, span.start) + 1
        # The last line of a text may have no line end.
        end = (text.find("\n", span.end) + 1) or len(text)
        region = Region(
            start=start,
            end=end,
            text=text[start:end],
            section=section,
            findings=tuple(errors or warnings),
        )
        regions.append(region)
    for first, second in pairwise(regions):
        if first.end > second.start:
            return []
    if unplaced:
        return []
    return regions


def _start_of(finding: Diagnostic) -> int:
    return finding.span.start


def splice(
    result: Result, regions: Sequence[Region], answer: Document, dialect: Dialect
) -> str | None:
    """Return the reply with the sections of an answer in place of the broken ones.

    An action belongs to the region that names its path, and several actions on one path to its
    regions in their order. If not all paths agree, all actions belong to the regions in their
    order. An answer that repeats other actions is a whole reply. If all regions have their actions,
    more of them are left out.

    Args:
        result: The result of the reply.
        regions: The broken sections.
        answer: The document of the answer.
        dialect: The dialect of the reply.

    Returns:
        The text; None if it is not clear which section belongs where.
    """
    broken = [region.section for region in regions]
    by_path: dict[str, deque[Action]] = defaultdict(deque)
    for action in answer.actions:
        by_path[action.path].append(action)
    # By identity: a sure action may be equal to a broken one.
    identities = {id(section) for section in broken}
    for action in result.document.actions:
        if action.path in by_path and id(action) not in identities:
            return None
    paths = [section.path for section in broken if isinstance(section, Action)]
    replacements: list[tuple[Section, ...]] = [(action,) for action in answer.actions]
    if len(regions) == 1:
        # With all sections: the model may explain an action in a thought.
        replacements = [tuple(item for item in answer.sections if not isinstance(item, Skipped))]
    elif len(paths) == len(broken) and _have_all(by_path, paths):
        replacements = [(by_path[path].popleft(),) for path in paths]
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


def _have_all(by_path: Mapping[str, Sequence[Action]], paths: Sequence[str]) -> bool:
    """Return whether there are as many actions on each path as its number in a list."""
    return all(len(by_path.get(path, ())) == number for path, number in Counter(paths).items())
