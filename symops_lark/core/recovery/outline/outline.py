"""How a broken text is best read: each stretch of it with the role it plays and the mistakes that this assumes.

The one understanding of broken text in this project: recovery makes a document of it, and the repair engine finds in
it what is markup and what is content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...document import Completeness
from ...grammar.codes import (
    DOUBLED_CLOSER,
    DRAFT_ACTION,
    EARLY_CLOSE,
    FENCE_AROUND_BLOCK,
    OPENER_ON_HEAD,
    ORPHAN_BLOCK,
    PROSE,
)
from ...grammar.mistakes import HEADS, LEFT_OVER, NO_CLOSER, SUSPECT, Tagged
from ...ground.frozen import make_quickly
from ..engines.priced_rules import ROLES, Step, make_step
from ..lines.kinds import DELIMITERS, Kind, Line, Spelling, indentation_of, kinds_of


@dataclass(frozen=True, slots=True)
class Part:
    """A line or a run of lines, and its step in the reading."""

    line: Line
    step: Step


make_part: Callable[[Line, Step], Part] = make_quickly(Part)


@dataclass(frozen=True)
class Outline:
    """The parts of a text in order, what is missing at its end, and what the reading costs.

    Attributes:
        tagged: The codes of the dialect's mistakes by tag.
        note: A sentence if another engine than the wanted one had to read the text.
    """

    text: str
    parts: tuple[Part, ...]
    at_end: tuple[str, ...]
    price: int
    tagged: Tagged
    note: str = ""

    @property
    def cut_off(self) -> bool:
        """Whether the text ends inside a block and in the middle of a line."""
        return bool(self.at_end) and not self.text.endswith("\n")

    @cached_property
    def groups(self) -> list[Group]:
        """The sections, in order: to be read, not to be changed."""
        return group_parts(self)

    def doubt(self, doubtful: Mapping[int, str]) -> None:
        """Mark the actions that begin at these offsets: they may be none, or not all there, and why."""
        for group in self.groups if doubtful else ():
            if group.first.line.start in doubtful:
                group.suspect, group.doubt = True, doubtful[group.first.line.start]


_WANTING = kinds_of(Kind.ACTION, spelling=(Spelling.EXACT, Spelling.NEAR, Spelling.BARE))  # a content
_NONE: list[Part] = []  # what most groups have of most things


def _add(parts: list[Part], part: Part) -> list[Part]:
    """Return the parts with one more: their own list, or a new one in the place of the empty one that all share."""
    if not parts:
        return [part]
    parts.append(part)
    return parts


@dataclass(slots=True)
class Group:
    """The parts that make one section: an action line with its block, a question with its choices, skipped text."""

    role: str  # thought, reason, vitals, error, ask, head, drop
    first: Part
    more: list[Part]  # wrapped lines, choices, attributes, further skipped lines
    body: list[Part]
    gaps: list[Part]  # blank lines between the action line and its block
    opener: Part | None = None
    outer: Part | None = None  # a fence around the block's own delimiters
    closer: Part | None = None
    missing: str = ""  # the mistake that stands for the missing closer
    at_end: bool = False  # whether the text ends in the block
    opened: bool = False
    suspect: bool = False  # signs that the block was closed too early, or that this is no action
    doubt: str = EARLY_CLOSE  # the code of the finding that says so
    holds_heads: bool = False  # whether lines of the block may be actions

    @property
    def end(self) -> int:
        """The offset behind the section's last character, without the ending of its line."""
        return self._last_line(_NONE).stop

    @property
    def line_end(self) -> int:
        """The offset behind the section's last line."""
        return self._last_line(self.gaps).end

    def _last_line(self, gaps: list[Part]) -> Line:
        if self.closer is None and self.opener is None and not (self.more or self.body or gaps):
            return self.first.line
        parts = (self.first, *self.more, *gaps, *self.content_parts(), self.opener, self.closer)
        return max([part.line for part in parts if part is not None], key=lambda line: line.start)

    @property
    def code(self) -> str:
        """The mistake that skipped text is."""
        mistakes = self.first.step.mistakes
        return mistakes[0] if mistakes else PROSE

    @property
    def open(self) -> bool:
        """Whether a block was opened, and nothing closed it so far."""
        return self.opened and self.closer is None and not self.missing

    @property
    def lacks_content(self) -> bool:
        """Whether this is an action that wants a block and has none."""
        return self.role == "head" and not self.opened and self.first.line.kind in _WANTING

    def judge_completeness(self, cut_off: bool) -> Completeness:
        """Return whether the content is all there; `cut_off` says that the text ends in the middle of it."""
        if self.missing:
            return Completeness.TRUNCATED if cut_off and self.at_end else Completeness.UNTERMINATED
        return Completeness.SUSPECT if self.suspect else Completeness.COMPLETE

    def content_parts(self) -> list[Part]:
        """The body, without blank lines at its end if nothing closes it."""
        body = list(self.body)
        while self.missing and body and body[-1].line.kind is Kind.BLANK:
            body.pop()
        return body


def group_parts(outline: Outline) -> list[Group]:
    """Group the parts of an outline to sections, in order; blank lines between sections belong to none."""
    groups: list[Group] = []
    current: Group | None = None  # the action whose block may still come, is open, or was just closed
    no_closer = outline.tagged[NO_CLOSER]
    for part in outline.parts:
        role, step = _fitting_role(part, groups, current), part.step
        missing = next((m for m in step.before if m in no_closer), "") if step.before else ""
        if missing and current is not None:
            current.missing = missing
            current = None
        if role == "blank":
            if current is not None and not current.opened:
                current.gaps = _add(current.gaps, part)
            elif current is not None and current.closer is not None:
                current = None
        elif role in _BELOW:
            groups[-1].more = _add(groups[-1].more, part)
        elif role == "drop":
            _drop(groups, part)
        elif role in _IN_BLOCK and current is not None:
            _put_in_block(current, part, outline.tagged)
        else:
            if current is not None and current.open and step.before:
                current.missing, *others = step.before
                part = make_part(part.line, make_step(step.role, step.mistakes, tuple(others), step.price))
            first, *below = _taken_apart(part) if part.line.inside else (part,)
            groups.append(Group(role, first, below or _NONE, _NONE, _NONE))
            current = groups[-1] if role == "head" else None
            if current is not None:
                current.opened = OPENER_ON_HEAD in step.mistakes
    if current is not None and current.open and outline.at_end:
        current.missing, current.at_end = outline.at_end[0], True
    _mark_orphans(groups, outline.tagged[LEFT_OVER])
    _mark_unlike(groups, outline.text)
    _mark_shifted(groups)
    _mark_lacking(groups)
    return groups


_IN_BLOCK = frozenset(("open", "body", "close"))
_BELOW = frozenset(("wrap", "choice", "attribute"))


def _fitting_role(part: Part, groups: list[Group], current: Group | None) -> str:
    """Return the role of a line; `drop` where a recovery grammar gives it none, or one that cannot stand there."""
    role = part.step.role
    if role in _IN_BLOCK:
        fits = current is not None
    elif role in _BELOW:
        fits = bool(groups)
    else:
        fits = role in ROLES and (role != "blank" or part.line.kind is Kind.BLANK)
    return role if fits else "drop"


def _taken_apart(part: Part) -> list[Part]:
    """Return an action line and the attribute lines that were read as one with it."""
    first, *below = part.line.inside
    return [Part(first, part.step), *(Part(line, _ATTRIBUTE) for line in below)]


_ATTRIBUTE = Step("attribute", (), (), 0)


def _drop(groups: list[Group], part: Part) -> None:
    """Begin a stretch of skipped text, or make the one at hand longer."""
    if groups and groups[-1].role == "drop" and not part.step.mistakes:
        groups[-1].more = _add(groups[-1].more, part)
        return
    groups.append(Group("drop", part, _NONE, _NONE, _NONE))


def _put_in_block(group: Group, part: Part, tagged: Tagged) -> None:
    role, mistakes = part.step.role, part.step.mistakes
    if part.step.before:  # what a custom grammar says is missing there
        mistakes = (*mistakes, *part.step.before)
    if role == "open":
        if FENCE_AROUND_BLOCK in mistakes:
            group.outer = group.opener
        group.opener, group.opened = part, True
    elif role == "body":
        group.opened = True
        group.body = _add(group.body, part)
        if not tagged[HEADS].isdisjoint(mistakes):
            group.holds_heads = True
    else:
        group.closer = part
        if not group.body and part.line.kind.spelling is Spelling.NEAR:
            group.suspect = True
    if not tagged[SUSPECT].isdisjoint(mistakes):
        group.suspect = True


def _mark_lacking(groups: Sequence[Group]) -> None:
    """Mark the actions without the content that they want, and respelt ones behind these."""
    lacking = False
    for group in groups:
        if group.role == "head" and (group.lacks_content or (lacking and group.first.line.kind.is_respelt)):
            lacking = True
            group.suspect, group.doubt = True, DRAFT_ACTION


def _mark_unlike(groups: Sequence[Group], text: str) -> None:
    """Mark the actions behind a block that lost its closer as long as they are indented otherwise than its action.

    Such a block may have held them: who indents the marks of a reply writes those of a content as the content has them.
    So may it an action without a block right behind those.
    """
    unclosed, unlike = -1, False  # the indentation of the action of such a block; was one behind it otherwise?
    for group in groups:
        if group.role != "head":
            continue
        depth = indentation_of(group.first.line, text)
        unlike = unclosed not in (-1, depth) or (unlike and not group.opened)
        if unlike:
            group.suspect, group.doubt = True, DRAFT_ACTION
        else:
            unclosed = depth if group.missing and not group.at_end else -1


def _mark_shifted(groups: Sequence[Group]) -> None:
    """Mark the actions between a block without an action and an action without its block: each may have the next's."""
    between: list[Group] | None = None
    for group in groups:
        if group.role == "drop" and ORPHAN_BLOCK in group.first.step.mistakes:
            between = []
        elif group.role == "head" and between is not None and group.opened:
            between.append(group)
        elif group.lacks_content and between is not None:
            for each in between:
                each.suspect = True
            between = None


def _mark_orphans(groups: list[Group], left_over: frozenset[str]) -> None:
    """Mark blocks that look closed too early, and actions that may be lines of such a block.

    Signs of an early close: an orphan delimiter behind the block, or an empty block with a near miss on the very next
    line. An action without a block that touches (no blank line between) a doubtful block, or an action that lacks its
    content, or stands behind a block that holds action lines, may be a line of content itself. So may every action
    behind an action without its content and a delimiter that belongs to nothing.
    """
    last: Group | None = None
    block: Group | None = None
    before: Group | None = None
    doubt = buried = False
    for group in groups:
        touching = before is not None and before.line_end == group.first.line.start
        if touching and last is before and last is not None and last.closer and not last.body:
            last.suspect = last.suspect or group.first.line.kind.spelling is Spelling.NEAR
        doubt = touching and (doubt or (last is before and last is not None and (last.suspect or last.lacks_content)))
        if group.role == "head":
            if group.opened:
                block = group
            elif doubt or (block is not None and block.holds_heads):
                group.suspect = True
            group.suspect = group.suspect or buried
            last = group
        elif group.role == "drop" and last is not None:
            kinds = {part.line.kind for part in (group.first, *group.more)}
            doubled = DOUBLED_CLOSER in group.first.step.mistakes and last is before
            is_left = touching and not left_over.isdisjoint(group.first.step.mistakes)
            if is_left or (not doubled and kinds & DELIMITERS):
                last.suspect = True
                buried = buried or (last.lacks_content and not is_left)
        before = group
