"""From the rules of a left-linear recovery grammar to the tables of its automaton."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ...grammar.compiling.bounds import bounded_steps, steps_for
from ...ground.errors import GrammarError
from .automaton import Automaton, Start, Tables
from .priced_rules import PricedRules, Step, load_rules


@lru_cache(maxsize=16)
def load_automaton(path: Path, text: str) -> Automaton:
    """Return the automaton of a recovery grammar, compiled once; raise `GrammarError` if it is not left-linear."""
    with bounded_steps(path, steps_for(text)):
        return compile_automaton(load_rules(path, text))


def compile_automaton(rules: PricedRules) -> Automaton:
    """Return the automaton of left-linear rules; raise `GrammarError` for others."""
    compiler = _Compiler(rules)
    return Automaton(str(rules.path), compiler.compile(), rules.mistakes, compiler.modes)


class _Compiler:
    """Makes the tables of left-linear rules.

    A state is a run of a rule's alternatives that end with a line (or are empty); alternatives that are another rule
    alone join its states.
    """

    def __init__(self, rules: PricedRules) -> None:
        for name, symbols in rules.find_nesting():
            shown = " ".join(symbol.name for symbol in symbols)
            raise GrammarError(
                f"{rules.path}: an automaton cannot run this recovery grammar: in `{name}: {shown}` a rule of several "
                "lines stands elsewhere than first; the engine for such grammars is earley"
            )
        self.rules = rules
        self.states: dict[tuple[str, int], int] = {}
        self._joined: dict[str, dict[int, tuple[int, tuple[str, ...]]]] = {}
        state = -1
        for name in rules.structural:
            joins = True
            for order, symbols in enumerate(rules.alternatives[name]):
                before, joins = joins, len(symbols) == 1 and rules.is_structural(symbols[0])
                if not joins:
                    state += before
                    self.states[name, order] = state

    @property
    def modes(self) -> tuple[str, ...]:
        """The rule of each mode."""
        return tuple({state: name for (name, _), state in self.states.items()}.values())

    def compile(self) -> Tables:
        """Return the tables."""
        start: Start = {}
        arcs: dict[str, dict[int, dict[int, tuple[Step, int]]]] = {}
        rank = 0
        for (name, order), state in self.states.items():
            symbols = self.rules.alternatives[name][order]
            if not symbols:
                start[state] = 0
                continue
            sources = self.join(symbols[0].name) if len(symbols) == 2 else {-1: (0, ())}
            for source, (paid, before) in sources.items():
                for kind, price, mistakes, role in self.rules.line_readings(symbols[-1]):
                    rank += 1
                    slot = arcs.setdefault(kind, {}).setdefault(source, {})
                    if state not in slot or slot[state][0].price > paid + price:
                        slot[state] = (Step(role, mistakes, before, paid + price), rank)
        start[-1] = 0  # before the first line
        end = self.join("document") | {-1: (0, ())}
        table = {
            kind: {
                source: tuple((target, *arc) for target, arc in slot.items())
                for source, slot in by.items()
            }
            for kind, by in arcs.items()
        }
        return start, end, table

    def join(self, name: str) -> dict[int, tuple[int, tuple[str, ...]]]:
        """Return the states that a rule may end in, with the price and mistakes of the rules that end there with it.

        They are in the order in which the alternatives lead to them.
        """
        if name not in self._joined:
            price, own = self.rules.prices[name], self.rules.named(name)
            found: dict[int, tuple[int, tuple[str, ...]]] = {}
            for order, symbols in enumerate(self.rules.alternatives[name]):
                state = self.states.get((name, order))
                below = self.join(symbols[0].name) if state is None else {state: (0, ())}
                for source, (paid, names) in below.items():
                    offer = (paid + price, names + own)
                    if source not in found or found[source][0] > offer[0]:
                        found.pop(
                            source, None
                        )  # to the end: a cheaper way that a later alternative leads
                        found[source] = offer
            self._joined[name] = found
        return self._joined[name]
