"""Read the sections of a valid text by regular expressions, much faster than the LALR parser.

Purpose
    A strict grammar has no nesting, so each of its sections is a regular language: one pattern,
    whose named groups are the parts of the rule. This module matches the patterns and calls the
    maker of each rule's node. Wherever it could differ from the LALR parser (`lalr`), it stops, and
    the caller parses the remaining text with that parser, which decides what is valid.

Theory of operation
    A *shape* is a pattern with its *slots*, one for each named group: a token, a rule with slots
    inside, or a repetition, whose text is matched again item by item. For v2, shortened:

        action: head BLOCK?      (?P<a>(?P<h>…(?P<r>run|test|…)…(?P<c>…)…\\n)(?P<b><<<\\n)?)

        `::run @ls`    group    span     slot             becomes
                       r        2-5      token RUN        Token("RUN", "run", 2)
                       c        7-9      token COMMAND    Token("COMMAND", "ls", 7)
                       h        0-10     rule head        makers["head"]((0, 10), [both tokens])
                       a        0-10     rule action      makers["action"]((0, 10), [the head])

    1. *Blocks.* The pattern of a block matches only its first line. One search for lines that begin
       with a delimiter then finds the last line (`_find_end`): all other lines are content.
       `compiling/blocks` proves this for each grammar, or else the pattern matches whole blocks.
    2. *Words.* A verb that the grammar lists is also matched by the terminal of any verb. The
       tables list such pairs: `reserved` has the texts that a terminal must not have, `rivals` the
       terminals that might match more text. `_is_sure` checks both.
    3. *Briefs.* Most sections are two words and a content. `read_brief` makes their nodes from the
       groups, without tokens and without the nodes between.

    Where the patterns stop, the LALR parser begins one section earlier, because the next line may
    still belong to it (a choice of a question). Only a blank line ends a section for certain.

Invariants, held by `tests/core/grammar/test_section_patterns.py`
    1. The nodes are those of the LALR parser (`test_it_agrees_on_any_text`).
    2. Where Lark's lexer could take another terminal, no node is built (`test_it_gives_way_…`).
    3. Valid texts never need the LALR parser (`test_it_reads_every_valid_text_by_itself`).

Not here
    How a rule becomes a pattern: `compiling/section_compiler`. The nodes: `strict/builder`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..patterns.regexes import Match, compile_pattern
from .lalr import Token

Place = tuple[int, int]  # the offsets at which a text begins and ends
# By rule, the maker of its node, called with the place and the children.
Makers = Mapping[str, Callable[[Place, list[Any]], Any]]
# The maker of a section that has only words and a content, called with start, end, words (the last
# may be None), content, and the offset of the content.
BriefMaker = Callable[[int, int, list[Any], str | None, int], Any]
# By rule, its maker, and for each word the terminals that it may be.
Briefs = Mapping[str, tuple[BriefMaker, Sequence[Sequence[str]]]]
# By group, the terminals of the fixed texts that it may match: {"g3": {"run": "RUN"}}.
Words = Mapping[str, Mapping[str, str]]

CONTENT = "in BLOCK"  # the type of a token without the delimiters that a BLOCK has


def content_of(text: str, start: int, end: int) -> str:
    """Return the content of a block: its lines, without the line ending of the last one.

    Args:
        text: The text that has the block.
        start: Where the line after the opening delimiter begins.
        end: Where the closing delimiter begins.
    """
    if start < end:
        end -= 1
    if start < end and text[end - 1] == "\r":
        end -= 1
    return text[start:end]


class _Slot:
    """A named group of a pattern.

    Attributes:
        token, rule: Its terminal or its rule; the other is empty, and both in a repetition.
        repetition: The shape of one item of a repetition, else None.
        words: The terminals that some texts of the token have instead of `token`.
        slots: The groups inside.
        index: The number of the group.
        blocks: The numbers of the groups in it that are blocks; a match has at most one of them.
        is_kept: Whether the token is a child of its rule, as tokens that are not marks are.
        is_shared: Whether another terminal may match the same text.
    """

    def __init__(self, row: list[Any], shared: frozenset[str], words: Words) -> None:
        self.group, self.token, self.rule, slots, repetition = row
        self.words = words.get(self.group, {})
        self.slots = [_Slot(inner, shared, words) for inner in slots]
        self.repetition = None
        if repetition is not None:
            self.repetition = _Shape(repetition, shared, words)
        self.index = 0
        self.blocks: list[int] = []
        self.is_kept = not self.token.startswith("_")
        terminals = (self.token, *self.words.values())
        self.is_shared = not shared.isdisjoint(terminals)


class _Shape:
    """A compiled pattern and its slots."""

    def __init__(self, row: list[Any], shared: frozenset[str], words: Words) -> None:
        pattern, slots = row
        self.pattern = compile_pattern(pattern)
        self.slots = [_Slot(slot, shared, words) for slot in slots]
        self.by_group = {slot.group: slot for slot in self.slots}
        self.blocks = self._number(self.slots)

    def _number(self, slots: list[_Slot]) -> list[int]:
        """Give slots the numbers of their groups; return those of the blocks."""
        blocks = []
        for slot in slots:
            slot.index = self.pattern.groupindex[slot.group]
            if slot.token == "BLOCK":
                slot.blocks = [slot.index]
            else:
                slot.blocks = self._number(slot.slots)
            blocks += slot.blocks
        return blocks


class SectionPatterns:
    """The patterns of one strict grammar, from the table `sections` of its dialect."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._rows = tables["shapes"]
        self._words: Words = tables["words"]
        self._reserved = tables["reserved"]
        self._rivals = tables["rivals"]
        self._shared = frozenset((*self._reserved, *self._rivals))
        self._patterns: dict[str, Any] = {}
        for name, pattern in tables["patterns"].items():
            self._patterns[name] = compile_pattern(pattern)
        # For each pair of delimiters, the pattern of the first line of a block and of its end.
        self._blocks: list[list[Any]] = []
        for opener, end in tables["blocks"]:
            row = [compile_pattern(opener), compile_pattern(end)]
            self._blocks.append(row)
        self._gap = compile_pattern(tables["gap"])  # matches blank lines before a section
        self._shapes: dict[str, _Shape | None] = {}

    def read_line(self, text: str, rule: str, makers: Makers) -> Any:
        """Return the node of a section; None if only the LALR parser can decide.

        Args:
            text: The text of the section, which ends with a line feed.
            rule: The rule that it should match.
            makers: The makers of nodes.
        """
        shape = self._shape(rule)
        if shape is None:
            return None
        match = shape.pattern.match(text)
        if match is None:
            return None
        last = self._find_end(shape.blocks, match, text)
        if last[1] != len(text):
            return None
        children = self._children(shape.slots, match, text, makers, last)
        if children is None:
            return None
        return children[0]

    def find_end(self, text: str, rule: str) -> int:
        """Return the offset at which the section at the beginning of a text ends; -1 if none is."""
        shape = self._shape(rule)
        if shape is None:
            return -1
        match = shape.pattern.match(text)
        if match is None:
            return -1
        last = self._find_end(shape.blocks, match, text)
        return last[1]

    def read_sections(self, text: str, makers: Makers, briefs: Briefs) -> tuple[list[Any], int]:
        """Read sections from the beginning of a text as far as the patterns are certain.

        Args:
            text: The text, which ends with a line feed.
            makers: The makers of nodes.
            briefs: The makers of sections that have only words and a content; may be empty.

        Returns:
            The nodes, and the offset at which the LALR parser must continue; the length of the text
            if it has nothing to do.
        """
        shape = self._shape("document")
        if shape is None:
            return [], 0
        sections: list[Any] = []
        size = len(text)
        start = 0
        count = 0  # of the nodes before the last section
        before = 0  # the offset of the last section
        while start < size:
            match = shape.pattern.match(text, start)
            if match is None:
                gap = self._gap.match(text, start)
                if gap and gap.end() > start:
                    return sections, start  # the gap ends the last section
                return sections[:count], before
            slot = shape.by_group.get(match.lastgroup or "")
            if slot is None:  # the end of the text, after blank lines
                break
            if slot.blocks:
                last = self._find_end(slot.blocks, match, text)
            else:
                end = match.end()
                last = (end, end)
            if last[1] < 0 or slot.rule not in makers:
                return sections[:count], before
            node = read_brief(self, slot, briefs, match, last, text)
            if node is None:
                children = self._children(slot.slots, match, text, makers, last)
                if children is None:
                    return sections[:count], before
                node = makers[slot.rule]((match.start(slot.index), last[1]), children)
            count = len(sections)
            before = start
            if isinstance(node, list):  # the thoughts of a reasoning section
                sections += node
            else:
                sections.append(node)
            start = last[1]
        return sections, size

    def _find_end(self, blocks: list[int], match: Match, text: str) -> Place:
        """Return where the last line of a section's block begins, and where the section ends.

        Without a block both are the end of the match. The end is -1 if the last line is missing.
        """
        at = match.end()
        if not blocks or not self._blocks:
            return at, at
        start = max(map(match.start, blocks))
        if start < 0:  # the block is optional, and missing
            return at, at
        row = self._blocks[0]
        if len(self._blocks) > 1:  # delimiters of several lengths: by the first line
            row = next(row for row in self._blocks if row[0].match(text, start))
        # It begins at the line feed before the content and stops at the first line that is not
        # content. The group `last` is set if that line ends the block.
        stop = row[1].search(text, at - 1)
        if stop is None or stop["last"] is None:
            return at, -1
        return stop.start() + 1, stop.end()

    def _shape(self, rule: str) -> _Shape | None:
        """Return the shape of a rule, compiled on first use; None if the rule has no pattern."""
        if rule not in self._shapes:
            row = self._rows.get(rule)
            shape = None
            if row is not None:
                shape = _Shape(row, self._shared, self._words)
            self._shapes[rule] = shape
        return self._shapes[rule]

    def _repeat(
        self, shape: _Shape, text: str, start: int, end: int, makers: Makers
    ) -> list[Any] | None:
        """Return the children of a repetition, matched item by item; None if it ends too early."""
        members: list[Any] = []
        while start < end:
            match = shape.pattern.match(text, start, end)
            if match is None:
                return None
            children = self._children(shape.slots, match, text, makers, (end, match.end()))
            if children is None:
                return None
            members += children
            start = match.end()
        return members

    def _children(
        self, slots: list[_Slot], match: Match, text: str, makers: Makers, last: Place
    ) -> list[Any] | None:
        """Return the children of slots, or None; `last` is what `_find_end` returned."""
        matched = match.end()  # groups that end here really end after the block
        members: list[Any] = []
        for slot in slots:
            start, end = match.span(slot.index)
            if start < 0:  # a group of an alternative that was not taken
                continue
            name = slot.token
            if end == matched and name == "BLOCK" and self._blocks:
                members.append(Token(CONTENT, content_of(text, end, last[0]), end))
                continue
            if end == matched:
                end = last[1]
            if name:
                value = text[start:end]
                name = slot.words.get(value, name)
                if slot.is_shared and not self._is_sure(name, value, text, start):
                    return None
                if slot.is_kept:
                    members.append(Token(name, value, start))
                continue
            if slot.repetition is not None:
                children = self._repeat(slot.repetition, text, start, end, makers)
            else:
                children = self._children(slot.slots, match, text, makers, last)
            if children is None or (slot.rule and slot.rule not in makers):
                return None
            if slot.rule:
                members.append(makers[slot.rule]((start, end), children))
            else:
                members += children
        return members

    def _is_sure(self, name: str, value: str, text: str, start: int) -> bool:
        """Return whether Lark's lexer takes this terminal here, with exactly this text."""
        if value in self._reserved.get(name, ()):
            return False
        for rival in self._rivals.get(name, ()):
            # A rival of the same length gives way: Lark turns its token into the fixed one.
            longer = self._patterns[rival].match(text, start)
            if longer is not None and longer.end() != start + len(value):
                return False
        return True


def read_brief(
    patterns: SectionPatterns, slot: _Slot, briefs: Briefs, match: Match, last: Place, text: str
) -> Any:
    """Return the node of a section that has only words and a content; None for other sections.

    Args:
        patterns: The patterns that matched.
        slot: The section.
        briefs: The makers of such sections.
        match: The match.
        last: Where the last line of the section's block begins, and where the section ends.
        text: The text that was matched.
    """
    brief = briefs.get(slot.rule)
    if brief is None:
        return None
    make, terminals = brief
    groups = match.groups()
    words: list[str | None] = [None] * len(terminals)
    for index, place, leaf in _places(slot, terminals, bool(patterns._blocks)):
        value = groups[index]
        if value is None:
            continue
        # A part that is not a word, such as a dependency, or the second value of one word.
        if place < 0 or words[place] is not None:
            return None
        if leaf.is_shared:
            name = leaf.words.get(value, leaf.token)
            start = match.start(leaf.index)
            if not patterns._is_sure(name, value, text, start):
                return None
        words[place] = value
    if None in words[:-1]:
        return None
    at = match.end()
    content = None
    if last[1] > at:
        content = content_of(text, at, last[0])
    return make(match.start(slot.index), last[1], words, content, at)


@lru_cache(maxsize=256)
def _places(
    slot: _Slot, terminals: Sequence[Sequence[str]], has_ends: bool
) -> list[tuple[int, int, _Slot]]:
    """Return the index of each leaf's group among all groups, and of its word; -1 for other leaves.

    Blocks are left out if their ends are searched for (`has_ends`).
    """
    places = []
    for leaf in _leaves(slot):
        if leaf.blocks and has_ends:
            continue
        place = -1
        for at, names in enumerate(terminals):
            if leaf.token in names:
                place = at
                break
        places.append((leaf.index - 1, place, leaf))
    return places


def _leaves(slot: _Slot) -> list[_Slot]:
    """Return the tokens and the repetitions in a slot."""
    leaves = []
    for inner in slot.slots:
        leaves += _leaves(inner) or [inner]
    return leaves
