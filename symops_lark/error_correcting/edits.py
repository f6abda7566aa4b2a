"""Edits of a text, their prices, and the derivations that have them.

Prices are integers, so that equal repairs cost exactly the same. Thousands are mistakes, hundreds
are near misses, and everything below 100 is a preference: it only orders repairs that need the same
number of mistakes. No price is fitted to data; each one has its reason below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lark import Token

INSERT = 1000  # a token is missing
DELETE = 1000  # a token is too much
REPLACE = 1500  # one slip, not a missing and a needless token, which cost 2000
LINE = 2500  # a foreign line is one slip as well, but two tokens of it are cheaper to delete
UNFINISHED = 800  # a delimiter of a token is missing: its content shows what was meant
QUOTE_BOTH = 900  # both delimiters are missing
INDENTATION = 450  # one level of one line: a block that is not indented is one slip with two ends
NEAR = 400  # a slip of the keyboard: one letter, two swapped ones, capitals, the wrong quote

INVENTED = 60  # a value is made up, and the right one is unknown
LOST_VALUE = 40  # what the writer wrote as a value is lost
LOST_KEYWORD = 80  # a keyword carries the structure: it is rarely written by mistake
LOST_BRACKET = 20  # an open bracket is closed rather than dropped
NOT_AT_LINE_END = 10  # a token that was not finished usually ends where its line does

# What a postlexer makes of blanks, as signs: noncharacters of Unicode, which no text may exchange.
INDENT_SIGN = "\ufdd0"
DEDENT_SIGN = "\ufdd1"
HIDDEN_SIGN = "\ufdd2"
SIGNS = INDENT_SIGN + DEDENT_SIGN + HIDDEN_SIGN

MARGIN = 99  # repairs that cost at most this much more differ by preferences alone
END = "$END"
OPENERS = "([{"
CLOSERS = ")]}"
BRACKETS = OPENERS + CLOSERS


class Edit(NamedTuple):
    """One change of a text, or one mistake that stays in it.

    Attributes:
        kind: "insert", "delete", "replace", "mistake" (named by the recovery grammar) or "skip" (a
            bound was met, and this part of the text is not in the tree).
        start: The offset of the changed part in the text.
        stop: The offset after it.
        name: The terminal; for a mistake its code.
        new: The text that is written there; empty for "delete", "skip" and "mistake".
        price: Its price.
    """

    kind: str
    start: int
    stop: int
    name: str
    new: str
    price: int


class InsertedToken(Token):
    """A token that the text does not have; its start and end are the place where it is missing."""

    __slots__ = ()


class Leaf(NamedTuple):
    """A terminal of a derivation, and the edits that put it there."""

    name: str
    start: int
    stop: int
    value: str
    edits: tuple[Edit, ...] = ()


class Move(NamedTuple):
    """A terminal that edits put at a place; `stop` is the place after it."""

    price: int
    stop: int
    leaf: Leaf


class Unit(NamedTuple):
    """A part of the text that can be deleted or replaced; without a name it is not a token."""

    name: str
    start: int
    stop: int


class Node(NamedTuple):
    """An applied rule; `rule` is Lark's object."""

    rule: Any
    children: tuple[Any, ...]


class Repair(NamedTuple):
    """A derivation of a text with edits; without a root none was found."""

    price: int
    edits: tuple[Edit, ...]
    root: Any

    def by_place(self) -> tuple[Edit, ...]:
        """Return the edits, from left to right."""
        return tuple(sorted(self.edits, key=lambda edit: (edit.start, edit.stop)))


def is_word(character: str) -> bool:
    """Return whether a character belongs to words; the empty text does not."""
    return character.isalnum() or character == "_"


class Place(NamedTuple):
    """Where an edit is in a repaired text.

    Attributes:
        start: The offset of its new part.
        stop: The offset after it.
        resume: Where the given text goes on, after a blank that separates words.
        edit: The edit.
    """

    start: int
    stop: int
    resume: int
    edit: Edit


class Repaired(NamedTuple):
    """A repaired text, and where each edit is in it; a mistake has no place."""

    text: str
    places: tuple[Place, ...]


def write_edits(
    text: str, edits: Sequence[Edit], blank: str = " ", *, wide: bool = False
) -> Repaired:
    """Repair a text.

    Args:
        text: The text.
        edits: The edits by place.
        blank: Separates words that would become one; empty if the grammar does not ignore blanks.
        wide: Whether every new token is separated from its neighbors.
    """
    parts = []
    places = []
    place = length = 0
    last = ""  # the character before
    for edit in edits:
        if edit.kind == "mistake":
            continue
        # The text between two edits stays as it is.
        unchanged = text[place : edit.start]
        last = unchanged[-1:] or last
        after = text[edit.stop : edit.stop + 1]
        following = (edit.new + after)[:1]
        # Words that would become one are separated.
        left = ""
        has_text = bool(edit.new.strip())
        is_indentation = bool(edit.new) and not has_text
        if (wide and not is_indentation) or (is_word(last) and is_word(following)):
            left = blank
        is_joined = has_text and is_word(edit.new[-1]) and is_word(after)
        right = ""
        if is_joined or (wide and has_text):
            right = blank
        start = length + len(unchanged) + len(left)
        stop = start + len(edit.new)
        length = stop + len(right)
        places.append(Place(start, stop, length, edit))
        parts += [unchanged, left, edit.new, right]
        new = left + edit.new + right
        last = new[-1:] or last
        place = max(place, edit.stop)
    parts.append(text[place:])
    return Repaired("".join(parts), tuple(places))


def list_leaves(root: Any) -> list[Leaf]:
    """Return the terminals of a derivation, from left to right."""
    leaves = []
    pending = [root]
    while pending:
        value = pending.pop()
        if isinstance(value, Leaf):
            leaves.append(value)
        else:
            pending.extend(reversed(value.children))
    return leaves
