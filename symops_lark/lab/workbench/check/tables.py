"""The LALR tables of a grammar with their conflicts, and a shortest text that leads to each state.

Lark silently resolves a shift/reduce conflict, and raises an error at a reduce/reduce conflict.
This module uses its analysis before that step, through `lark_insides`.
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

# The names of rules that Lark generates for `*` and `+`.
_GENERATED = re.compile(r"__(\w+?)_(?:star|plus)_\d+")
END = "$END"


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal as Lark compiled it; Lark's lexer tries terminals in the order of `order`."""

    name: str
    pattern: str
    is_string: bool
    priority: int
    order: tuple[int, int, int, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """An alternative of a rule, with its name and its text in the grammar."""

    name: str
    text: str
    priority: int


@dataclass(frozen=True, slots=True)
class State:
    """A state of the parser: the terminals that may come, and the rules that may end.

    Attributes:
        shifts: The terminals, each with the next state.
        reduces: The rules that may end, by the terminal that follows.
        prefix: A shortest text that leads to the state.
    """

    shifts: Mapping[str, int]
    reduces: Mapping[str, tuple[Rule, ...]]
    prefix: str

    @property
    def accepts(self) -> frozenset[str]:
        """The terminals that Lark's contextual lexer looks for here."""
        return frozenset(self.shifts) | (frozenset(self.reduces) - {END})


@dataclass(frozen=True, slots=True)
class Tables:
    """The states, the terminals by name, and the names of the ignored ones.

    The first state is the beginning of a document.
    """

    states: tuple[State, ...]
    terminals: Mapping[str, Terminal]
    ignored: frozenset[str]


def build_tables(
    text: str, path: Path, starts: Sequence[str], spell: Callable[[Terminal], str]
) -> Tables:
    """Analyze a grammar. Raises Lark's errors for a broken grammar.

    Args:
        text: The grammar.
        path: Its path, for imports and messages.
        starts: The start rules.
        spell: Returns an example text of a terminal.
    """
    terminals, rules, ignored = load_definitions(text, path).compile(starts)
    by_name = {terminal.name: _read_terminal(terminal) for terminal in terminals}
    texts = {name: spell(terminal) for name, terminal in by_name.items()}
    spellings = _spell_symbols(rules, texts)
    prefixes = _find_prefixes(analyze_conflicts(rules, starts), spellings)
    numbers = {itemset: number for number, itemset in enumerate(prefixes)}
    states = []
    for itemset, prefix in prefixes.items():
        shifts = {}
        for symbol, target in itemset.transitions.items():
            # The transitions of rules belong to reductions.
            if symbol.is_term:
                shifts[symbol.name] = numbers[target]
        reduces = {}
        for symbol, ending in itemset.lookaheads.items():
            reduces[symbol.name] = tuple(map(_read_rule, ending))
        states.append(State(shifts, reduces, prefix))
    return Tables(tuple(states), by_name, frozenset(ignored))


def _read_terminal(terminal: Any) -> Terminal:
    pattern = terminal.pattern
    # A string with flags matches several texts.
    is_literal = pattern.type == "str" and not pattern.flags
    text = pattern.value if is_literal else pattern.to_regexp()
    return Terminal(terminal.name, text, is_literal, terminal.priority, lexer_rank(terminal))


def _author_name(name: str) -> str:
    """Return the name in the grammar for a name that Lark generates for a repetition."""
    match = _GENERATED.fullmatch(name)
    return match[1] if match else name


def _read_rule(rule: Any) -> Rule:
    parts = " ".join(_author_name(symbol.name) for symbol in rule.expansion)
    repeated = " (repetition)" if _GENERATED.fullmatch(rule.origin.name) else ""
    name = _author_name(rule.origin.name)
    return Rule(name, f"{name}{repeated}: {parts or 'nothing'}", rule.options.priority or 0)


def _spell_symbols(rules: Sequence[Any], terminals: Mapping[str, str]) -> dict[str, str]:
    """Return a shortest text for each symbol that has one."""
    # A fixed point: a rule has a text as soon as all symbols of one alternative have one.
    spellings = dict(terminals)
    changed = True
    while changed:
        changed = False
        for rule in rules:
            parts = [spellings.get(symbol.name) for symbol in rule.expansion]
            if None in parts:
                continue
            text = "".join(filter(None, parts))
            shortest = spellings.get(rule.origin.name)
            if shortest is None or len(text) < len(shortest):
                spellings[rule.origin.name] = text
                changed = True
    return spellings


def _find_prefixes(starts: Sequence[Any], spellings: Mapping[str, str]) -> dict[Any, str]:
    """Return a shortest text that leads to each state, from the first start that reaches it.

    The algorithm is Dijkstra's; the length of a path is that of its text.
    """
    prefixes: dict[Any, str] = {}
    # A counter decides between equal lengths, because states cannot be compared.
    order = count()
    # A state that a start reaches keeps that prefix, even if a later start has a shorter one.
    for start in starts:
        waiting: list[tuple[int, int, Any, str]] = [(0, next(order), start, "")]
        while waiting:
            _, _, state, prefix = heapq.heappop(waiting)
            if state in prefixes:
                continue
            prefixes[state] = prefix
            for symbol in sorted(state.transitions, key=lambda symbol: symbol.name):
                text = prefix + spellings.get(symbol.name, "")
                heapq.heappush(waiting, (len(text), next(order), state.transitions[symbol], text))
    return prefixes
