"""Compile the rules of a left-linear recovery grammar to the tables of its automaton."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ...grammar.compiling.bounds import bounded_steps, steps_for
from ...ground.errors import GrammarError
from .automaton import Arcs, Automaton, End, Start, Tables
from .priced_rules import PricedRules, Step, load_rules

# By kind, mode before the line, and mode after it: the cheapest step and its rank.
_Slot = dict[int, tuple[Step, int]]
_Slots = dict[str, dict[int, _Slot]]


@lru_cache(maxsize=16)
def load_automaton(path: Path, text: str) -> Automaton:
    """Return the automaton of a recovery grammar; it is compiled once.

    Args:
        path: The path of the grammar, for messages and imports.
        text: The text of the grammar.

    Raises:
        GrammarError: The grammar cannot be compiled, or is not left-linear.
    """
    with bounded_steps(path, steps_for(text)):
        return compile_automaton(load_rules(path, text))


def compile_automaton(rules: PricedRules) -> Automaton:
    """Return the automaton of some rules.

    Raises:
        GrammarError: The rules are not left-linear.
    """
    compiler = _Compiler(rules)
    tables = compiler.compile()
    return Automaton(str(rules.path), tables, rules.mistakes, compiler.modes)


class _Compiler:
    """Makes the tables of left-linear rules.

    A state is a run of a rule's alternatives that end with a line or are empty. An alternative that
    is another rule alone joins the states of that rule, and ends the run: the alternatives after it
    make a new state, because of equal prices the earlier alternative wins.
    """

    def __init__(self, rules: PricedRules) -> None:
        for name, symbols in rules.find_nesting():
            alternative = " ".join(symbol.name for symbol in symbols)
            raise GrammarError(
                f"{rules.path}: an automaton cannot run this recovery grammar: in "
                f"`{name}: {alternative}` a rule of several lines is not the first symbol; "
                "the engine for such grammars is earley"
            )
        self.rules = rules
        self.states: dict[tuple[str, int], int] = {}  # by rule and index of the alternative
        self._joined: dict[str, End] = {}
        state = -1
        for name in rules.structural:
            joins = True
            for order, symbols in enumerate(rules.alternatives[name]):
                before = joins
                is_single = len(symbols) == 1
                joins = is_single and rules.is_structural(symbols[0])
                if not joins:
                    state += before  # a new state only after a rule that was joined
                    self.states[name, order] = state

    @property
    def modes(self) -> tuple[str, ...]:
        """The rule of each mode."""
        rule_of = {}
        for (name, _), state in self.states.items():
            rule_of[state] = name
        return tuple(rule_of.values())

    def compile(self) -> Tables:
        """Return the tables."""
        start: Start = {}
        slots: _Slots = {}
        rank = 0
        for (name, order), state in self.states.items():
            symbols = self.rules.alternatives[name][order]
            if not symbols:
                start[state] = 0
                continue
            sources: End = {-1: (0, ())}
            if len(symbols) == 2:
                sources = self.join(symbols[0].name)
            readings = self.rules.line_readings(symbols[-1])
            for source, (paid, before) in sources.items():
                for kind, price, mistakes, role in readings:
                    rank += 1
                    step = Step(role, mistakes, before, paid + price)
                    by_source = slots.setdefault(kind, {})
                    slot = by_source.setdefault(source, {})
                    if state in slot and slot[state][0].price <= step.price:
                        continue
                    slot[state] = (step, rank)
        start[-1] = 0  # before the first line
        end = dict(self.join("document"))
        end[-1] = (0, ())  # an empty text costs nothing
        return start, end, _flatten(slots)

    def join(self, name: str) -> End:
        """Return the states that a rule may end in, with the price and mistakes of ending there.

        They include those of all rules that end there with it, in the order in which the
        alternatives lead to them.
        """
        if name not in self._joined:
            price = self.rules.prices[name]
            own = self.rules.named(name)
            ends: End = {}
            for order, symbols in enumerate(self.rules.alternatives[name]):
                state = self.states.get((name, order), -1)
                inner: End = {state: (0, ())}
                if state < 0:  # the alternative is another rule alone
                    inner = self.join(symbols[0].name)
                for source, (paid, names) in inner.items():
                    offer = (paid + price, names + own)
                    if source in ends and ends[source][0] <= offer[0]:
                        continue
                    # To the end of the dict: a later alternative leads there at a lower price.
                    ends.pop(source, None)
                    ends[source] = offer
            self._joined[name] = ends
        return self._joined[name]


def _flatten(slots: _Slots) -> Arcs:
    """Return one tuple of arcs for each kind and mode, in the order in which they were added."""
    arcs: Arcs = {}
    for kind, by_source in slots.items():
        arcs[kind] = {}
        for source, slot in by_source.items():
            row = []
            for target, (step, rank) in slot.items():
                row.append((target, step, rank))
            arcs[kind][source] = tuple(row)
    return arcs
