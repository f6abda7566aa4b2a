"""What stands between delimiters or Markdown fences that are certain is content: its lines become plain text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from .kinds import (
    ATTRIBUTE_LIKE,
    BLANK,
    CLOSE,
    DELIM,
    FENCE,
    INNER_HEADS,
    JOINED,
    OPEN,
    OWN,
    RESPELT,
    RIGHT_OR_NEAR,
    TEXT,
    Kind,
    Line,
    Spelling,
    indentation_of,
    kinds_of,
)
from .spelling import LineReader

_SECTIONS = kinds_of(Kind.THOUGHT, Kind.VITALS, Kind.ASK, Kind.ERROR) | OWN
_NEARLY = kinds_of(OPEN, CLOSE, DELIM, spelling=RESPELT)
_MARKS = (OPEN, CLOSE)
_RIGHT_CLOSERS = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.BEHIND,)) | {CLOSE}


def pair_fences(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines with plain text for the delimiters of another length in a fence, and for all in a longer one.

    A fence ends before the next opener of its own
    length; of its closers one that is right, or that stands before an action, counts more than one that is nearly
    right. A longer delimiter that is nearly right needs a partner: `<<<<<<< ORIGINAL` belongs to a content.

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
    """
    pairs = lexer.dialect.fences
    found = {at: pair for at, line in enumerate(lines) if any(pair := lexer.delimiters_of(text, line))}
    closers, places = _find_closers(lines, found, pairs), sorted(found)
    shortest = min(map(len, pairs))
    end = below = -1  # the line that ends the fence at hand, the last one of an action without its block
    paired: set[int] = set()
    for at, line in enumerate(lines):
        opener = found.get(at, ("", ""))[0]
        opens = at > end and opener in pairs and (line.kind is Kind.ACTION_OPEN or at - below < 3)
        if opens and at in closers:
            end = closers[at]
            paired.update((at, end))
            _flatten(lines, found, range(at + 1, end), {opener, *pairs[opener]}, whole=len(opener) > shortest)
            if lines[end].kind is Kind.NEAR_THOUGHT:  # `>>>> # the end`
                lines[end] = lines[end]._replace(kind=Kind.TEXT_CLOSE)
        elif opens and len(opener) > shortest:
            _take_in(lines, found, at, (places[k] for k in range(bisect_right(places, at), len(places))))
        if line.kind in JOINED or (line.kind in (Kind.ATTRIBUTE, BLANK) and at - below == 1):
            below = at
    first = next(iter(pairs))
    shortest_marks = {"", first, *pairs[first]}
    for at, marks in found.items():
        if at not in paired and lines[at].kind in _NEARLY and not shortest_marks.issuperset(marks):
            lines[at] = lines[at]._replace(kind=TEXT)
    return lines


def _flatten(
    lines: list[Line], found: Mapping[int, tuple[str, str]], inside: Iterable[int], own: set[str], *, whole: bool
) -> None:
    """Make plain text of the lines in a fence, or only of the delimiters that are not of its own length."""
    for at in inside:
        if whole or (lines[at].kind in _MARKS and own.isdisjoint(found[at])):
            lines[at] = lines[at]._replace(kind=TEXT)


def _take_in(lines: list[Line], found: Mapping[int, tuple[str, str]], opener: int, places: Iterable[int]) -> None:
    """Make plain text of what a longer fence holds that nothing closes: pairs of delimiters, closers before text.

    It ends where a block of the next action may begin, and at a closer that may be its own, misspelt.
    """
    depth = 0
    for at in places:
        kind = lines[at].kind
        if found[at][0] == found[opener][0]:
            return
        if kind not in _MARKS:
            continue
        behind = lines[at + 1].kind if at + 1 < len(lines) else BLANK
        if kind is OPEN and lines[at - 1].kind in JOINED:
            return
        if kind is CLOSE and not depth and (behind is BLANK or behind in _SECTIONS or behind in JOINED):
            return
        depth = max(0, depth + (1 if kind is OPEN else -1))
        lines[at] = lines[at]._replace(kind=TEXT)


def _ends_section(lines: list[Line], at: int) -> bool:
    """Return whether an action line or the end of the text comes behind a line."""
    behind = next((lines[k].kind for k in range(at + 1, len(lines)) if lines[k].kind is not BLANK), None)
    return behind is None or behind is Kind.ACTION_OPEN or behind in JOINED


def _find_closers(
    lines: list[Line], found: Mapping[int, tuple[str, str]], pairs: Mapping[str, Sequence[str]]
) -> dict[int, int]:
    """Return the place of the closer for that of each opener that has one, from the last to the first."""
    opener_of = {closer: opener for opener, closers in pairs.items() for closer in closers}
    exact: dict[str, int] = {}  # the next closer for each opener, as seen from the line at hand
    near: dict[str, int] = {}
    closers: dict[int, int] = {}
    for at in sorted(found, reverse=True):
        opens, closes = found[at]
        if opens in pairs and (place := exact.get(opens, near.get(opens))) is not None:
            closers[at] = place
        if opens and lines[at].kind is OPEN:
            exact.pop(opens, None)
            near.pop(opens, None)
        if closes:
            right = lines[at].kind in _RIGHT_CLOSERS or _ends_section(lines, at)
            (exact if right else near)[opener_of[closes]] = at
    return closers


_HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION, spelling=RIGHT_OR_NEAR) | {Kind.BARE_ACTION}
_GLUED = kinds_of(spelling=(Spelling.BEHIND, Spelling.BEFORE))
_OPENERS = kinds_of(OPEN, DELIM, Kind.FENCE)
_CLOSERS = kinds_of(CLOSE, DELIM, spelling=RESPELT)
_FENCES = kinds_of(Kind.FENCE)
_WRAPPERS = _FENCES | {OPEN}


def protect_blocks(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines with plain text for everything inside a block whose two delimiters are certain.

    Certain means: the opener follows an action line, and inside stand neither a lone delimiter nor the signs of a
    missing closer (`_looks_unclosed`).

        was           becomes       line
        ACTION        ACTION        ::create @a.md
        OPEN          OPEN          <<<
        THOUGHT       TEXT          >> a quotation
        CLOSE         CLOSE         >>>

        was           becomes       line
        ACTION        ACTION        ::create @a.md
        OPEN          OPEN          <<<
        THOUGHT       THOUGHT       >> a quotation
        CLOSE_ACTION  CLOSE_ACTION  >>>::create @b.md
        CLOSE         CLOSE         >>>
    """
    filled = [index for index, line in enumerate(lines) if line.kind is not BLANK]
    opener = head = None  # places in `filled`
    for at, index in enumerate(filled):
        kind = lines[index].kind
        if opener is not None and head is not None and kind in (CLOSE, DELIM):
            inner = filled[opener + 1 : at + 1]
            if not _looks_unclosed(text, lines, inner, lines[filled[head]]):
                for k in inner[:-1]:
                    if lines[k].kind is not TEXT:
                        lines[k] = lines[k]._replace(kind=TEXT)
            opener = None
        elif kind in (OPEN, DELIM):
            opener, head = at, _find_head(lines, filled, at)
    return lines


def _find_head(lines: Sequence[Line], filled: Sequence[int], opener: int) -> int | None:
    """Return the place of the action line whose block an opener begins, if there is one."""
    head = opener - 1
    if lines[filled[opener]].kind is OPEN:
        while head > 0 and opener - head < 3 and lines[filled[head]].kind in _WRAPPERS:
            head -= 1
    while head > 0 and lines[filled[head]].kind in ATTRIBUTE_LIKE:
        head -= 1
    return head if head >= 0 and lines[filled[head]].kind in _HEADS else None


def _looks_unclosed(text: str, lines: list[Line], inner: list[int], head: Line) -> bool:
    """Return whether a block (its lines and closer) holds an action line that may be the next section's:

    on one line with a delimiter, before what could open a block, or behind what could close one: the line above it,
    or any with a closing delimiter at its end; or misspelt as the block's own.
    """
    depth = indentation_of(head, text)
    inner = [k for n, k in enumerate(inner) if n in (0, len(inner) - 1) or lines[k].kind not in ATTRIBUTE_LIKE]
    kinds = [lines[index].kind for index in inner]
    ended = closed = False
    for place, kind in enumerate(kinds[:-1]):
        if kind in _GLUED:
            return True
        between = closed or kinds[place + 1] in _OPENERS or kind is head.kind is Kind.NEAR_ACTION
        if kind in INNER_HEADS and between and indentation_of(lines[inner[place]], text) <= depth:
            return True
        ended = ended or kind is Kind.LAST_TEXT
        closed = ended or kind in _CLOSERS
    return False


_DELIMITERS = kinds_of(OPEN, CLOSE, DELIM, Kind.FENCE, spelling=RIGHT_OR_NEAR)
_ACTIONS = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(*RIGHT_OR_NEAR, Spelling.BEFORE))
_DRAWING = 12


def flatten_drawings(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines with plain text for the middle of long runs of delimiters: a drawing, or a model in a loop.

    was    becomes  line
    OPEN   OPEN     <<<  (2 times)
    OPEN   TEXT     <<<  (9 times)
    CLOSE  CLOSE    >>>  (2 times)

    was    becomes  line
    OPEN   OPEN     <<<  (6 times)
    CLOSE  CLOSE    >>>  (6 times)
    """
    run = 0
    for index in range(len(lines) + 1):
        if index < len(lines) and lines[index].kind in _DELIMITERS:
            run += 1
            continue
        if run > _DRAWING:
            for k in range(index - run + 2, index - 2):
                lines[k] = lines[k]._replace(kind=TEXT)
        run = 0
    return lines


def pair_long_fences(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines with plain text for the fences inside a fence that is longer or of the other character.

    Markdown closes a fence only with one of the same character, at least as long; a file that holds
    three-backtick fences is rightly wrapped in four. One that is wrapped around sections holds no file.

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
    """
    fences = [index for index, line in enumerate(lines) if line.kind in _FENCES]
    if not fences:
        return lines
    tokens = [FENCE.fullmatch(text, lines[index].start, lines[index].stop) for index in fences]
    runs = [match["run"] if match else "" for match in tokens]
    at = 0
    while at < len(fences):
        if runs[at] == "```":
            at += 1
            continue
        end = _find_fence_end(lines, fences, runs, at)
        if end is None:
            break
        if any(line.kind in _ACTIONS for line in lines[fences[at] : fences[end]]):
            at += 1  # it is wrapped around sections, not around a file
            continue
        for k in fences[at + 1 : end]:
            lines[k] = lines[k]._replace(kind=TEXT)
        at = end + 1
    return lines


def _find_fence_end(lines: Sequence[Line], fences: Sequence[int], runs: Sequence[str], at: int) -> int | None:
    """Return the place among the fences of the one that ends another, as Markdown has it."""
    sign, size = runs[at][0], len(runs[at])
    for place in range(at + 1, len(fences)):
        if lines[fences[place]].kind is Kind.FENCE and runs[place][0] == sign and len(runs[place]) >= size:
            return place
    return None
