"""Actions that stand on several lines: which of their lines belong together."""

from __future__ import annotations

from collections.abc import Callable

from .kinds import ATTRIBUTE_LIKE, ATTRIBUTES, JOINED, PATHS, PLAIN, SPLIT, Line


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
        while (
            end < len(filled)
            and kinds[end] in ATTRIBUTES
            and PATHS.isdisjoint(kinds[at + 1 : end] if kinds[end] in PATHS else ())
        ):
            end += 1
        paths = [place for place in range(at + 1, end) if kinds[place] in PATHS]
        above = touching(at) and at - 1 > owned and kinds[at - 1] in PATHS and not kind.startswith(("BARE_", "CLOSE_"))
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


def gather_attributes(
    lines: list[Line], gives_path: Callable[[Line], bool], as_head: Callable[[Line], str]
) -> list[Line]:
    """Join each action line and the attribute lines right below it to one line; other attribute lines are plain text.

    So the reading sees what it would see if all of it stood on the action line. `as_head` gives the kind that a plain
    line has as the first line of an action: only a path below makes it one. An attribute that is a guess needs an
    action line without a path.
    """
    gathered: list[Line] = []
    at = 0
    while at < len(lines):
        line, last = lines[at], at + 1
        while line.kind not in ATTRIBUTE_LIKE and last < len(lines) and lines[last].kind in ATTRIBUTE_LIKE:
            last += 1
        below = lines[at + 1 : last]
        if below and line.kind in PLAIN and any(map(gives_path, below)):
            line = line._replace(kind=as_head(line) or line.kind)
        kind = line.kind.removeprefix(SPLIT)
        if kind not in JOINED:
            apart = line.kind in ATTRIBUTE_LIKE and not (gathered and _awaits(gathered))
            gathered.append(line._replace(kind="TEXT") if apart or line.kind == "BARE_ATTRIBUTE" else line)
            at += 1
            continue
        if kind == line.kind:
            below = lines[at + 1 : next((k for k in range(at + 1, last) if lines[k].kind == "BARE_ATTRIBUTE"), last)]
        else:
            gap = next((k for k in range(at + 1, len(lines)) if lines[k].kind != "BLANK"), at + 1)
            ahead = below or [line for line in lines[gap : gap + 1] if line.kind in ATTRIBUTE_LIKE]
            exact = not kind.startswith(("NEAR_", "CLOSE_"))
            if not ahead or not (exact or any(map(gives_path, ahead))):
                kind, below = "STUB" if exact else "TEXT", []
        if below:
            inside = (line._replace(kind=kind), *below)
            if kind.startswith("BARE_") or (kind in _EXACT and any(part.kind != "ATTRIBUTE" for part in below)):
                kind = "NEAR_" + kind.removeprefix("BARE_")
            gathered.append(Line(kind, line.start, below[-1].stop, below[-1].end, inside))
        else:
            gathered.append(line._replace(kind=kind))
        at += 1 + len(below)
    return gathered


def _awaits(lines: list[Line]) -> bool:
    """Whether attributes may still come: the last line that is not blank is an action line or an attribute."""
    last = next((line.kind for line in reversed(lines) if line.kind != "BLANK"), "")
    return last in JOINED or last in ATTRIBUTE_LIKE


_EXACT = frozenset(("ACTION", "COMMAND"))
