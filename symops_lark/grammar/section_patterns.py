"""The strict grammar as regular expressions, one for each kind of section: the fast way to read a valid text.

Strict grammars do not refer to themselves, so a section is a regular language and its rule can be turned into a
pattern mechanically. The LALR parser stays the judge: from the last section before a place where these patterns do
not match, or where Lark's lexer might have taken another terminal, it reads on. Tests hold the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GrammarError

if TYPE_CHECKING:
    from lark.lexer import TerminalDef


# The maker of a rule's node, by the rule's name: it takes the place and the children.
Makers = Mapping[str, Callable[[Any, list[Any]], Any]]


class _Unsupported(Exception):
    """The grammar uses something that has no pattern here."""


class _Meta(NamedTuple):
    """Where a rule stands: what the builder wants of Lark's `Meta`."""

    start_pos: int
    end_pos: int


@dataclass(slots=True)
class _Slot:
    """A named group of a pattern: a token, a rule with slots of its own, or a repetition that is matched again."""

    group: str
    token: str = ""
    rule: str = ""
    slots: list[_Slot] = field(default_factory=list)
    again: _Shape | None = None
    index: int = 0


class _Shape:
    """A compiled pattern and its slots."""

    def __init__(self, pattern: str, slots: list[_Slot]) -> None:
        self.pattern = re.compile(pattern)
        self.slots = slots
        self.by_group = {slot.group: slot for slot in slots}
        self._number(slots)

    def _number(self, slots: list[_Slot]) -> None:
        for slot in slots:
            slot.index = self.pattern.groupindex[slot.group]
            self._number(slot.slots)


class SectionPatterns:
    """Reads texts by patterns made from the rules and terminals of one strict grammar."""

    def __init__(
        self,
        rules: Mapping[str, Any],
        terminals: Collection[TerminalDef],
        states: Iterable[Collection[str]] | None = None,
    ) -> None:
        from lark import Token

        self._token = Token
        self._rules = rules
        self._terminals = {t.name: t.pattern for t in terminals}
        ordered = sorted(terminals, key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name))
        self._rank = {t.name: rank for rank, t in enumerate(ordered)}  # Lark's lexer tries them in this order
        self._patterns = {name: re.compile(pattern.to_regexp()) for name, pattern in self._terminals.items()}
        self._reserved: dict[str, set[str]] = {}  # words that a terminal must not match: another one is spelt so
        self._rivals: dict[str, set[str]] = {}  # the terminals that might go on where a word ends
        self._find_words([self._terminals] if states is None else states)
        self._shapes: dict[str, _Shape | None] = {}
        self._groups = 0

    def read_line(self, text: str, rule: str, makers: Makers) -> Any:
        """Give what the builder makes of a text that is one section, or None where only the LALR parser can tell."""
        shape = self._shape(rule)
        match = None if shape is None else shape.pattern.fullmatch(text)
        children = None if shape is None or match is None else self._children(shape.slots, match, text, makers)
        return None if children is None else children[0]

    def read_sections(self, text: str, makers: Makers) -> tuple[list[Any], int]:
        """Give the sections at the beginning of a text, and the offset from which the LALR parser must go on."""
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
                del sections[before[0] :]
                return sections, before[1]
            before = (len(sections), start)
            for child in children:
                sections.extend(child if isinstance(child, list) else (child,))
            start = match.end()
        return sections, size

    def _find_words(self, states: Iterable[Collection[str]]) -> None:
        """Find fixed strings that another terminal, acceptable in the same state, matches as a whole."""
        fixed = {name: pattern.value for name, pattern in self._terminals.items() if pattern.type == "str"}
        pairs = {
            (word, name)
            for state in states
            for word in state
            if word in fixed
            for name in state
            if name in self._terminals and name not in fixed
        }
        for word, name in pairs:
            if self._patterns[name].fullmatch(fixed[word]):
                self._reserved.setdefault(name, set()).add(fixed[word])
                self._rivals.setdefault(word, set()).add(name)

    def regex(self, rule: str) -> str:
        """Give the pattern of a rule, without groups; raise `GrammarError` if it cannot be one."""
        try:
            return self._convert(self._rules[rule], None)
        except (_Unsupported, RecursionError) as error:
            raise GrammarError(
                f"the rule {rule} is no pattern: it refers to itself, or uses more than terminals, "
                "rules, groups, |, ?, * and +"
            ) from error

    def _shape(self, rule: str) -> _Shape | None:
        if rule not in self._shapes:
            self._shapes[rule] = self._compile(rule)
        return self._shapes[rule]

    def _compile(self, start: str) -> _Shape | None:
        """Compile a rule; the document, which is a repetition of named sections, as the pattern of one of them."""
        slots: list[_Slot] = []
        try:
            if start != "document":
                return _Shape(self._convert_rule(start, slots), slots)
            [[body]] = [part.children for part in self._rules[start].children]
            if body.data != "expr" or body.children[1] != "*" or self._first(body.children[0])[1]:
                return None  # not a repetition, or of something that may be empty
            shape = _Shape(self._convert(body.children[0], slots), slots)
            return shape if all(slot.rule for slot in slots) else None
        except (_Unsupported, RecursionError, ValueError):
            return None

    # ---- from rules to patterns

    def _convert_rule(self, name: str, slots: list[_Slot] | None) -> str:
        if slots is None or name.startswith("_"):
            return self._convert(self._rules[name], slots)
        slot = _Slot(self._new_group(), rule=name)
        slots.append(slot)
        return f"(?P<{slot.group}>{self._convert(self._rules[name], slot.slots)})"

    def _convert(self, node: Any, slots: list[_Slot] | None) -> str:
        """Give the pattern of a part of a rule; no slots means: match only."""
        if not hasattr(node, "data"):
            name = getattr(node, "name", None)
            if name is None:
                raise _Unsupported
            name = str(name)
            if name in self._rules:
                return self._convert_rule(name, slots)
            pattern = self._convert_terminal(name)
            if slots is None or (name.startswith("_") and name not in self._rivals):
                return pattern
            slot = _Slot(self._new_group(), token=name)
            slots.append(slot)
            return f"(?P<{slot.group}>{pattern})"
        match node.data:
            case "expansions":
                return "(?:" + "|".join(self._convert_branches(node.children, slots)) + ")"
            case "expansion" | "value":
                return "".join(self._convert(part, slots) for part in node.children)
            case "expr" if node.children[1] == "?":
                return f"(?:{self._convert(node.children[0], slots)})?+"
            case "expr" if node.children[1] in ("*", "+"):
                return self._convert_repetition(node.children[0], str(node.children[1]), slots)
        raise _Unsupported

    def _convert_terminal(self, name: str) -> str:
        """Give the pattern of a terminal, which keeps what it took and is none of the words reserved to others."""
        pattern = f"(?>{self._terminals[name].to_regexp()})"
        words = [re.escape(word) for word in sorted(self._reserved.get(name, ()))]
        if not words:
            return pattern
        begins, ends = "|".join(words), "".join(f"(?<!{word})" for word in words)
        return f"(?>(?!{begins}){pattern}|(?={begins}){pattern}{ends})"

    def _convert_repetition(self, node: Any, sign: str, slots: list[_Slot] | None) -> str:
        pattern = f"(?:{self._convert(node, None)}){sign}+"
        if slots is None:
            return pattern
        inner: list[_Slot] = []
        slot = _Slot(self._new_group(), again=_Shape(self._convert(node, inner), inner))
        if not inner:
            return pattern
        slots.append(slot)
        return f"(?P<{slot.group}>{pattern})"

    def _convert_branches(self, branches: Sequence[Any], slots: list[_Slot] | None) -> list[str]:
        """Convert alternatives; one gives way where the lexer would rather see the first terminal of another."""
        firsts = [self._first(branch)[0] for branch in branches]
        patterns = []
        for branch, own in zip(branches, firsts, strict=True):
            wins = {
                other
                for other in set().union(*firsts) - own
                for mine in own
                if self._rank[other] < self._rank[mine] and not self._are_words(other, mine)
            }
            guard = "".join(f"(?!{self._terminals[name].to_regexp()})" for name in sorted(wins))
            patterns.append(guard + self._convert(branch, slots))
        return patterns

    def _are_words(self, one: str, other: str) -> bool:
        """Whether one terminal is a fixed string that the other matches as a whole: Lark's lexer tells them apart."""
        return one in self._rivals.get(other, ()) or other in self._rivals.get(one, ())

    def _first(self, node: Any) -> tuple[set[str], bool]:
        """Give the terminals that a part of a rule may begin with, and whether it may be empty."""
        if not hasattr(node, "data"):
            name = str(getattr(node, "name", ""))
            if name in self._rules:
                return self._first(self._rules[name])
            if name not in self._terminals:
                raise _Unsupported
            return {name}, False
        if node.data == "expansions":
            found = [self._first(part) for part in node.children]
            return set().union(*(first for first, _ in found)), any(empty for _, empty in found)
        if node.data == "expr":
            first, empty = self._first(node.children[0])
            return first, empty or node.children[1] in ("?", "*")
        firsts: set[str] = set()
        for part in node.children:
            first, empty = self._first(part)
            firsts |= first
            if not empty:
                return firsts, False
        return firsts, True

    def _new_group(self) -> str:
        self._groups += 1
        return f"g{self._groups}"

    # ---- from matches to nodes

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

    def _children(self, slots: list[_Slot], match: re.Match[str], text: str, makers: Makers) -> list[Any] | None:
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
                    out.append(self._token(name, value, start))
                continue
            if slot.again is not None:
                children = self._repeat(slot.again, text, start, end, makers)
            else:
                children = self._children(slot.slots, match, text, makers)
            if children is None or (slot.rule and slot.rule not in makers):
                return None
            if slot.rule:
                out.append(makers[slot.rule](_Meta(start, end), children))
            else:
                out += children
        return out
