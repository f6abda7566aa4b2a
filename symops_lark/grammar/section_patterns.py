"""The sections of a strict grammar as regular expressions: the fast way to read a valid text.

The LALR parser stays the judge: from the last section before a place where these patterns do not match, or where Lark's
lexer might have taken another terminal, it reads on. Tests hold the two against each other. `grammar/section_compiler`
makes the patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..regexes import Match, compile_pattern
from .lalr import Token

# The maker of a rule's node, by the rule's name: it takes the place and the children.
Makers = Mapping[str, Callable[[Any, list[Any]], Any]]


CONTENT = "in BLOCK"  # the type of the token that is a block's content, where the block was not read as a whole


def content_of(text: str, start: int, end: int) -> str:
    """Return a block's content, between its first and its last line: the line ending before that belongs to it."""
    if start < end:
        end -= 1
    if start < end and text[end - 1] == "\r":
        end -= 1
    return text[start:end]


class Place(NamedTuple):
    """Where a rule stands."""

    start: int
    end: int


class _Slot:
    """A named group of a pattern: a token, a rule with slots of its own, or a repetition that is matched again."""

    def __init__(self, row: list[Any], shared: frozenset[str]) -> None:
        self.group, self.token, self.rule, slots, again = row
        self.slots = [_Slot(inner, shared) for inner in slots]
        self.again = None if again is None else _Shape(again, shared)
        self.index = 0
        self.kept = not self.token.startswith("_")
        self.shared = self.token in shared  # another terminal may match the same


class _Shape:
    """A compiled pattern and its slots."""

    def __init__(self, row: list[Any], shared: frozenset[str]) -> None:
        pattern, slots = row
        self.pattern = compile_pattern(pattern)
        self.slots = [_Slot(slot, shared) for slot in slots]
        self.by_group = {slot.group: slot for slot in self.slots}
        self.blocks: list[int] = []  # the groups that are a block, of which at most one is matched
        self._number(self.slots)

    def _number(self, slots: list[_Slot]) -> None:
        for slot in slots:
            slot.index = self.pattern.groupindex[slot.group]
            if slot.token == "BLOCK":
                self.blocks.append(slot.index)
            self._number(slot.slots)


class SectionPatterns:
    """Reads texts by patterns made from the rules and terminals of one strict grammar."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._rows = tables["shapes"]
        self._reserved = tables["reserved"]  # words that a terminal must not match: another one is spelt so
        self._rivals = tables["rivals"]  # the terminals that might go on where a word ends
        self._patterns = {name: compile_pattern(pattern) for name, pattern in tables["patterns"].items()}
        self._blocks = [[compile_pattern(pattern) for pattern in row] for row in tables["blocks"]]
        self._stops = ["\n" + stop for stop in tables["stops"]]  # how a line begins that may be no content
        self._shapes: dict[str, _Shape | None] = {}

    def read_line(self, text: str, rule: str, makers: Makers) -> Any:
        """Return what the builder makes of a text that is one section, or None where only the LALR parser can tell."""
        shape = self._shape(rule)
        match = None if shape is None else shape.pattern.match(text)
        last = (-1, -1) if shape is None or match is None else self._find_end(shape, match, text)
        if shape is None or match is None or last[1] != len(text):
            return None
        children = self._children(shape.slots, match, text, makers, last)
        return None if children is None else children[0]

    def find_end(self, text: str, rule: str) -> int:
        """Return where the section at the beginning of a text ends, or -1 if there is none that the patterns know."""
        shape = self._shape(rule)
        match = None if shape is None else shape.pattern.match(text)
        return -1 if shape is None or match is None else self._find_end(shape, match, text)[1]

    def read_sections(self, text: str, makers: Makers) -> tuple[list[Any], int]:
        """Return the sections at the beginning of a text, and the offset from which the LALR parser must go on."""
        shape = self._shape("document")
        if shape is None:
            return [], 0
        sections: list[Any] = []
        start, size = 0, len(text)
        before = (0, 0)  # number of sections and offset before the section read last
        while start < size:
            match = shape.pattern.match(text, start)
            if match is None:
                return sections[: before[0]], before[1]
            slot = shape.by_group.get(match.lastgroup or "")
            if slot is None:  # blank lines
                before, start = (len(sections), start), match.end()
                continue
            last = self._find_end(shape, match, text)
            children = None if last[1] < 0 else self._children(slot.slots, match, text, makers, last)
            if children is None or slot.rule not in makers:
                return sections[: before[0]], before[1]
            before = (len(sections), start)
            node = makers[slot.rule](Place(start, last[1]), children)
            sections += node if isinstance(node, list) else (node,)
            start = last[1]
        return sections, size

    def _find_end(self, shape: _Shape, match: Match, text: str) -> tuple[int, int]:
        """Return where the last line of a block begins, and where all ends that was matched; -1 if it is missing.

        Of the block the first line was matched. Lines are passed over by how they begin, all but those that begin with
        a stop: only these may be no content.
        """
        at, size = match.end(), len(text)
        first = max(map(match.start, shape.blocks), default=-1) if self._blocks else -1
        if first < 0:
            return at, at
        row = self._blocks[0]
        if len(self._blocks) > 1:
            row = next(row for row in self._blocks if row[0].match(text, first))
        places = [-1 for _ in self._stops]  # of the next line that begins with each
        while True:
            for index, stop in enumerate(self._stops):
                if places[index] < at - 1:
                    found = text.find(stop, at - 1)
                    places[index] = found if found >= 0 else size
            at = min(places) + 1
            content = row[1].match(text, at) if at < size else None
            if content is None:
                last = row[2].match(text, at) if at < size else None
                return at, last.end() if last else -1
            at = content.end()

    def _shape(self, rule: str) -> _Shape | None:
        if rule not in self._shapes:
            row = self._rows.get(rule)
            self._shapes[rule] = None if row is None else _Shape(row, frozenset((*self._reserved, *self._rivals)))
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
        regs = match.regs
        matched = regs[0][1]
        out: list[Any] = []
        for slot in slots:
            start, end = regs[slot.index]
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
                out.append(makers[slot.rule](Place(start, end), children))
            else:
                out += children
        return out

    def _is_sure(self, name: str, value: str, text: str, start: int) -> bool:
        """Return whether Lark's lexer would have taken this terminal, and as much of the text."""
        if value in self._reserved.get(name, ()):
            return False
        others = [self._patterns[rival].match(text, start) for rival in self._rivals.get(name, ())]
        return all(other is None or other.end() == start + len(value) for other in others)
