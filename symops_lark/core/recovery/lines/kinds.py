"""The kinds of lines, one row each, and the line itself.

A kind says what a line could be by itself, and after the passes over its neighbours what it can be where it stands:
then it is a terminal of the recovery grammars. Whoever wants some of the kinds selects them by their columns.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, StrEnum, auto
from typing import NamedTuple

from ...patterns.regexes import compile_pattern

FENCE = compile_pattern(r"[ \t]{0,3}(?P<run>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*?)[ \t\r]*")


class Spelling(Enum):
    """How far a line is from what the strict grammar wants."""

    EXACT = auto()
    NEAR = auto()  # misspelt
    BARE = auto()  # misspelt beyond its marks: a guess, that needs the support of its neighbours
    BEHIND = auto()  # behind a closing delimiter on the same line
    BEFORE = auto()  # before an opening delimiter on the same line
    AMID = auto()  # with other text on the line
    LAST = auto()  # behind the last line of a content


_EXACT, _NEAR, _BARE, _BEHIND, _AMID = Spelling.EXACT, Spelling.NEAR, Spelling.BARE, Spelling.BEHIND, Spelling.AMID


class Kind(StrEnum):
    """What a line can be; its value is the terminal's name.

    The columns: the kind of the same line spelt exactly, the spelling, the role for which rules respell it. The first
    line of an action whose path stands on a line of its own is split: its last column is its kind once that is found.
    """

    base: Kind
    spelling: Spelling
    role: str
    whole: Kind
    is_split: bool
    is_respelt: bool  # whether its spelling is not the grammar's

    def __new__(cls, name: str, base: str, spelling: Spelling, role: str = "", whole: str = "") -> Kind:
        """Return the kind of one row."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        above: dict[str, Kind] = {**cls.__members__, name: kind}
        kind.base, kind.whole = above[base], above[whole or name]
        kind.spelling, kind.role = spelling, role
        kind.is_split, kind.is_respelt = bool(whole), spelling is not _EXACT
        return kind

    def spelt(self, spelling: Spelling, *, split: bool = False) -> Kind:
        """Return the kind of a line like this one that is spelt otherwise."""
        return _BY_COLUMNS[self.base, split, spelling]

    BLANK = "BLANK", "BLANK", _EXACT
    TEXT = "TEXT", "TEXT", _EXACT
    PROSE = "PROSE", "TEXT", _EXACT  # nothing but sentences for people
    STUB = "STUB", "TEXT", _EXACT  # an action line that breaks off
    TAG = "TAG", "TAG", _EXACT  # of no meaning
    DRAFT = "DRAFT", "TEXT", _EXACT  # names an action that comes again
    OUTER_FENCE = "OUTER_FENCE", "TEXT", _EXACT  # ends a fence around sections
    THINK_OPEN = "THINK_OPEN", "THINK_OPEN", _EXACT
    THINK_CLOSE = "THINK_CLOSE", "THINK_CLOSE", _EXACT
    FENCE = "FENCE", "FENCE", _EXACT
    FENCE_INFO = "FENCE_INFO", "FENCE", _EXACT

    THOUGHT = "THOUGHT", "THOUGHT", _EXACT, "thought"
    NEAR_THOUGHT = "NEAR_THOUGHT", "THOUGHT", _NEAR, "thought"
    REASONING = "REASONING", "REASONING", _EXACT, "reason"
    NEAR_REASONING = "NEAR_REASONING", "REASONING", _NEAR, "reason"
    VITALS = "VITALS", "VITALS", _EXACT, "vitals"
    NEAR_VITALS = "NEAR_VITALS", "VITALS", _NEAR, "vitals"
    ASK = "ASK", "ASK", _EXACT, "ask"
    NEAR_ASK = "NEAR_ASK", "ASK", _NEAR, "ask"
    CHOICE = "CHOICE", "CHOICE", _EXACT, "choice"
    NEAR_CHOICE = "NEAR_CHOICE", "CHOICE", _NEAR, "choice"
    ERROR = "ERROR", "ERROR", _EXACT, "error"
    NEAR_ERROR = "NEAR_ERROR", "ERROR", _NEAR, "error"
    SECTION = "SECTION", "SECTION", _EXACT, "section"  # of the dialect's own
    NEAR_SECTION = "NEAR_SECTION", "SECTION", _NEAR, "section"
    SECTION_HEAD = "SECTION_HEAD", "SECTION_HEAD", _EXACT, "section"  # what stands above its block
    NEAR_SECTION_HEAD = "NEAR_SECTION_HEAD", "SECTION_HEAD", _NEAR, "section"
    SECTION_LEAD = "SECTION_LEAD", "SECTION_LEAD", _EXACT, "section"  # a block may follow
    NEAR_SECTION_LEAD = "NEAR_SECTION_LEAD", "SECTION_LEAD", _NEAR, "section"

    OPEN = "OPEN", "OPEN", _EXACT, "open"
    NEAR_OPEN = "NEAR_OPEN", "OPEN", _NEAR, "open"
    TEXT_OPEN = "TEXT_OPEN", "OPEN", _AMID, "open"
    CLOSE = "CLOSE", "CLOSE", _EXACT, "close"
    NEAR_CLOSE = "NEAR_CLOSE", "CLOSE", _NEAR, "close"
    TEXT_CLOSE = "TEXT_CLOSE", "CLOSE", _AMID, "close"
    LAST_TEXT = "LAST_TEXT", "CLOSE", Spelling.LAST, "close"
    DELIM = "DELIM", "DELIM", _EXACT, "open"  # opens and closes
    NEAR_DELIM = "NEAR_DELIM", "DELIM", _NEAR, "open"
    TEXT_DELIM = "TEXT_DELIM", "DELIM", _AMID, "open"

    ACTION = "ACTION", "ACTION", _EXACT, "head"  # it writes a file
    NEAR_ACTION = "NEAR_ACTION", "ACTION", _NEAR, "head"
    BARE_ACTION = "BARE_ACTION", "ACTION", _BARE, "head"
    CLOSE_ACTION = "CLOSE_ACTION", "ACTION", _BEHIND, "head"
    ACTION_OPEN = "ACTION_OPEN", "ACTION", Spelling.BEFORE, "head"
    COMMAND = "COMMAND", "COMMAND", _EXACT, "head"  # it runs or removes something
    NEAR_COMMAND = "NEAR_COMMAND", "COMMAND", _NEAR, "head"
    BARE_COMMAND = "BARE_COMMAND", "COMMAND", _BARE, "head"
    CLOSE_COMMAND = "CLOSE_COMMAND", "COMMAND", _BEHIND, "head"
    ODD_ACTION = "ODD_ACTION", "ODD_ACTION", _EXACT, "head"  # its verb is unknown

    # The lines below are told by their neighbours; no grammar speaks of them, except of attributes.
    ATTRIBUTE = "ATTRIBUTE", "ATTRIBUTE", _EXACT, "attribute"
    NEAR_ATTRIBUTE = "NEAR_ATTRIBUTE", "ATTRIBUTE", _NEAR, "attribute"
    BARE_ATTRIBUTE = "BARE_ATTRIBUTE", "ATTRIBUTE", _BARE, "attribute"
    PATH_LINE = "PATH_LINE", "PATH_LINE", _EXACT, "attribute"
    NEAR_PATH_LINE = "NEAR_PATH_LINE", "PATH_LINE", _NEAR, "attribute"
    COMMAND_LINE = "COMMAND_LINE", "COMMAND_LINE", _EXACT, "attribute"
    NEAR_COMMAND_LINE = "NEAR_COMMAND_LINE", "COMMAND_LINE", _NEAR, "attribute"
    DEPENDS_LINE = "DEPENDS_LINE", "DEPENDS_LINE", _EXACT, "attribute"
    NEAR_DEPENDS_LINE = "NEAR_DEPENDS_LINE", "DEPENDS_LINE", _NEAR, "attribute"

    SPLIT_ACTION = "SPLIT_ACTION", "ACTION", _EXACT, "head", "ACTION"
    SPLIT_NEAR_ACTION = "SPLIT_NEAR_ACTION", "ACTION", _NEAR, "head", "NEAR_ACTION"
    SPLIT_BARE_ACTION = "SPLIT_BARE_ACTION", "ACTION", _BARE, "head", "BARE_ACTION"
    SPLIT_CLOSE_ACTION = "SPLIT_CLOSE_ACTION", "ACTION", _BEHIND, "head", "CLOSE_ACTION"
    SPLIT_COMMAND = "SPLIT_COMMAND", "COMMAND", _EXACT, "head", "COMMAND"
    SPLIT_NEAR_COMMAND = "SPLIT_NEAR_COMMAND", "COMMAND", _NEAR, "head", "NEAR_COMMAND"
    SPLIT_BARE_COMMAND = "SPLIT_BARE_COMMAND", "COMMAND", _BARE, "head", "BARE_COMMAND"
    SPLIT_CLOSE_COMMAND = "SPLIT_CLOSE_COMMAND", "COMMAND", _BEHIND, "head", "CLOSE_COMMAND"
    SPLIT_ODD_ACTION = "SPLIT_ODD_ACTION", "ODD_ACTION", _EXACT, "head", "ODD_ACTION"
    # A command that takes a path.
    SPLIT_REMOVAL = "SPLIT_REMOVAL", "SPLIT_REMOVAL", _EXACT, "head", "COMMAND"
    SPLIT_NEAR_REMOVAL = "SPLIT_NEAR_REMOVAL", "SPLIT_REMOVAL", _NEAR, "head", "NEAR_COMMAND"
    SPLIT_BARE_REMOVAL = "SPLIT_BARE_REMOVAL", "SPLIT_REMOVAL", _BARE, "head", "BARE_COMMAND"


# For loops over all lines of a text: a name of a module is looked up faster than one of an enum.
BLANK, TEXT, OPEN, CLOSE, DELIM = Kind.BLANK, Kind.TEXT, Kind.OPEN, Kind.CLOSE, Kind.DELIM
_BY_COLUMNS = {(kind.base, kind.is_split, kind.spelling): kind for kind in reversed(Kind)}


def kinds_of(*bases: Kind, spelling: Collection[Spelling] = (), split: bool = False) -> frozenset[Kind]:
    """Return the kinds with one of these bases and one of these spellings; all bases, all spellings if none is named.

    Split ones are selected only by themselves.
    """
    return frozenset(
        kind
        for kind in Kind
        if kind.is_split == split and (not bases or kind.base in bases) and (not spelling or kind.spelling in spelling)
    )


RIGHT_OR_NEAR = (_EXACT, _NEAR)
RESPELT = tuple(spelling for spelling in Spelling if spelling is not _EXACT)


class Line(NamedTuple):  # made for every line of a text: a named tuple is made fastest
    """One line: its kind and where it stands; `stop` is before its ending, `end` behind it."""

    kind: Kind
    start: int
    stop: int
    end: int
    inside: tuple[Line, ...] = ()  # an action line and the attribute lines below it, read as one line


DELIMITERS, BLOCKS = frozenset((OPEN, CLOSE, DELIM)), frozenset((OPEN, DELIM))
NEAR_DELIMITERS = kinds_of(OPEN, CLOSE, DELIM, spelling=(_NEAR,))
INNER_HEADS = kinds_of(Kind.ACTION, spelling=RIGHT_OR_NEAR)
OWN = kinds_of(Kind.SECTION, Kind.SECTION_HEAD, Kind.SECTION_LEAD)
PATHS = kinds_of(Kind.PATH_LINE, Kind.COMMAND_LINE, spelling=(_EXACT,))
ATTRIBUTES = PATHS | kinds_of(Kind.ATTRIBUTE, Kind.DEPENDS_LINE, spelling=(_EXACT,))
FIELDS = kinds_of(*ATTRIBUTES, spelling=RIGHT_OR_NEAR)  # the lines below an action's first one
ATTRIBUTE_LIKE = kinds_of(Kind.ATTRIBUTE)
# What may be the first line of an action if a path stands below it.
PLAIN = kinds_of(Kind.TEXT, Kind.CHOICE) | kinds_of(Kind.THOUGHT, Kind.VITALS, spelling=(_NEAR,))
JOINED = kinds_of(Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION, spelling=(_EXACT, _NEAR, _BARE, _BEHIND))


def indentation_of(line: Line, text: str) -> int:
    """Return how many blanks a line of a text begins with."""
    shown = text[line.start : line.stop]
    return len(shown) - len(shown.lstrip(" \t"))
