"""Turn a rule of a format into an automaton whose states are free texts.

A rule is regular. Thompson's construction makes moves of it, in which a part without a free text is
one move. Then all states but the start, the end and the free texts are eliminated (Kleene). Each
edge that remains is an expression without free texts: the marks between two free texts.

    write: "<file>" PATH "</file>" CONTENT "<end>"        CONTENT is free, PATH is not

    START  ─ <file> PATH </file> ─►  CONTENT  ─ <end> ─►  FINAL

S. C. Kleene, Representation of events in nerve nets and finite automata, in Automata Studies,
Princeton University Press 1956. J. A. Brzozowski and E. J. McCluskey, Signal flow graph techniques
for sequential circuit state diagrams, IEEE Transactions on Electronic Computers EC-12 (1963),
https://doi.org/10.1109/PGEC.1963.263416
"""

from __future__ import annotations

from collections.abc import Sequence as Rows
from typing import NamedTuple

from .expressions import (
    NOTHING,
    Choice,
    Expression,
    Many,
    Sequence,
    Term,
    branches,
    children,
    choice,
    sequence,
)
from .sections import FINAL, START, FreeText

# Patterns of free texts: any text, and any lines. Lark writes `\n` as a line feed.
ANY_TEXT = "(.|\n)*"
ANY_LINES = "([^\n]*\n)*"
_FREE = (ANY_TEXT, ANY_LINES)


class Edge(NamedTuple):
    """The marks that lead from one state to another."""

    expression: Expression
    target: int


class Automaton(NamedTuple):
    """The free texts of a rule by state, and the edges out of each state."""

    free: dict[int, FreeText]
    edges: dict[int, list[Edge]]


def is_free(expression: Expression) -> bool:
    """Return whether an expression contains a free text."""
    if isinstance(expression, Term):
        return not expression.is_hidden and expression.pattern in _FREE
    return any(map(is_free, children(expression)))


def build(expression: Expression) -> Automaton:
    """Return the automaton of a rule.

    Args:
        expression: The rule, with the rules in it written out.
    """
    builder = _Builder()
    builder.add(expression, START, FINAL)
    return Automaton(builder.free, builder.eliminate())


class _Builder:
    """Collects moves between states, and removes the states that are not free texts."""

    def __init__(self) -> None:
        self.free: dict[int, FreeText] = {}
        self.moves: dict[tuple[int, int], Expression] = {}
        self.state_count = 2

    def _new_state(self) -> int:
        self.state_count += 1
        return self.state_count - 1

    def _move(self, start: int, expression: Expression, end: int) -> None:
        pair = start, end
        self.moves[pair] = choice(self.moves.get(pair), expression)

    def add(self, expression: Expression, start: int, end: int) -> None:
        """Add the moves that read an expression between two states."""
        if not is_free(expression):
            self._move(start, expression, end)
            return
        match expression:
            case Term(name, pattern):
                state = self._new_state()
                # The moves into and out of the state read nothing.
                self.free[state] = FreeText(name, pattern == ANY_LINES)
                self._move(start, NOTHING, state)
                self._move(state, NOTHING, end)
            case Choice(parts):
                for part in parts:
                    self.add(part, start, end)
            case Sequence(parts):
                self._add_sequence(parts, start, end)
            case Many(part, sign):
                self._add_repetition(part, sign, start, end)

    def _add_sequence(self, parts: Rows[Expression], start: int, end: int) -> None:
        for index, part in enumerate(parts):
            # The last part leads to the end, the others to states of their order.
            target = end if index == len(parts) - 1 else self._new_state()
            self.add(part, start, target)
            start = target

    def _add_repetition(self, part: Expression, sign: str, start: int, end: int) -> None:
        first = self._new_state()
        last = self._new_state()
        self._move(start, NOTHING, first)
        self._move(last, NOTHING, end)
        self.add(part, first, last)
        # Another turn.
        if sign in "*+":
            self._move(last, NOTHING, first)
        # No turn.
        if sign in "*?":
            self._move(start, NOTHING, end)

    def eliminate(self) -> dict[int, list[Edge]]:
        """Remove all states but the start, the end and the free texts; return the edges."""
        # All other states only join parts of the rule.
        remaining = {START, FINAL, *self.free}
        for state in range(self.state_count):
            if state not in remaining:
                self._remove(state)
        edges: dict[int, list[Edge]] = {}
        for state in sorted(remaining - {FINAL}):
            edges[state] = []
        for (start, end), expression in self.moves.items():
            # Each alternative is an edge, so that its target is known when it matches.
            edges[start] += [Edge(branch, end) for branch in branches(expression)]
        return edges

    def _remove(self, state: int) -> None:
        # Any number of turns in the state that disappears.
        loop = self.moves.pop((state, state), NOTHING)
        turns = NOTHING if loop == NOTHING else Many(loop, "*")
        before = []
        after = []
        for (start, end), move in list(self.moves.items()):
            if end == state:
                before.append((start, move))
            elif start == state:
                after.append((end, move))
            else:
                continue
            del self.moves[start, end]
        # Each way through the state becomes a move past it.
        for start, incoming in before:
            for end, outgoing in after:
                self._move(start, sequence(incoming, turns, outgoing), end)
