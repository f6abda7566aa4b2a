"""Judge the delimiters that end a content: each may be a line of the content itself.

A content may hold lines that look like a delimiter: the underline of a heading, a Markdown fence,
the first line of a conflict. The reading takes the first of them for the closer. If the delimiter
is odd, or the lines around it are, the content may have ended too early (`early-close`).

    ::create @notes.rst
    <<<
    Sums
    ====    read as the closer of the content, but it may underline a heading

Not here: whole actions inside a content (`core.discourse.nesting`).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from ...grammar.codes import DOUBLED_CLOSER, DOUBLED_OPENER, EARLY_CLOSE
from ...grammar.mistakes import BETWEEN, FENCE_CLOSER, STRAY_FENCE
from ...ground.file_types import WITH_FENCES, language_of
from ...text.source import size
from ..lines.kinds import NEAR_DELIMITERS, Kind, Line, text_of
from ..outline.groups import Group, Part
from ..outline.heads import HeadReader
from ..outline.outline import Outline

_UNDERLINES = "-=~^"  # of headings in reStructuredText and Markdown
_MAX_DELIMITER = 8  # characters; a longer line of signs is a line drawn in a file
_LINES = _UNDERLINES + "`*_#"  # signs of which files have lines
_MIN_RUN = 3  # signs of a delimiter that is hardly a line of a file
_AFTER_TEXT = frozenset((Kind.LAST_TEXT, Kind.TEXT_CLOSE))  # closers with other text on the line
_FENCES = frozenset((Kind.FENCE, Kind.FENCE_INFO))


def find_early_closes(outline: Outline, heads: HeadReader) -> dict[int, str]:
    """Return the doubts about actions whose content may have ended too early.

    Args:
        outline: The reading.
        heads: Parses the heads of the actions.

    Returns:
        The code of the doubt, by the offset at which an action begins.
    """
    judge = _Judge(outline, heads)
    groups = outline.groups
    doubts = {}
    last = len(groups) - 1
    for index, group in enumerate(groups):
        if group.role != "head":
            continue
        following = None
        if index < last:
            following = groups[index + 1]
        if judge.may_end_early(group, following):
            start = group.first.line.start
            doubts[start] = EARLY_CLOSE
    return doubts


def find_outer_fences(outline: Outline, lines: Sequence[Line]) -> dict[int, Kind]:
    """Return the fences that end a fence around the reply, and were read as the end of a content.

    Args:
        outline: The reading.
        lines: The lines that were read.

    Returns:
        The new kinds of these lines, by the index of the line.
    """
    closing_codes = outline.tagged[FENCE_CLOSER]
    stray_codes = outline.tagged[STRAY_FENCE]
    line_starts = [line.start for line in lines]
    kinds = {}
    is_fenced = False
    for group in outline.groups:
        # The fences outside of actions are pairs: after an odd number of them, one is open.
        if _has(group.first, stray_codes):
            is_fenced = not is_fenced
        if group.role != "head" or not is_fenced:
            continue
        fence = _last_fence(group, lines, closing_codes)
        if fence is not None:
            index = bisect_right(line_starts, fence.start) - 1
            kinds[index] = Kind.OUTER_FENCE
    return kinds


def _last_fence(group: Group, lines: Sequence[Line], closing_codes: frozenset[str]) -> Line | None:
    """Return the fence at the end of a content that may be the end of another fence."""
    if group.opener is None:
        return None
    if group.closer is not None and _has(group.closer, closing_codes):
        return group.closer.line
    if not group.missing or not group.at_end:
        return None
    last: Line | None = None
    is_open = False
    for line in lines:
        if line.start >= group.opener.line.end and line.kind in _FENCES:
            last = line
            is_open = not is_open
    # The fences of a content are pairs. The end of a fence has no language after it.
    if last is None or not is_open or last.kind is not Kind.FENCE:
        return None
    return last


def _has(part: Part, codes: frozenset[str]) -> bool:
    """Return whether a line has one of these mistakes."""
    return not codes.isdisjoint(part.step.mistakes)


class _Judge:
    """Judges the delimiters of the actions of one reading."""

    def __init__(self, outline: Outline, heads: HeadReader) -> None:
        self.text = outline.text
        self.heads = heads
        self._between_codes = outline.tagged[BETWEEN]
        self._closing_codes = outline.tagged[FENCE_CLOSER]
        self._end = len(self.text.rstrip())
        self._openers = heads.dialect.fences
        self._closers = heads.dialect.closers
        # The characters of the delimiters.
        opening = "".join(self._openers)
        closing = "".join(self._closers)
        self._opening_signs = set(opening)
        self._closing_signs = set(closing)
        self._signs = set(unicodedata.normalize("NFKC", opening + closing))

    def may_end_early(self, group: Group, following: Group | None) -> bool:
        """Return whether the content of an action may have ended too early.

        Args:
            group: The action.
            following: The section after it; None if it is the last one.
        """
        if group.closer is None:
            return False
        closer = group.closer.line
        is_near = closer.kind in NEAR_DELIMITERS
        if is_near and self._leaves_text(closer, following):
            return True
        if group.opener is None:
            return False
        opener = group.opener.line
        if self._is_too_short(opener, closer) and not self._precedes_section(following):
            return True
        # A reply that ends in a closer after other text may break off there.
        if closer.kind in _AFTER_TEXT and _has_no_ending(closer):
            return True
        if is_near and self._is_like_content(group, opener, closer):
            return True
        if self._may_be_conflict(opener, closer):
            return True
        if self._is_repeated(group, opener, closer):
            return True
        if self._is_doubled(group, closer, following):
            return True
        if _has(group.closer, self._closing_codes):
            # A file of a type that holds fences may hold this one.
            action = self.heads.action(group)
            return action is None or language_of(action.path) in WITH_FENCES
        return self._is_foreign(opener) != self._is_foreign(closer)

    def _leaves_text(self, closer: Line, following: Group | None) -> bool:
        """Return whether text that is not a sentence follows what is nearly a closer."""
        # A closer that is only indented is certain.
        if self._bare(closer) in self._closers:
            return False
        return following is not None and _has(following.first, self._between_codes)

    def _precedes_section(self, following: Group | None) -> bool:
        """Return whether sentences or a section follow a closer, which are no content."""
        return following is not None and not _has(following.first, self._between_codes)

    def _is_too_short(self, opener: Line, closer: Line) -> bool:
        """Return whether a closer ends only shorter delimiters than the opener of its block.

        A longer opener is chosen for a content that has such a line.
        """
        bare = self._bare(closer)
        if bare not in self._closers:
            return False
        # A misspelled opener has no length that was meant.
        ends = self._openers.get(self._bare(opener), ())
        lengths = [size(end) for end in ends]
        return size(bare) < min(lengths, default=0)

    def _may_be_conflict(self, opener: Line, closer: Line) -> bool:
        """Return whether a reply ends in the signs of an opener, as a conflict in a file begins.

        They consist of signs of an opener, and of no sign of a closer.
        """
        if closer.stop < self._end:
            return False
        if self._bare(opener) not in self._openers:
            return False
        signs = set(self._bare(closer))
        if not signs or not signs <= self._opening_signs:
            return False
        return signs.isdisjoint(self._closing_signs)

    def _is_like_content(self, group: Group, opener: Line, closer: Line) -> bool:
        """Return whether what is nearly a closer looks like a line of the content."""
        bare = self._bare(closer)
        is_alike = bare == self._bare(opener)
        has_words = any(map(str.isalnum, bare))
        if not is_alike and not has_words:
            if _has_no_ending(closer):
                return True
            # After an odd opener, the closer may be odd, too.
            has_length = 1 < size(bare) <= _MAX_DELIMITER
            if not has_length and not opener.kind.is_respelt:
                return True
        if not group.body:
            return False
        # A line of a content may be a run of lines.
        content = text_of(group.body[-1].line, self.text)
        above = content.rstrip().rpartition("\n")[2]
        if _underlines(bare, above):
            return True
        return self._continues(bare, above.lstrip())

    def _continues(self, bare: str, above: str) -> bool:
        """Return whether a closer follows a sign with which the line above begins, as in a diff."""
        sign = bare[:1]
        if sign.isalnum() or bare[1:2] not in (" ", "\t"):
            return False
        # Two lines of delimiters begin alike, too.
        return above[:1] == sign and not self._signs.issuperset(above)

    def _is_repeated(self, group: Group, opener: Line, closer: Line) -> bool:
        """Return whether the content has a line like an odd delimiter, as front matter has."""
        if self._bare(opener) == self._bare(closer):
            return False
        delimiters = set()
        for line in (opener, closer):
            if line.kind in NEAR_DELIMITERS:
                delimiters.add(self._bare(line))
        # Most blocks have exact delimiters.
        if not delimiters:
            return False
        for part in group.body:
            lines = text_of(part.line, self.text).split("\n")
            if not delimiters.isdisjoint(lines):
                return True
        return False

    def _is_doubled(self, group: Group, closer: Line, following: Group | None) -> bool:
        """Return whether the closer may be the last line of the content: another one follows it.

        Some models write each delimiter twice, and signs such as `>>>` are a line of few files.
        Words and brackets (`end`, `}`) end the parts of many, and what opens a block, too, may be
        a line of its content.
        """
        if following is None or following.code != DOUBLED_CLOSER:
            return False
        if group.opener is not None and DOUBLED_OPENER in group.opener.step.mistakes:
            return False
        bare = self._bare(closer)
        is_run = size(bare) >= _MIN_RUN and len(set(bare)) == 1
        # Fences, underlines and rules are lines of Markdown, and of the texts that comments hold.
        return not is_run or bare[0] in _LINES or bare in self._openers

    def _is_foreign(self, line: Line) -> bool:
        """Return whether a delimiter has no sign in common with those of the dialect."""
        if line.kind not in NEAR_DELIMITERS:
            return False
        signs = unicodedata.normalize("NFKC", self._bare(line))
        return self._signs.isdisjoint(signs)

    def _bare(self, line: Line) -> str:
        """Return a line without blanks around it."""
        return text_of(line, self.text).strip()


def _has_no_ending(line: Line) -> bool:
    """Return whether the text ends in a line: more may follow on it."""
    return line.end == line.stop


def _underlines(bare: str, above: str) -> bool:
    """Return whether a line of signs is as long as the line above, as under a heading."""
    if len(bare) <= 2 or len(bare) != len(above):
        return False
    has_words = any(map(str.isalnum, above))
    return has_words and bare[0] in _UNDERLINES
