"""Actions that stand on several lines: which of their lines belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from .kinds import (
    ATTRIBUTE_LIKE,
    ATTRIBUTES,
    BLANK,
    FIELDS,
    JOINED,
    OPEN,
    PATHS,
    PLAIN,
    TEXT,
    Kind,
    Line,
    Spelling,
    kinds_of,
)
from .spelling import LineReader

_BROKEN = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.EXACT, Spelling.NEAR))
_BEGIN_BLOCKS = kinds_of(OPEN, Kind.DELIM, Kind.FENCE, spelling=(Spelling.EXACT, Spelling.NEAR))
_WHOLE = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.NEAR, Spelling.BEHIND)) | {Kind.BARE_ACTION}
_RIGHT = kinds_of(Kind.ACTION, Kind.COMMAND, spelling=(Spelling.EXACT,))
# What the lines of an action are that stand by themselves.
_LOOSE = {kind: TEXT if kind.is_respelt else Kind.STUB for kind in FIELDS if kind.base is not Kind.ATTRIBUTE}


def join_broken_heads(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines of a text, action lines joined with the line below that goes on with a path or a dependency.

    A dependency below a whole action line needs a block behind it, of which a line may say that it comes, or an action
    without one.

        was         becomes      line
        STUB        NEAR_ACTION  ::create
        TEXT        +              @a.py
        TEXT        TEXT         that is all

        was         becomes      line
        ACTION      NEAR_ACTION  ::create @a.py
        TEXT        +            > base.py
        OPEN        OPEN         <<<
    """
    dialect = lexer.dialect
    marks = tuple(dialect.marks[name] for name in ("target", "depends"))
    actions = tuple(spelt["action"] for spelt in dialect.relatives)
    joined: list[Line] = []
    taken = -1
    for at, line in enumerate(lines):
        below = lines[at + 1] if at + 1 < len(lines) else None
        if at == taken or below is None or below.kind is not TEXT or line.kind is BLANK:
            if at != taken:
                joined.append(line)
            continue
        rest = text[below.start : below.stop].lstrip(" \t")
        whole = line.kind in _BROKEN
        begun = rest.startswith(marks[whole]) and any(mark in text[line.start : line.stop] for mark in actions)
        kind = lexer.kind_of(text[line.start : below.stop]) if begun else TEXT
        is_action = kind.base in (Kind.ACTION, Kind.COMMAND) and kind.spelling is Spelling.NEAR
        if is_action and (not whole or kind.base is Kind.COMMAND or _has_block(lines, at + 2)):
            line, taken = Line(kind, line.start, below.stop, below.end), at + 1
        joined.append(line)
    return joined


def _has_block(lines: Sequence[Line], place: int) -> bool:
    """Return whether a block begins at a place, or below a blank line or one of text, which introduces it."""
    kinds = [line.kind for line in lines[place : place + 3] if line.kind is not BLANK]
    if kinds[:1] == [TEXT]:
        del kinds[0]
    return bool(kinds) and kinds[0] in _BEGIN_BLOCKS


def join_tagged_heads(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines of a text with those of actions, each of which has a tag of its own, told by their neighbours.

    The line with the verb is an action's only beside one with a path: below it, or else right above it. A line that
    can only be a command is misspelt where a path belongs.

        was              becomes         line
        SPLIT_ACTION     ACTION          [ACTION_TYPE] create
        PATH_LINE        ATTRIBUTE       [ACTION_PATH] a.py
        SPLIT_ACTION     STUB            [ACTION_TYPE] create
        TEXT             TEXT            that is all

        was              becomes         line
        PATH_LINE        NEAR_ACTION     [ACTION_PATH] a.py
        SPLIT_ACTION     NEAR_ATTRIBUTE  [ACTION_TYPE] create
        NEAR_OPEN        STUB            content:
        OPEN             OPEN            [CONTENT_START]
    """
    filled = [index for index, line in enumerate(lines) if line.kind is not BLANK]
    kinds = [lines[index].kind for index in filled]
    touching = [index - filled[at - 1] == 1 for at, index in enumerate(filled)]
    owned = -1  # the place of the last line that belongs to an action
    for at, kind in enumerate(kinds):
        below = kinds[at + 1] if at + 1 < len(kinds) else BLANK
        if kind is Kind.NEAR_OPEN and below is OPEN:
            kinds[at] = Kind.STUB  # a label over the opening tag
        elif kind in _WHOLE and below.base is Kind.DEPENDS_LINE:
            kinds[at + 1] = Kind.ATTRIBUTE.spelt(below.spelling)
        elif kind.is_split:
            owned = _join_tagged_head(kinds, touching, at, owned)
    for index, kind in zip(filled, kinds, strict=True):
        told = _LOOSE.get(kind, kind)
        if told is not lines[index].kind:
            lines[index] = lines[index]._replace(kind=told)
    return lines


def _join_tagged_head(kinds: list[Kind], touching: Sequence[bool], at: int, owned: int) -> int:
    """Name the kinds of a line with a verb and of those around it; return the place of the action's last line."""
    head, end, path = kinds[at], *_find_fields(kinds, at + 1)
    next_head = end < len(kinds) and kinds[end].is_split
    above = at - 1 > owned and touching[at] and kinds[at - 1].base in PATHS
    if (
        above
        and head.spelling not in (Spelling.BARE, Spelling.BEHIND)
        and (path < 0 or not touching[at + 1] or next_head)
    ):
        runs = head.base in (Kind.COMMAND, Kind.SPLIT_REMOVAL)
        kinds[at - 1] = Kind.NEAR_COMMAND if runs else Kind.NEAR_ACTION
        kinds[at] = Kind.NEAR_ATTRIBUTE
        end = end if path < 0 else path
    elif path >= 0:
        guessed = head.spelling is Spelling.BARE and touching[at + 1]
        kinds[at] = head.whole.spelt(Spelling.NEAR) if guessed else head.whole
    else:
        kinds[at] = TEXT if head.spelling is Spelling.BARE else Kind.STUB
        return owned
    for place in range(at + 1, end):
        wrong = kinds[place].base is Kind.COMMAND_LINE and head.base is not Kind.COMMAND
        kinds[place] = Kind.NEAR_ATTRIBUTE if wrong or kinds[place].is_respelt else Kind.ATTRIBUTE
    return end - 1


def _find_fields(kinds: Sequence[Kind], start: int) -> tuple[int, int]:
    """Return the end of the lines from a place on that may belong to one action, and the place of its path, or -1."""
    path = -1
    for place in range(start, len(kinds)):
        base = kinds[place].base
        if base not in ATTRIBUTES or (base in PATHS and path >= 0):
            return place, path
        path = place if base in PATHS else path
    return len(kinds), path


def gather_attributes(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Return the lines of a text, each action line joined with the attribute lines right below it to one line.

    So the reading sees what it would see if all of it stood on the action line. Other attribute lines are plain text.
    Only a path below makes a plain line the first line of an action. An attribute that is a guess needs an action line
    without a path.

        was             becomes      line
        ACTION          NEAR_ACTION  ::create @a.py
        NEAR_ATTRIBUTE  +            deps: b.py
        TEXT            TEXT         that is all
        ATTRIBUTE       TEXT           @deps: b.py

        was             becomes      line
        SPLIT_ACTION    ACTION       ::create
        ATTRIBUTE       +              @path: a.py
        SPLIT_ACTION    STUB         ::create
    """

    def gives_path(line: Line) -> bool:
        return lexer.gives_path(text, line)

    gathered: list[Line] = []
    fields = [*(line.kind in ATTRIBUTE_LIKE for line in lines), False]
    end = 0
    for at, line in enumerate(lines):
        if at < end:
            continue
        if not (fields[at] or fields[at + 1] or line.kind.is_split):
            gathered.append(line)
            continue
        below = _find_attributes(lines, at)
        if line.kind in PLAIN and any(map(gives_path, below)):
            line = line._replace(kind=lexer.kind_above_path(text[line.start : line.stop]) or line.kind)
        if line.kind.is_split:
            line, below = _join_split_head(lines, at, line, below, gives_path)
        elif line.kind in JOINED:
            below = list(takewhile(lambda part: part.kind is not Kind.BARE_ATTRIBUTE, below))
        else:
            below = []
            if line.kind is Kind.BARE_ATTRIBUTE or (line.kind in ATTRIBUTE_LIKE and not _awaits(gathered)):
                line = line._replace(kind=TEXT)
        gathered.append(_join(line, below) if below else line)
        end = at + 1 + len(below)
    return gathered


def _find_attributes(lines: Sequence[Line], at: int) -> list[Line]:
    """Return the attribute lines right below a line that is none."""
    end = at + 1
    while lines[at].kind not in ATTRIBUTE_LIKE and end < len(lines) and lines[end].kind in ATTRIBUTE_LIKE:
        end += 1
    return list(lines[at + 1 : end])


def _join_split_head(
    lines: Sequence[Line], at: int, line: Line, below: list[Line], gives_path: Callable[[Line], bool]
) -> tuple[Line, list[Line]]:
    """Return an action's first line with its kind, and what belongs to it; without a path below it is none."""
    ahead = below
    if not below:
        gap = next((k for k in range(at + 1, len(lines)) if lines[k].kind is not BLANK), len(lines))
        ahead = [part for part in lines[gap : gap + 1] if part.kind in ATTRIBUTE_LIKE]
    if ahead and (not line.kind.is_respelt or any(map(gives_path, ahead))):
        return line._replace(kind=line.kind.whole), below
    return line._replace(kind=TEXT if line.kind.is_respelt else Kind.STUB), []


def _join(line: Line, below: list[Line]) -> Line:
    """Return one line for an action line and its attributes; one that is not right makes the whole nearly right."""
    kind = line.kind
    doubtful = kind in _RIGHT and any(part.kind is not Kind.ATTRIBUTE for part in below)
    if doubtful or kind.spelling is Spelling.BARE:
        kind = kind.spelt(Spelling.NEAR)
    return Line(kind, line.start, below[-1].stop, below[-1].end, (line, *below))


def _awaits(lines: list[Line]) -> bool:
    """Return whether attributes may still come: the last line that is not blank is an action line or an attribute."""
    last = next((line.kind for line in reversed(lines) if line.kind is not BLANK), BLANK)
    return last in JOINED or last in ATTRIBUTE_LIKE
