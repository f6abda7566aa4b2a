"""Hold the parts of an outline, grouped to sections.

This module does not import the outline: `outline` groups its parts, and `group_passes` marks the
groups. So no imports form a circle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ...document import Completeness
from ...grammar.codes import EARLY_CLOSE, PROSE
from ...grammar.mistakes import Tagged
from ...ground.frozen import make_quickly
from ..engines.priced_rules import Step
from ..lines.kinds import Kind, Line, Spelling, kinds_of


@dataclass(frozen=True, slots=True)
class Part:
    """A line or a run of lines, and its step in the reading.

    Attributes:
        line: The line; its offsets refer to `Outline.text`.
        step: Its role, its mistakes, and what is missing before it.
    """

    line: Line
    step: Step


make_part: Callable[[Line, Step], Part] = make_quickly(Part)

# Kinds of action lines that need a content. One that opens its block, or follows a closer, is not
# missed if it is lost.
_NEEDING_CONTENT = kinds_of(Kind.ACTION, spelling=(Spelling.EXACT, Spelling.NEAR, Spelling.BARE))
# One empty list for all groups: most groups have nothing in most of their lists, and a long text
# has many thousand groups. The function that adds a part replaces it.
NO_PARTS: list[Part] = []


@dataclass(slots=True)
class Group:
    """The parts of one section: an action with its block, a question with choices, skipped text.

    Attributes:
        role: thought, reason, vitals, error, ask, head, drop, or section.
        first: The first line of the section.
        following: Wrapped lines, choices, attributes, or further skipped lines.
        body: The lines of the block, without the delimiters.
        gaps: The blank lines between the action line and its block.
        opener: The opening delimiter; None if the block has none.
        outer: A Markdown fence around the delimiters of the block.
        closer: The closing delimiter; None if the block has none.
        missing: The code of the missing closer; empty if the block is closed.
        at_end: Whether the text ends inside the block.
        opened: Whether the block has begun.
        suspect: Whether the block may have been closed too early, or this is not an action.
        doubt: The code of the diagnostic that reports this.
        holds_heads: Whether lines of the block may be actions.
    """

    role: str
    first: Part
    following: list[Part]
    body: list[Part]
    gaps: list[Part]
    opener: Part | None = None
    outer: Part | None = None
    closer: Part | None = None
    missing: str = ""
    at_end: bool = False
    opened: bool = False
    suspect: bool = False
    doubt: str = EARLY_CLOSE
    holds_heads: bool = False

    @property
    def end(self) -> int:
        """The offset after the last character of the section, before its line ending."""
        return self._last_line(NO_PARTS).stop

    @property
    def line_end(self) -> int:
        """The offset after the last line of the section, with the blank lines before its block."""
        return self._last_line(self.gaps).end

    def _last_line(self, gaps: list[Part]) -> Line:
        # Most sections are one line: no list is made for them.
        has_delimiters = self.opener is not None or self.closer is not None
        if not has_delimiters and not (self.following or self.body or gaps):
            return self.first.line
        lines = [part.line for part in (self.first, *self.following, *gaps, *self.content_parts())]
        if self.opener is not None:
            lines.append(self.opener.line)
        if self.closer is not None:
            lines.append(self.closer.line)
        return max(lines, key=lambda line: line.start)

    @property
    def code(self) -> str:
        """The diagnostic code of skipped text."""
        mistakes = self.first.step.mistakes
        if not mistakes:
            return PROSE
        return mistakes[0]

    @property
    def open(self) -> bool:
        """Whether a block was opened and not closed so far."""
        return self.opened and self.closer is None and not self.missing

    @property
    def lacks_content(self) -> bool:
        """Whether this is an action that needs a block and has none."""
        if self.role != "head" or self.opened:
            return False
        return self.first.line.kind in _NEEDING_CONTENT

    def judge_completeness(self, cut_off: bool) -> Completeness:
        """Return how complete the content is.

        Args:
            cut_off: Whether the text ends in the middle of a line.
        """
        if self.missing:
            if cut_off and self.at_end:
                return Completeness.TRUNCATED
            return Completeness.UNTERMINATED
        if self.suspect:
            return Completeness.SUSPECT
        return Completeness.COMPLETE

    def content_parts(self) -> list[Part]:
        """Return the body, without blank lines at its end if it is not closed."""
        # They may as well separate the section from the next one.
        body = list(self.body)
        while self.missing and body and body[-1].line.kind is Kind.BLANK:
            body.pop()
        return body


class Outlined(Protocol):
    """What passes over groups read of an outline; `outline.Outline` has it."""

    # Properties, because an outline is frozen: a plain attribute of a protocol could be set.
    @property
    def text(self) -> str:
        """The text; its lines end with line feeds only."""

    @property
    def tagged(self) -> Tagged:
        """The codes of the dialect's mistakes by tag."""
