"""What the neighbours of a line tell about it: lines of certain blocks, of fences, of drawings become plain text.

A line's kind says what it could be by itself; these passes take back what it cannot be where it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t\r]*")
SPLIT = "SPLIT_"  # the first line of an action whose path has a line of its own


class Line(NamedTuple):  # made for every line of a text: a named tuple is made fastest
    """One line: its kind and where it stands; `stop` is before its ending, `end` behind it."""

    kind: str
    start: int
    stop: int
    end: int


def join_heads(lines: list[Line]) -> list[Line]:
    """Tell the first lines of actions by what follows them: a line with the path; without one they break off."""
    below = ""  # the kind of the next line that is not blank
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.kind.startswith(SPLIT):
            followed = below in ("ATTRIBUTE", "NEAR_ATTRIBUTE")
            lines[index] = line._replace(kind=line.kind.removeprefix(SPLIT) if followed else "STUB")
        if line.kind != "BLANK":
            below = line.kind
    return lines


ATTRIBUTES = frozenset(("ATTRIBUTE", "PATH_LINE", "COMMAND_LINE", "DEPENDS_LINE"))


def join_tagged_heads(lines: list[Line]) -> list[Line]:
    """Tell the lines of actions, each of which has a tag of its own, by their neighbours.

    The line with the verb is an action's only beside one with a path: below it, or else right above it. A line that
    can only be a command is misspelt where a path belongs.
    """
    filled = [i for i, line in enumerate(lines) if line.kind != "BLANK"]
    kinds = [lines[i].kind.removeprefix("NEAR_") for i in filled]
    owned = -1  # the place of the last line that belongs to an action

    def touching(at: int) -> bool:
        return at > 0 and filled[at] - filled[at - 1] == 1

    def rename(at: int, kind: str) -> None:
        lines[filled[at]] = lines[filled[at]]._replace(kind=kind)

    for at, index in enumerate(filled):
        kind = lines[index].kind
        if kind == "NEAR_OPEN" and at + 1 < len(filled) and lines[filled[at + 1]].kind == "OPEN":
            rename(at, "STUB")  # a label over the opening tag
        if kind in _WHOLE and at + 1 < len(filled) and kinds[at + 1] == "DEPENDS_LINE":
            rename(at + 1, lines[filled[at + 1]].kind.replace("DEPENDS_LINE", "ATTRIBUTE"))
        if not kind.startswith(SPLIT):
            continue
        kind = kind.removeprefix(SPLIT)
        end = at + 1
        while end < len(filled) and kinds[end] in ATTRIBUTES and _PATHS.isdisjoint(
            kinds[at + 1 : end] if kinds[end] in _PATHS else ()
        ):
            end += 1
        paths = [place for place in range(at + 1, end) if kinds[place] in _PATHS]
        above = touching(at) and at - 1 > owned and kinds[at - 1] in _PATHS and not kind.startswith(("BARE_", "CLOSE_"))
        if above and (not paths or not touching(at + 1) or (end < len(filled) and kinds[end].startswith(SPLIT))):
            rename(at - 1, "NEAR_ACTION" if "ACTION" in kind else "NEAR_COMMAND")
            rename(at, "NEAR_ATTRIBUTE")
            end = paths[0] if paths else end
        elif paths:
            shown = kind.replace("REMOVAL", "COMMAND")
            rename(at, shown.replace("BARE_", "NEAR_") if touching(at + 1) else shown)
        else:
            rename(at, "TEXT" if kind.startswith("BARE_") else "STUB")
            continue
        owned = end - 1
        for place in range(at + 1, end):
            wrong = kinds[place] == "COMMAND_LINE" and "COMMAND" not in kind
            near = wrong or lines[filled[place]].kind.startswith("NEAR_")
            rename(place, "NEAR_ATTRIBUTE" if near else "ATTRIBUTE")
    return [line._replace(kind=_LOOSE.get(line.kind, line.kind)) for line in lines]


# What lines without an action are.
_LOOSE = {kind: "STUB" for kind in ATTRIBUTES - {"ATTRIBUTE"}} | {
    f"NEAR_{kind}": "TEXT" for kind in ATTRIBUTES - {"ATTRIBUTE"}
}
_WHOLE = frozenset(("NEAR_ACTION", "NEAR_COMMAND", "CLOSE_ACTION", "CLOSE_COMMAND", "BARE_ACTION"))
_PATHS = frozenset(("PATH_LINE", "COMMAND_LINE"))


def pair_fences(text: str, lines: list[Line], pairs: Mapping[str, Sequence[str]]) -> list[Line]:
    """Make plain text of delimiters of another length in a fence that has its closer, and of all in a longer one."""
    places: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if line.kind in ("OPEN", "CLOSE"):
            places.setdefault(text[line.start : line.stop].rstrip(" \t\r"), []).append(index)
    shortest, at = min(map(len, pairs)), 1
    while at < len(lines):
        opener = text[lines[at].start : lines[at].stop].rstrip(" \t\r") if lines[at].kind == "OPEN" else ""
        if opener in pairs and lines[at - 1].kind in (*_HEADS, "ATTRIBUTE"):
            found = [known[k] for closer in pairs[opener] if (known := places.get(closer))
                     and (k := bisect_right(known, at)) < len(known)]  # fmt: skip
            if found:
                own = {opener, *pairs[opener]}
                for k in range(at + 1, min(found)):
                    inner = lines[k]
                    shown = text[inner.start : inner.stop].rstrip(" \t\r") if inner.kind in ("OPEN", "CLOSE") else ""
                    if len(opener) > shortest or (shown and shown not in own):
                        lines[k] = inner._replace(kind="TEXT")
                at = min(found)
        at += 1
    return lines


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
            while head > 0 and lines[filled[head]].kind in _ATTRIBUTES:
                head -= 1
            opener = at if head >= 0 and lines[filled[head]].kind in _HEADS else -1
    return lines


_ATTRIBUTES = frozenset(("ATTRIBUTE", "NEAR_ATTRIBUTE"))


def _looks_unclosed(text: str, lines: list[Line], inner: list[int], depth: int) -> bool:
    """Whether a block (the places of its lines and closer) holds an action line that may be the next section's:

    on one line with a delimiter, before what could open a block, or behind what could close one.
    """
    inner = [k for n, k in enumerate(inner) if n in (0, len(inner) - 1) or lines[k].kind not in _ATTRIBUTES]
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
            ends = (k for k in range(at + 1, len(fences)) if lines[fences[k]].kind == "FENCE"
                    and runs[k][0] == run[0] and len(runs[k]) >= len(run))  # fmt: skip
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
