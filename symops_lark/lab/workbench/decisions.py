"""A grammar as a graph of decisions: between alternatives, and on the number of repetitions.

A text of the language is one walk through the graph, from `root`. Look-around is left out, so a
walk may write a text that the parser refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, filterfalse
from pathlib import Path
from typing import Any

from ...core.grammar.compiling.regular import Node, Ranges, invert, read_pattern
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
    """A choice between ways to continue.

    With `low` and `high` it is a repetition: way 0 repeats `low` times, way 1 more often.
    """

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
        """Return a way as text, for messages."""
        if self.repeats:
            return "no more than needed" if way == 0 else "repeated"
        return " ".join(map(_name, self.ways[way]))

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
            between: The text between two symbols of a rule: a blank, if the grammar ignores it.
        """
        self.decisions: list[Decision] = []
        symbols: dict[str, Decision] = {}
        for rule in parser.rules:
            name = str(rule.origin.name)
            if name not in symbols:
                symbols[name] = self._new(name)
        # Sorted: Lark's order of terminals depends on the version.
        for terminal in sorted(parser.terminals, key=lambda terminal: terminal.name):
            parts = tuple(self._convert(read_pattern(terminal.pattern.to_regexp()), terminal.name))
            symbols[terminal.name] = self._new(terminal.name, True, [parts])
        if start not in symbols:
            raise GrammarError(f"{path}: no rule {start}, which every text is")
        for rule in parser.rules:
            # A rule of Lark is one alternative of a rule of the grammar.
            way: list[Part] = []
            for symbol in rule.expansion:
                if str(symbol.name) not in symbols:
                    raise GrammarError(
                        f"{path}: the terminal {symbol.name} has no regular expression"
                    )
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
            for child in dict.fromkeys(chain.from_iterable(node.below)):
                self.above.setdefault(child, []).append(node)

    def _new(self, name: str, lexical: bool = False, ways: Sequence[Parts] = ()) -> Decision:
        self.decisions.append(Decision(name, lexical, list(ways)))
        return self.decisions[-1]

    def _measure(self) -> None:
        """Store the least number of nested decisions below each one, so that a walk can end."""
        # A fixed point: the heights of recursive rules depend on each other.
        changed = True
        while changed:
            changed = False
            for node in self.decisions:
                height = 1 + min(height_of(way) for way in node.below)
                if height < node.height:
                    node.height = height
                    changed = True

    def _reachable(self) -> list[Decision]:
        """Return the decisions that a walk can meet, the nearest ones first."""
        reached = {self.root}
        queue = [self.root]
        for node in queue:
            for child in chain.from_iterable(node.below):
                if child not in reached:
                    reached.add(child)
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
                ways = [tuple(self._convert(branch, name)) for branch in branches]
                yield self._new(name, True, ways)
            case ("times", part, low, high, _):
                parts = tuple(self._convert(part, name))
                if low == high:
                    yield from parts * low
                else:
                    decision = self._new(name, True, [parts if low else (), parts])
                    decision.low = low
                    decision.high = _ENDLESS if high is None else high
                    yield decision
            case ("other", "AT" | "ASSERT" | "ASSERT_NOT"):
                # The parser decides about the surroundings of a place: it reads each sample.
                pass
            case ("other", construct):
                raise GrammarError(
                    f"the terminal {name} uses {construct.lower()}, which cannot be sampled"
                )

    def _convert_class(self, ranges: Ranges, negated: bool, name: str) -> Part:
        if all(map(_is_surrogate, invert(ranges) if negated else ranges)):
            raise GrammarError(
                f"no text can be written for the terminal {name}: it needs a character of an empty "
                "class, or a half of a surrogate pair"
            )
        if negated or len(ranges) == 1:
            alone = not negated and ranges[0][0] == ranges[0][1]
            return Text(chr(ranges[0][0])) if alone else CharacterClass(ranges, negated)
        # A decision, so that each range occurs in samples, and not only the largest one.
        ways = []
        weights = []
        for low, high in filterfalse(_is_surrogate, ranges):
            ways.append((CharacterClass(((low, high),)),))
            weights.append(float(min(26, high - low + 1)))
        node = self._new(name, True, ways)
        node.weights = weights
        return node


def _is_surrogate(pair: tuple[int, int]) -> bool:
    """Return whether all characters of a range are halves of pairs, which cannot be encoded."""
    return 0xD800 <= pair[0] <= pair[1] < 0xE000


def spell(part: Part) -> str:
    """Return the regular expression of a lexical part, without look-around."""
    if isinstance(part, Text):
        return re.escape(part.text)
    if isinstance(part, CharacterClass):
        body = ""
        for low, high in part.ranges:
            body += _spell_character(low)
            if low != high:
                body += f"-{_spell_character(high)}"
        # A class without ranges is a negated empty one: any character.
        return f"[{'^' * part.complement}{body}]" if body else r"[\s\S]"
    # Way 0 of a repetition is the required part of way 1.
    ways = ["".join(map(spell, way)) for way in part.ways[part.repeats :]]
    pattern = f"(?:{'|'.join(ways)})"
    if part.repeats:
        # Engines limit the numbers of repetitions; above this, they are as good as endless.
        limit = "" if part.high > 10_000 else part.high
        pattern += f"{{{part.low},{limit}}}"
    return pattern


def _spell_character(code: int) -> str:
    character = chr(code)
    # Anything else may have a meaning in a class.
    return character if character.isascii() and character.isalnum() else rf"\U{code:08x}"


def _name(part: Part) -> str:
    return part.name if isinstance(part, Decision) else spell(part)


def height_of(nodes: Sequence[Decision]) -> int:
    """Return the number of nested decisions below a way, at least."""
    return max((node.height for node in nodes), default=0)
