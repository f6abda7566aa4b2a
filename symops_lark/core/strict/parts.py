"""Blocks and attributes of actions, and the parts that only a custom grammar has.

A rule or a terminal that the built-in grammars do not have becomes a `Part`, or an attribute of its
action.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..document import Part
from ..grammar.lalr import Token
from ..grammar.section_patterns import CONTENT, Place, content_of

BLOCKS = ("BLOCK", CONTENT)  # terminals


class Attribute(NamedTuple):
    """The key and the values of one attribute, before they are given to an action."""

    key: str
    values: list[str]


def split_block(block: str) -> tuple[str, int]:
    """Return the content of a block.

    Args:
        block: The text of the block with both delimiter lines, which ends with a line feed.

    Returns:
        The content, and its offset in the block.
    """
    begin = block.index("\n") + 1
    closer = block.rindex("\n", 0, len(block) - 1) + 1
    return content_of(block, begin, closer), begin


def read_block(token: Token) -> tuple[str, int]:
    """Return the content of a block's token, and its offset in the token."""
    if token.type == CONTENT:  # the patterns have split it already
        return token.value, 0
    return split_block(token.value)


def flat_maker(make: Callable[[Place, list[Any]], Any]) -> Callable[[Place, list[Any]], Any]:
    """Return a maker that also takes the parts of a custom grammar, as tokens with their text."""

    def make_flat(place: Place, children: list[Any]) -> Any:
        tokens = []
        for child in children:
            if isinstance(child, Part):
                child = Token(child.name.upper(), _text_of(child), 0)
            tokens.append(child)
        return make(place, tokens)

    return make_flat


def _text_of(part: Part) -> str:
    """Return the text of a part, or those of its parts with blanks between them."""
    return part.text or " ".join(map(_text_of, part.parts))


def part_maker(name: str) -> Callable[[Place, list[Any]], Part]:
    """Return the maker of a rule that only a custom grammar has.

    A rule with a single terminal has its text; any other rule has parts.
    """

    def make(place: Place, children: list[Any]) -> Part:
        only = children[0] if len(children) == 1 else None
        if isinstance(only, Token) and only.type not in BLOCKS:
            return Part(name, only.value)
        return Part(name, "", parts_of(children))

    return make


def parts_of(children: list[Any]) -> tuple[Part, ...]:
    """Return the children of a custom rule as parts."""
    parts = []
    for child in children:
        if isinstance(child, Part):
            parts.append(child)
        elif isinstance(child, Token) and child.type in BLOCKS:
            content, _ = read_block(child)
            parts.append(Part("block", content))
        elif isinstance(child, Token):
            parts.append(Part(child.type.lower(), child.value))
    return tuple(parts)


def as_attributes(children: list[Any]) -> list[Any]:
    """Return what follows the head of an action, with custom arguments as attributes."""
    nodes: list[Any] = []
    for child in children:
        is_argument = isinstance(child, Token) and child.type not in BLOCKS
        if isinstance(child, Part) or is_argument:
            for name, text in _arguments(child):
                nodes.append(Attribute(name, [text]))
        else:
            nodes.append(child)
    return nodes


def _arguments(child: Any) -> list[tuple[str, str]]:
    """Return the names and texts of a custom argument.

    A terminal of a rule with several terminals has the names of both, with a point between them.
    """
    if isinstance(child, Token):
        return [(child.type.lower(), child.value)]
    if not child.parts:
        return [(child.name, child.text)]
    arguments = []
    for part in child.parts:
        for name, text in _arguments(part):
            arguments.append((f"{child.name}.{name}", text))
    return arguments
