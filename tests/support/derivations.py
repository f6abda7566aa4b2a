"""The cheapest reading of line kinds by its definition: what both engines are held against on short sequences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from symops_lark.core.grammar.mistakes import MISTAKE, mistake_name
from symops_lark.core.recovery.engines.priced_rules import ROLES, PricedRules, Step, Symbol, ViterbiPath

Events = tuple[tuple[str, str], ...]  # ("line" | "begins" | "ends", the name of the kind or rule)


def derive_cheapest(rules: PricedRules, kinds: Sequence[str]) -> ViterbiPath:
    """Give the reading by its definition: every alternative of every rule is tried on every stretch of lines.

    Of equal prices the alternative that is written first wins, then the division with the shortest last part.
    """
    shortest: dict[str, int] = {}  # the least lines of a rule
    for _ in rules.alternatives:
        for name, value in rules.alternatives.items():
            shortest[name] = min(sum(1 if s.terminal else shortest.get(s.name, 99) for s in a) for a in value)

    @cache
    def best(symbol: Symbol, begin: int, end: int) -> tuple[int, Events] | None:
        if symbol.terminal:
            fits = end == begin + 1 and kinds[begin] == symbol.name
            return (0, (("line", symbol.name),)) if fits else None
        result = None
        for symbols in rules.alternatives[symbol.name]:
            offer = divided(symbols, begin, end)
            if offer is not None and (result is None or offer[0] < result[0]):
                result = offer
        if result is None:
            return None
        events = (("begins", symbol.name), *result[1], ("ends", symbol.name))
        return result[0] + rules.prices[symbol.name], events

    @cache
    def divided(symbols: tuple[Symbol, ...], begin: int, end: int) -> tuple[int, Events] | None:
        if not symbols:
            return (0, ()) if begin == end else None
        result = None
        least = [1 if symbol.terminal else shortest[symbol.name] for symbol in symbols]
        for cut in range(end - least[-1], begin + sum(least[:-1]) - 1, -1):
            last, first = best(symbols[-1], cut, end), divided(symbols[:-1], begin, cut)
            if first and last and (result is None or first[0] + last[0] < result[0]):
                result = first[0] + last[0], first[1] + last[1]
        return result

    total = best(Symbol("document", False), 0, len(kinds))
    assert total is not None
    return follow(rules, total[1], total[0])


def follow(rules: PricedRules, events: Events, price: int) -> ViterbiPath:
    """Return the path that the beginnings and ends of rules say, line by line."""
    steps: list[Step] = []
    before: list[str] = []
    on_line: list[str] = []
    owed = 0
    for event, name in events:
        if event == "line":
            items = tuple(mistake_name(rule) for rule in on_line if rules.prices[rule] >= MISTAKE)
            roles = [rule.split("_")[0] for rule in on_line if rules.prices[rule] < MISTAKE]
            role = next(role for role in roles if role in ROLES)
            paid = owed + sum(rules.prices[rule] for rule in on_line)
            steps.append(Step(role, items, tuple(before), paid))
            before, on_line, owed = [], [], 0
        elif name in rules.of_one_line:
            on_line += [name] if event == "begins" else []
        elif event == "ends":
            before += [mistake_name(name)] if rules.prices[name] >= MISTAKE else []
            owed += rules.prices[name]
    return ViterbiPath(tuple(steps), tuple(before), price)
