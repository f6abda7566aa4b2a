"""Read a text again if a content seems to hold sections that are written unlike those of the reply.

A content about a notation holds action lines. If the delimiters of its block are broken, such lines
end the block. But a reply that begins its action lines with its mark, in one column, rarely does
otherwise after a broken block. So the text is read again with the unlike lines as text. That
reading counts if it costs less, and if all of these lines are content in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...grammar.codes import EARLY_CLOSE
from ..lines.kinds import (
    ACTION_BASES,
    NEAR_DELIMITERS,
    TEXT,
    Kind,
    Line,
    Spelling,
    kinds_of,
    text_of,
)
from .groups import Group
from .outline import Outline

_HEADS = kinds_of(*ACTION_BASES, spelling=(Spelling.NEAR, Spelling.EXACT, Spelling.BEFORE))
_MISSPELLED = kinds_of(Kind.THOUGHT, Kind.VITALS, Kind.ASK, Kind.ERROR, spelling=(Spelling.NEAR,))
_ENDS = frozenset((Kind.THINK_OPEN, Kind.THINK_CLOSE))  # no content reaches past these


def read_held(
    lines: list[Line], outline: Outline, mark: str, read: Callable[[list[Line]], Outline]
) -> tuple[list[Line], Outline, dict[int, str]]:
    """Return the lines of a text and their outline, from a second reading if that is better.

    Args:
        lines: The lines of the text after all passes; not changed.
        outline: The first reading of these lines.
        mark: The mark with which the dialect begins an action line.
        read: Reads lines.

    Returns:
        The lines, their outline, and the code of the doubt by the offset of each action whose
        content holds sections; empty if the first reading stays.
    """
    # Both readings are needed only if some broken action may hold sections: rarely.
    text = outline.text
    indent = _indentation(outline.groups, text)
    mark = indent + mark
    holding = _may_hold(outline.groups, text, mark)
    if not holding:
        return lines, outline, {}
    changed, last_held = _as_text(text, lines, indent, mark, holding)
    second = read(changed)
    complete = set()
    for group in second.groups:
        if _is_complete(group, last_held):
            complete.add(group.first.line.start)
    if second.price < outline.price and complete.issuperset(holding):
        return changed, second, dict.fromkeys(holding, EARLY_CLOSE)
    return lines, outline, {}


def _indentation(groups: Sequence[Group], text: str) -> str:
    """Return the blanks before the first action line of a reply."""
    for group in groups:
        line = group.first.line
        if line.kind in _HEADS:
            content = text_of(line, text)
            bare = content.lstrip()
            return content[: -len(bare)]
    return ""


def _may_hold(groups: Sequence[Group], text: str, mark: str) -> dict[int, bool]:
    """Return where broken actions begin after which an unlike action line follows.

    An action is broken if its closer or its content is missing, or if text is left over after it.
    The value is whether its own delimiters are exact, so that misspelled ones may be content.
    """
    holding = {}
    start = -1  # the last action that is written like the first
    is_broken = False
    is_exact = False
    for group in groups:
        line = group.first.line
        if _is_unlike(line, text, mark):
            if start >= 0 and is_broken:
                holding[start] = is_exact
        elif line.kind in _HEADS:
            start = line.start
            is_broken = bool(group.missing) or group.lacks_content
            is_exact = not _is_misspelled(group)
        is_broken = is_broken or group.role == "drop"
    return holding


def _is_unlike(line: Line, text: str, mark: str) -> bool:
    """Return whether a line is an action line that does not begin with the mark of the reply."""
    return line.kind in _HEADS and not text.startswith(mark, line.start)


def _is_misspelled(group: Group) -> bool:
    return group.opener is not None and group.opener.line.kind.is_respelt


def _is_complete(group: Group, last_held: Mapping[int, int]) -> bool:
    """Return whether a block is closed after all that it may hold, as exactly as it was opened."""
    last = last_held.get(group.first.line.start)
    if group.closer is None or last is None:
        return False
    closer = group.closer.line
    if closer.start < last:
        return False
    # A misspelled closer counts only after a misspelled opener: then both are the reply's style.
    return not closer.kind.is_respelt or _is_misspelled(group)


def _as_text(
    text: str, lines: Sequence[Line], indent: str, mark: str, holding: Mapping[int, bool]
) -> tuple[list[Line], dict[int, int]]:
    """Return the lines with the held ones as text, and the last action line by holding action.

    Held are the misspelled lines between an action that may hold them and the next action of the
    reply.
    """
    changed = []
    last_held = {}
    start = -1  # the current action that may hold sections
    for line in lines:
        is_unlike = _is_unlike(line, text, mark)
        is_own_head = line.kind in _HEADS and not is_unlike
        if is_own_head or line.kind in _ENDS:
            start = line.start if line.start in holding else -1
        elif start >= 0:
            if is_unlike:
                last_held[start] = line.start
            if is_unlike or _may_be_held(line, text, indent, holding[start]):
                line = line._replace(kind=TEXT, inside=())
        changed.append(line)
    return changed, last_held


def _may_be_held(line: Line, text: str, indent: str, is_exact: bool) -> bool:
    """Return whether a line that is not an action line may be content.

    A misspelled delimiter may be if the delimiters of the action are exact, or if it is indented
    differently.
    """
    if line.kind in _MISSPELLED:
        return True
    if line.kind not in NEAR_DELIMITERS:
        return False
    content = text_of(line, text)
    bare = content.lstrip()
    return is_exact or content != indent + bare
