"""Grammars with indented blocks: texts that the search can read, and repairs of the given text.

Lark's `Indenter` makes tokens without text of the blanks at the beginning of lines. The search
reads text alone. So it gets a text with a sign for each of these tokens, in which the line ends
inside of brackets are hidden. The signs that a repair adds or removes become edits of the blanks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..core.grammar.compiling.lark_insides import load_indenter
from ..core.ground.errors import GrammarError
from .edits import DEDENT_SIGN, HIDDEN_SIGN, INDENT_SIGN, NEAR, SIGNS
from .tables import Tables

_NO_SIGNS = str.maketrans(dict.fromkeys(SIGNS, "\ufffd"))

_STEP = "    "  # of a block in a text without any
_DECLARED = re.compile(r"^[ \t]*%declare[ \t]+(.+)$", re.MULTILINE)
_LINE_END = re.compile(r"^(_?(?:NL|NEWLINE))\b[^:\n]*:", re.MULTILINE)
_LINE_WITH_SIGNS = re.compile(rf"(?<!\s)\s*\n\s*(?:[{INDENT_SIGN}{DEDENT_SIGN}]\s*)*")
_OPENERS = ("LPAR", "LSQB", "LBRACE")  # the names that Lark gives to brackets
_CLOSERS = ("RPAR", "RSQB", "RBRACE")


class Indentation(NamedTuple):
    """The terminals of a grammar with indented blocks.

    Attributes:
        line_end: A line end with the blanks after it.
        indent: The beginning of a block.
        dedent: The end of a block.
        openers: Terminals that begin brackets, in which line ends do not count.
        closers: Terminals that end them.
        tab: The width of a tab.
    """

    line_end: str
    indent: str
    dedent: str
    openers: frozenset[str]
    closers: frozenset[str]
    tab: int

    @property
    def marks(self) -> frozenset[str]:
        """The terminals without text."""
        return frozenset((self.indent, self.dedent))

    def width(self, blanks: str) -> int:
        """Return the width of the blanks at the beginning of a line."""
        return blanks.count(" ") + blanks.count("\t") * self.tab


def read_indenter(postlex: Any) -> Indentation:
    """Return the terminals of a postlexer.

    Args:
        postlex: The postlexer.

    Raises:
        GrammarError: It is not an `Indenter` of Lark.
    """
    if not isinstance(postlex, load_indenter()):
        raise GrammarError(
            f"the postlexer {type(postlex).__name__} is not supported: only subclasses of "
            "lark.indenter.Indenter are"
        )
    openers = frozenset(postlex.OPEN_PAREN_types)
    closers = frozenset(postlex.CLOSE_PAREN_types)
    return Indentation(
        postlex.NL_type, postlex.INDENT_type, postlex.DEDENT_type, openers, closers, postlex.tab_len
    )


def guess_indenter(source: str) -> Any:
    """Return the postlexer for the usual names of terminals; None if the grammar has others.

    Args:
        source: The grammar. It declares `_INDENT` and `_DEDENT` and defines `_NL` or `_NEWLINE`;
            the names may be without the underscore.
    """
    names = " ".join(_DECLARED.findall(source)).split()
    declared = {name.strip("_"): name for name in names}
    line_end = _LINE_END.search(source)
    if line_end is None or sorted(declared) != ["DEDENT", "INDENT"]:
        return None
    attributes = {
        "NL_type": line_end[1],
        "OPEN_PAREN_types": list(_OPENERS),
        "CLOSE_PAREN_types": list(_CLOSERS),
        "INDENT_type": declared["INDENT"],
        "DEDENT_type": declared["DEDENT"],
        "tab_len": 8,
    }
    # The class of Lark has abstract properties.
    base = load_indenter()
    guessed = type("GuessedIndenter", (base,), attributes)
    return guessed()


def sign_source(source: str, indentation: Indentation) -> str:
    """Return a grammar in which the terminals without text are signs.

    Args:
        source: The grammar.
        indentation: Its terminals.
    """
    lines = (
        source,
        f'%override {indentation.indent}: "{INDENT_SIGN}"',
        f'%override {indentation.dedent}: "{DEDENT_SIGN}"',
        f"_SYMOPS_HIDDEN: /{HIDDEN_SIGN}+/",
        "%ignore _SYMOPS_HIDDEN",
        "",
    )
    return "\n".join(lines)


def write_blocks(text: str) -> str:
    """Return a text with signs as one with indented lines.

    Args:
        text: The text; its signs follow line ends.
    """
    depth = 0

    def indent(match: re.Match[str]) -> str:
        nonlocal depth
        signs = match[0]
        depth += signs.count(INDENT_SIGN)
        depth -= signs.count(DEDENT_SIGN)
        return "\n" + _STEP * depth

    # The last line has no text.
    indented = _LINE_WITH_SIGNS.sub(indent, text)
    return indented.rstrip(" ")


class _LineEnd(NamedTuple):
    """A line end of a text, the column of its next line, and whether brackets hide it."""

    start: int
    stop: int
    width: int
    is_hidden: bool


@dataclass
class Layout:
    """A text for the search.

    Attributes:
        given: The text that was given.
        text: The text with signs.
        indentation: The terminals of the grammar.
        step: The blanks of a new block.
        signs: The offsets of the signs in `text`, in order.
        moved: The offsets in `text` after line ends whose next line is in no open block.
        distance: The columns by which these lines are moved.
    """

    given: str
    text: str
    indentation: Indentation | None = None
    step: str = _STEP
    signs: list[int] = field(default_factory=list)
    moved: set[int] = field(default_factory=set)
    distance: int = 0

    @property
    def price(self) -> int:
        """The price of the lines that are moved to the column of a block."""
        return NEAR * len(self.moved)

    def to_given(self, offset: int) -> int:
        """Return an offset of the given text for one of the text with signs."""
        return offset - bisect_left(self.signs, offset)


def lay_out(text: str, tables: Tables, indentation: Indentation) -> list[Layout]:
    """Return the texts for the search: one, unless brackets or columns do not fit each other.

    Args:
        text: The text.
        tables: The grammar with signs.
        indentation: Its terminals.
    """
    # Equal texts need one search.
    layouts: dict[str, Layout] = {}
    for ends in _read_line_ends(text, tables, indentation):
        for goes_in in (True, False):
            layout = _sign(text, indentation, ends, goes_in)
            key = layout.text
            layouts.setdefault(key, layout)
    return list(layouts.values())


def _read_line_ends(
    text: str, tables: Tables, indentation: Indentation
) -> tuple[list[_LineEnd], list[_LineEnd]]:
    """Return the line ends as Lark reads them, and with brackets that end with their block."""
    plain = []
    early = []
    # The open brackets, as Lark counts them, and without those that end with their block.
    depth = early_depth = 0
    # The column of the line in which the first of these brackets is.
    column = place = 0
    while place < len(text):
        token = tables.find_longest(text, place)
        if token is None:
            place += 1
            continue
        name, stop = token
        if name == indentation.line_end:
            blanks = text[place:stop].rpartition("\n")[2]
            width = indentation.width(blanks)
            plain.append(_LineEnd(place, stop, width, depth > 0))
            # A line that is not indented more than that of the bracket is not inside of it.
            is_after = stop == len(text) or width <= column
            if is_after and not _is_closer(text, stop, tables, indentation):
                early_depth = 0
            early.append(_LineEnd(place, stop, width, early_depth > 0))
            if early_depth == 0:
                column = width
        elif name in indentation.openers:
            depth += 1
            early_depth += 1
        elif name in indentation.closers:
            depth = max(0, depth - 1)
            early_depth = max(0, early_depth - 1)
        place = stop
    if depth == 0:
        return plain, plain
    return plain, early


def _is_closer(text: str, place: int, tables: Tables, indentation: Indentation) -> bool:
    token = tables.find_longest(text, place)
    return token is not None and token[0] in indentation.closers


def _sign(text: str, indentation: Indentation, ends: list[_LineEnd], goes_in: bool) -> Layout:
    """Return a text with signs, as Lark's `Indenter` sets its tokens.

    Args:
        text: The text.
        indentation: The terminals of the grammar.
        ends: The line ends.
        goes_in: Whether a line between two blocks is moved to the inner one.
    """
    layout = Layout(text, "", indentation)
    parts = []
    levels = [0]
    place = length = 0
    for end in ends:
        before = text[place : end.start]
        line_end = text[end.start : end.stop]
        length += end.stop - place
        place = end.stop
        parts.append(before.translate(_NO_SIGNS))
        if end.is_hidden:
            parts.append(HIDDEN_SIGN * len(line_end))
            continue
        parts.append(line_end)
        signs = ""
        if end.width > levels[-1]:
            if layout.step == _STEP and len(levels) == 1:
                layout.step = line_end.rpartition("\n")[2]
            levels.append(end.width)
            signs = INDENT_SIGN
        while end.width < levels[-1]:
            outer = levels[-2]
            if goes_in and outer < end.width:
                break
            levels.pop()
            signs += DEDENT_SIGN
        if end.width != levels[-1]:
            layout.moved.add(length)
            layout.distance += abs(end.width - levels[-1])
        layout.signs += range(length, length + len(signs))
        parts.append(signs)
        length += len(signs)
    parts.append(text[place:].translate(_NO_SIGNS))
    length += len(text) - place
    signs = DEDENT_SIGN * (len(levels) - 1)
    layout.signs += range(length, length + len(signs))
    layout.text = "".join([*parts, signs])
    return layout
