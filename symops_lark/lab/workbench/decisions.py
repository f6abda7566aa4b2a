"""A grammar as a graph of decisions: which alternative of a rule or of a regular expression, how often a repetition.

A text of the language is one walk through the graph, from `root`. Look-around is left out, so a walk may write what
the parser refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ...core.grammar.compiling.regular import Node, Ranges, read_pattern
from ...core.ground.errors import GrammarError


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
_ENDLESS = 10**9


class DecisionGraph:
    """The decisions of a grammar, from the rules and terminals that Lark made of it."""

    def __init__(self, parser: Any, path: Path, start: str = "document", between: str = "") -> None:
        """Read the rules of a parser.

        Args:
            parser: A Lark.
            path: The path of its grammar, for messages.
            start: The start rule.
            between: The text between two symbols of a rule, such as a blank that the grammar ignores.
        """
        self.decisions: list[Decision] = []
        symbols = {name: self._new(name) for name in dict.fromkeys(str(rule.origin.name) for rule in parser.rules)}
        for terminal in sorted(parser.terminals, key=lambda terminal: terminal.name):
            parts = tuple(self._convert(read_pattern(terminal.pattern.to_regexp()), terminal.name))
            symbols[terminal.name] = self._new(terminal.name, True, [parts])
        if start not in symbols:
            raise GrammarError(f"{path}: no rule {start}, which every text is")
        for rule in parser.rules:
            way: list[Part] = []
            for symbol in rule.expansion:
                if str(symbol.name) not in symbols:
                    raise GrammarError(f"{path}: the terminal {symbol.name} has no regular expression")
                if way and between:
                    way.append(Text(between))
                way.append(symbols[str(symbol.name)])
            symbols[str(rule.origin.name)].ways.append(tuple(way))
        for node in self.decisions:
            node.weights = node.weights or [1.0] * len(node.ways)
        self.root = symbols[start]
        self._measure()
        self.decisions = self._reachable()
        self.above: dict[Decision, list[Decision]] = {}
        for node in self.decisions:
            for child in dict.fromkeys(child for way in node.below for child in way):
                self.above.setdefault(child, []).append(node)

    def _new(self, name: str, lexical: bool = False, ways: Sequence[Parts] = ()) -> Decision:
        self.decisions.append(Decision(name, lexical, list(ways)))
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

    def _convert(self, node: Node, name: str) -> Iterator[Part]:
        match node:
            case ("set", ranges, negated):
                yield self._convert_class(ranges, negated, name)
            case ("all", parts):
                for part in parts:
                    yield from self._convert(part, name)
            case ("any", branches):
                yield self._new(name, True, [tuple(self._convert(branch, name)) for branch in branches])
            case ("times", part, low, high, _):
                parts = tuple(self._convert(part, name))
                if low == high:
                    yield from parts * low
                else:
                    decision = self._new(name, True, [parts if low else (), parts])
                    decision.low, decision.high = low, _ENDLESS if high is None else high
                    yield decision
            case ("other", "AT" | "ASSERT" | "ASSERT_NOT"):
                pass  # what is around a place is left to the parser to judge
            case ("other", other):
                raise GrammarError(f"the terminal {name} uses {other.lower()}, which cannot be sampled")

    def _convert_class(self, ranges: Ranges, negated: bool, name: str) -> Part:
        if negated or len(ranges) == 1:
            alone = not negated and ranges[0][0] == ranges[0][1]
            return Text(chr(ranges[0][0])) if alone else CharacterClass(ranges, negated)
        node = self._new(name, True, [(CharacterClass((item,)),) for item in ranges])  # so that each comes up
        node.weights = [float(min(26, high - low + 1)) for low, high in ranges]
        return node


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
