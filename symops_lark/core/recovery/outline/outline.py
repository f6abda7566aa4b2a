"""Hold the reading of a broken text: each line with its role and mistakes, grouped to sections.

This is the only interpretation of broken text in this project. Recovery makes a document of it, and
the repair engine takes from it which lines are markup and which are content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...grammar.codes import FENCE_AROUND_BLOCK, OPENER_ON_HEAD
from ...grammar.mistakes import HEADS, NO_CLOSER, SUSPECT, Tagged
from ..engines.priced_rules import ROLES, Step, make_step
from ..lines.kinds import Kind, Spelling
from .group_passes import run_passes
from .groups import NO_PARTS, Group, Part, make_part


@dataclass(frozen=True)
class Outline:
    """The reading of a text.

    Attributes:
        text: The text; its lines end with line feeds only.
        parts: Its lines in order, with their steps.
        at_end: The codes of what is missing at the end.
        price: The price of all mistakes.
        tagged: The codes of the dialect's mistakes by tag.
        note: A sentence that reports that another engine had to read the text; else empty.
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
        """The sections in order; callers must not change them."""
        return group_parts(self)

    def doubt(self, doubtful: Mapping[int, str]) -> None:
        """Mark actions that may be incomplete, or not actions at all.

        Args:
            doubtful: The codes of the diagnostics, by the offsets at which the actions begin.
        """
        if not doubtful:
            return
        for group in self.groups:
            start = group.first.line.start
            if start in doubtful:
                group.suspect = True
                group.doubt = doubtful[start]


def _add(parts: list[Part], part: Part) -> list[Part]:
    """Return a list with one more part: the same list, or a new one in place of `NO_PARTS`."""
    if not parts:
        return [part]
    parts.append(part)
    return parts


def group_parts(outline: Outline) -> list[Group]:
    """Return the sections of an outline in order, with those marked that are suspect."""
    groups = gather_parts(outline)
    run_passes(groups, outline)
    return groups


def gather_parts(outline: Outline) -> list[Group]:
    """Return the sections of an outline in order; blank lines between sections belong to none.

    A section is marked as suspect only for a mistake in its own block. `group_passes` looks at the
    neighbors.
    """
    groups: list[Group] = []
    # The action whose block may still come, is open, or was just closed.
    current: Group | None = None
    for part in outline.parts:
        current = _add_part(groups, current, part, outline.tagged)
    if current is not None and current.open and outline.at_end:
        current.missing = outline.at_end[0]
        current.at_end = True
    return groups


def _add_part(
    groups: list[Group], current: Group | None, part: Part, tagged: Tagged
) -> Group | None:
    """Add a part to the current action, to the last section, or as a section; return the action."""
    role = _fitting_role(part, groups, current)
    if current is not None and part.step.before:
        missing = _first_in(part.step.before, tagged[NO_CLOSER])
        if missing:
            current.missing = missing
            current = None
    if role == "blank":
        return _add_blank(current, part)
    if role in _BELOW:
        groups[-1].following = _add(groups[-1].following, part)
        return current
    if role == "drop":
        _drop(groups, part)
        return current
    if role in _IN_BLOCK and current is not None:
        _put_in_block(current, part, tagged)
        return current
    if current is not None and current.open and part.step.before:
        part = _take_missing(current, part)
    return _begin_group(groups, role, part)


def _first_in(codes: Sequence[str], wanted_codes: frozenset[str]) -> str:
    """Return the first code that is in a set; empty if none is."""
    for code in codes:
        if code in wanted_codes:
            return code
    return ""


def _add_blank(current: Group | None, part: Part) -> Group | None:
    """Add a blank line to the gap before a block; return the action, or None after a block."""
    if current is None:
        return None
    if not current.opened:
        current.gaps = _add(current.gaps, part)
    elif current.closer is not None:
        return None
    return current


def _take_missing(current: Group, part: Part) -> Part:
    """Give the first missing thing before a part to the open block; return the part without it.

    A custom grammar may name the missing closer otherwise than the installed ones.
    """
    step = part.step
    current.missing = step.before[0]
    return make_part(part.line, make_step(step.role, step.mistakes, step.before[1:], step.price))


def _begin_group(groups: list[Group], role: str, part: Part) -> Group | None:
    """Begin a section; return it if it is an action."""
    parts = [part]
    if part.line.inside:
        parts = _take_apart(part)
    attributes = parts[1:] or NO_PARTS
    group = Group(role, parts[0], attributes, NO_PARTS, NO_PARTS)
    groups.append(group)
    if role != "head":
        return None
    group.opened = OPENER_ON_HEAD in part.step.mistakes
    return group


# Roles that need an action, and roles that need a section before them.
_IN_BLOCK = frozenset(("open", "body", "close"))
_BELOW = frozenset(("wrap", "choice", "attribute"))


def _fitting_role(part: Part, groups: list[Group], current: Group | None) -> str:
    """Return the role of a line; `drop` if it has none, or one that is impossible here.

    Only a custom recovery grammar can give such a role.
    """
    role = part.step.role
    if role in _IN_BLOCK:
        fits = current is not None
    elif role in _BELOW:
        fits = bool(groups)
    else:
        is_blank = part.line.kind is Kind.BLANK
        fits = role in ROLES and (role != "blank" or is_blank)
    if not fits:
        return "drop"
    return role


def _take_apart(part: Part) -> list[Part]:
    """Return an action line, and the attribute lines that were read as one line with it."""
    first, *below = part.line.inside
    attributes = [Part(line, _ATTRIBUTE) for line in below]
    return [Part(first, part.step), *attributes]


# An attribute that is joined to its action line costs nothing: the step of the line has the price.
_ATTRIBUTE = Step("attribute", (), (), 0)


def _drop(groups: list[Group], part: Part) -> None:
    """Add a part to the skipped text before it, or begin a new one.

    In a run of skipped text only the first line has a mistake, so a mistake begins a new run.
    """
    last = groups[-1] if groups else None
    if last is not None and last.role == "drop" and not part.step.mistakes:
        last.following = _add(last.following, part)
        return
    groups.append(Group("drop", part, NO_PARTS, NO_PARTS, NO_PARTS))


def _put_in_block(group: Group, part: Part, tagged: Tagged) -> None:
    """Add a delimiter or a line of the content to the block of an action."""
    role = part.step.role
    mistakes = part.step.mistakes
    if part.step.before:  # mistakes that a custom grammar reports before a line of a block
        mistakes = (*mistakes, *part.step.before)
    if role == "open":
        if FENCE_AROUND_BLOCK in mistakes:  # the opener before this one was the fence
            group.outer = group.opener
        group.opener = part
        group.opened = True
    elif role == "body":
        group.opened = True
        group.body = _add(group.body, part)
        if not tagged[HEADS].isdisjoint(mistakes):
            group.holds_heads = True
    else:
        group.closer = part
        # An empty block that a near miss closes: the near miss may be its first line.
        is_near = part.line.kind.spelling is Spelling.NEAR
        if is_near and not group.body:
            group.suspect = True
    if not tagged[SUSPECT].isdisjoint(mistakes):
        group.suspect = True
