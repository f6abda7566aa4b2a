"""Say why a content that would replace a whole file is probably not the file's new text.

Purpose
    Models write edits in many notations. One that `reading` does not recognize is taken for
    the file's whole new text, and would overwrite the file with the notation itself. This module
    finds such contents by comparing them with the old text; a person is then asked.

Invariants
    1. No notation of `tests/support/edit_notations.py` overwrites a file unasked, except those
       listed as `UNTOLD` (`test_no_notation_overwrites_a_file`).
    2. A new file has no old text to compare with: only marks of notations and keys of tool calls
       are reported.
    3. A line that the old text has is never a mark: files may be about diffs.

Theory of operation
    `comparison.measure` counts, `Thresholds` holds the limits, `find_doubts` yields one sentence
    for each limit that is passed. For the file `a = 0`, `x = 1`, `y = 2`, `z = 9` and the content

        @@
        -x = 1
        +x = 3

    the measure has kept_count 0, marked_count 1 of 3 and mark (1, "@@"). This gives `line 1 is the
    mark of …`, `the new text keeps none of the file's 4 lines` and two sentences more.

Not here
    What happens after a doubt: `acting.plan.policy` decides (`Policy.whole_text`). Which lines
    belong to notations: `marks`. Which lines stand for omitted code: `left_out`.

Known weaknesses
    A snippet with context of a file with at most 9 lines, `a → b` and word diffs in such files.
    `python -m benchmarks.edits` counts these, and the false alarms over histories of real files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ground.numbers import counted
from ..text.source import cut
from .comparison import (
    SHORT_TEXT_LINES,
    Measure,
    Row,
    count_kept,
    filled_lines,
    find_mark_row,
    measure,
)

_MIN_END = 5  # filled lines: a shorter end is often removed on purpose
_MAX_QUOTED = 80  # characters of a line that a sentence quotes


# The defaults were chosen on 4,197 consecutive versions of real files (false alarms) and on those
# versions written in 52 notations (caught). With these values 1.5 % were asked about, and 99.4 %
# caught: nothing_from 1 gave 1.8 / 99.6 %, 8 gave 1.5 / 99.3 %; snippet_share 0.6 gave 2.0 / 99.5
# %, without this signal 1.3 / 98.8 %; without the tables of marks 1.5 / 90.1 %. `end_share` came
# later: of 7,500 versions of five histories 0.1 asks about 32 more.
@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits from which on a person is asked; all counts are of filled lines.

    Attributes:
        nothing_from: Lines of the old text from which on keeping none is a doubt.
        like: Similarity (0 to 1) that, in shorter texts, some new line must have to an old one.
        marked_share: Share of the new lines that are old ones after a mark.
        twice_from: Lines of the old text from which on repeated lines are counted.
        twice_share: Share of the different old lines that occur at least twice as often.
        inside_share: Share of the new lines that contain an old line.
        shrink_from: Lines of the old text from which on a loss is counted.
        shrink_share: Share of these lines that may be lost.
        end_share: Share of these lines that, if they are all of the end, may not be lost.
        snippet_from: Lines of the old text from which on the new text may be a snippet of it.
        snippet_below: Lines of the old text from which on `shrink_share` applies instead.
        snippet_share: Share of the old lines that a shorter text must keep.
    """

    nothing_from: int = SHORT_TEXT_LINES
    like: float = 0.5
    marked_share: float = 0.3
    twice_from: int = 3
    twice_share: float = 0.5
    inside_share: float = 0.3
    shrink_from: int = 20
    shrink_share: float = 0.5
    end_share: float = 0.1
    snippet_from: int = 4
    snippet_below: int = 20
    snippet_share: float = 0.4


def find_doubts(old: str, new: str, limits: Thresholds | None = None) -> tuple[str, ...]:
    """Return the reasons to ask about a whole new text; empty if there are none.

    Args:
        old: The file's text, empty for a new file.
        new: The text that replaces it.
        limits: The limits. None: the defaults.

    Returns:
        One sentence for each doubt. Without an old text only marks of notations and keys of tool
        calls are reported.
    """
    if not new.strip():
        return ()
    return tuple(_describe(measure(old, new), limits or Thresholds()))


def find_loss(old: str, new: str, limits: Thresholds | None = None) -> str:
    """Return a sentence on the lines that a long text loses, if it loses too many.

    Args:
        old: The file's text.
        new: The text that replaces it.
        limits: From which length on, and which share. None: the defaults.

    Returns:
        The sentence, or an empty string.
    """
    old_lines = _stripped_lines(old)
    kept_count = count_kept(old_lines, _stripped_lines(new))
    return _describe_loss(len(old_lines), kept_count, limits or Thresholds())


def find_mark(old: str, new: str, *, everywhere: bool = False) -> Row | None:
    """Find a line of a new text that is the mark of a notation for edits and not an old line.

    Args:
        old: The file's text, empty for a new file.
        new: The text that replaces it.
        everywhere: Whether all new lines are candidates: those of a diff or of blocks lie anywhere
            between the file's own.

    Returns:
        Number and text of the first such line: a certain mark, one near the beginning or end, or
        any mark in a text that loses more than half of the file. None if there is no such line.
    """
    old_lines = _stripped_lines(old)
    rows = filled_lines(new)
    is_mostly_lost = count_kept(old_lines, [line.strip() for _, line in rows]) * 2 < len(old_lines)
    return find_mark_row(set(old_lines), rows, is_anywhere=everywhere or is_mostly_lost)


def describe_mark(mark: Row) -> str:
    """Return the sentence on a line that is the mark of a notation for edits.

    Args:
        mark: Number and text of the line.

    Returns:
        One sentence, with the line quoted.
    """
    number, line = mark
    return (
        f"line {number} is the mark of a merge conflict, a diff or another notation for edits, "
        f"and was taken as text: {cut(line, 0, _MAX_QUOTED)!r}"
    )


def describe_left_out(row: Row) -> str:
    """Return the sentence on a line that stands for code that was left out.

    Args:
        row: Number and text of the line.

    Returns:
        One sentence, with the line.
    """
    number, line = row
    return f"line {number} stands for code that was left out: {cut(line, 0, _MAX_QUOTED)}"


def _stripped_lines(text: str) -> list[str]:
    return [line.strip() for _, line in filled_lines(text)]


def _describe(result: Measure, limits: Thresholds) -> Iterator[str]:
    """Yield one sentence for each limit that is passed, the most specific signals first."""
    if result.mark is not None:
        yield describe_mark(result.mark)
    if result.has_keys:
        yield "the new text has the keys of a tool call for edits"
    if result.old_count:
        yield from _about_losses(result, limits)
        yield from _about_lines(result, limits)


def _about_losses(result: Measure, limits: Thresholds) -> Iterator[str]:
    """Yield sentences on what the new text keeps too little of."""
    if result.kept_count == 0:
        if result.old_count >= limits.nothing_from:
            yield f"the new text keeps none of the file's {counted(result.old_count, 'line')}"
        elif result.old_count < SHORT_TEXT_LINES and result.likeness < limits.like:
            yield "no line of the new text is like a line of the file"

    if _ends_early(result, limits):
        yield f"the new text ends where the file has {counted(result.missing_end, 'more line')}"
    loss = _describe_loss(result.old_count, result.kept_count, limits)
    if loss:
        yield loss
    elif _looks_like_snippet(result, limits):
        lines = counted(result.old_count, "line")
        yield f"the file keeps {result.kept_count} of its {lines}, and becomes shorter"


def _ends_early(result: Measure, limits: Thresholds) -> bool:
    """Return whether the end of a long file is lost, as in a reply that stops too early."""
    is_long = result.old_count >= limits.shrink_from
    least = max(_MIN_END, result.old_count * limits.end_share)
    return is_long and result.missing_end >= least


def _looks_like_snippet(result: Measure, limits: Thresholds) -> bool:
    """Return whether the new text may be the changed part of a short file."""
    if not limits.snippet_from <= result.old_count < limits.snippet_below:
        return False
    keeps_few = result.kept_count < result.old_count * limits.snippet_share
    # A rewrite that keeps few lines but becomes longer is common; a shorter one rarely is.
    return keeps_few and result.new_count < result.old_count


def _about_lines(result: Measure, limits: Thresholds) -> Iterator[str]:
    """Yield sentences on lines of the new text that look like those of a notation."""
    new_count = result.new_count
    lines = f"of the new text's {counted(new_count, 'line')}"
    # Counts of 0 never pass, whatever the limits: a share of 0 would otherwise always be reached.
    if result.marked_count and result.marked_count >= limits.marked_share * new_count:
        yield f"{result.marked_count} {lines} are the file's own after a mark or a number"
    if result.has_signs:
        yield "each line of the new text begins with a mark of a diff"
    if result.has_numbers:
        yield "each line of the new text begins with its number"
    if result.old_count >= limits.twice_from and result.twice_share >= limits.twice_share:
        yield f"{result.twice_share:.0%} of the file's lines occur twice in the new text"
    if result.inside_count and result.inside_count >= limits.inside_share * new_count:
        yield f"{result.inside_count} {lines} contain a line of the file and more"
    if result.command:
        command = cut(result.command, 0, _MAX_QUOTED)
        yield f"the new text begins with a command to edit: {command!r}"
    if result.left_out is not None:
        yield describe_left_out(result.left_out)


def _describe_loss(old_count: int, kept_count: int, limits: Thresholds) -> str:
    if old_count < limits.shrink_from:
        return ""
    if kept_count >= old_count * (1 - limits.shrink_share):
        return ""
    return f"the file keeps {kept_count} of its {counted(old_count, 'line')}"
