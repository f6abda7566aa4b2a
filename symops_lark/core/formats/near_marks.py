"""Correct marks of formats that are nearly right: one character is missing, too many, or another.

A model that forgets a character of `</parameter>` loses the whole call. So where something could
not be read, such marks are corrected in a copy of the reply. The copy is read, and its actions are
in doubt.

Only formats count of which the reply has another mark that is exact; in prose, a word may look like
a mark by chance.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ..document import Action, Completeness, Document, Skipped
from ..document import Section as Node
from ..grammar.codes import (
    BROKEN_SECTION,
    EARLY_CLOSE,
    MARK_IN_CONTENT,
    MISSING_ARGUMENT,
    NEAR_MARK,
    NO_CLOSING_MARK,
)
from ..recovery.doubts.confidence import mark_suspect
from ..text.diagnostics import Diagnostic, Severity
from ..text.slips import is_one_slip
from ..text.source import Source, Span
from .doubts import find_places
from .loading import all_sections
from .sections import Section

_SHORTEST = 6  # characters of a mark that no other word resembles by chance
_CONFIDENCE = 0.5  # of an action that rests on a corrected mark
_MOST = 200  # corrections in a reply; a reply with more is about something else
# Findings after which a mark may be missing.
_LOSSES = (BROKEN_SECTION, EARLY_CLOSE, MARK_IN_CONTENT, MISSING_ARGUMENT, NO_CLOSING_MARK)


class Correction(NamedTuple):
    """A mark that is nearly right.

    Attributes:
        start: The offset at which it begins.
        end: The offset at which it ends.
        mark: The mark that is meant.
    """

    start: int
    end: int
    mark: str


class Corrected:
    """A reply whose marks were corrected.

    Args:
        original: The reply.
        corrections: The corrections, in order; they do not overlap.

    Attributes:
        text: The corrected reply.
    """

    def __init__(self, original: str, corrections: Sequence[Correction]) -> None:
        self.original = original
        self.corrections = corrections
        pieces: list[str] = []
        # Where each unchanged piece begins, in the new text and in the original.
        self._new_starts = [0]
        self._old_starts = [0]
        done = 0
        length = 0
        for start, end, mark in corrections:
            pieces += [original[done:start], mark]
            length += start - done + len(mark)
            done = end
            self._new_starts.append(length)
            self._old_starts.append(done)
        pieces.append(original[done:])
        self.text = "".join(pieces)

    def to_original(self, offset: int) -> int:
        """Return the offset in the reply of an offset in the corrected one."""
        index = bisect_right(self._new_starts, offset) - 1
        distance = offset - self._new_starts[index]
        place = self._old_starts[index] + distance
        # An offset in a corrected mark is not after the mark.
        limit = len(self.original)
        if index < len(self.corrections):
            limit = self.corrections[index].end
        return min(place, limit)


def may_have_near_marks(document: Document) -> bool:
    """Return whether a mark may be missing in what was read.

    Args:
        document: What was read.
    """
    if any(finding.code in _LOSSES for finding in document.diagnostics):
        return True
    actions = document.actions
    if not actions:
        return True
    return any(action.completeness is Completeness.TRUNCATED for action in actions)


def correct_marks(text: str, sections: Sequence[Section]) -> Corrected | None:
    """Return a reply with corrected marks; None if no mark is nearly right.

    Args:
        text: The reply.
        sections: The sections to look for.
    """
    corrections: list[Correction] = []
    # An exact mark of one format may look like a mistake in that of another.
    exact = [mark for mark in _all_marks() if mark in text]
    for marks in marks_by_format(sections).values():
        # A reply in a format has at least one mark that is exact.
        if not any(mark in text for mark in marks):
            continue
        for mark in marks:
            corrections += find_near(text, mark, exact)
            if len(corrections) > _MOST:
                return None
    # The longest of those at one place.
    corrections.sort(key=_place_and_length)
    chosen: list[Correction] = []
    done = 0
    for correction in corrections:
        if correction.start >= done:
            chosen.append(correction)
            done = correction.end
    return Corrected(text, chosen) if chosen else None


def _place_and_length(correction: Correction) -> tuple[int, int]:
    """Return the sort key of a correction: its place, then the longest mark first."""
    length = len(correction.mark)
    return correction.start, -length


@cache
def _all_marks() -> frozenset[str]:
    """Return the long marks of all installed formats."""
    by_format = marks_by_format(list(all_sections()))
    return frozenset().union(*by_format.values())


def marks_by_format(sections: Sequence[Section]) -> dict[str, list[str]]:
    """Return the long marks of each format.

    Args:
        sections: The sections of the formats.
    """
    by_format: dict[str, list[str]] = {}
    for section in sections:
        marks = by_format.setdefault(section.format_name, [])
        for mark in section.mark_texts:
            plain = mark.strip()
            if len(plain) >= _SHORTEST and plain not in marks:
                marks.append(plain)
    return by_format


def find_near(text: str, mark: str, exact: Sequence[str]) -> Iterator[Correction]:
    """Yield the places at which a mark is nearly right.

    One half of it is exact, since there is one mistake. So two searches find all of them.

    Args:
        text: The text.
        mark: The mark.
        exact: The marks that the text has as they are.
    """
    middle = len(mark) // 2
    first = mark[:middle]
    second = mark[middle:]
    for place in find_places(text, first):
        start = place + middle
        for length in _lengths_near(text, start, second):
            yield from _as_correction(text, place, start + length, mark, exact)
    for place in find_places(text, second):
        for length in _lengths_near(text, place, first, backwards=True):
            end = place + len(second)
            yield from _as_correction(text, place - length, end, mark, exact)


def _lengths_near(text: str, place: int, part: str, backwards: bool = False) -> Iterator[int]:
    """Yield the length of a text at a place that is a part with one mistake."""
    size = len(part)
    outer = 0 if backwards else -1
    lengths: list[int] = []
    for length in (size, size - 1, size + 1):
        start = place - length if backwards else place
        if start < 0:
            continue
        candidate = text[start : start + length]
        if len(candidate) == length and _is_near(candidate, part):
            lengths.append(length)
            # The end of a mark is probably right: `</functions>` has a letter too many.
            if candidate[outer] == part[outer]:
                yield length
                return
    yield from lengths[:1]


def _is_near(text: str, wanted: str) -> bool:
    """Return whether a text is a mark with one slip, and is on as many lines."""
    if text.count("\n") > wanted.count("\n"):
        return False
    return is_one_slip(text, wanted)


def _as_correction(
    text: str, start: int, end: int, mark: str, exact: Sequence[str]
) -> Iterator[Correction]:
    """Yield the correction of a text, unless an exact mark is there."""
    # `<tool_call>` is not a mistake in `</tool_call>`.
    for other in exact:
        # A part of the mark itself may be exact.
        if other in mark and other != mark:
            continue
        reach = len(other) - 1
        first = max(0, start - reach)
        last = end + reach
        if text.find(other, first, last) >= 0:
            return
    yield Correction(start, end, mark)


def carry_back(first: Document, corrected: Corrected, second: Document) -> Document | None:
    """Return the reading of a corrected reply, with places in the reply; None if it is not better.

    Args:
        first: The reading of the reply as it is.
        corrected: The corrected reply.
        second: Its reading.
    """
    certain = [action for action in first.actions if action.completeness is Completeness.COMPLETE]
    # What was read with certainty must be read as before.
    changed = list(second.actions)
    for action in certain:
        if action not in changed:
            return None
        changed.remove(action)
    # What was read in the same way rests on no corrected mark.
    new = [action for action in changed if action not in first.actions]
    if all(action.completeness is Completeness.TRUNCATED for action in new):
        return None
    # More actions, or ends of those that had none.
    count = len(first.actions)
    is_more = len(second.actions) > count
    had_doubts = count > len(certain)
    if not is_more and not had_doubts:
        return None
    source = Source(corrected.original)

    def span_of(span: Span) -> Span:
        start = corrected.to_original(span.start)
        end = corrected.to_original(span.end)
        return source.span(start, max(start, end))

    # They rest on corrected marks.
    starts = {action.span.start for action in second.actions if action in changed}
    second = mark_suspect(second, starts, _CONFIDENCE)
    sections: list[Node] = []
    for section in second.sections:
        if isinstance(section, Action) and section.content_span is not None:
            section = replace(section, content_span=span_of(section.content_span))
        span = span_of(section.span)
        section = replace(section, span=span)
        # What is left out is shown as the reply has it.
        if isinstance(section, Skipped):
            text = corrected.original[span.start : span.end]
            section = replace(section, text=text)
        sections.append(section)
    findings: list[Diagnostic] = []
    for finding in second.diagnostics:
        span = span_of(finding.span)
        findings.append(replace(finding, span=span))
    for correction in corrected.corrections:
        start = correction.start
        end = correction.end
        near = corrected.original[start:end]
        message = f"this mark is not exact: {near} was read as {correction.mark}"
        span = source.span(start, end)
        finding = Diagnostic(NEAR_MARK, message, span, Severity.WARNING)
        findings.append(finding)
    findings.sort(key=lambda finding: finding.span.start)
    return replace(second, sections=tuple(sections), diagnostics=tuple(findings))
