"""Join the lines of actions that models write on several lines."""

from __future__ import annotations

from collections.abc import Sequence

from .kinds import (
    ACTION_BASES,
    ATTRIBUTE_LIKE,
    ATTRIBUTES,
    BLANK,
    DELIM,
    FIELDS,
    JOINED,
    OPEN,
    PATHS,
    PLAIN,
    RIGHT_OR_NEAR,
    TEXT,
    Kind,
    Line,
    Spelling,
    find_filled,
    kinds_of,
    set_kind,
    text_of,
)
from .spelling import LineReader

_COMPLETE = kinds_of(*ACTION_BASES, spelling=RIGHT_OR_NEAR)
_RIGHT = kinds_of(*ACTION_BASES, spelling=(Spelling.EXACT,))
_NEAR_HEADS = kinds_of(*ACTION_BASES, spelling=(Spelling.NEAR,))
_GLUED_HEADS = kinds_of(*ACTION_BASES, spelling=(Spelling.BEHIND,))
_WITH_PATH = _NEAR_HEADS | _GLUED_HEADS | {Kind.BARE_ACTION}
_BEGIN_BLOCKS = kinds_of(OPEN, DELIM, Kind.FENCE, spelling=RIGHT_OR_NEAR)
_GUESSES = (Spelling.BARE, Spelling.BEHIND)
# What the fields of an action become if no action line takes them.
_KIND_OF_LOOSE = {kind: TEXT if kind.is_respelt else Kind.STUB for kind in FIELDS - ATTRIBUTE_LIKE}


def join_broken_heads(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Join action lines with the line below that continues with a path or a dependency.

    A dependency below a complete action line is accepted only for an action without a block, or if
    a block follows; a line of text may introduce the block.

        was         becomes      line
        STUB        NEAR_ACTION  ::create
        TEXT        +              @a.py
        TEXT        TEXT         that is all

        was         becomes      line
        ACTION      NEAR_ACTION  ::create @a.py
        TEXT        +            > base.py
        OPEN        OPEN         <<<

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the pass before left them; not changed.
        lexer: Gives the kinds of joined lines.
    """
    dialect = lexer.dialect
    target = dialect.marks["target"]
    depends = dialect.marks["depends"]
    actions = tuple(spelling["action"] for spelling in dialect.relatives)
    # The line below each line; below the last one, nothing.
    following = [*lines[1:], Line(BLANK, len(text), len(text), len(text))]
    joined = []
    taken_at = -1  # the index of the line that was joined to the one above
    for at, line in enumerate(lines):
        if at == taken_at:
            continue
        below = following[at]
        if below.kind is not TEXT or line.kind is BLANK:
            joined.append(line)
            continue
        continuation = text_of(below, text).lstrip(" \t")
        is_complete = line.kind in _COMPLETE
        mark = depends if is_complete else target
        # These tests come first: they are cheap, and false for nearly every line.
        if continuation.startswith(mark) and _holds_mark(text_of(line, text), actions):
            both = Line(TEXT, line.start, below.stop, below.end)
            kind = lexer.kind_of(text_of(both, text))
            needs_block = is_complete and kind.base is not Kind.COMMAND
            has_block = not needs_block or _has_block(lines, at + 2)
            if has_block and kind in _NEAR_HEADS:
                line = both._replace(kind=kind)
                taken_at = at + 1
        joined.append(line)
    return joined


def _holds_mark(content: str, marks: Sequence[str]) -> bool:
    """Return whether one of some marks is anywhere in a line."""
    return any(mark in content for mark in marks)


def _has_block(lines: Sequence[Line], place: int) -> bool:
    """Return whether a block begins at an index, or after one blank line or one line of text."""
    following = lines[place : place + 3]
    kinds = [line.kind for line in following if line.kind is not BLANK]
    if kinds[:1] == [TEXT]:
        del kinds[0]
    return bool(kinds) and kinds[0] in _BEGIN_BLOCKS


def join_tagged_heads(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Find the actions among lines of which each has its own tag.

    A line with a verb belongs to an action only next to a line with a path: below it, or otherwise
    directly above it. A line that can only be a command is a misspelled path where a path belongs.

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

    Args:
        text: Not used.
        lines: The lines as the pass before left them; changed in place.
        lexer: Not used.
    """
    filled = find_filled(lines)
    kinds = [lines[index].kind for index in filled]
    # By position in `filled`: whether no blank line is above the line.
    touching = []
    for at, index in enumerate(filled):
        touching.append(index - filled[at - 1] == 1)
    owned = -1  # the position of the last line that belongs to an action
    for at, kind in enumerate(kinds):
        is_last = at + 1 == len(kinds)
        below = BLANK if is_last else kinds[at + 1]
        if kind is Kind.NEAR_OPEN and below is OPEN:
            kinds[at] = Kind.STUB  # a label over the opening tag
        elif kind in _WITH_PATH and below.base is Kind.DEPENDS_LINE:
            attribute = Kind.ATTRIBUTE.spelt(below.spelling)
            kinds[at + 1] = attribute
        elif kind.is_split:
            owned = _join_tagged_head(kinds, touching, at, owned)
    for index, kind in zip(filled, kinds, strict=True):
        final = _KIND_OF_LOOSE.get(kind, kind)
        if final is not lines[index].kind:
            set_kind(lines, index, final)
    return lines


def _join_tagged_head(kinds: list[Kind], touching: Sequence[bool], at: int, owned: int) -> int:
    """Set the kinds of a line with a verb and of its fields; return the last position owned."""
    head = kinds[at]
    is_guess = head.spelling is Spelling.BARE
    end, path = _find_fields(kinds, at + 1)
    if _takes_path_above(kinds, touching, at, owned, end, path):
        runs = head.base in (Kind.COMMAND, Kind.SPLIT_REMOVAL)
        above = at - 1
        kinds[above] = Kind.NEAR_ACTION
        if runs:
            kinds[above] = Kind.NEAR_COMMAND
        kinds[at] = Kind.NEAR_ATTRIBUTE
        if path >= 0:  # the path below belongs to the next action
            end = path
    elif path >= 0:
        kinds[at] = head.whole
        if is_guess and touching[at + 1]:
            kinds[at] = head.whole.spelt(Spelling.NEAR)
    else:
        kinds[at] = Kind.STUB
        if is_guess:
            kinds[at] = TEXT
        return owned
    for place in range(at + 1, end):
        field = kinds[place]
        is_near = field.is_respelt
        if field.base is Kind.COMMAND_LINE:  # a path that only a command may have
            is_near = is_near or head.base is not Kind.COMMAND
        kinds[place] = Kind.ATTRIBUTE
        if is_near:
            kinds[place] = Kind.NEAR_ATTRIBUTE
    return end - 1


def _takes_path_above(
    kinds: Sequence[Kind], touching: Sequence[bool], at: int, owned: int, end: int, path: int
) -> bool:
    """Return whether the path of a line with a verb is the line above it, not the one below."""
    if kinds[at].spelling in _GUESSES:
        return False
    above = at - 1
    is_free = above > owned and touching[at]
    if not is_free or kinds[above].base not in PATHS:
        return False
    if path < 0 or not touching[at + 1]:
        return True
    # A path below that is followed by another verb is the path of that verb: all are above.
    return end < len(kinds) and kinds[end].is_split


def _find_fields(kinds: Sequence[Kind], start: int) -> tuple[int, int]:
    """Return the end of the fields of one action from a position on, and that of its path or -1."""
    path = -1
    for place in range(start, len(kinds)):
        base = kinds[place].base
        is_path = base in PATHS
        has_two = is_path and path >= 0
        if has_two or base not in ATTRIBUTES:
            return place, path
        if is_path:
            path = place
    return len(kinds), path


def gather_attributes(text: str, lines: list[Line], lexer: LineReader) -> list[Line]:
    """Join each action line with the attribute lines directly below it.

    The engine then sees the line that it would see if everything were on the action line. Other
    attribute lines are plain text. A plain line becomes the first line of an action only if a path
    is below it. An attribute that is a guess needs an action line without a path.

        was             becomes      line
        ACTION          NEAR_ACTION  ::create @a.py
        NEAR_ATTRIBUTE  +            deps: b.py
        TEXT            TEXT         that is all
        ATTRIBUTE       TEXT           @deps: b.py

        was             becomes      line
        SPLIT_ACTION    ACTION       ::create
        ATTRIBUTE       +              @path: a.py
        SPLIT_ACTION    STUB         ::create

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines as the pass before left them; not changed.
        lexer: Answers which attributes give a path.
    """
    gathered = []
    are_fields = [line.kind in ATTRIBUTE_LIKE for line in lines]
    are_fields.append(False)  # for the line after the last one
    end = 0
    for at, line in enumerate(lines):
        if at < end:
            continue
        has_field = are_fields[at] or are_fields[at + 1]
        if not has_field and not line.kind.is_split:
            gathered.append(line)
            continue
        below = _find_attributes(lines, at)
        if line.kind in PLAIN and _give_path(text, below, lexer):
            kind = lexer.kind_above_path(text_of(line, text))
            line = line._replace(kind=kind or line.kind)
        if line.kind.is_split:
            line, below = _join_split_head(text, lines, at, line, below, lexer)
        elif line.kind in JOINED:
            below = _without_guesses(below)
        else:
            below = []
            is_lone = line.kind in ATTRIBUTE_LIKE and not _awaits(gathered)
            if line.kind is Kind.BARE_ATTRIBUTE or is_lone:
                line = line._replace(kind=TEXT)
        if below:
            line = _join(line, below)
        gathered.append(line)
        end = at + 1 + len(below)
    return gathered


def _give_path(text: str, attributes: Sequence[Line], lexer: LineReader) -> bool:
    """Return whether one of some attribute lines gives a path."""
    return any(lexer.gives_path(text, line) for line in attributes)


def _find_attributes(lines: Sequence[Line], at: int) -> list[Line]:
    """Return the attribute lines directly below a line; none if it is an attribute itself."""
    attributes: list[Line] = []
    if lines[at].kind in ATTRIBUTE_LIKE:
        return attributes
    for index in range(at + 1, len(lines)):
        line = lines[index]
        if line.kind not in ATTRIBUTE_LIKE:
            break
        attributes.append(line)
    return attributes


def _without_guesses(attributes: Sequence[Line]) -> list[Line]:
    """Return the attribute lines before the first one that is a guess."""
    certain = []
    for line in attributes:
        if line.kind is Kind.BARE_ATTRIBUTE:
            break
        certain.append(line)
    return certain


def _join_split_head(
    text: str, lines: Sequence[Line], at: int, line: Line, below: list[Line], lexer: LineReader
) -> tuple[Line, list[Line]]:
    """Return the first line of an action with its kind, and its attributes.

    Without a path below it is not an action. Blank lines may separate the two: then the path is
    looked for after them, but only the engine joins it (`late_attribute` in the grammar).
    """
    kind = line.kind
    ahead = below or _find_late_attribute(lines, at + 1)
    if ahead and (not kind.is_respelt or _give_path(text, ahead, lexer)):
        return line._replace(kind=kind.whole), below
    loose = TEXT if kind.is_respelt else Kind.STUB
    return line._replace(kind=loose), []


def _find_late_attribute(lines: Sequence[Line], start: int) -> list[Line]:
    """Return the first line from an index on that is not blank, if it is an attribute."""
    for index in range(start, len(lines)):
        line = lines[index]
        if line.kind is not BLANK:
            if line.kind in ATTRIBUTE_LIKE:
                return [line]
            return []
    return []


def _join(line: Line, below: list[Line]) -> Line:
    """Return one line for an action line and its attributes; one misspelling makes all near."""
    kind = line.kind
    has_near = any(part.kind is not Kind.ATTRIBUTE for part in below)
    becomes_near = has_near and kind in _RIGHT
    if becomes_near or kind.spelling is Spelling.BARE:
        kind = kind.spelt(Spelling.NEAR)
    last = below[-1]
    return Line(kind, line.start, last.stop, last.end, (line, *below))


def _awaits(lines: list[Line]) -> bool:
    """Return whether the last line that is not blank is an action line or an attribute."""
    for line in reversed(lines):
        if line.kind is not BLANK:
            return line.kind in JOINED or line.kind in ATTRIBUTE_LIKE
    return False
