"""Mark the groups of an outline that are probably not what the model meant.

A block may have been closed too early by a line of its content, and an action may be a line of a
content, or only a draft. Such errors are cheap or free in the recovery grammar, because each line
alone is correct. They show only in the neighbors of a section, so each function here looks at the
groups in order and sets `Group.suspect`, and `Group.doubt` to the code of the diagnostic.
`group_passes.PASSES` lists them in the order in which they run. The tables in their docstrings show
the code of the doubt about each action, without the function and with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...grammar.codes import DOUBLED_CLOSER, DRAFT_ACTION, ORPHAN_BLOCK
from ...grammar.mistakes import LEFT_OVER
from ..lines.kinds import DELIMITERS, Spelling, indentation_of
from .groups import Group, Outlined


def mark_lacking(groups: Sequence[Group], outline: Outlined) -> None:
    """Mark actions without the content that they need, and misspelled actions after them.

    was           becomes       line
    -             draft-action  ::create @a.py
    -             -
    early-close   draft-action  ::delete b.py
    -             -
    early-close   early-close   ::run @ls
    """
    is_after_lacking = False
    for group in groups:
        if group.role != "head":
            continue
        is_near = group.first.line.kind.is_respelt
        if group.lacks_content or (is_after_lacking and is_near):
            is_after_lacking = True
            group.suspect = True
            group.doubt = DRAFT_ACTION


def mark_unlike(groups: Sequence[Group], outline: Outlined) -> None:
    """Mark actions after a block without a closer that are indented differently than its action.

    The block may have held them: a model that indents the marks of its reply writes those of a
    content as the content has them. The block may also have held an action without a block directly
    after such actions.

    was           becomes       line
    -             -             ::create @a.md
    -             -             <<<
    -             -             Write:
    -             draft-action    ::edit @b.py
    -             -             <<<
    -             -             x = 1
    -             -             >>>
    -             draft-action  ::run @ls
    """
    unclosed_depth = -1  # the indentation of the action with such a block; -1 if there is none
    is_unlike = False
    for group in groups:
        if group.role != "head":
            continue
        depth = indentation_of(group.first.line, outline.text)
        is_indented_differently = unclosed_depth not in (-1, depth)
        is_unlike = is_indented_differently or (is_unlike and not group.opened)
        if is_unlike:
            group.suspect = True
            group.doubt = DRAFT_ACTION
            continue
        unclosed_depth = -1
        if group.missing and not group.at_end:
            unclosed_depth = depth


def mark_shifted(groups: Sequence[Group], outline: Outlined) -> None:
    """Mark the actions between a block without an action and an action without a block.

    Each of them may have the block of the action after it: all blocks are one action too early.

    was           becomes       line
    -             -             <<<
    -             -             x = 1
    -             -             >>>
    -             early-close   ::create @a.py
    -             -             <<<
    -             -             y = 2
    -             -             >>>
    draft-action  draft-action  ::create @b.py
    """
    between: list[Group] | None = None  # the actions since the block without an action
    for group in groups:
        is_orphan = group.role == "drop" and ORPHAN_BLOCK in group.first.step.mistakes
        if is_orphan:
            between = []
        elif between is None:
            continue
        elif group.role == "head" and group.opened:
            between.append(group)
        elif group.lacks_content:
            for action in between:
                action.suspect = True
            between = None


def mark_orphans(groups: Sequence[Group], outline: Outlined) -> None:
    """Mark blocks that look closed too early, and actions that may be lines of such a block.

    Signs of an early close are a delimiter after the block that belongs to nothing, and an empty
    block with a near miss on the line directly after it. An action without a block may be a line of
    a content if it touches a doubtful block or an action that lacks its content (no blank line
    between), or follows a block that holds action lines. So may every action after an action
    without its content and a delimiter that belongs to nothing.

    was           becomes       line
    -             -             ::create @a.md
    -             -             <<<
    -             -             End with:
    -             -             >>>
    -             early-close   ::run @ls
    -             -             >>>
    """
    left_over = outline.tagged[LEFT_OVER]  # codes of text directly after a block
    last: Group | None = None  # the last action
    block: Group | None = None  # the last action with a block
    before: Group | None = None  # the group before the current one
    is_doubtful = False  # whether the current group may be a line of a content
    is_buried = False  # whether all actions from here on may be
    for group in groups:
        touches = before is not None and before.line_end == group.first.line.start
        follows_action = last is not None and last is before
        if touches and follows_action and last is not None:
            if last.closer and not last.body:
                is_near = group.first.line.kind.spelling is Spelling.NEAR
                last.suspect = last.suspect or is_near
            is_doubtful = is_doubtful or last.suspect or last.lacks_content
        is_doubtful = touches and is_doubtful
        if group.role == "head":
            if group.opened:
                block = group
            elif is_doubtful or (block is not None and block.holds_heads):
                group.suspect = True
            group.suspect = group.suspect or is_buried
            last = group
        elif group.role == "drop" and last is not None:
            is_left = touches and not left_over.isdisjoint(group.first.step.mistakes)
            if is_left or _has_lone_delimiter(group, follows_action):
                last.suspect = True
                is_buried = is_buried or (last.lacks_content and not is_left)
        before = group


def _has_lone_delimiter(group: Group, follows_action: bool) -> bool:
    """Return whether skipped text holds a delimiter that is not just a doubled closer."""
    if follows_action and DOUBLED_CLOSER in group.first.step.mistakes:
        return False
    return any(part.line.kind in DELIMITERS for part in (group.first, *group.following))
