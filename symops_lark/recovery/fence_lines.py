"""What stands between delimiters or Markdown fences that are certain is content: its lines become plain text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from .kinds import ATTRIBUTE_LIKE, FENCE, JOINED, Line


def pair_fences(
    lines: list[Line], delimiters: Callable[[Line], tuple[str, str]], pairs: Mapping[str, Sequence[str]]
) -> list[Line]:
    """Make plain text of delimiters of another length in a fence that has its closer, and of all in a longer one.

    `delimiters` gives the opening and the closing delimiter on a line. A fence ends before the next opener of its own
    length; of its closers one that is right, or that stands before an action, counts more than one that is nearly
    right. A longer delimiter that is nearly right needs a partner: `<<<<<<< ORIGINAL` belongs to a content.
    """
    found = {at: pair for at, line in enumerate(lines) if (pair := delimiters(line)) != ("", "")}
    closers, places = _find_closers(lines, found, pairs), sorted(found)
    first = next(iter(pairs))
    shortest_marks = {"", first, *pairs[first]}
    shortest, end, below, paired = min(map(len, pairs)), -1, -1, set[int]()
    for at, line in enumerate(lines):
        opener = found.get(at, ("", ""))[0]
        opens = at > end and opener in pairs and (line.kind == "ACTION_OPEN" or at - below < 3)
        if opens and at not in closers and len(opener) > shortest:
            _take_in(lines, found, at, (places[k] for k in range(bisect_right(places, at), len(places))))
        elif opens and at in closers:
            end, own = closers[at], {opener, *pairs[opener]}
            for k in range(at + 1, end):
                if len(opener) > shortest or (lines[k].kind in ("OPEN", "CLOSE") and own.isdisjoint(found[k])):
                    lines[k] = lines[k]._replace(kind="TEXT")
            paired.update((at, end))
            if lines[end].kind == "NEAR_THOUGHT":  # `>>>> # the end`
                lines[end] = lines[end]._replace(kind="TEXT_CLOSE")
        if line.kind in JOINED or (line.kind in ("ATTRIBUTE", "BLANK") and at - below == 1):
            below = at
    for at, marks in found.items():
        if at not in paired and lines[at].kind in _NEARLY and not shortest_marks.issuperset(marks):
            lines[at] = lines[at]._replace(kind="TEXT")
    return lines


def _take_in(lines: list[Line], found: Mapping[int, tuple[str, str]], opener: int, places: Iterable[int]) -> None:
    """Make plain text of what a longer fence holds that nothing closes: pairs of delimiters, closers before text.

    It ends where a block of the next action may begin, and at a closer that may be its own, misspelt.
    """
    depth = 0
    for at in places:
        kind = lines[at].kind
        if found[at][0] == found[opener][0]:
            return
        if kind not in ("OPEN", "CLOSE"):
            continue
        behind = lines[at + 1].kind if at + 1 < len(lines) else "BLANK"
        if kind == "OPEN" and lines[at - 1].kind in JOINED:
            return
        if kind == "CLOSE" and not depth and (behind == "BLANK" or behind in _SECTIONS or behind in JOINED):
            return
        depth = max(0, depth + (1 if kind == "OPEN" else -1))
        lines[at] = lines[at]._replace(kind="TEXT")


def _ends_section(lines: list[Line], at: int) -> bool:
    """Whether an action line or the end of the text comes behind a line."""
    behind = next((lines[k].kind for k in range(at + 1, len(lines)) if lines[k].kind != "BLANK"), "")
    return not behind or behind == "ACTION_OPEN" or behind in JOINED


_SECTIONS = frozenset(("THOUGHT", "VITALS", "ASK", "ERROR", "NEAR_THOUGHT", "NEAR_VITALS", "NEAR_ASK", "NEAR_ERROR"))


_NEARLY = frozenset(("NEAR_OPEN", "NEAR_CLOSE", "NEAR_DELIM", "TEXT_OPEN", "TEXT_CLOSE", "TEXT_DELIM", "LAST_TEXT"))


def _find_closers(
    lines: list[Line], found: Mapping[int, tuple[str, str]], pairs: Mapping[str, Sequence[str]]
) -> dict[int, int]:
    """Give the place of the closer for that of each opener that has one, from the last to the first."""
    opener_of = {closer: opener for opener, closers in pairs.items() for closer in closers}
    exact: dict[str, int] = {}  # the next closer for each opener, as seen from the line at hand
    near: dict[str, int] = {}
    closers: dict[int, int] = {}
    for at in sorted(found, reverse=True):
        opens, closes = found[at]
        if opens in pairs and (place := exact.get(opens, near.get(opens, -1))) >= 0:
            closers[at] = place
        if opens and lines[at].kind == "OPEN":
            exact.pop(opens, None)
            near.pop(opens, None)
        if closes:
            right = lines[at].kind in ("CLOSE", "CLOSE_ACTION", "CLOSE_COMMAND") or _ends_section(lines, at)
            (exact if right else near)[opener_of[closes]] = at
    return closers


_HEADS = frozenset(("ACTION", "COMMAND", "ODD_ACTION", "NEAR_ACTION", "NEAR_COMMAND", "BARE_ACTION"))


_INNER_HEADS = frozenset(("ACTION", "NEAR_ACTION"))


_GLUED = frozenset(("ACTION_OPEN", "CLOSE_ACTION", "CLOSE_COMMAND"))


_OPENERS = frozenset(("OPEN", "DELIM", "NEAR_OPEN", "NEAR_DELIM", "TEXT_OPEN", "TEXT_DELIM", "FENCE", "FENCE_INFO"))


_CLOSERS = frozenset(("NEAR_CLOSE", "NEAR_DELIM", "TEXT_CLOSE", "TEXT_DELIM", "LAST_TEXT"))


def protect_blocks(text: str, lines: list[Line]) -> list[Line]:
    """Make plain text of everything inside a block whose two delimiters are certain.

    Certain means: the opener follows an action line, and inside stand neither a lone delimiter nor the signs of a
    missing closer (`_looks_unclosed`).
    """
    filled = [i for i, line in enumerate(lines) if line.kind != "BLANK"]
    opener = head = -1  # places in `filled`
    for at, index in enumerate(filled):
        kind = lines[index].kind
        if opener >= 0 and kind in ("CLOSE", "DELIM"):
            inner = filled[opener + 1 : at + 1]
            if not _looks_unclosed(text, lines, inner, _indentation(text, lines[filled[head]])):
                for k in inner[:-1]:
                    lines[k] = lines[k]._replace(kind="TEXT")
            opener = -1
        elif kind in ("OPEN", "DELIM"):
            head = at - 1
            while (
                kind == "OPEN"
                and head > 0
                and at - head < 3
                and lines[filled[head]].kind in ("OPEN", "FENCE", "FENCE_INFO")
            ):
                head -= 1
            while head > 0 and lines[filled[head]].kind in ATTRIBUTE_LIKE:
                head -= 1
            opener = at if head >= 0 and lines[filled[head]].kind in _HEADS else -1
    return lines


def _looks_unclosed(text: str, lines: list[Line], inner: list[int], depth: int) -> bool:
    """Whether a block (the places of its lines and closer) holds an action line that may be the next section's:

    on one line with a delimiter, before what could open a block, or behind what could close one.
    """
    inner = [k for n, k in enumerate(inner) if n in (0, len(inner) - 1) or lines[k].kind not in ATTRIBUTE_LIKE]
    kinds = [lines[index].kind for index in inner]
    for place, kind in enumerate(kinds[:-1]):
        if kind in _GLUED:
            return True
        between = kinds[place + 1] in _OPENERS or (place > 0 and kinds[place - 1] in _CLOSERS)
        if kind in _INNER_HEADS and between and _indentation(text, lines[inner[place]]) <= depth:
            return True
    return False


def _indentation(text: str, line: Line) -> int:
    shown = text[line.start : line.stop]
    return len(shown) - len(shown.lstrip(" \t"))


_DELIMITERS = frozenset(("OPEN", "CLOSE", "DELIM", "NEAR_OPEN", "NEAR_CLOSE", "NEAR_DELIM", "FENCE", "FENCE_INFO"))


_ACTIONS = frozenset(("ACTION", "COMMAND", "NEAR_ACTION", "NEAR_COMMAND", "ACTION_OPEN"))


_DRAWING = 12


def flatten_drawings(lines: list[Line]) -> list[Line]:
    """Make plain text of the middle of long runs of delimiter lines: a drawing, or a model in a loop, not markup."""
    run = 0
    for index in range(len(lines) + 1):
        if index < len(lines) and lines[index].kind in _DELIMITERS:
            run += 1
            continue
        if run > _DRAWING:
            for k in range(index - run + 2, index - 2):
                line = lines[k]
                lines[k] = Line("TEXT", line.start, line.stop, line.end)
        run = 0
    return lines


def pair_long_fences(text: str, lines: list[Line]) -> list[Line]:
    """Make plain text of the fences inside a fence that is longer or of the other character.

    Markdown closes a fence only with one of the same character, at least as long; a file that holds
    three-backtick fences is rightly wrapped in four.
    """
    fences = [i for i, line in enumerate(lines) if line.kind in ("FENCE", "FENCE_INFO")]
    if not fences:
        return lines
    tokens = [FENCE.fullmatch(text, lines[i].start, lines[i].stop) for i in fences]
    runs = [match[1] if match else "" for match in tokens]
    if all(run == "```" for run in runs):
        return lines
    at = 0
    while at < len(fences):
        run = runs[at]
        if run != "```":
            ends = (
                k
                for k in range(at + 1, len(fences))
                if lines[fences[k]].kind == "FENCE" and runs[k][0] == run[0] and len(runs[k]) >= len(run)
            )
            end = next(ends, None)
            if end is None:
                break
            if any(line.kind in _ACTIONS for line in lines[fences[at] : fences[end]]):
                at += 1  # it is wrapped around sections, not around a file
                continue
            for k in range(at + 1, end):
                inner = lines[fences[k]]
                lines[fences[k]] = Line("TEXT", inner.start, inner.stop, inner.end)
            at = end
        at += 1
    return lines
