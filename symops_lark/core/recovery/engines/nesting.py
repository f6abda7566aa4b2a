"""Recovery grammars that nest, which no automaton can run: because of which of their rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .priced_rules import PricedRules, Symbol


def find_lines(rules: PricedRules) -> frozenset[str]:
    """Return the rules that an automaton can only take for one line: those of one line, those behind other symbols."""
    each = rules.alternatives
    lines = set(rules.of_one_line) | {
        s.name for name in each for a in each[name] for s in a[1:] if not s.terminal
    }
    while (
        more := {
            s.name for name in lines for a in each[name] if len(a) == 1 for s in a if not s.terminal
        }
        - lines
    ):
        lines |= more
    return frozenset(lines)


def is_linear(symbols: Sequence[Symbol], lines: frozenset[str]) -> bool:
    """Return whether an automaton runs an alternative: nothing, one line, or a rule and at most one line behind it."""
    shape = [symbol.terminal or symbol.name in lines for symbol in symbols]
    return shape in ([], [True], [False], [False, True])


def find_causes(rules: PricedRules) -> Iterator[str]:
    """Return the rules that nest of themselves: not those in which only a rule below them does."""
    lines = find_lines(rules)
    for name in rules.structural:
        if not name.startswith("__") and not all(
            is_linear(a, lines) for a in rules.alternatives[name]
        ):
            yield name
