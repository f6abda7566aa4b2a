"""Find the rules because of which a recovery grammar nests, so that no automaton can run it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .priced_rules import Alternative, PricedRules, Symbol

# By whether each symbol is one line: nothing, a line, a rule, a rule and a line.
_LINEAR_SHAPES: tuple[list[bool], ...] = ([], [True], [False], [False, True])


def find_lines(rules: PricedRules) -> frozenset[str]:
    """Return the rules that an automaton can only read as one line.

    These are the rules of one line, the rules after another symbol, and the rules that such rules
    consist of alone.
    """
    lines = set(rules.of_one_line)
    for alternatives in rules.alternatives.values():
        for symbols in alternatives:
            lines |= _rules_in(symbols[1:])
    size = -1
    while size != len(lines):  # until nothing is added
        size = len(lines)
        for name in tuple(lines):
            for symbols in rules.alternatives[name]:
                if len(symbols) == 1:
                    lines |= _rules_in(symbols)
    return frozenset(lines)


def _rules_in(symbols: Alternative) -> set[str]:
    """Return the names of the rules among some symbols."""
    names = set()
    for symbol in symbols:
        if not symbol.terminal:
            names.add(symbol.name)
    return names


def is_linear(symbols: Sequence[Symbol], lines: frozenset[str]) -> bool:
    """Return whether an automaton can run an alternative.

    It is nothing, one line, or a rule with at most one line after it.

    Args:
        symbols: The alternative.
        lines: The rules that are read as one line, as `find_lines` returns them.
    """
    are_lines = [symbol.terminal or symbol.name in lines for symbol in symbols]
    return are_lines in _LINEAR_SHAPES


def find_causes(rules: PricedRules) -> Iterator[str]:
    """Yield the rules that nest themselves, not those in which only a rule below them does."""
    lines = find_lines(rules)
    for name in rules.structural:
        if name.startswith("__"):  # Lark made it of a repetition
            continue
        alternatives = rules.alternatives[name]
        if not all(is_linear(symbols, lines) for symbols in alternatives):
            yield name
