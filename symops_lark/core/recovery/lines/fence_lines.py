"""Turn lines inside fences of delimiters or of Markdown into plain text.

A fence is longer than the delimiters that its content holds. Only dialects with the form `fences`
have such delimiters; Markdown fences are around blocks and sections in replies of all dialects.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from .kinds import (
    ACTION_BASES,
    BLANK,
    CLOSE,
    DELIM,
    FENCE,
    JOINED,
    OPEN,
    OWN,
    RESPELT,
    RIGHT_OR_NEAR,
    TEXT,
    Kind,
    Line,
    Spelling,
    kinds_of,
    set_kind,
)
from .spelling import LineReader

_SECTIONS = kinds_of(Kind.THOUGHT, Kind.VITALS, Kind.ASK, Kind.ERROR) | OWN
_MISSPELLED = kinds_of(OPEN, CLOSE, DELIM, spelling=RESPELT)
_MARKS = (OPEN, CLOSE)
_RIGHT_CLOSERS = kinds_of(*ACTION_BASES, spelling=(Spelling.BEHIND,)) | {CLOSE}
# The opener of a long fence may follow its action line after one line: an attribute, a blank, text.
_MAX_DISTANCE = 2  # lines
_ACTIONS = kinds_of(*ACTION_BASES, spelling=(*RIGHT_OR_NEAR, Spelling.BEFORE))
_FENCES = kinds_of(Kind.FENCE)
_MarksAt = Mapping[int, tuple[str, str]]  # by index of a line: its opener and its closer
_Pairs = Mapping[str, Sequence[str]]  # the closers of each opener


def pair_fences(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Turn delimiters of another length in a fence into text; in a longer fence, every line.

    A fence ends before the next opener of the same length. Of its closers, one that is exact or
    that precedes an action wins over one that is nearly right. A longer delimiter that is nearly
    right needs a partner: `<<<<<<< ORIGINAL` belongs to a content.

        was        becomes    line
        ACTION     ACTION     ::create @a.md
        OPEN       OPEN       <<<<
        ACTION     TEXT       ::create @b.md
        OPEN       TEXT       <<<
        CLOSE      TEXT       >>>
        CLOSE      CLOSE      >>>>

        was        becomes    line
        ACTION     ACTION     ::create @a.md
        OPEN       OPEN       <<<
        TEXT_OPEN  TEXT       <<<<<<< ORIGINAL
        CLOSE      CLOSE      >>>

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the pass before left them; changed in place.
        lexer: Answers which delimiters a line holds.
    """
    pairs = lexer.dialect.fences
    marks_at = {}  # by index: the opener and the closer of the line
    for at, line in enumerate(lines):
        marks = lexer.delimiters_of(text, line)
        if any(marks):
            marks_at[at] = marks
    closers = _find_closers(lines, marks_at, pairs)
    places = sorted(marks_at)
    shortest = min(map(len, pairs))
    end = -1  # the line that ends the current fence
    head = -1  # the last line of an action whose block has not begun
    paired: set[int] = set()
    for at, line in enumerate(lines):
        opener = marks_at.get(at, ("", ""))[0]
        is_near_head = at - head <= _MAX_DISTANCE
        begins_block = is_near_head or line.kind is Kind.ACTION_OPEN
        opens = at > end and opener in pairs and begins_block
        if opens and at in closers:
            end = closers[at]
            paired.update((at, end))
            inside = range(at + 1, end)
            own = {opener, *pairs[opener]}
            _flatten(lines, marks_at, inside, own, flatten_all=len(opener) > shortest)
            if lines[end].kind is Kind.NEAR_THOUGHT:  # `>>>> # the end`
                set_kind(lines, end, Kind.TEXT_CLOSE)
        elif opens and len(opener) > shortest:
            _flatten_unclosed(lines, marks_at, places, bisect_right(places, at))
        follows_head = at - head == 1
        if line.kind in JOINED or (follows_head and line.kind in (Kind.ATTRIBUTE, BLANK)):
            head = at
    _flatten_unpaired(lines, marks_at, pairs, paired)
    return lines


def _flatten(
    lines: list[Line],
    marks_at: _MarksAt,
    inside: Iterable[int],
    own: set[str],
    *,
    flatten_all: bool,
) -> None:
    """Turn lines in a fence into text: all of them, or the delimiters of another length."""
    for at in inside:
        is_mark = lines[at].kind in _MARKS
        if flatten_all or (is_mark and own.isdisjoint(marks_at[at])):
            set_kind(lines, at, TEXT)


def _flatten_unclosed(
    lines: list[Line], marks_at: _MarksAt, places: Sequence[int], start: int
) -> None:
    """Turn delimiters in a longer fence without a closer into text: pairs, closers before text.

    The fence ends where a block of the next action may begin, and at a misspelled closer that may
    be its own. `places[start]` is the first delimiter after the opener.
    """
    opener = marks_at[places[start - 1]][0]
    depth = 0
    for k in range(start, len(places)):
        at = places[k]
        kind = lines[at].kind
        if marks_at[at][0] == opener:
            return
        if kind not in _MARKS:
            continue
        if kind is OPEN and lines[at - 1].kind in JOINED:
            return
        if kind is CLOSE and not depth and _precedes_section(lines, at):
            return
        if kind is OPEN:
            depth += 1
        elif depth:
            depth -= 1
        set_kind(lines, at, TEXT)


def _precedes_section(lines: list[Line], at: int) -> bool:
    """Return whether a section, a blank line or the end of the text is directly after a line."""
    if at + 1 == len(lines):
        return True
    following = lines[at + 1].kind
    return following is BLANK or following in _SECTIONS or following in JOINED


def _flatten_unpaired(
    lines: list[Line], marks_at: _MarksAt, pairs: _Pairs, paired: set[int]
) -> None:
    """Turn misspelled delimiters without a partner into text, unless they have the usual length."""
    first = next(iter(pairs))
    usual_marks = {"", first, *pairs[first]}
    for at, marks in marks_at.items():
        is_lone = at not in paired and lines[at].kind in _MISSPELLED
        if is_lone and not usual_marks.issuperset(marks):
            set_kind(lines, at, TEXT)


def _ends_section(lines: list[Line], at: int) -> bool:
    """Return whether an action line or the end of the text follows a line."""
    for index in range(at + 1, len(lines)):
        kind = lines[index].kind
        if kind is not BLANK:
            return kind is Kind.ACTION_OPEN or kind in JOINED
    return True


def _find_closers(lines: list[Line], marks_at: _MarksAt, pairs: _Pairs) -> dict[int, int]:
    """Return the index of the closer by that of its opener, going from the last line to the first.

    Going backward, the nearest closer after each opener is the one seen last.
    """
    opener_of = {}
    for opener, closers_of in pairs.items():
        for closer in closers_of:
            opener_of[closer] = opener
    exact: dict[str, int] = {}  # by opener: the next closer that is certain
    near: dict[str, int] = {}  # by opener: the next one that is not
    closers = {}
    for at in sorted(marks_at, reverse=True):
        opens, closes = marks_at[at]
        if opens in pairs:
            place = exact.get(opens, near.get(opens))
            if place is not None:
                closers[at] = place
        if opens and lines[at].kind is OPEN:
            exact.pop(opens, None)
            near.pop(opens, None)
        if closes:
            is_right = lines[at].kind in _RIGHT_CLOSERS
            by_opener = exact if is_right or _ends_section(lines, at) else near
            by_opener[opener_of[closes]] = at
    return closers


def pair_long_fences(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Turn the fences inside a fence that is longer or has the other character into text.

    CommonMark closes a fence only with one of the same character that is at least as long; a file
    that holds three-backtick fences is correctly wrapped in four. A fence around sections holds no
    file.

        was         becomes     line
        FENCE       FENCE       ````
        FENCE_INFO  TEXT        ```python
        FENCE       TEXT        ```
        FENCE       FENCE       ````

        was         becomes     line
        FENCE       FENCE       ~~~
        ACTION      ACTION      ::create @a.py
        FENCE_INFO  FENCE_INFO  ```python
        FENCE       FENCE       ```
        FENCE       FENCE       ~~~

    Source: https://spec.commonmark.org/0.31.2/#fenced-code-blocks

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the pass before left them; changed in place.
        lexer: Not used.
    """
    fences = [index for index, line in enumerate(lines) if line.kind in _FENCES]
    if not fences:
        return lines
    runs = []  # the backticks or tildes of each fence
    for index in fences:
        line = lines[index]
        match = FENCE.fullmatch(text, line.start, line.stop)
        runs.append(match["run"] if match else "")
    at = 0
    while at < len(fences):
        if runs[at] == "```":  # nothing is shorter
            at += 1
            continue
        end = _find_fence_end(lines, fences, runs, at)
        if end is None:
            break
        inside = lines[fences[at] : fences[end]]
        if any(line.kind in _ACTIONS for line in inside):
            at += 1  # it is wrapped around sections, not around a file
            continue
        for k in fences[at + 1 : end]:
            set_kind(lines, k, TEXT)
        at = end + 1
    return lines


def _find_fence_end(
    lines: Sequence[Line], fences: Sequence[int], runs: Sequence[str], at: int
) -> int | None:
    """Return the position among the fences of the one that closes another, as in CommonMark."""
    character = runs[at][0]
    length = len(runs[at])
    for place in range(at + 1, len(fences)):
        run = runs[place]
        is_bare = lines[fences[place]].kind is Kind.FENCE  # nothing follows the characters
        if is_bare and run[0] == character and len(run) >= length:
            return place
    return None
