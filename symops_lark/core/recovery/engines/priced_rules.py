"""The rules of a recovery grammar with their prices, as both engines see them.

A rule of *one line* has only alternatives of one line: a kind, or another such rule. It says what becomes of the line:
its role, and what is wrong with it. Every other rule is *structural*: a mode, or a block with blocks in it. What a
structural rule costs, and the mistake that its name is, stand where the lines end that it spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...grammar.compiling.bounds import bounded_steps, steps_for
from ...grammar.mistakes import MISTAKE, mistake_name
from ...ground.errors import GrammarError
from ...ground.frozen import make_quickly
from ...ground.numbers import grouped

_MOST_READINGS = 20_000
ROLES = frozenset(
    (
        "thought",
        "reason",
        "wrap",
        "vitals",
        "error",
        "section",
        "blank",
        "ask",
        "choice",
        "head",
        "attribute",
        "open",
        "close",
        "body",
        "drop",
    )
)


@dataclass(frozen=True, slots=True)
class Step:
    """One line's part in a reading: the role it plays, the mistakes on it, and what was missing just before it."""

    role: str
    mistakes: tuple[str, ...]
    before: tuple[str, ...]
    price: int


make_step: Callable[[str, tuple[str, ...], tuple[str, ...], int], Step] = make_quickly(Step)


@dataclass(frozen=True, slots=True)
class ViterbiPath:
    """The cheapest reading: a step for each kind, what was missing at the end, and the price of it all."""

    steps: tuple[Step, ...]
    at_end: tuple[str, ...]
    price: int


class Symbol(NamedTuple):
    """One symbol of an alternative: a kind of line, or a rule."""

    name: str
    terminal: bool


class LineReading(NamedTuple):
    """One way to read one line: its kind, and the price, mistakes and role that the rules above it give it."""

    kind: str
    price: int = 0
    mistakes: tuple[str, ...] = ()
    role: str = ""


Alternative = tuple[Symbol, ...]


def kind_name(terminal: str) -> str:
    """Return the kind of line that a terminal stands for: its name without that of the file it comes from."""
    return terminal.rsplit("__", 1)[-1]


class PricedRules:
    """The rules by name, each with its alternatives in the order in which the file writes them."""

    def __init__(self, path: Path, alternatives: dict[str, tuple[Alternative, ...]], prices: dict[str, int]) -> None:
        self.path = path
        self.alternatives = alternatives
        self.prices = prices
        self._lines: dict[Symbol, tuple[LineReading, ...]] = {}

    @cached_property
    def of_one_line(self) -> frozenset[str]:
        """The rules all of whose alternatives are one kind of line or one such rule."""
        found: set[str] = set()
        while True:
            more = {
                name
                for name, alternatives in self.alternatives.items()
                if all(len(a) == 1 and (a[0].terminal or a[0].name in found) for a in alternatives)
            }
            if more == found:
                return frozenset(found)
            found = more

    @cached_property
    def structural(self) -> tuple[str, ...]:
        """All other rules, in the order of the file."""
        return tuple(name for name in self.alternatives if name not in self.of_one_line)

    @cached_property
    def mistakes(self) -> dict[str, int]:
        """The prices of the mistakes by diagnostic code."""
        return {mistake_name(name): price for name, price in self.prices.items() if price >= MISTAKE}

    def is_line(self, symbol: Symbol) -> bool:
        """Return whether a symbol is exactly one line."""
        return symbol.terminal or symbol.name in self.of_one_line

    def is_structural(self, symbol: Symbol) -> bool:
        """Return whether a symbol is a structural rule."""
        return not self.is_line(symbol)

    def named(self, rule: str) -> tuple[str, ...]:
        """Return the mistake that a rule is, if it is one."""
        return (mistake_name(rule),) if self.prices[rule] >= MISTAKE else ()

    def line_readings(self, symbol: Symbol) -> tuple[LineReading, ...]:
        """Return all ways to read a line as a symbol, in the order of the alternatives."""
        if symbol not in self._lines:
            below = (
                [LineReading(symbol.name)]
                if symbol.terminal
                else [
                    self.pass_through(symbol.name, reading)
                    for (child,) in self.alternatives[symbol.name]
                    for reading in self.line_readings(child)
                ]
            )
            if len(below) > _MOST_READINGS:
                raise GrammarError(
                    f"{self.path}: the rule {symbol.name} has more than {grouped(_MOST_READINGS)} readings"
                )
            self._lines[symbol] = tuple(dict.fromkeys(below))
        return self._lines[symbol]

    def pass_through(self, rule: str, below: LineReading) -> LineReading:
        """Return the reading of a line with what one more rule of one line above it adds."""
        mistake = self.named(rule)
        word = mistake_name(rule).split("-")[0]
        role = word if word in ROLES and not mistake else below.role
        return LineReading(below.kind, self.prices[rule] + below.price, mistake + below.mistakes, role)

    def find_nesting(self) -> Iterator[tuple[str, Alternative]]:
        """Return the alternatives that are not left-linear: a structural rule stands elsewhere than first."""
        for name in self.structural:
            for symbols in self.alternatives[name]:
                behind = symbols[1:] if symbols and self.is_structural(symbols[0]) else symbols
                if len(behind) > 1 or not all(map(self.is_line, behind)):
                    yield name, symbols

    @cached_property
    def is_left_linear(self) -> bool:
        """Whether every alternative is a structural rule or nothing, and at most one line behind it."""
        return next(self.find_nesting(), None) is None


@lru_cache(maxsize=16)
def load_rules(path: Path, text: str) -> PricedRules:
    """Return the rules of a recovery grammar, compiled once; raise `GrammarError` if it cannot be compiled."""
    from ...grammar.compiling.lark_insides import load_definitions

    try:
        with bounded_steps(path, steps_for(text)):
            _terminals, compiled, _ignored = load_definitions(text, path, path.parent).compile(["document"], "*")
    except GrammarError:
        raise
    except Exception as error:  # noqa: BLE001  (Lark raises whatever its parts raise)
        message = " ".join(str(error).split()).replace(f" in {path}", "") or type(error).__name__
        raise GrammarError(f"{path}: the recovery grammar cannot be compiled: {message}") from error
    if not any(str(rule.origin.name) == "document" for rule in compiled):
        raise GrammarError(f"{path}: no rule `document`: the whole text")
    alternatives: dict[str, list[Alternative]] = {}
    prices: dict[str, int] = {}
    for rule in sorted(compiled, key=lambda rule: int(rule.order)):
        name = str(rule.origin.name)
        alternatives.setdefault(name, []).append(tuple(map(_symbol, rule.expansion)))
        prices[name] = -(rule.options.priority or 0)
    for name, price in prices.items():
        if price < 0:
            raise GrammarError(f"{path}: the price of the rule {name} is below zero; write it as {name}.-{-price}")
    in_order = dict.fromkeys(str(rule.origin.name) for rule in compiled)
    rules = PricedRules(path, {name: tuple(alternatives[name]) for name in in_order}, prices)
    _refuse_circles(rules)
    return rules


def _symbol(symbol: Any) -> Symbol:
    name = str(symbol.name)
    return Symbol(kind_name(name) if symbol.is_term else name, bool(symbol.is_term))


def _refuse_circles(rules: PricedRules) -> None:
    """Raise `GrammarError` if a rule derives itself without a line: then a text has endlessly many readings."""
    empty: set[str] = set()
    while more := {
        name
        for name, alternatives in rules.alternatives.items()
        if name not in empty and any(all(not s.terminal and s.name in empty for s in a) for a in alternatives)
    }:
        empty |= more
    below: dict[str, set[str]] = {name: set() for name in rules.alternatives}
    for name, alternatives in rules.alternatives.items():
        for symbols in alternatives:
            for place, symbol in enumerate(symbols):
                rest = symbols[:place] + symbols[place + 1 :]
                if not symbol.terminal and all(not s.terminal and s.name in empty for s in rest):
                    below[name].add(symbol.name)
    for name in below:
        reached, fresh = set[str](), [name]
        while fresh:
            for other in below[fresh.pop()] - reached:
                reached.add(other)
                fresh.append(other)
        if name in reached:
            raise GrammarError(f"{rules.path}: the rule {name} derives itself without a line in between")
