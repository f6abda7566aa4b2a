"""Why a content that is taken for a file's whole new text is surely or likely none.

A content in a notation for edits that nobody reads would overwrite the file with the notation itself. So the new text
is compared with the old one: `measure` counts, `Thresholds` say from which numbers on a person is asked, `find_doubts`
says why. Compared are filled lines, without the blanks at their ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from ..ground.numbers import counted
from ..text.source import cut
from .left_out import may_stand_for_code
from .marks import commands_edit, has_edit_keys, is_fence, is_mark, is_sure_mark, number_of, rest_behind_mark

_LONGEST = 400  # characters of a line that may be a mark: who writes one writes it shortly
_FEW = 4  # filled lines from which a text that keeps nothing is told by that alone
_LOOKED = 400  # lines of each text that are searched for in those of the other
_WORDS = 2  # characters of words that a line needs to be told from another


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers from which on a person is asked."""

    nothing_from: int = _FEW  # filled lines of the old text: from here on keeping none is a doubt
    like: float = 0.5  # in shorter texts, so like an old line some new line must be
    marked_share: float = 0.3  # of the new lines
    twice_from: int = 3  # filled lines of the old text
    twice_share: float = 0.5  # of its different lines
    inside_share: float = 0.3  # of the new lines
    shrink_from: int = 20  # filled lines of the old text
    shrink_share: float = 0.5  # of them that may be lost
    snippet_from: int = 4  # filled lines of the old text
    snippet_below: int = 20
    snippet_share: float = 0.4  # of them that a shorter text must keep


@dataclass(frozen=True, slots=True)
class Measure:
    """Numbers of an old and a new text; `old`, `new` and what is counted are filled lines."""

    old: int
    new: int
    kept: int  # lines of the old text that stand in the new one, blanks at both ends left out
    like: float  # how like its closest old line some new line is, where a short text keeps none
    marked: int  # new lines that are old ones behind a mark or a number, and are no old ones themselves
    signs: bool  # each new line begins with a mark of a diff, and not so the old ones
    numbers: bool  # each new line begins with its number, and not so the old ones
    twice: float  # share of the different old lines that stand in the new text at least twice as often
    inside: int  # new lines that hold an old one and more
    mark: tuple[int, str] | None  # number and text of a new line that is the mark of a notation for edits
    command: str  # the first line, if it is the command of such a notation
    keys: bool  # the new text has keys of a tool call for edits, which the old one has not
    left_out: tuple[int, str] | None  # number and text of a new line that stands for code that was left out


def find_doubts(old: str, new: str, limits: Thresholds | None = None) -> tuple[str, ...]:
    """Return why a whole new text should be looked at; nothing if it looks like one.

    Args:
        old: The file's text, empty for a new file.
        new: The text that is to take its place.
        limits: From which numbers on there is a doubt.

    Returns:
        A sentence for each doubt. Where there is no old text, only marks of notations and keys of tool calls are told.
    """
    if not new.strip():
        return ()
    return tuple(_signals(measure(old, new), limits or Thresholds()))


def find_loss(old: str, new: str, limits: Thresholds | None = None) -> str:
    """Return what a long text loses if that is too much, or an empty text.

    Args:
        old: The file's text.
        new: The text that is to take its place.
        limits: How much a text of which length may lose.

    Returns:
        One sentence.
    """
    limits = limits or Thresholds()
    lines = [line.strip() for _, line in _filled(old)]
    return _tell_loss(len(lines), _count_kept(lines, [line.strip() for _, line in _filled(new)]), limits)


def find_mark(old: str, new: str, *, everywhere: bool = False) -> tuple[int, str] | None:
    """Return the line of a new text, with its number, that is the mark of a notation for edits and no old line.

    Args:
        old: The file's text, empty for a new file.
        new: The text that is to take its place.
        everywhere: Whether all new lines are looked at: those that an edit has put between the file's own.

    Returns:
        The first such line: a sure one, one near the beginning or end, or any in a text that loses half of the file.
    """
    before, after = _filled(old), _filled(new)
    lines = [line.strip() for _, line in before]
    everywhere = everywhere or _count_kept(lines, [line.strip() for _, line in after]) * 2 < len(lines)
    return _find_mark(set(lines), after, everywhere)


def tell_mark(mark: tuple[int, str]) -> str:
    """Return the sentence on a line that is the mark of a notation for edits.

    Args:
        mark: Its number and its text.

    Returns:
        One sentence.
    """
    number, line = mark
    return (
        f"line {number} is the mark of a merge conflict, a diff or another notation for edits, and was taken as text: "
        f"{cut(line, 0, 80)!r}"
    )


def measure(old: str, new: str) -> Measure:
    """Compare a new text with the old one.

    Args:
        old: The file's text.
        new: The text that is to take its place.

    Returns:
        The numbers of both.
    """
    a = [line for _, line in _filled(old)]
    old_lines = [line.strip() for line in a]
    known = set(old_lines)
    after = _without_fence(_filled(new), known)
    b = [line for _, line in after]
    new_lines = [line.strip() for line in b]
    kept = _count_kept(old_lines, new_lines)
    fresh = [(number, line) for number, line in after if line.strip() not in known]
    is_first_new = bool(fresh) and fresh[0] == after[0] and len(b[0]) < _LONGEST
    return Measure(
        len(a),
        len(b),
        kept,
        _find_likeness(old_lines, new_lines) if 0 < len(a) < _FEW and not kept else 0.0,
        _count_marked(a, b),
        _is_signed_anew(a, b),
        _is_numbered(b) and not _is_numbered(a),
        _share_twice(old_lines, new_lines),
        _count_inside(old_lines, fresh) if kept * 3 < len(a) else 0,
        _find_mark(known, after, kept * 2 < len(a)),
        b[0].strip() if is_first_new and commands_edit(b[0].strip()) else "",
        has_edit_keys(new) and not has_edit_keys(old, anywhere=True),
        next(((number, line.strip()) for number, line in fresh if may_stand_for_code(line)), None),
    )


def _signals(found: Measure, limits: Thresholds) -> Iterator[str]:
    if found.mark is not None:
        yield tell_mark(found.mark)
    if found.keys:
        yield "the new text has the keys of a tool call for edits"
    if found.old:
        yield from _about_losses(found, limits)
        yield from _about_lines(found, limits)


def _about_losses(found: Measure, limits: Thresholds) -> Iterator[str]:
    """Yield what the new text has too little of."""
    if found.kept == 0 and found.old >= limits.nothing_from:
        yield f"the new text keeps none of the file's {counted(found.old, 'line')}"
    elif found.kept == 0 and found.old < _FEW and found.like < limits.like:
        yield "no line of the new text is like a line of the file"
    if loss := _tell_loss(found.old, found.kept, limits):
        yield loss
    elif (
        limits.snippet_from <= found.old < limits.snippet_below
        and found.kept < found.old * limits.snippet_share
        and found.new < found.old
    ):
        yield f"the file keeps {found.kept} of its {counted(found.old, 'line')}, and becomes shorter"


def _about_lines(found: Measure, limits: Thresholds) -> Iterator[str]:
    """Yield what lines of the new text look like those of a notation."""
    lines = f"of the new text's {counted(found.new, 'line')}"
    if found.marked and found.marked >= limits.marked_share * found.new:
        yield f"{found.marked} {lines} are the file's own behind a mark or a number"
    if found.signs:
        yield "each line of the new text begins with a mark of a diff"
    if found.numbers:
        yield "each line of the new text begins with its number"
    if found.old >= limits.twice_from and found.twice >= limits.twice_share:
        yield f"{found.twice:.0%} of the file's lines stand twice in the new text"
    if found.inside and found.inside >= limits.inside_share * found.new:
        yield f"{found.inside} {lines} hold a line of the file and more"
    if found.command:
        yield f"the new text begins with a command to edit: {cut(found.command, 0, 80)!r}"
    if found.left_out is not None:
        yield tell_left_out(found.left_out)


def tell_left_out(place: tuple[int, str]) -> str:
    """Return the sentence on a line that stands for code that was left out.

    Args:
        place: Its number and its text.

    Returns:
        One sentence.
    """
    return f"line {place[0]} stands for code that was left out: {cut(place[1], 0, 80)}"


def _tell_loss(old: int, kept: int, limits: Thresholds) -> str:
    lost_too_much = old >= limits.shrink_from and kept < old * (1 - limits.shrink_share)
    return f"the file keeps {kept} of its {counted(old, 'line')}" if lost_too_much else ""


def _filled(text: str) -> list[tuple[int, str]]:
    """Return the filled lines with their numbers, whatever ends them."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [(number, shown) for number, line in enumerate(lines, 1) if (shown := line.rstrip())]


def _without_fence(lines: list[tuple[int, str]], known: Collection[str]) -> list[tuple[int, str]]:
    """Take off a Markdown fence around all that the file has not: what is inside may be a notation all the same."""
    first, last = (lines[0][1].strip(), lines[-1][1].strip()) if len(lines) > 2 else ("", "")
    if is_fence(first) and is_fence(last) and first not in known:
        return lines[1:-1]
    return lines


def _count_kept(old: Sequence[str], new: Sequence[str]) -> int:
    return (Counter(old) & Counter(new)).total()


def _find_likeness(old: Sequence[str], new: Sequence[str]) -> float:
    pairs = ((x[:200], y[:200]) for x in old for y in new[:12])
    return max((SequenceMatcher(None, x, y, autojunk=False).ratio() for x, y in pairs), default=0.0)


def _count_marked(old: Sequence[str], new: Sequence[str]) -> int:
    """Count new lines that are old ones behind a mark; a blank alone is none where no line has a sign or a number."""
    known = set(old)
    marked = signed = 0
    for line in new:
        rest, is_blank = (None, False) if line in known or _is_rule(line) else rest_behind_mark(line)
        if rest is None or not rest.strip():
            continue
        if rest in known or (not is_blank and rest[0] == " " and rest[1:] in known):
            marked += 1
            signed += not is_blank
        elif line[0] in "-+":
            signed += 1
    return marked if signed else 0


def _is_signed_anew(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the new lines begin with marks of a diff, and those of the file do not, wherever these are indented to.

    Either each line does; or each that the file has not, and what stands behind each `-` is a line of the file.
    """
    stripped, known = {line.strip() for line in old}, set(old)
    fresh = [line for line in new if line not in known]
    if all(line.strip() in stripped or _is_rule(line) for line in fresh):
        return False
    is_other = not _signs(fresh) <= _signs(stripped) or any(line[1:] in known for line in fresh if line[0] != "+")
    if all(line[0] == "+" or (line[0] == "-" and line[1:] in known) for line in fresh):
        return is_other
    return _is_signed(new) and (is_other or not _is_signed(stripped))


def _signs(lines: Collection[str]) -> set[str]:
    """Return the signs that lines begin with, those of lists with their blank."""
    return {line[:2] if line[1:2] == " " else line[0] for line in lines if line[0] in "-+"}


def _is_rule(line: str) -> bool:
    """Whether a line is one that is drawn below a heading."""
    return len(line) > 2 and len(set(line)) == 1


def _is_signed(lines: Collection[str]) -> bool:
    return all(line[0] in "-+ " for line in lines) and any(line[0] in "-+" for line in lines)


def _is_numbered(lines: Sequence[str]) -> bool:
    rows = [row for line in lines if (row := number_of(line)) is not None]
    rises = all(x < y for (x, _), (y, _) in pairwise(rows))
    return 0 < len(lines) == len(rows) and rises and any(is_marked for _, is_marked in rows)


def _share_twice(old: Sequence[str], new: Sequence[str]) -> float:
    there = Counter(new)
    solid = {line: n for line, n in Counter(old).items() if sum(map(str.isalnum, line)) >= _WORDS}
    return sum(there[line] >= 2 * n for line, n in solid.items()) / len(solid) if solid else 0.0


def _count_inside(old: Sequence[str], fresh: Sequence[tuple[int, str]]) -> int:
    long = [line for line in dict.fromkeys(old) if len(line) >= 8][:_LOOKED]
    return sum(any(line in one for line in long) for _, one in fresh[:_LOOKED])


def _find_mark(known: Collection[str], lines: Sequence[tuple[int, str]], everywhere: bool) -> tuple[int, str] | None:
    """Find a mark that is no old line: near the beginning and the end, or everywhere; a sure one anywhere."""
    edges = {number for number, _ in (*lines[:4], *lines[-2:])}
    for number, line in lines:
        shown = line.strip()
        if len(shown) >= _LONGEST or shown in known:
            continue
        if is_sure_mark(line) or ((everywhere or number in edges) and is_mark(shown)):
            return number, shown
    return None
