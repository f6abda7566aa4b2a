"""The sections of a strict grammar as regular expressions: the fast way to read a valid text.

The LALR parser stays the judge: from the last section before a place where these patterns do not match, or where Lark's
lexer might have taken another terminal, it reads on. Tests hold the two against each other. `grammar/section_compiler`
makes the patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..patterns.regexes import Match, compile_pattern
from .lalr import Token

Place = tuple[int, int]  # where a rule stands: from and to
# The maker of a rule's node, by the rule's name: it takes the place and the children.
Makers = Mapping[str, Callable[[Place, list[Any]], Any]]
# The makers of sections that say no more than some words and a content, as most do, with the terminals of each word, by
# the rule's name: it takes where the section stands, the words (the last may be None), the content, and where that is.
Briefs = Mapping[str, tuple[Callable[[int, int, list[Any], str | None, int], Any], Sequence[Sequence[str]]]]


CONTENT = "in BLOCK"  # the type of the token that is a block's content, where the block was not read as a whole


def content_of(text: str, start: int, end: int) -> str:
    """Return a block's content, between its first and its last line: the line ending before that belongs to it."""
    if start < end:
        end -= 1
    if start < end and text[end - 1] == "\r":
        end -= 1
    return text[start:end]


Words = Mapping[str, Mapping[str, str]]  # by group: the terminals whose words it may take, by these


class _Slot:
    """A named group of a pattern: a token, a rule with slots of its own, or a repetition that is matched again."""

    def __init__(self, row: list[Any], shared: frozenset[str], words: Words) -> None:
        self.group, self.token, self.rule, slots, again = row
        self.words = words.get(self.group, {})
        self.slots = [_Slot(inner, shared, words) for inner in slots]
        self.again = None if again is None else _Shape(again, shared, words)
        self.index = 0
        self.blocks: list[int] = []  # the groups in it that are a block, of which at most one is matched
        self.kept = not self.token.startswith("_")
        self.shared = not shared.isdisjoint((self.token, *self.words.values()))  # another may match the same


class _Shape:
    """A compiled pattern and its slots."""

    def __init__(self, row: list[Any], shared: frozenset[str], words: Words) -> None:
        pattern, slots = row
        self.pattern = compile_pattern(pattern)
        self.slots = [_Slot(slot, shared, words) for slot in slots]
        self.by_group = {slot.group: slot for slot in self.slots}
        self.blocks = self._number(self.slots)

    def _number(self, slots: list[_Slot]) -> list[int]:
        for slot in slots:
            slot.index = self.pattern.groupindex[slot.group]
            slot.blocks = [slot.index] if slot.token == "BLOCK" else self._number(slot.slots)
        return [index for slot in slots for index in slot.blocks]


class SectionPatterns:
    """Reads texts by patterns made from the rules and terminals of one strict grammar."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._rows = tables["shapes"]
        self._words: Words = tables["words"]
        self._reserved = tables["reserved"]  # words that a terminal must not match: another one is spelt so
        self._rivals = tables["rivals"]  # the terminals that might go on where a word ends
        self._patterns = {name: compile_pattern(pattern) for name, pattern in tables["patterns"].items()}
        self._blocks = [[compile_pattern(pattern) for pattern in row] for row in tables["blocks"]]
        self._gap = compile_pattern(tables["gap"])  # what may stand before a section
        self._shapes: dict[str, _Shape | None] = {}

    def read_line(self, text: str, rule: str, makers: Makers) -> Any:
        """Return what the builder makes of a text that is one section, or None where only the LALR parser can tell."""
        shape = self._shape(rule)
        match = None if shape is None else shape.pattern.match(text)
        last = (-1, -1) if shape is None or match is None else self._find_end(shape.blocks, match, text)
        if shape is None or match is None or last[1] != len(text):
            return None
        children = self._children(shape.slots, match, text, makers, last)
        return None if children is None else children[0]

    def find_end(self, text: str, rule: str) -> int:
        """Return where the section at the beginning of a text ends, or -1 if there is none that the patterns know."""
        shape = self._shape(rule)
        match = None if shape is None else shape.pattern.match(text)
        return -1 if shape is None or match is None else self._find_end(shape.blocks, match, text)[1]

    def read_sections(self, text: str, makers: Makers, briefs: Briefs) -> tuple[list[Any], int]:
        """Return the sections at the beginning of a text, and the offset from which the LALR parser must go on."""
        shape = self._shape("document")
        if shape is None:
            return [], 0
        sections: list[Any] = []
        start, size = 0, len(text)
        count, before = 0, 0  # number of sections and offset before the section read last
        while start < size:
            match = shape.pattern.match(text, start)
            if match is None:
                gap = self._gap.match(text, start)
                return (sections, start) if gap and gap.end() > start else (sections[:count], before)
            slot = shape.by_group.get(match.lastgroup or "")
            if slot is None:  # nothing is left
                break
            last = self._find_end(slot.blocks, match, text) if slot.blocks else (match.end(), match.end())
            if last[1] < 0 or slot.rule not in makers:
                return sections[:count], before
            node = read_brief(self, slot, briefs, match, last, text)
            if node is None:
                children = self._children(slot.slots, match, text, makers, last)
                if children is None:
                    return sections[:count], before
                node = makers[slot.rule]((match.start(slot.index), last[1]), children)
            count, before = len(sections), start
            if isinstance(node, list):
                sections += node
            else:
                sections.append(node)
            start = last[1]
        return sections, size

    def _find_end(self, blocks: list[int], match: Match, text: str) -> tuple[int, int]:
        """Return where the last line of a block begins, and where all ends that was matched; -1 if it is missing.

        Of the block the first line was matched. Lines are passed over by how they begin: only those that begin with a
        delimiter may be no content.
        """
        at = match.end()
        start = max(map(match.start, blocks)) if blocks and self._blocks else -1
        if start < 0:
            return at, at
        row = self._blocks[0]
        if len(self._blocks) > 1:
            row = next(row for row in self._blocks if row[0].match(text, start))
        stop = row[1].search(text, at - 1)
        return (at, -1) if stop is None or stop["last"] is None else (stop.start() + 1, stop.end())

    def _shape(self, rule: str) -> _Shape | None:
        if rule not in self._shapes:
            row = self._rows.get(rule)
            shared = frozenset((*self._reserved, *self._rivals))
            self._shapes[rule] = None if row is None else _Shape(row, shared, self._words)
        return self._shapes[rule]

    def _repeat(self, shape: _Shape, text: str, start: int, end: int, makers: Makers) -> list[Any] | None:
        """Match a repetition one by one; None if it does not reach its end."""
        found: list[Any] = []
        while start < end:
            match = shape.pattern.match(text, start, end)
            children = None if match is None else self._children(shape.slots, match, text, makers, (end, match.end()))
            if match is None or children is None:
                return None
            found += children
            start = match.end()
        return found

    def _children(
        self, slots: list[_Slot], match: Match, text: str, makers: Makers, last: tuple[int, int]
    ) -> list[Any] | None:
        """Return what the slots took; `last` is the last line of a section whose block is not matched to its end."""
        matched = match.end()
        out: list[Any] = []
        for slot in slots:
            start, end = match.span(slot.index)
            if start < 0:
                continue
            name = slot.token
            if end == matched and name == "BLOCK" and self._blocks:
                out.append(Token(CONTENT, content_of(text, end, last[0]), end))
                continue
            if end == matched:
                end = last[1]
            if name:
                value = text[start:end]
                name = slot.words.get(value, name)
                if slot.shared and not self._is_sure(name, value, text, start):
                    return None
                if slot.kept:
                    out.append(Token(name, value, start))
                continue
            if slot.again is not None:
                children = self._repeat(slot.again, text, start, end, makers)
            else:
                children = self._children(slot.slots, match, text, makers, last)
            if children is None or (slot.rule and slot.rule not in makers):
                return None
            if slot.rule:
                out.append(makers[slot.rule]((start, end), children))
            else:
                out += children
        return out

    def _is_sure(self, name: str, value: str, text: str, start: int) -> bool:
        """Return whether Lark's lexer would have taken this terminal, and as much of the text."""
        if value in self._reserved.get(name, ()):
            return False
        for rival in self._rivals.get(name, ()):
            other = self._patterns[rival].match(text, start)
            if other is not None and other.end() != start + len(value):
                return False
        return True


def read_brief(
    patterns: SectionPatterns, slot: _Slot, briefs: Briefs, match: Match, last: tuple[int, int], text: str
) -> Any:
    """Return the node of a section that says no more than some words and a content, else None."""
    brief = briefs.get(slot.rule)
    if brief is None:
        return None
    make, terminals = brief
    words: list[str | None] = [None] * len(terminals)
    groups = match.groups()
    for index, place, leaf in _places(slot, terminals, bool(patterns._blocks)):
        value = groups[index]
        if value is None:
            continue
        if place < 0 or words[place] is not None:
            return None
        name = leaf.words.get(value, leaf.token) if leaf.shared else ""
        if name and not patterns._is_sure(name, value, text, match.start(leaf.index)):
            return None
        words[place] = value
    if None in words[:-1]:
        return None
    at = match.end()
    content = content_of(text, at, last[0]) if last[1] > at else None
    return make(match.start(slot.index), last[1], words, content, at)


@lru_cache(maxsize=256)
def _places(slot: _Slot, terminals: Sequence[Sequence[str]], searched: bool) -> list[tuple[int, int, _Slot]]:
    """Return of each leaf where its group is, and which word of the section it is, or -1; not of a block.

    A block whose end is not `searched` for is no word either.
    """
    return [
        (leaf.index - 1, next((at for at, names in enumerate(terminals) if leaf.token in names), -1), leaf)
        for leaf in _leaves(slot)
        if not (leaf.blocks and searched)
    ]


def _leaves(slot: _Slot) -> list[_Slot]:
    """Return the tokens and the repetitions in it."""
    return [leaf for inner in slot.slots for leaf in _leaves(inner) or [inner]]
