"""The LALR tables of a grammar, conflicts and all, and the shortest text that leads to each of their states.

Lark resolves a shift/reduce conflict in silence and raises at a reduce/reduce conflict; this module asks its analysis
before that step, through `lark_insides`.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ....core.grammar.compiling.lark_insides import analyze_conflicts, lexer_rank, load_definitions

_GENERATED = re.compile(r"__(\w+?)_(?:star|plus)_\d+")
END = "$END"


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal as Lark compiled it; `order` sorts terminals in the order in which Lark's lexer tries them."""

    name: str
    pattern: str
    is_string: bool
    priority: int
    order: tuple[int, int, int, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """An alternative of a rule; `name` is what the grammar's author called it, `shown` how it reads."""

    name: str
    shown: str
    priority: int


@dataclass(frozen=True, slots=True)
class State:
    """What may come at one point: terminals to shift with the state behind each, and rules that may end here."""

    shifts: Mapping[str, int]
    reduces: Mapping[str, tuple[Rule, ...]]  # by the terminal that follows
    prefix: str  # a shortest text that leads here

    @property
    def accepts(self) -> frozenset[str]:
        """The terminals that Lark's contextual lexer looks for here."""
        return frozenset(self.shifts) | (frozenset(self.reduces) - {END})


@dataclass(frozen=True, slots=True)
class Tables:
    """The states (the first is the beginning of a document), the terminals by name, and the ignored ones."""

    states: tuple[State, ...]
    terminals: Mapping[str, Terminal]
    ignored: frozenset[str]


def build_tables(text: str, path: Path, starts: Sequence[str], spell: Callable[[Terminal], str]) -> Tables:
    """Analyse a grammar; `spell` gives an example text of a terminal. Raises what Lark raises at a broken grammar."""
    terminals, rules, ignored = load_definitions(text, path).compile(starts)
    found = {t.name: _read_terminal(t) for t in terminals}
    spellings = _spell_symbols(rules, {name: spell(terminal) for name, terminal in found.items()})
    prefixes = _find_prefixes(analyze_conflicts(rules, starts), spellings)
    numbers = {itemset: number for number, itemset in enumerate(prefixes)}
    states = tuple(
        State(
            {symbol.name: numbers[after] for symbol, after in itemset.transitions.items() if symbol.is_term},
            {symbol.name: tuple(map(_read_rule, rules)) for symbol, rules in itemset.lookaheads.items()},
            prefix,
        )
        for itemset, prefix in prefixes.items()
    )
    return Tables(states, found, frozenset(ignored))


def _read_terminal(terminal: Any) -> Terminal:
    pattern, is_string = terminal.pattern, terminal.pattern.type == "str"
    literal = is_string and not pattern.flags
    shown = pattern.value if literal else pattern.to_regexp()
    return Terminal(terminal.name, shown, literal, terminal.priority, lexer_rank(terminal))


def _author_name(name: str) -> str:
    """Return the name in the grammar for one that Lark made of a repetition."""
    return made[1] if (made := _GENERATED.fullmatch(name)) else name


def _read_rule(rule: Any) -> Rule:
    parts = " ".join(_author_name(symbol.name) for symbol in rule.expansion)
    repeated = " (repetition)" if _GENERATED.fullmatch(rule.origin.name) else ""
    name = _author_name(rule.origin.name)
    return Rule(name, f"{name}{repeated}: {parts or 'nothing'}", rule.options.priority or 0)


def _spell_symbols(rules: Sequence[Any], terminals: Mapping[str, str]) -> dict[str, str]:
    """Return a shortest text for each symbol that has one."""
    spellings = dict(terminals)
    changed = True
    while changed:
        changed = False
        for rule in rules:
            parts = [spellings.get(symbol.name) for symbol in rule.expansion]
            if None in parts:
                continue
            text = "".join(filter(None, parts))
            known = spellings.get(rule.origin.name)
            if known is None or len(text) < len(known):
                spellings[rule.origin.name] = text
                changed = True
    return spellings


def _find_prefixes(starts: Sequence[Any], spellings: Mapping[str, str]) -> dict[Any, str]:
    """Return a shortest text that leads to each state from the first start, or else from another one (Dijkstra)."""
    found: dict[Any, str] = {}
    order = count()
    for start in starts:
        waiting: list[tuple[int, int, Any, str]] = [(0, next(order), start, "")]
        while waiting:
            _, _, state, prefix = heapq.heappop(waiting)
            if state in found:
                continue
            found[state] = prefix
            for symbol in sorted(state.transitions, key=lambda symbol: symbol.name):
                text = prefix + spellings.get(symbol.name, "")
                heapq.heappush(waiting, (len(text), next(order), state.transitions[symbol], text))
    return found
