"""A grammar as a graph of decisions: which alternative of a rule or of a regular expression, how often a repetition.

A text of the language is one walk through the graph, from `root`. Look-around is left out, so a walk may write what
the parser refuses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..errors import GrammarError
from ..grammar.compiler import WrittenDialect


@dataclass(frozen=True, slots=True)
class Text:
    """A literal."""

    text: str


@dataclass(frozen=True, slots=True)
class CharacterClass:
    """One character of some ranges of code points, or of none of them."""

    ranges: tuple[tuple[int, int], ...]
    complement: bool = False

    def has(self, character: str) -> bool:
        """Return whether the class has the character."""
        return any(low <= ord(character) <= high for low, high in self.ranges) != self.complement


@dataclass(eq=False)
class Decision:
    """A choice between ways to go on; with `low` and `high` a repetition, by way 0 just `low` times, by way 1 more."""

    name: str
    lexical: bool = False  # inside a terminal, or the terminal itself
    ways: list[Parts] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    low: int = -1
    high: int = -1
    height: int = 10**9

    @cached_property
    def below(self) -> list[list[Decision]]:
        """The decisions that each way meets first."""
        return [[part for part in way if isinstance(part, Decision)] for way in self.ways]

    def describe(self, way: int) -> str:
        """Return what a way is."""
        if self.repeats:
            return "no more than needed" if way == 0 else "repeated"
        return " ".join(part.name if isinstance(part, Decision) else spell(part) for part in self.ways[way])

    @property
    def repeats(self) -> bool:
        """Whether this is a repetition in a regular expression."""
        return self.low >= 0


Part = Text | CharacterClass | Decision
Parts = tuple[Part, ...]
_ANY = CharacterClass(((10, 10),), True)
_CATEGORIES = {"DIGIT": ((48, 57),), "SPACE": ((9, 13), (32, 32)), "WORD": ((48, 57), (65, 90), (95, 95), (97, 122))}


class DecisionGraph:
    """The decisions of a grammar, from the rules and terminals that Lark made of it."""

    def __init__(self, dialect: WrittenDialect) -> None:
        self.decisions: list[Decision] = []
        parser = dialect.parser
        patterns = {terminal.name: terminal.pattern.to_regexp() for terminal in parser.terminals}
        self._symbols: dict[str, Decision] = {}
        for rule in parser.rules:
            name = str(rule.origin.name)
            node = self._symbols.get(name) or self._symbols.setdefault(name, self._new(name))
            node.ways.append(())  # filled below: a rule may refer to one that follows
        for name, pattern in sorted(patterns.items()):
            node = self._symbols[name] = self._new(name, lexical=True)
            node.ways = [self._read(pattern, name)]
        if "document" not in self._symbols:
            raise GrammarError(f"{dialect.path}: no rule document, which every text is")
        filled: Counter[str] = Counter()
        for rule in parser.rules:
            name = str(rule.origin.name)
            try:
                way = tuple(self._symbols[str(symbol.name)] for symbol in rule.expansion)
            except KeyError as error:
                raise GrammarError(f"{dialect.path}: the terminal {error} has no regular expression") from None
            self._symbols[name].ways[filled[name]] = way
            filled[name] += 1
        for node in self.decisions:
            node.weights = node.weights or [1.0] * len(node.ways)
        self.root = self._symbols["document"]
        self._measure()
        self.decisions = self._reachable()
        self.above: dict[Decision, list[Decision]] = {}
        for node in self.decisions:
            for child in dict.fromkeys(child for way in node.below for child in way):
                self.above.setdefault(child, []).append(node)

    def _new(self, name: str, *, lexical: bool = False) -> Decision:
        self.decisions.append(Decision(name, lexical))
        return self.decisions[-1]

    def _measure(self) -> None:
        """Note for each decision the least number of nested decisions below it, so that a walk can be made to end."""
        changed = True
        while changed:
            changed = False
            for node in self.decisions:
                height = 1 + min(height_of(way) for way in node.below)
                if height < node.height:
                    node.height, changed = height, True

    def _reachable(self) -> list[Decision]:
        found, queue = {self.root}, [self.root]
        for node in queue:
            for child in (child for way in node.below for child in way if child not in found):
                found.add(child)
                queue.append(child)
        return queue

    # ---- regular expressions

    def _read(self, pattern: str, name: str) -> Parts:
        from re import _parser  # what `re` itself compiles: all of its syntax

        return tuple(self._convert(_parser.parse(pattern), 0, name))

    def _convert(self, items: Any, flags: int, name: str) -> Iterator[Part]:
        for op, value in items:
            match str(op):
                case "LITERAL":
                    cases = {chr(value), *((chr(value).lower(), chr(value).upper()) if flags & re.IGNORECASE else ())}
                    found = sorted(case for case in cases if len(case) == 1)
                    yield Text(found[0]) if len(found) == 1 else CharacterClass(tuple((ord(c), ord(c)) for c in found))
                case "NOT_LITERAL":
                    yield CharacterClass(((value, value),), True)
                case "ANY":
                    yield _ANY if not flags & re.DOTALL else CharacterClass((), True)
                case "IN":
                    yield self._convert_class(value, name)
                case "BRANCH":
                    node = self._new(name, lexical=True)
                    node.ways = [tuple(self._convert(branch, flags, name)) for branch in value[1]]
                    yield node
                case "SUBPATTERN":
                    yield from self._convert(value[3], (flags | value[1]) & ~value[2], name)
                case "ATOMIC_GROUP":
                    yield from self._convert(value, flags, name)
                case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                    low, high, body = int(value[0]), int(value[1]), value[2]
                    parts = tuple(self._convert(body, flags, name))
                    if low == high:
                        yield from parts * low
                        continue
                    node = self._new(name, lexical=True)
                    node.low, node.high = low, high
                    node.ways = [parts if low else (), parts]
                    yield node
                case "AT" | "ASSERT" | "ASSERT_NOT":
                    pass  # what is around a place is left to the parser to judge
                case other:
                    raise GrammarError(f"the terminal {name} uses {other.lower()}, which cannot be sampled")

    def _convert_class(self, items: Any, name: str) -> CharacterClass | Decision:
        complement, ranges = False, list[tuple[int, int]]()
        for op, value in items:
            match str(op):
                case "NEGATE":
                    complement = True
                case "LITERAL":
                    ranges.append((int(value), int(value)))
                case "RANGE":
                    ranges.append((int(value[0]), int(value[1])))
                case _:
                    word = str(value).removeprefix("CATEGORY_")
                    known = _CATEGORIES[word.removeprefix("NOT_")]
                    ranges += invert(known) if word.startswith("NOT_") else known
        if complement or len(ranges) == 1:
            return CharacterClass(tuple(ranges), complement)
        node = self._new(name, lexical=True)  # each item is a way of its own, so that each comes up
        node.ways = [(CharacterClass((item,)),) for item in ranges]
        node.weights = [float(min(26, high - low + 1)) for low, high in ranges]
        return node


def invert(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges of code points that are in none of these."""
    found, start = [], 0
    for low, high in [*sorted(ranges), (0x110000, 0x110000)]:
        if start < low:
            found.append((start, low - 1))
        start = max(start, high + 1)
    return found


def spell(part: Part) -> str:
    """Return the regular expression of a lexical part again, without what is around it."""
    if isinstance(part, Text):
        return re.escape(part.text)
    if isinstance(part, CharacterClass):
        edges = [[chr(c) if chr(c).isascii() and chr(c).isalnum() else rf"\U{c:08x}" for c in r] for r in part.ranges]
        body = "".join(low if low == high else f"{low}-{high}" for low, high in edges)
        return f"[{'^' * part.complement}{body}]" if body else r"[\s\S]"
    ways = "|".join("".join(map(spell, way)) for way in part.ways[part.repeats :])
    most = "" if part.high > 10_000 else part.high
    return f"(?:{ways})" + (f"{{{part.low},{most}}}" if part.repeats else "")


def height_of(nodes: Sequence[Decision]) -> int:
    """Return the number of nested decisions below a way, at least."""
    return max((node.height for node in nodes), default=0)
