r"""Split the terminal of a block, so that its end can be searched for.

A block is a first line, lines of content, and a last line. Matching each line of content costs a
step for each line of a file. Most lines are content only because of how they begin, so
`section_patterns` searches for the next line that begins with a delimiter, and tests only that one:

    pattern      <<<[ ]*\n(?:LINE)*+>>>[ ]*\n
    first line   <<<[ ]*\n
    content      LINE
    last line    >>>[ ]*\n

This gives the same result only if each content line is one line, and all lines that do not begin
with a delimiter are content. `split_blocks` proves it for each grammar by comparing automata. Where
it cannot, it returns nothing, and the block is matched by its pattern.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import combinations
from typing import NamedTuple

from .regular import Language, Unsupported, find_common, find_outside
from .terminal_patterns import without_captures

# One item of a pattern that hides its brackets and bars: an escape such as `\(`, or a class such as
# `[(|]` or `[]]`.
_ESCAPE_OR_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
# A group without groups in it. It does not match `((a))` as a whole, but `(a)` in it.
_INNER_GROUP = re.compile(r"\([^()]*\)")
# Atomic groups and possessive repetitions (`(?>`, `*+`): an automaton has no such thing, so it
# would prove a claim about another language.
_KEEPS_MATCH = re.compile(r"\(\?>|[*+?}]\+")
_LINE = r"[^\n]*\n"


class Block(NamedTuple):
    """The patterns of one kind of block.

    Attributes:
        opener: Its first line.
        line: One line of content.
        closer: Its last line.
    """

    opener: str
    line: str
    closer: str


def split_blocks(pattern: str, delimiters: Collection[str]) -> list[Block]:
    """Split the pattern of blocks.

    Args:
        pattern: The pattern of the terminal: kinds of blocks as alternatives, each with possessive
            content lines.
        delimiters: The texts with which lines begin that may not be content.

    Returns:
        The kinds of blocks. Empty if it is not proved that searching for the end finds what the
        pattern matches.
    """
    if pattern.startswith("(?:"):
        inside = pattern[3:-1]
        if ")" not in _mask(inside):  # one group around all alternatives
            pattern = inside
    alternatives = _split_alternatives(pattern)
    blocks = [_split_alternative(alternative) for alternative in alternatives]
    delimiter_pattern = "|".join(map(re.escape, delimiters))
    try:
        are_proved = _are_proved(blocks, delimiter_pattern)
    except Unsupported:
        return []
    return blocks if are_proved else []


def _split_alternatives(pattern: str) -> list[str]:
    """Return the alternatives of a pattern: bars inside groups do not separate them."""
    alternatives = []
    start = 0
    for at, sign in enumerate(_mask(pattern)):
        if sign == "|":
            alternatives.append(pattern[start:at])
            start = at + 1
    alternatives.append(pattern[start:])
    return alternatives


def _split_alternative(pattern: str) -> Block:
    opener, _, following = pattern.partition("(?:")
    line, _, closer = following.partition(")*+")
    return Block(opener, line, closer)


def drop_longer(delimiters: Collection[str]) -> list[str]:
    """Return delimiters, sorted, without those that begin with another one.

    A line that begins with `<<<<` begins with `<<<`, too.
    """
    shortest: list[str] = []
    for delimiter in sorted(set(delimiters)):
        # The beginning of a text is sorted before the text.
        if not delimiter.startswith(tuple(shortest)):
            shortest.append(delimiter)
    return shortest


def make_end_pattern(block: Block, delimiters: Collection[str]) -> str:
    """Return a pattern that finds the first line after the opener that is not content.

    Its group `last` matches if this line is the last line of the block; otherwise the block has no
    end.

    Args:
        block: The block.
        delimiters: The delimiters with which `split_blocks` has proved it.
    """
    delimiter = "|".join(map(re.escape, delimiters))
    line = without_captures(block.line)
    closer = without_captures(block.closer)
    return f"\n(?={delimiter})(?!{line})(?P<last>{closer})?"


def ends_in(pattern: str, part: str) -> bool:
    """Return whether nothing follows a part in any text that a pattern matches.

    The end of a block can be searched for only where the section ends with the block.

    Args:
        pattern: The pattern of a section.
        part: A part of it; it may occur several times.
    """
    pieces = pattern.split(part)
    for following in pieces[1:]:
        # Alternatives of the part do not follow it: `X|ab` ends in X.
        masked = _mask(following)
        following = re.sub(r"\|[^)]*", "", masked)
        # Only the ends of groups may follow, and the sign that makes a group optional.
        if not re.fullmatch(r"(?:\)(?:\?\+?)?)*", following):
            return False
    return True


def _mask(pattern: str) -> str:
    r"""Replace all but the brackets and bars of the outermost level by letters.

    `(a|\()|[|]b` becomes `xxxxxx|xxxb`. The length is the same, so offsets remain valid.
    """
    masked = _ESCAPE_OR_CLASS.sub(_cover, pattern)
    before = ""
    while masked != before:
        before = masked
        masked = _INNER_GROUP.sub(_cover, masked)
    return masked


def _cover(match: re.Match[str]) -> str:
    return "x" * len(match[0])


def _are_proved(blocks: list[Block], delimiters: str) -> bool:
    """Return whether searching for the end is equivalent to matching.

    Raises:
        Unsupported: A pattern is not a regular language, or is too large.
    """
    lines = Language(_LINE)
    openers = []
    for block in blocks:
        if not block.closer or _KEEPS_MATCH.search(block.line):
            return False
        delimited_line = f"(?:{delimiters}){_LINE}"
        line = f"{block.line}|{delimited_line}"
        content = Language(line)
        opener = Language(block.opener)
        openers.append(opener)
        # Content lines and lines with a delimiter together are all lines, and nothing else.
        is_line = find_outside(content, lines) is None
        has_all_lines = find_outside(lines, content) is None
        opener_is_line = find_outside(opener, lines) is None
        if not (is_line and has_all_lines and opener_is_line):
            return False
    # Each opener is one line, so two that share no text cannot begin the same text either.
    pairs = combinations(openers, 2)
    return all(find_common(first, second) is None for first, second in pairs)
