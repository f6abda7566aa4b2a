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


class Place(NamedTuple):
    """Where a rule stands."""

    start: int
    end: int


class _Slot:
    """A named group of a pattern: a token, a rule with slots of its own, or a repetition that is matched again."""

    def __init__(self, row: list[Any]) -> None:
        self.group, self.token, self.rule, slots, again = row
        self.slots = [_Slot(inner) for inner in slots]
        self.again = None if again is None else _Shape(again)
        self.index = 0


class _Shape:
    """A compiled pattern and its slots."""

    def __init__(self, row: list[Any]) -> None:
        pattern, slots = row
        self.pattern = compile_pattern(pattern)
        self.slots = [_Slot(slot) for slot in slots]
        self.by_group = {slot.group: slot for slot in self.slots}
        self._number(self.slots)

    def _number(self, slots: list[_Slot]) -> None:
        for slot in slots:
            slot.index = self.pattern.groupindex[slot.group]
            self._number(slot.slots)


class SectionPatterns:
    """Reads texts by patterns made from the rules and terminals of one strict grammar."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._rows = tables["shapes"]
        self._reserved = tables["reserved"]  # words that a terminal must not match: another one is spelt so
        self._rivals = tables["rivals"]  # the terminals that might go on where a word ends
        self._patterns = {name: compile_pattern(pattern) for name, pattern in tables["patterns"].items()}
        self._shapes: dict[str, _Shape | None] = {}

    def read_line(self, text: str, rule: str, makers: Makers) -> Any:
        """Return what the builder makes of a text that is one section, or None where only the LALR parser can tell."""
        shape = self._shape(rule)
        match = None if shape is None else shape.pattern.fullmatch(text)
        children = None if shape is None or match is None else self._children(shape.slots, match, text, makers)
        return None if children is None else children[0]

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
            slot = shape.by_group.get(match.lastgroup or "") if match else None
            children = self._children([slot] if slot else [], match, text, makers) if match else None
            if match is None or children is None:
                return sections[: before[0]], before[1]
            before = (len(sections), start)
            for child in children:
                sections.extend(child if isinstance(child, list) else (child,))
            start = match.end()
        return sections, size

    def _shape(self, rule: str) -> _Shape | None:
        if rule not in self._shapes:
            row = self._rows.get(rule)
            self._shapes[rule] = None if row is None else _Shape(row)
        return self._shapes[rule]

    def _repeat(self, shape: _Shape, text: str, start: int, end: int, makers: Makers) -> list[Any] | None:
        """Match a repetition one by one; None if it does not reach its end."""
        found: list[Any] = []
        while start < end:
            match = shape.pattern.match(text, start, end)
            children = None if match is None else self._children(shape.slots, match, text, makers)
            if match is None or children is None:
                return None
            found += children
            start = match.end()
        return found

    def _children(self, slots: list[_Slot], match: Match, text: str, makers: Makers) -> list[Any] | None:
        regs = match.regs
        out: list[Any] = []
        for slot in slots:
            start, end = regs[slot.index]
            if start < 0:
                continue
            name = slot.token
            if name:
                value = text[start:end]
                if value in self._reserved.get(name, ()):
                    return None
                for rival in self._rivals.get(name, ()):
                    other = self._patterns[rival].match(text, start)
                    if other is not None and other.end() != end:
                        return None
                if not name.startswith("_"):
                    out.append(Token(name, value, start))
                continue
            if slot.again is not None:
                children = self._repeat(slot.again, text, start, end, makers)
            else:
                children = self._children(slot.slots, match, text, makers)
            if children is None or (slot.rule and slot.rule not in makers):
                return None
            if slot.rule:
                out.append(makers[slot.rule](Place(start, end), children))
            else:
                out += children
        return out
