"""A recovery grammar as a weighted automaton: the cheapest reading of a sequence of line kinds, in linear time.

A left-linear grammar whose rules have prices *is* a weighted automaton: modes are its states, lines its letters.
Running it by dynamic programming over (min, +) gives the parse that Lark's Earley parser would choose, at a few
microseconds a line instead of a millisecond; the tests hold the two against each other and against exhaustive search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import GrammarError
from ..grammar.mistakes import MISTAKE, mistake_name

ROLES = frozenset(
    (
        "thought",
        "reason",
        "wrap",
        "vitals",
        "error",
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
_FAR = (
    40_000  # a mode this much dearer than the best final one cannot win any more: any mode reaches any other for less
)


@dataclass(frozen=True, slots=True)
class Step:
    """One line's part in a reading: the role it plays, the mistakes on it, and what was missing just before it."""

    role: str
    mistakes: tuple[str, ...]
    before: tuple[str, ...]
    price: int


@dataclass(frozen=True, slots=True)
class ViterbiPath:
    """The cheapest reading: a step for each kind, what was missing at the end, and the price of it all."""

    steps: tuple[Step, ...]
    at_end: tuple[str, ...]
    price: int


Tables = tuple[
    dict[int, int], dict[int, tuple[int, tuple[str, ...]]], dict[str, dict[int, tuple[tuple[int, Step], ...]]]
]


class Automaton:
    """The automaton of one recovery grammar; `read` finds the cheapest way through it."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.kinds, self._start, self._end, self._arcs, self.mistakes = _compile(path, text)

    @property
    def tables(self) -> Tables:
        """The prices of starting in a mode, of ending in one (with what is then missing), and the arcs of each kind.

        Mode -1 is before the first line. Arcs lead from a mode to modes, each with its step, by kind of line.
        """
        return self._start, self._end, self._arcs

    def read(self, kinds: Sequence[str]) -> ViterbiPath:
        """Give the cheapest reading of line kinds; every sequence has one."""
        costs = dict(self._start)
        trail: list[dict[int, tuple[int, Step]]] = []
        for kind in kinds:
            new: dict[int, int] = {}
            came: dict[int, tuple[int, Step]] = {}
            limit = min(cost for mode, cost in costs.items() if mode in self._end) + _FAR
            arcs = self._arcs.get(kind, {})
            for mode, cost in costs.items():
                if cost > limit:
                    continue
                for target, step in arcs.get(mode, ()):
                    total = cost + step.price
                    if total < new.get(target, 1 << 60):
                        new[target] = total
                        came[target] = (mode, step)
            if not new:
                raise GrammarError(
                    f"{self.path}: no rule gives a line of kind {kind} a role here; the grammar is not total"
                )
            costs = new
            trail.append(came)
        price, mode, at_end = min(
            (cost + self._end[mode][0], mode, self._end[mode][1]) for mode, cost in costs.items() if mode in self._end
        )
        steps: list[Step] = []
        for came in reversed(trail):
            mode, step = came[mode]
            steps.append(step)
        return ViterbiPath(tuple(reversed(steps)), at_end, price)


@lru_cache(maxsize=16)
def load_automaton(path: Path, text: str) -> Automaton:
    """Compile the automaton of a recovery grammar, once."""
    return Automaton(path, text)


def _plain(symbol: Any) -> str:
    """The name of a symbol; that of an imported terminal without the name of its file."""
    name = str(symbol.name)
    return name.rsplit("__", 1)[-1] if symbol.is_term else name


_Item = tuple[str, int, tuple[str, ...], str]  # terminal, price, mistakes, role


def _compile(path: Path, text: str) -> tuple[Any, ...]:
    """Compile the rules: items are single lines, everything else is a mode."""
    from lark.load_grammar import load_grammar

    grammar, _ = load_grammar(text, str(path), [str(path.parent)], False)
    _terminals, rules, _ignored = grammar.compile(["document"], "*")
    expansions: dict[str, list[list[tuple[str, bool]]]] = {}
    prices: dict[str, int] = {}
    for rule in rules:
        name = rule.origin.name
        expansions.setdefault(name, []).append([(_plain(symbol), symbol.is_term) for symbol in rule.expansion])
        prices[name] = -(rule.options.priority or 0)
    items = _find_items(expansions)
    modes = [name for name in expansions if name not in items]
    number = {name: index for index, name in enumerate(modes)}

    expanded: dict[str, list[_Item]] = {}

    def expand(symbol: str, terminal: bool) -> list[_Item]:
        if terminal:
            return [(symbol, 0, (), "")]
        if symbol not in expanded:
            price, own = prices[symbol], mistake_name(symbol)
            mistake = (own,) if price >= MISTAKE else ()
            role = own.split("-")[0] if own.split("-")[0] in ROLES and not mistake else ""
            expanded[symbol] = [
                (kind, price + rest, mistake + names, role or below)
                for [(child, is_term)] in expansions[symbol]
                for kind, rest, names, below in expand(child, is_term)
            ]
        return expanded[symbol]

    joins = _close_joins(modes, expansions, prices, number)
    arcs: dict[str, dict[int, dict[tuple[int, str], Step]]] = {}
    start: dict[int, int] = {}
    for name in modes:
        for expansion in expansions[name]:
            if not expansion:
                start[number[name]] = prices[name]
                continue
            if expansion[0][0] in number and len(expansion) == 1:
                continue
            first, rest = (expansion[0][0], expansion[1:]) if expansion[0][0] in number else ("", expansion)
            [(symbol, is_term)] = rest
            for kind, price, names, role in expand(symbol, is_term):
                total = price + prices[name]
                sources = joins[first] if first else {-1: (0, ())}
                for source, (paid, before) in sources.items():
                    step = Step(role, names, before, total + paid)
                    slot = arcs.setdefault(kind, {}).setdefault(source, {})
                    key = (number[name], "")
                    if key not in slot or slot[key].price > step.price:
                        slot[key] = step
    start[-1] = 0  # before the first line
    table = {
        kind: {source: tuple((target, step) for (target, _), step in slot.items()) for source, slot in by.items()}
        for kind, by in arcs.items()
    }
    end = dict(joins["document"]) | {-1: (0, ())}
    mistakes = {mistake_name(name): price for name, price in prices.items() if price >= MISTAKE}
    return tuple(arcs), start, end, table, mistakes


def _find_items(expansions: dict[str, list[list[tuple[str, bool]]]]) -> set[str]:
    """Find the rules that are one line: all their alternatives are one terminal or one such rule."""
    items: set[str] = set()
    while True:
        more = {
            name
            for name, alternatives in expansions.items()
            if name not in items and all(len(a) == 1 and (a[0][1] or a[0][0] in items) for a in alternatives)
        }
        if not more:
            return items
        items |= more


def _close_joins(
    modes: Iterable[str],
    expansions: dict[str, list[list[tuple[str, bool]]]],
    prices: dict[str, int],
    number: dict[str, int],
) -> dict[str, dict[int, tuple[int, tuple[str, ...]]]]:
    """For each mode give the modes that flow into it without a line, with the price and mistakes of doing so."""
    joins: dict[str, dict[int, tuple[int, tuple[str, ...]]]] = {name: {number[name]: (0, ())} for name in modes}
    changed = True
    while changed:
        changed = False
        for name in joins:
            for expansion in expansions[name]:
                if len(expansion) != 1 or expansion[0][0] not in number:
                    continue
                own = (mistake_name(name),) if prices[name] >= MISTAKE else ()
                for source, (paid, names) in list(joins[expansion[0][0]].items()):
                    offer = (paid + prices[name], names + own)
                    if source not in joins[name] or joins[name][source][0] > offer[0]:
                        joins[name][source] = offer
                        changed = True
    return joins
