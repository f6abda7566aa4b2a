"""A recovery grammar as a weighted automaton: the cheapest reading of a sequence of line kinds, in linear time.

A left-linear grammar whose rules have prices *is* a weighted automaton: modes are its states, lines its letters.
Running it by dynamic programming over (min, +) gives the parse that Lark's Earley parser would choose, at a few
microseconds a line instead of a millisecond; the tests hold the two against each other and against exhaustive search.

Of readings with equal prices the one wins that Lark would choose: from the end of the text backwards, at each rule the
alternative that the file writes first. So the order of alternatives is the author's tie-break in both engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ..errors import GrammarError
from .priced_rules import PricedRules, Step, ViterbiPath, load_rules

Start = dict[int, int]  # mode → price
End = dict[int, tuple[int, tuple[str, ...]]]  # mode → price, and what is then missing; of equal prices the first wins
Arcs = dict[str, dict[int, tuple[tuple[int, Step, int], ...]]]  # kind → mode → (mode behind the line, step, rank)
Tables = tuple[Start, End, Arcs]


class Automaton:
    """The automaton of one recovery grammar; `read` finds the cheapest way through it."""

    def __init__(self, rules: PricedRules) -> None:
        self.path = rules.path
        self.mistakes = rules.mistakes
        compiler = _Compiler(rules)
        self._start, self._end, self._arcs = compiler.compile()
        self.kinds = tuple(self._arcs)
        self.modes = compiler.modes

    @property
    def tables(self) -> Tables:
        """The prices of starting in a mode, of ending in one (with what is then missing), and the arcs of each kind.

        Mode -1 is before the first line. Arcs lead from a mode to modes, each with its step, by kind of line; of arcs
        to one mode with equal prices the one of the lowest rank wins.
        """
        return self._start, self._end, self._arcs

    def read(self, kinds: Sequence[str]) -> ViterbiPath:
        """Return the cheapest reading of line kinds; raise `GrammarError` if there is none."""
        costs = dict(self._start)
        trail: list[dict[int, tuple[int, Step, int]]] = []
        for kind in kinds:
            new: dict[int, int] = {}
            came: dict[int, tuple[int, Step, int]] = {}
            arcs = self._arcs.get(kind, {})
            for mode, cost in costs.items():
                for target, step, rank in arcs.get(mode, ()):
                    total = cost + step.price
                    known = new.get(target, 1 << 60)
                    if total < known or (total == known and rank < came[target][2]):
                        new[target] = total
                        came[target] = (mode, step, rank)
            if not new:
                raise GrammarError(
                    f"{self.path}: no rule gives a line of kind {kind} a role here; the grammar is not total"
                )
            costs = new
            trail.append(came)
        endings = [(costs[mode] + paid, mode, missing) for mode, (paid, missing) in self._end.items() if mode in costs]
        if not endings:
            raise GrammarError(f"{self.path}: a text must not end behind a line of kind {kinds[-1]}; not total")
        price, mode, at_end = min(endings, key=lambda ending: ending[0])
        steps: list[Step] = []
        for came in reversed(trail):
            mode, step, _ = came[mode]
            steps.append(step)
        return ViterbiPath(tuple(reversed(steps)), at_end, price)


@lru_cache(maxsize=16)
def load_automaton(path: Path, text: str) -> Automaton:
    """Return the automaton of a recovery grammar, compiled once; raise `GrammarError` if it is not left-linear."""
    return Automaton(load_rules(path, text))


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
        count = 0
        for name in rules.structural:
            joins = True
            for order, symbols in enumerate(rules.alternatives[name]):
                before, joins = joins, len(symbols) == 1 and rules.is_structural(symbols[0])
                if not joins:
                    count += before
                    self.states[name, order] = count - 1

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
            kind: {source: tuple((target, *arc) for target, arc in slot.items()) for source, slot in by.items()}
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
                        found.pop(source, None)  # to the end: a cheaper way that a later alternative leads
                        found[source] = offer
            self._joined[name] = found
        return self._joined[name]
