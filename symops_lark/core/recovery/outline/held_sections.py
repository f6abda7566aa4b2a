"""Sections written otherwise than the reply's own, which a content holds, and which end it where it is not delimited.

A reply that begins its action lines with its mark, and in one column, hardly does otherwise behind a block that went
wrong: a content about a notation does. Such a text is read once more with these lines as text, and that counts where
it is cheaper and all of them are content then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...grammar.codes import EARLY_CLOSE
from ..lines.kinds import NEAR_DELIMITERS, TEXT, Kind, Line, Spelling, kinds_of
from .outline import Group, Outline


def read_held(
    lines: list[Line], outline: Outline, mark: str, read: Callable[[list[Line]], Outline]
) -> tuple[list[Line], Outline, dict[int, str]]:
    """Return the lines and their outline, read once more if that finds contents which hold such sections, and whose.

    `mark` begins an action line. Told are where the actions begin that have them, and the code of the doubt.
    """
    groups, text = outline.groups, outline.text
    indent = _indentation(groups, text)
    mark = indent + mark
    holding = _may_hold(groups, text, mark)
    if holding:
        told, held = _as_text(text, lines, indent, mark, holding)
        again = read(told)
        whole = {group.first.line.start for group in again.groups if _is_whole(group, held)}
        if again.price < outline.price and whole.issuperset(holding):
            return told, again, dict.fromkeys(holding, EARLY_CLOSE)
    return lines, outline, {}


def _indentation(groups: Sequence[Group], text: str) -> str:
    """Return what stands before the mark of the reply's first action line."""
    for group in groups:
        line = group.first.line
        if line.kind in _HEADS:
            shown = text[line.start : line.stop]
            return shown[: -len(shown.lstrip())]
    return ""


def _may_hold(groups: Sequence[Group], text: str, mark: str) -> dict[int, bool]:
    """Return where actions begin behind which something is missing or left over, and then a head written otherwise.

    Of each whether its own delimiters are not misspelt, so that misspelt ones may be content.
    """
    found: dict[int, bool] = {}
    at, odd, exact = -1, False, False
    for group in groups:
        line = group.first.line
        if _is_foreign(line, text, mark):
            if at >= 0 and odd:
                found[at] = exact
        elif line.kind in _HEADS:
            at, odd, exact = line.start, bool(group.missing) or group.lacks_content, not _is_misspelt(group)
        odd = odd or group.role == "drop"
    return found


def _is_foreign(line: Line, text: str, mark: str) -> bool:
    """Return whether a line is nearly an action's first one, and does not begin with the mark."""
    return line.kind in _HEADS and not text.startswith(mark, line.start)


def _is_misspelt(group: Group) -> bool:
    return group.opener is not None and group.opener.line.kind.is_respelt


def _is_whole(group: Group, held: Mapping[int, int]) -> bool:
    """Return whether a block ends as exactly as it began, behind all that it may hold."""
    closer, last = group.closer, held.get(group.first.line.start)
    if closer is None or last is None or closer.line.start < last:
        return False
    return not closer.line.kind.is_respelt or _is_misspelt(group)


def _may_be_held(line: Line, text: str, indent: str, exact: bool) -> bool:
    """Return whether a delimiter is misspelt, and so are not the action's own ones, or it is indented otherwise."""
    shown = text[line.start : line.stop]
    return line.kind in NEAR_DELIMITERS and (exact or shown != indent + shown.lstrip())


def _as_text(
    text: str, lines: Sequence[Line], indent: str, mark: str, holding: Mapping[int, bool]
) -> tuple[list[Line], dict[int, int]]:
    """Return the lines, with text for what is misspelt between an action that may hold it and the reply's next one.

    Of each such action the place of the last action line that it may hold.
    """
    told: list[Line] = []
    held: dict[int, int] = {}
    at = -1
    for line in lines:
        foreign = _is_foreign(line, text, mark)
        if line.kind in _ENDS or (line.kind in _HEADS and not foreign):
            at = line.start if line.start in holding else -1
        elif at >= 0 and (foreign or line.kind in _NEAR or _may_be_held(line, text, indent, holding[at])):
            if foreign:
                held[at] = line.start
            line = line._replace(kind=TEXT, inside=())
        told.append(line)
    return told, held


_HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.NEAR, Spelling.EXACT, Spelling.BEFORE))
_NEAR = kinds_of(Kind.THOUGHT, Kind.VITALS, Kind.ASK, Kind.ERROR, spelling=(Spelling.NEAR,))
_ENDS = frozenset((Kind.THINK_OPEN, Kind.THINK_CLOSE))  # of what one content holds
