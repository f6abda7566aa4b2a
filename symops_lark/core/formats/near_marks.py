"""Correct marks of formats that are nearly right: one character is another, or all are capitals.

A model that forgets a character of `</parameter>` loses the whole call. So where something could
not be read, such marks are corrected in a copy of the reply. The copy is read, and its actions are
in doubt.

Only formats count of which the reply has another mark that is exact; in prose, a word may look like
a mark by chance.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ..document import Action, Completeness, Document, Skipped
from ..grammar.codes import (
    BROKEN_SECTION,
    EARLY_CLOSE,
    MARK_IN_CONTENT,
    MISSING_ARGUMENT,
    NEAR_MARK,
    NO_CLOSING_MARK,
)
from ..patterns.regexes import compile_pattern, escape
from ..recovery.doubts.confidence import lowered, mark_suspect
from ..text.diagnostics import Diagnostic, Severity
from ..text.slips import Slip, find_slip
from ..text.source import Source, Span
from .loading import all_sections
from .sections import Section, find_places

_SHORTEST = 6  # characters of a mark that no other word resembles by chance
_CONFIDENCE = 0.5  # at most, of an action that rests on a corrected mark
# By the kind of a slip, what its correction costs, in thousandths of a mistake: it lowers the
# confidence at least to the share of such corrections that are right, which
# `python -m benchmarks.near_marks` measures. Of several marks at one place the cheapest is meant.
PRICES: Mapping[Slip, int] = {
    Slip.CASE: 100,
    Slip.DOUBLED: 100,
    Slip.BLANK: 100,
    Slip.ADDED: 300,
    Slip.REPLACED: 400,
    Slip.EXCHANGED: 400,
    # It may also be a changed one: `<pathx.py` has lost a sign, or `x` is in its place.
    Slip.MISSING: 700,
}
_MOST = 200  # corrections in a reply; a reply with more is about something else
_BOUNDS = ("", "\n", "<", ">")  # texts next to a mark that are not a part of a content
# Findings after which a mark may be missing.
_LOSSES = (BROKEN_SECTION, EARLY_CLOSE, MARK_IN_CONTENT, MISSING_ARGUMENT, NO_CLOSING_MARK)


class Correction(NamedTuple):
    """A mark that is nearly right.

    Attributes:
        start: The offset at which it begins.
        end: The offset at which it ends.
        mark: The mark that is meant.
        slip: What is wrong with it.
    """

    start: int
    end: int
    mark: str
    slip: Slip


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
        pieces = []
        # Where each unchanged piece begins, in the new text and in the original.
        self._new_starts = [0]
        self._old_starts = [0]
        done = 0
        length = 0
        for start, end, mark, _ in corrections:
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
    by_format = marks_by_format(sections)
    # An exact mark of one format may look like a mistake in that of another.
    known = _all_marks().union(*by_format.values())
    exact = [mark for mark in known if mark in text]
    for marks in by_format.values():
        # A reply in a format has at least one mark that is exact.
        if not any(mark in text for mark in marks):
            continue
        for mark in marks:
            corrections += find_near(text, mark, exact)
            if len(corrections) > _MOST:
                return None
    # The cheapest of those at one place, then the longest.
    corrections.sort(key=_place_and_price)
    chosen = []
    done = 0
    for correction in corrections:
        if correction.start >= done:
            chosen.append(correction)
            done = correction.end
    return Corrected(text, chosen) if chosen else None


def _place_and_price(correction: Correction) -> tuple[int, int, int]:
    """Return the sort key of a correction: its place, its price, then the longest mark first."""
    length = len(correction.mark)
    return correction.start, PRICES[correction.slip], -length


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

    One half of it is exact, since there is one mistake. So two searches find all of them, and a
    third one finds those in another case.

    Args:
        text: The text.
        mark: The mark.
        exact: The marks that the text has as they are.
    """
    first, second = halves_of(mark)
    for place in find_places(text, first):
        start = place + len(first)
        for length in _lengths_near(text, start, mark.removeprefix(first)):
            yield from _as_correction(text, place, start + length, mark, exact)
    for place in find_places(text, second):
        for length in _lengths_near(text, place, mark.removesuffix(second), backwards=True):
            end = place + len(second)
            yield from _as_correction(text, place - length, end, mark, exact)
    in_any_case = compile_pattern(f"(?i){escape(mark)}")
    for match in in_any_case.finditer(text):
        yield from _as_correction(text, match.start(), match.end(), mark, exact)


def halves_of(mark: str) -> tuple[str, str]:
    """Return two parts of a mark, of which one is exact if the mark has one mistake.

    Args:
        mark: The mark.
    """
    middle = len(mark) // 2
    # Between them is one character, which may be exchanged with the last one of the first part.
    after = middle + 1
    return mark[:middle], mark[after:]


def _lengths_near(text: str, place: int, part: str, backwards: bool = False) -> Iterator[int]:
    """Yield the length of a text at a place that is a part with one mistake."""
    size = len(part)
    end = 0 if backwards else -1
    lengths = []
    # Of two that are equally probable, the shorter one takes no character of a content.
    for length in (size - 1, size, size + 1):
        start = place - length if backwards else place
        if start < 0:
            continue
        candidate = text[start : start + length]
        slip = find_slip(candidate, part)
        # The mark is on as many lines.
        is_longer = candidate.count("\n") > part.count("\n")
        if slip is None or is_longer or len(candidate) != length:
            continue
        # Its last character would not be there by chance.
        if slip is Slip.EXCHANGED:
            yield length
            return
        lengths.append(length)

    def rank(length: int) -> int:
        """Return 0 if the outer end of a text is probably that of the mark."""
        if backwards:
            outer = place - length
            beyond = text[outer - 1 : outer]
        else:
            after = place + length
            outer = after - 1
            beyond = text[after : after + 1]
        if text[outer] == part[end]:
            return 0
        # Nothing is between the mark and the end of the line.
        if beyond in _BOUNDS:
            return 1
        return 2

    lengths.sort(key=rank)
    yield from lengths[:1]


def _as_correction(
    text: str, start: int, end: int, mark: str, exact: Sequence[str]
) -> Iterator[Correction]:
    """Yield the correction of a text, unless it is an exact mark or a word."""
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
    near = text[start:end]
    slip = find_slip(near, mark)
    if slip is not None and not _is_word(text, start, end, mark):
        yield Correction(start, end, mark, slip)


def _is_word(text: str, start: int, end: int, mark: str) -> bool:
    """Return whether a text that is nearly a mark is more probably a word or another tag.

    Args:
        text: The reply.
        start: The offset at which it begins.
        end: The offset at which it ends.
        mark: The mark.
    """
    near = text[start:end]
    letters = mark.replace("_", "")
    signs = [sign for sign in letters if not sign.isalnum()]
    # `Action-` is a word: only its colon makes a mark of `Action:`.
    if len(signs) == 1 and signs[0] not in near:
        return True
    # `Function:` is a word, too.
    before = text[start - 1 : start]
    if mark[0].isalnum() and before.isalnum():
        return True
    # `<file path="a.py">` is not a mistake in `<file>`.
    if near[-1] == mark[-1]:
        return False
    following = text[end : end + 1]
    return near[-1] == " " or following == " "


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

    sections = []
    limits = {}
    for section in second.sections:
        is_new = section in changed
        if isinstance(section, Action) and section.content_span is not None:
            section = replace(section, content_span=span_of(section.content_span))
        span = span_of(section.span)
        section = replace(section, span=span)
        # What is left out is shown as the reply has it.
        if isinstance(section, Skipped):
            text = corrected.original[span.start : span.end]
            section = replace(section, text=text)
        if is_new:
            limits[span.start] = _limit(corrected.corrections, span)
        sections.append(section)
    findings = []
    for finding in second.diagnostics:
        span = span_of(finding.span)
        findings.append(replace(finding, span=span))
    findings += [_report(source, correction) for correction in corrected.corrections]
    findings.sort(key=lambda finding: finding.span.start)
    document = replace(second, sections=tuple(sections), diagnostics=tuple(findings))
    for start, limit in limits.items():
        document = mark_suspect(document, {start}, limit)
    return document


def _limit(corrections: Sequence[Correction], span: Span) -> float:
    """Return the greatest confidence of an action that rests on corrected marks."""
    own_price = 0
    price = 0
    for correction in corrections:
        price += PRICES[correction.slip]
        if span.start <= correction.end and correction.start <= span.end:
            own_price += PRICES[correction.slip]
    # The marks of its neighbors show where it ends.
    return lowered(_CONFIDENCE, own_price or price)


def _report(source: Source, correction: Correction) -> Diagnostic:
    """Return the finding about a corrected mark."""
    span = source.span(correction.start, correction.end)
    near = source.text[span.start : span.end]
    slip = correction.slip
    reason = f"{slip}, price {PRICES[slip]}"
    message = f"this mark is not exact: {near} was read as {correction.mark} ({reason})"
    return Diagnostic(NEAR_MARK, message, span, Severity.WARNING)
