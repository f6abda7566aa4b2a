"""Load the rules of a recovery grammar with their prices, as both engines use them.

A rule of *one line* has only alternatives of one line: a kind, or another such rule. It gives the
line its role, and its mistakes. Every other rule is *structural*: a mode, or a block that holds
blocks. The price of a structural rule, and the mistake that its name is, belong to the place where
the lines end that it spans.
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

# Readings of one rule. Those of the installed grammars have less than 100; the number grows with
# the product of nested alternatives, so that a short grammar could ask for millions.
_MAX_READINGS = 20_000
# What a line can be in the end. A rule below the price of a mistake whose name begins with one of
# these words gives its lines this role.
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


Codes = tuple[str, ...]  # diagnostic codes


@dataclass(frozen=True, slots=True)
class Step:
    """The part of one line in a reading.

    Attributes:
        role: The role of the line, one of `ROLES`.
        mistakes: The diagnostic codes of the mistakes on the line.
        before: The codes of what is missing directly before the line.
        price: The price of all of them and of preferences.
    """

    role: str
    mistakes: Codes
    before: Codes
    price: int


make_step: Callable[[str, Codes, Codes, int], Step] = make_quickly(Step)


@dataclass(frozen=True, slots=True)
class ViterbiPath:
    """The minimum-cost reading of a sequence of line kinds.

    Attributes:
        steps: One step for each kind.
        at_end: The codes of what is missing at the end.
        price: The price of the steps and of what is missing at the end.
    """

    steps: tuple[Step, ...]
    at_end: Codes
    price: int


class Symbol(NamedTuple):
    """One symbol of an alternative.

    Attributes:
        name: A kind of line, or the name of a rule.
        terminal: Whether it is a kind of line.
    """

    name: str
    terminal: bool


class LineReading(NamedTuple):
    """One way to read one line.

    Attributes:
        kind: The kind of the line.
        price: The sum of the prices of the rules above it.
        mistakes: The diagnostic codes that these rules name, from the topmost down.
        role: The role that they give it; empty if none does.
    """

    kind: str
    price: int = 0
    mistakes: Codes = ()
    role: str = ""


Alternative = tuple[Symbol, ...]
Alternatives = tuple[Alternative, ...]


def kind_name(terminal: str) -> str:
    """Return the kind of line of a terminal: its name without the prefix of an imported file."""
    return terminal.rsplit("__", 1)[-1]


class PricedRules:
    """The rules of a recovery grammar.

    Attributes:
        path: The path of the grammar, for messages.
        alternatives: The alternatives of each rule, in the order in which the file writes them.
        prices: The price of each rule; 0 or more.
    """

    def __init__(
        self, path: Path, alternatives: dict[str, Alternatives], prices: dict[str, int]
    ) -> None:
        self.path = path
        self.alternatives = alternatives
        self.prices = prices
        self._readings: dict[Symbol, tuple[LineReading, ...]] = {}

    @cached_property
    def of_one_line(self) -> frozenset[str]:
        """The rules whose alternatives are all one kind of line or one such rule."""
        rules: set[str] = set()
        size = -1
        while size != len(rules):  # until nothing is added
            size = len(rules)
            for name, alternatives in self.alternatives.items():
                if all(_is_one_line(symbols, rules) for symbols in alternatives):
                    rules.add(name)
        return frozenset(rules)

    @cached_property
    def structural(self) -> tuple[str, ...]:
        """All other rules, in the order of the file."""
        lines = self.of_one_line
        return tuple(name for name in self.alternatives if name not in lines)

    @cached_property
    def mistakes(self) -> dict[str, int]:
        """The price of each mistake by its diagnostic code."""
        mistakes = {}
        for name, price in self.prices.items():
            if price >= MISTAKE:
                code = mistake_name(name)
                mistakes[code] = price
        return mistakes

    def is_line(self, symbol: Symbol) -> bool:
        """Return whether a symbol is exactly one line."""
        return symbol.terminal or symbol.name in self.of_one_line

    def is_structural(self, symbol: Symbol) -> bool:
        """Return whether a symbol is a structural rule."""
        return not self.is_line(symbol)

    def named(self, rule: str) -> Codes:
        """Return the diagnostic code of a rule that is a mistake; empty for another rule."""
        if self.prices[rule] < MISTAKE:
            return ()
        return (mistake_name(rule),)

    def line_readings(self, symbol: Symbol) -> tuple[LineReading, ...]:
        """Return all ways to read a line as a symbol, in the order of the alternatives.

        Raises:
            GrammarError: There are too many.
        """
        if symbol not in self._readings:
            below = []
            if symbol.terminal:
                below.append(LineReading(symbol.name))
            else:
                rule = symbol.name
                for (child,) in self.alternatives[rule]:  # a rule of one line has one symbol each
                    readings = self.line_readings(child)
                    below += [self.pass_through(rule, reading) for reading in readings]
            if len(below) > _MAX_READINGS:
                limit = grouped(_MAX_READINGS)
                raise GrammarError(
                    f"{self.path}: the rule {symbol.name} has more than {limit} readings"
                )
            # Without duplicates: two rules may read a kind in the same way.
            self._readings[symbol] = tuple(dict.fromkeys(below))
        return self._readings[symbol]

    def pass_through(self, rule: str, below: LineReading) -> LineReading:
        """Return the reading of a line with one more rule of one line above it.

        Args:
            rule: The name of the rule.
            below: The reading of the line by the rules below it.
        """
        mistake = self.named(rule)
        # `body_in_nested` gives the role `body`; a mistake never gives one.
        word = mistake_name(rule).split("-")[0]
        role = below.role
        if word in ROLES and not mistake:
            role = word
        price = self.prices[rule] + below.price
        return LineReading(below.kind, price, mistake + below.mistakes, role)

    def find_nesting(self) -> Iterator[tuple[str, Alternative]]:
        """Yield the alternatives in which a structural rule is not first, with their rules."""
        for name in self.structural:
            for symbols in self.alternatives[name]:
                following = symbols
                if symbols and self.is_structural(symbols[0]):
                    following = symbols[1:]
                are_lines = all(map(self.is_line, following))
                if len(following) > 1 or not are_lines:
                    yield name, symbols

    @cached_property
    def is_left_linear(self) -> bool:
        """Whether every alternative is a structural rule or nothing, then at most one line."""
        nesting = next(self.find_nesting(), None)
        return nesting is None


def _is_one_line(symbols: Alternative, rules: set[str]) -> bool:
    """Return whether an alternative is one line, if the given rules are of one line."""
    if len(symbols) != 1:
        return False
    symbol = symbols[0]
    return symbol.terminal or symbol.name in rules


@lru_cache(maxsize=16)
def load_rules(path: Path, text: str) -> PricedRules:
    """Return the rules of a recovery grammar; it is compiled once.

    Args:
        path: The path of the grammar, for messages and imports.
        text: The text of the grammar.

    Raises:
        GrammarError: The grammar cannot be compiled, lacks the rule `document`, has a negative
            price, or has a rule that derives itself.
    """
    compiled = _compile(path, text)
    names = {str(rule.origin.name) for rule in compiled}
    if "document" not in names:
        raise GrammarError(f"{path}: no rule `document`: the whole text")
    alternatives: dict[str, list[Alternative]] = {}
    prices = {}
    for rule in sorted(compiled, key=lambda rule: int(rule.order)):
        name = str(rule.origin.name)
        symbols = tuple(map(_symbol, rule.expansion))
        alternatives.setdefault(name, []).append(symbols)
        # A price is written as a negative priority: `open.-900` costs 900.
        prices[name] = -(rule.options.priority or 0)
    for name, price in prices.items():
        if price < 0:
            raise GrammarError(
                f"{path}: the price of the rule {name} is below zero; write it as {name}.-{-price}"
            )
    in_order = {}
    for rule in compiled:
        name = str(rule.origin.name)
        in_order[name] = tuple(alternatives[name])
    rules = PricedRules(path, in_order, prices)
    _refuse_cycles(rules)
    return rules


def _compile(path: Path, text: str) -> list[Any]:
    """Return Lark's rules of a grammar, one for each alternative."""
    from ...grammar.compiling.lark_errors import explain_missing
    from ...grammar.compiling.lark_insides import load_definitions

    try:
        with bounded_steps(path, steps_for(text)):
            definitions = load_definitions(text, path, path.parent)
            # "*": keep all terminals, also those that no rule names.
            _terminals, compiled, _ignored = definitions.compile(["document"], "*")
    except GrammarError:
        raise
    except OSError as error:
        raise explain_missing(error, path) from error
    except Exception as error:  # noqa: BLE001  (Lark raises whatever its parts raise)
        message = " ".join(str(error).split())
        message = message.replace(f" in {path}", "")  # it begins with the path
        message = message or type(error).__name__
        raise GrammarError(f"{path}: the recovery grammar cannot be compiled: {message}") from error
    return list(compiled)


def _symbol(symbol: Any) -> Symbol:
    name = str(symbol.name)
    if symbol.is_term:
        return Symbol(kind_name(name), True)
    return Symbol(name, False)


def _refuse_cycles(rules: PricedRules) -> None:
    """Raise `GrammarError` if a rule derives itself without a line.

    A text would then have infinitely many readings.
    """
    below = _derivable(rules, _empty_rules(rules))
    for name in below:
        reached: set[str] = set()
        todo = [name]
        while todo:
            for rule in below[todo.pop()] - reached:
                reached.add(rule)
                todo.append(rule)
        if name in reached:
            raise GrammarError(
                f"{rules.path}: the rule {name} derives itself without a line in between"
            )


def _empty_rules(rules: PricedRules) -> set[str]:
    """Return the rules that derive the empty text."""
    empty: set[str] = set()
    size = -1
    while size != len(empty):  # until nothing is added
        size = len(empty)
        for name, alternatives in rules.alternatives.items():
            if any(_are_empty(symbols, empty) for symbols in alternatives):
                empty.add(name)
    return empty


def _are_empty(symbols: Alternative, empty: set[str]) -> bool:
    """Return whether all of some symbols derive the empty text."""
    return all(not symbol.terminal and symbol.name in empty for symbol in symbols)


def _derivable(rules: PricedRules, empty: set[str]) -> dict[str, set[str]]:
    """Return for each rule those that it derives in one step, with nothing beside them."""
    below: dict[str, set[str]] = {}
    for name in rules.alternatives:
        below[name] = set()
    for name, alternatives in rules.alternatives.items():
        for symbols in alternatives:
            for place, symbol in enumerate(symbols):
                after = place + 1
                beside = symbols[:place] + symbols[after:]
                if not symbol.terminal and _are_empty(beside, empty):
                    below[name].add(symbol.name)
    return below
