"""Divide an automaton into pieces: lines, and parts of lines that are too long to repeat.

A piece ends after a newline, and before a state where paths join if the text after it is long.
"""

from __future__ import annotations

from ..core.grammar.compiling.positions import find_components
from .automata.automaton import Automaton
from .expressions import NOTHING, Expression, in_order, one_of, repeated

_START = -2  # the state before the first one
_END = -1
_MAX_RANGES = 40  # ranges of characters in a piece after a join; longer ones are not repeated
# By the state where a piece begins and the one where it ends. None: the text ends there.
Ends = dict[int | None, "Steps"]
Pieces = dict[tuple[int, int | None], Expression]
Steps = dict[int, Expression]  # the texts that lead to each state


def find_pieces(automaton: Automaton) -> Pieces:
    """Return the texts of all pieces between two states as one expression.

    Whether a piece ends is clear from its last character, and the pieces that begin in a state
    exclude each other.
    """
    cuts = _Cuts(automaton)
    pieces: Pieces = {}
    starts = [0]
    for start in starts:
        # A piece can end in a state where others begin.
        inner = cuts.walk(start)
        for end, last_steps in _find_ends(automaton, start, inner, cuts).items():
            pieces[start, end] = _eliminate(start, inner, last_steps, cuts)
            if end is not None and end not in starts:
                starts.append(end)
    return pieces


def _find_ends(automaton: Automaton, start: int, inner: list[int], cuts: _Cuts) -> Ends:
    """Return the last steps of the pieces that begin in a state, by the end of the piece.

    Args:
        automaton: The automaton.
        start: The state.
        inner: The states inside of these pieces.
        cuts: The places where pieces end.
    """
    ends: Ends = {}
    for state in inner:
        for target, letters in automaton.moves[state].items():
            last = letters & cuts.last(state, target)
            if last:
                ends.setdefault(target, {})[state] = last
        if state in automaton.accepting and state != start:
            ends.setdefault(None, {})[state] = NOTHING
    return ends


class _Cuts:
    """The places where pieces end.

    Attributes:
        newline: The letter of the newline, as a set.
        joins: The states where paths join, if the text after them is long. A piece ends on the way
            into them, except inside of a loop.
    """

    def __init__(self, automaton: Automaton) -> None:
        self._moves = automaton.moves
        self.newline = 1 << automaton.alphabet.letter("\n")
        self.joins: set[int] = set()
        self._loops: dict[int, int] = {}
        # Without joins, only newlines end pieces.
        onward = [list(self.inside(state)) for state, _ in enumerate(self._moves)]
        # Later loops have lower numbers. A state without a loop has a number too.
        for number, component in enumerate(find_components(onward)):
            for state in component:
                self._loops[state] = -number
        sources: dict[int, set[int]] = {}
        for state, targets in enumerate(onward):
            for target in targets:
                if not self._is_loop(state, target):
                    sources.setdefault(target, set()).add(state)
        # Later states first, because the text after a state ends at the joins after it.
        for target in sorted(sources, key=lambda state: self._loops[state]):
            if len(sources[target]) < 2:
                continue
            if self._measure(automaton, target) > _MAX_RANGES:
                self.joins.add(target)

    def _is_loop(self, state: int, target: int) -> bool:
        return self._loops[state] == self._loops[target]

    def _measure(self, automaton: Automaton, start: int) -> int:
        """Return the number of ranges in the pieces that begin in a state."""
        count = 0
        for state in self.walk(start):
            for letters in automaton.moves[state].values():
                count += len(automaton.alphabet.ranges(letters))
        return count

    def last(self, state: int, target: int) -> int:
        """Return the letters that end a piece on the way from a state to another."""
        if target in self.joins and not self._is_loop(state, target):
            return -1
        return self.newline

    def inside(self, state: int) -> Steps:
        """Return the steps from a state after which its piece continues."""
        steps: Steps = {}
        for target, letters in self._moves[state].items():
            letters &= ~self.last(state, target)
            if letters:
                steps[target] = letters
        return steps

    def walk(self, start: int) -> list[int]:
        """Return the states inside of the pieces that begin in a state, this one first."""
        states = [start]
        for state in states:
            for target in self.inside(state):
                if target not in states:
                    states.append(target)
        return states


def _eliminate(start: int, inner: list[int], last_steps: Steps, cuts: _Cuts) -> Expression:
    """Return the texts from a state to an end, by state elimination.

    Args:
        start: The state where the piece begins.
        inner: The states inside of the piece.
        last_steps: The last step of the piece from each of its states.
        cuts: The places where pieces end.
    """
    # Nothing leads back to this extra state.
    edges = {_START: {start: NOTHING}}
    for state in inner:
        edges[state] = cuts.inside(state)
        if state in last_steps:
            edges[state][_END] = last_steps[state]
    waiting = set(inner)
    while waiting:
        sources = _find_sources(edges, waiting)
        # The state with the fewest paths through it gives the shortest expressions.
        paths = {}
        for state in waiting:
            ways_out = edges[state].keys() - {state}
            paths[state] = len(sources[state]) * len(ways_out)
        state = min(waiting, key=lambda state: (paths[state], -state))
        waiting.remove(state)
        targets = edges.pop(state)
        loop = targets.pop(state, None)
        # The loop of the state is repeated between the two steps.
        turns = [] if loop is None else [repeated(loop)]
        for source in sources[state]:
            ways = edges[source]
            first = ways.pop(state)
            for target, second in targets.items():
                way = in_order([first, *turns, second])
                if target in ways:
                    way = one_of([ways[target], way])
                ways[target] = way
    return edges[_START][_END]


def _find_sources(edges: dict[int, Steps], states: set[int]) -> dict[int, list[int]]:
    """Return the states that lead to each state, without itself."""
    sources: dict[int, list[int]] = {state: [] for state in states}
    for source, targets in edges.items():
        for target in targets:
            if target in sources and target != source:
                sources[target].append(source)
    return sources
