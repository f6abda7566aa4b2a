"""Define the kinds of lines, one row each, and the line itself.

The lexer gives each line a kind that says what the line could be alone. The passes refine it
by the neighbors of the line. After them the kind is a terminal of the recovery grammars. Code that
needs a set of kinds selects it by columns of the table (`kinds_of`), not by a list of names.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, StrEnum, auto
from typing import NamedTuple

from ...patterns.regexes import compile_pattern

# Matches "```python" and "  ~~~~"; does not match "``" (too short), "    ```" (a code block of
# Markdown), or "```a`b" (code within a line).
FENCE = compile_pattern(
    r"[ \t]{0,3}(?P<run>`{3,}|~{3,}+)[ \t]*+(?P<info>(?:[^`\n]*[^` \t\r\n])?)[ \t\r]*"
)


class Spelling(Enum):
    """How a line differs from the line that the strict grammar expects."""

    EXACT = auto()
    NEAR = auto()  # misspelled
    BARE = auto()  # misspelled beyond its marks: a guess that its neighbors must support
    BEHIND = auto()  # after a closing delimiter on the same line
    BEFORE = auto()  # before an opening delimiter on the same line
    AMID = auto()  # with other text on the line
    LAST = auto()  # after the last line of a content, on the same line


_EXACT = Spelling.EXACT
_NEAR = Spelling.NEAR
_BARE = Spelling.BARE
_BEHIND = Spelling.BEHIND
_AMID = Spelling.AMID


class Kind(StrEnum):
    """A kind of line; its value is the name of the terminal in the recovery grammars.

    Attributes:
        base: The kind of the same line without misspellings.
        spelling: How the line differs from its base.
        role: The role for which the repair rules rewrite the line; empty if none does. A row that
            leaves it out has the role of its base.
        whole: The kind of an action line after its path was found on another line; the kind
            itself if the line is not split.
        is_split: Whether the line begins an action whose path is on a line below it.
        is_respelt: Whether the line is not spelled as the grammar expects.
    """

    base: Kind
    spelling: Spelling
    role: str
    whole: Kind
    is_split: bool
    is_respelt: bool

    def __new__(
        cls, name: str, base: str, spelling: Spelling, role: str = "", whole: str = ""
    ) -> Kind:
        """Return the kind of one row."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        # A row may name itself as its base, and is not yet a member then.
        earlier = {**cls.__members__, name: kind}
        kind.base = earlier[base]
        kind.whole = earlier[whole or name]
        kind.spelling = spelling
        kind.role = role or (kind.base.role if base != name else "")
        kind.is_split = bool(whole)
        kind.is_respelt = spelling is not _EXACT
        return kind

    def spelt(self, spelling: Spelling, *, split: bool = False) -> Kind:
        """Return the kind with the same base and another spelling.

        Args:
            spelling: The spelling of the returned kind.
            split: Whether the returned kind is a split one.

        Raises:
            KeyError: The table has no such row.
        """
        return _BY_COLUMNS[self.base, split, spelling]

    # Columns: name and value, base, spelling, role, kind after the path was found.
    BLANK = "BLANK", "BLANK", _EXACT
    TEXT = "TEXT", "TEXT", _EXACT
    PROSE = "PROSE", "TEXT", _EXACT  # only sentences for people
    STUB = "STUB", "TEXT", _EXACT  # an action line that breaks off
    TAG = "TAG", "TAG", _EXACT  # of no meaning
    DRAFT = "DRAFT", "TEXT", _EXACT  # names an action that comes again
    OUTER_FENCE = "OUTER_FENCE", "TEXT", _EXACT  # ends a fence around sections
    THINK_OPEN = "THINK_OPEN", "THINK_OPEN", _EXACT
    THINK_CLOSE = "THINK_CLOSE", "THINK_CLOSE", _EXACT
    FENCE = "FENCE", "FENCE", _EXACT
    FENCE_INFO = "FENCE_INFO", "FENCE", _EXACT

    THOUGHT = "THOUGHT", "THOUGHT", _EXACT, "thought"
    NEAR_THOUGHT = "NEAR_THOUGHT", "THOUGHT", _NEAR
    REASONING = "REASONING", "REASONING", _EXACT, "reason"
    NEAR_REASONING = "NEAR_REASONING", "REASONING", _NEAR
    VITALS = "VITALS", "VITALS", _EXACT, "vitals"
    NEAR_VITALS = "NEAR_VITALS", "VITALS", _NEAR
    ASK = "ASK", "ASK", _EXACT, "ask"
    NEAR_ASK = "NEAR_ASK", "ASK", _NEAR
    CHOICE = "CHOICE", "CHOICE", _EXACT, "choice"
    NEAR_CHOICE = "NEAR_CHOICE", "CHOICE", _NEAR
    ERROR = "ERROR", "ERROR", _EXACT, "error"
    NEAR_ERROR = "NEAR_ERROR", "ERROR", _NEAR
    # Custom sections of a dialect: without a block, with one, with one that may follow.
    SECTION = "SECTION", "SECTION", _EXACT, "section"
    NEAR_SECTION = "NEAR_SECTION", "SECTION", _NEAR
    SECTION_HEAD = "SECTION_HEAD", "SECTION_HEAD", _EXACT, "section"
    NEAR_SECTION_HEAD = "NEAR_SECTION_HEAD", "SECTION_HEAD", _NEAR
    SECTION_LEAD = "SECTION_LEAD", "SECTION_LEAD", _EXACT, "section"
    NEAR_SECTION_LEAD = "NEAR_SECTION_LEAD", "SECTION_LEAD", _NEAR

    OPEN = "OPEN", "OPEN", _EXACT, "open"
    NEAR_OPEN = "NEAR_OPEN", "OPEN", _NEAR
    TEXT_OPEN = "TEXT_OPEN", "OPEN", _AMID
    CLOSE = "CLOSE", "CLOSE", _EXACT, "close"
    NEAR_CLOSE = "NEAR_CLOSE", "CLOSE", _NEAR
    TEXT_CLOSE = "TEXT_CLOSE", "CLOSE", _AMID
    LAST_TEXT = "LAST_TEXT", "CLOSE", Spelling.LAST
    DELIM = "DELIM", "DELIM", _EXACT, "open"  # opens and closes
    NEAR_DELIM = "NEAR_DELIM", "DELIM", _NEAR
    TEXT_DELIM = "TEXT_DELIM", "DELIM", _AMID

    ACTION = "ACTION", "ACTION", _EXACT, "head"  # it writes a file
    NEAR_ACTION = "NEAR_ACTION", "ACTION", _NEAR
    BARE_ACTION = "BARE_ACTION", "ACTION", _BARE
    CLOSE_ACTION = "CLOSE_ACTION", "ACTION", _BEHIND
    ACTION_OPEN = "ACTION_OPEN", "ACTION", Spelling.BEFORE
    COMMAND = "COMMAND", "COMMAND", _EXACT, "head"  # it runs or removes something
    NEAR_COMMAND = "NEAR_COMMAND", "COMMAND", _NEAR
    BARE_COMMAND = "BARE_COMMAND", "COMMAND", _BARE
    CLOSE_COMMAND = "CLOSE_COMMAND", "COMMAND", _BEHIND
    ODD_ACTION = "ODD_ACTION", "ODD_ACTION", _EXACT, "head"  # its verb is unknown

    # The passes replace all kinds below by others, except for ATTRIBUTE and NEAR_ATTRIBUTE. So the
    # recovery grammars name only these two.
    ATTRIBUTE = "ATTRIBUTE", "ATTRIBUTE", _EXACT, "attribute"
    NEAR_ATTRIBUTE = "NEAR_ATTRIBUTE", "ATTRIBUTE", _NEAR
    BARE_ATTRIBUTE = "BARE_ATTRIBUTE", "ATTRIBUTE", _BARE
    PATH_LINE = "PATH_LINE", "PATH_LINE", _EXACT, "attribute"
    NEAR_PATH_LINE = "NEAR_PATH_LINE", "PATH_LINE", _NEAR
    COMMAND_LINE = "COMMAND_LINE", "COMMAND_LINE", _EXACT, "attribute"
    NEAR_COMMAND_LINE = "NEAR_COMMAND_LINE", "COMMAND_LINE", _NEAR
    DEPENDS_LINE = "DEPENDS_LINE", "DEPENDS_LINE", _EXACT, "attribute"
    NEAR_DEPENDS_LINE = "NEAR_DEPENDS_LINE", "DEPENDS_LINE", _NEAR

    SPLIT_ACTION = "SPLIT_ACTION", "ACTION", _EXACT, "head", "ACTION"
    SPLIT_NEAR_ACTION = "SPLIT_NEAR_ACTION", "ACTION", _NEAR, "head", "NEAR_ACTION"
    SPLIT_BARE_ACTION = "SPLIT_BARE_ACTION", "ACTION", _BARE, "head", "BARE_ACTION"
    SPLIT_CLOSE_ACTION = "SPLIT_CLOSE_ACTION", "ACTION", _BEHIND, "head", "CLOSE_ACTION"
    SPLIT_COMMAND = "SPLIT_COMMAND", "COMMAND", _EXACT, "head", "COMMAND"
    SPLIT_NEAR_COMMAND = "SPLIT_NEAR_COMMAND", "COMMAND", _NEAR, "head", "NEAR_COMMAND"
    SPLIT_BARE_COMMAND = "SPLIT_BARE_COMMAND", "COMMAND", _BARE, "head", "BARE_COMMAND"
    SPLIT_CLOSE_COMMAND = "SPLIT_CLOSE_COMMAND", "COMMAND", _BEHIND, "head", "CLOSE_COMMAND"
    SPLIT_ODD_ACTION = "SPLIT_ODD_ACTION", "ODD_ACTION", _EXACT, "head", "ODD_ACTION"
    # A removal takes a path, as an action does, but no block, as a command does.
    SPLIT_REMOVAL = "SPLIT_REMOVAL", "SPLIT_REMOVAL", _EXACT, "head", "COMMAND"
    SPLIT_NEAR_REMOVAL = "SPLIT_NEAR_REMOVAL", "SPLIT_REMOVAL", _NEAR, "head", "NEAR_COMMAND"
    SPLIT_BARE_REMOVAL = "SPLIT_BARE_REMOVAL", "SPLIT_REMOVAL", _BARE, "head", "BARE_COMMAND"


# For loops over all lines of a text: a global name is looked up faster than a member of an enum.
BLANK = Kind.BLANK
TEXT = Kind.TEXT
OPEN = Kind.OPEN
CLOSE = Kind.CLOSE
DELIM = Kind.DELIM
# Reversed, so that of rows with the same columns (TEXT, PROSE, STUB) the first one stays.
_BY_COLUMNS = {(kind.base, kind.is_split, kind.spelling): kind for kind in reversed(Kind)}


def kinds_of(
    *bases: Kind, spelling: Collection[Spelling] = (), split: bool = False
) -> frozenset[Kind]:
    """Return the kinds with one of some bases and one of some spellings.

    Args:
        bases: The bases; none means all.
        spelling: The spellings; empty means all.
        split: Whether to select the split kinds, or those that are not split. Never both.
    """
    kinds = set()
    for kind in Kind:
        has_base = not bases or kind.base in bases
        has_spelling = not spelling or kind.spelling in spelling
        if kind.is_split == split and has_base and has_spelling:
            kinds.add(kind)
    return frozenset(kinds)


RIGHT_OR_NEAR = (_EXACT, _NEAR)
RESPELT = tuple(spelling for spelling in Spelling if spelling is not _EXACT)


# A named tuple, because one is made for every line of a text: of all classes it is made fastest.
class Line(NamedTuple):
    """One line of a text, with its kind.

    Attributes:
        kind: What the line could be.
        start: The 0-based offset of its first character in the text.
        stop: The offset after its last character, before the line ending.
        end: The offset after its line ending.
        inside: The lines that were joined to this one: an action line and the attribute lines
            below it. Empty if none was joined.
    """

    kind: Kind
    start: int
    stop: int
    end: int
    inside: tuple[Line, ...] = ()


ACTION_BASES = (Kind.ACTION, Kind.COMMAND)  # bases of the lines that begin an action
HEAD_BASES = (*ACTION_BASES, Kind.ODD_ACTION)
DELIMITERS = frozenset((OPEN, CLOSE, DELIM))
BLOCKS = frozenset((OPEN, DELIM))  # the exact lines that may begin a block
NEAR_DELIMITERS = kinds_of(OPEN, CLOSE, DELIM, spelling=(_NEAR,))
INNER_HEADS = kinds_of(Kind.ACTION, spelling=RIGHT_OR_NEAR)
OWN = kinds_of(Kind.SECTION, Kind.SECTION_HEAD, Kind.SECTION_LEAD)
PATHS = kinds_of(Kind.PATH_LINE, Kind.COMMAND_LINE, spelling=(_EXACT,))
ATTRIBUTES = PATHS | kinds_of(Kind.ATTRIBUTE, Kind.DEPENDS_LINE, spelling=(_EXACT,))
FIELDS = kinds_of(*ATTRIBUTES, spelling=RIGHT_OR_NEAR)  # the lines below the first one of an action
ATTRIBUTE_LIKE = kinds_of(Kind.ATTRIBUTE)
# Lines that become the first line of an action if a path is on the line below.
_PLAIN_IF_NEAR = kinds_of(Kind.THOUGHT, Kind.VITALS, spelling=(_NEAR,))
PLAIN = kinds_of(TEXT, Kind.CHOICE) | _PLAIN_IF_NEAR
# Heads that their attributes and their block follow.
_JOINED_SPELLINGS = (_EXACT, _NEAR, _BARE, _BEHIND)
JOINED = kinds_of(*HEAD_BASES, spelling=_JOINED_SPELLINGS)


def find_filled(lines: list[Line]) -> list[int]:
    """Return the indexes of the lines that are not blank."""
    return [index for index, line in enumerate(lines) if line.kind is not BLANK]


def set_kind(lines: list[Line], at: int, kind: Kind) -> None:
    """Give a line of a list another kind; the line is replaced, since lines cannot be changed.

    Args:
        lines: The list, changed in place.
        at: The index of the line.
        kind: Its new kind.
    """
    lines[at] = lines[at]._replace(kind=kind)


def text_of(line: Line, text: str) -> str:
    """Return a line of a text, without its ending.

    Args:
        line: The line.
        text: The text that the offsets of the line refer to.
    """
    return text[line.start : line.stop]


def indentation_of(line: Line, text: str) -> int:
    """Return the number of blanks and tabs at the beginning of a line.

    Args:
        line: The line.
        text: The text that the offsets of the line refer to.
    """
    content = text_of(line, text)
    bare = content.lstrip(" \t")
    return len(content) - len(bare)
