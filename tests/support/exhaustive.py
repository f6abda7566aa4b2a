"""Exhaustive search over a grammar's rules: the cheapest derivation of a sequence, with no assumption about its shape.

It knows nothing of modes, of left-linearity or of automata: every rule is tried on every stretch of the sequence
(Cocke, Younger and Kasami's way), and the rules are those that Lark compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Prices = dict[str, int]


@dataclass(frozen=True)
class Search:
    """The rules in the form that the search needs: pairs, steps from one symbol to one other, and what may be empty."""

    pairs: tuple[tuple[str, str, str, int], ...]
    steps: dict[str, Prices]
    empty: Prices
    start: str

    def price(self, kinds: Sequence[str]) -> int:
        """Give the price of the cheapest derivation of a sequence; raise KeyError if it has none."""
        if not kinds:
            return self.empty[self.start]
        size = len(kinds)
        best: dict[tuple[int, int], Prices] = {}
        for length in range(1, size + 1):
            for begin in range(size - length + 1):
                end = begin + length
                prices: Prices = {kinds[begin]: 0} if length == 1 else {}
                for cut in range(begin + 1, end):
                    left, right = best[begin, cut], best[cut, end]
                    for name, first, second, own in self.pairs:
                        if first in left and second in right:
                            total = left[first] + right[second] + own
                            if total < prices.get(name, 1 << 60):
                                prices[name] = total
                closed: Prices = {}
                for symbol, paid in prices.items():
                    for name, own in self.steps.get(symbol, {symbol: 0}).items():
                        if paid + own < closed.get(name, 1 << 60):
                            closed[name] = paid + own
                best[begin, end] = closed
        return best[0, size][self.start]


def prepare(rules: Sequence[Any], start: str) -> Search:
    """Prepare the search from compiled rules (`Lark(...).rules`), whose priorities are prices with a minus sign."""
    plain = [(r.origin.name, [s.name for s in r.expansion], -(r.options.priority or 0)) for r in rules]
    assert all(len(symbols) <= 2 for _, symbols, _ in plain), "the search takes rules of at most two symbols"
    empty: Prices = {}
    for _ in plain:  # as many rounds as there are rules surely suffice
        for name, symbols, own in plain:
            if all(symbol in empty for symbol in symbols):
                total = own + sum(empty[symbol] for symbol in symbols)
                empty[name] = min(total, empty.get(name, 1 << 60))
    single = [(name, symbols[0], own) for name, symbols, own in plain if len(symbols) == 1]
    for name, symbols, own in plain:
        if len(symbols) == 2:
            single += [(name, symbols[1], own + empty[symbols[0]])] if symbols[0] in empty else []
            single += [(name, symbols[0], own + empty[symbols[1]])] if symbols[1] in empty else []
    symbols_used = {symbol for _, symbol, _ in single} | {name for name, _, _ in plain}
    steps: dict[str, Prices] = {symbol: {symbol: 0} for symbol in symbols_used}
    changed = True
    while changed:
        changed = False
        for reached in steps.values():
            for name, below, own in single:
                if below in reached and reached[below] + own < reached.get(name, 1 << 60):
                    reached[name] = reached[below] + own
                    changed = True
    pairs = tuple((name, symbols[0], symbols[1], own) for name, symbols, own in plain if len(symbols) == 2)
    return Search(pairs, steps, empty, start)
