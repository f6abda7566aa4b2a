"""Find the points between terminals at which the parser of a dialect can be.

A point is a set of stacks of the LALR parser after which the same texts follow. The rules of a
dialect do not nest in themselves, so the number of stacks is finite.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ...core.grammar.lalr import END, read_states
from ...core.ground.numbers import grouped
from .automaton import Groups, refine
from .terminals import NotRegular

MAX_STATES = 20_000
_MAX_DEPTH = 60  # of a stack; deeper ones come from rules that nest in themselves
# The flags of well-formed texts.
_BEGUN = 1  # the text has a section
_AWAITS_BLOCK = 2  # after a verb that writes
Stack = tuple[int, ...]
Targets = dict[str, int]  # the point after each terminal
Names = frozenset[str]  # of terminals


class Points:
    """The points of a parser. Point 0 is the beginning.

    Attributes:
        moves: The point after each terminal, by point.
        seen: The terminals that the lexer looks for, by point.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self._states = read_states(tables)
        self._rules = tables["rules"]
        self._end = tables["ends"]["document"]
        ignored = frozenset(tables["ignored"])
        terminals = {END}
        for name, *_ in tables["terminals"]:
            terminals.add(name)
        start: Stack = (tables["starts"]["document"],)
        stacks = {start: 0}
        waiting = [start]
        moves: list[Targets] = []
        lookups: list[Names] = []
        for stack in waiting:
            targets: Targets = {}
            names = terminals & self._states[stack[-1]].keys()
            for name in sorted(names):
                after = self._advance(stack, name)
                if after is None:
                    continue
                if name == END:
                    targets[END] = 0
                    continue
                point = stacks.setdefault(after, len(stacks))
                if point == len(waiting):
                    waiting.append(after)
                targets[name] = point
            # Ignored terminals change nothing.
            for name in ignored:
                targets[name] = stacks[stack]
            moves.append(targets)
            lookups.append(frozenset(names) | ignored)
            if len(stacks) > MAX_STATES:
                raise NotRegular(f"its parser has more than {grouped(MAX_STATES)} points")
        self._merge(moves, lookups)

    def _merge(self, moves: list[Targets], lookups: list[Names]) -> None:
        """Merge the stacks after which the same texts follow."""

        def describe(stack: int, groups: Groups) -> Hashable:
            return frozenset(translate(stack, groups).items())

        def translate(stack: int, groups: Groups) -> Targets:
            targets = {}
            for name, target in moves[stack].items():
                targets[name] = groups[target]
            return targets

        groups = refine(dict(enumerate(lookups)), describe)
        self.moves: dict[int, Targets] = {}
        self.seen: dict[int, Names] = {}
        for stack, point in groups.items():
            # All stacks of a point have the same moves.
            if point not in self.moves:
                self.seen[point] = lookups[stack]
                self.moves[point] = translate(stack, groups)

    def _advance(self, stack: Stack, name: str) -> Stack | None:
        """Return the stack after a terminal; None if the terminal is an error here."""
        if len(stack) > _MAX_DEPTH:
            raise NotRegular("sections are nested in each other to any depth")
        for _, reduced in self._reduce(stack, name):
            stack = reduced
        if name == END and stack[-1] == self._end:
            return stack
        action = self._find_action(stack, name)
        if action is None:
            return None
        _, target = action
        return (*stack, target)

    def _find_action(self, stack: Stack, name: str) -> tuple[bool, int] | None:
        """Return whether the parser shifts a terminal, with the next state, or reduces a rule."""
        state = stack[-1]
        return self._states[state].get(name)

    def _reduce(self, stack: Stack, name: str) -> Iterator[tuple[str, Stack]]:
        """Yield the rules that end before a terminal, with the stack after each."""
        while True:
            action = self._find_action(stack, name)
            if action is None:
                return
            is_shift, target = action
            if is_shift:
                return
            rule, _, symbols, _, _ = self._rules[target]
            below = stack[: len(stack) - len(symbols)]
            _, state = self._states[below[-1]][rule]
            stack = (*below, state)
            yield rule, stack


class WellFormedPoints(Points):
    """Points of texts that are also well formed.

    Each stack begins with flags, as a negative number.
    """

    def __init__(self, tables: dict[str, Any], writing: Names) -> None:
        self._writing = writing
        super().__init__(tables)

    def _advance(self, stack: Stack, name: str) -> Stack | None:
        flags = 0
        # The first stack has no flags.
        if stack[0] < 0:
            flags = -1 - stack[0]
            stack = stack[1:]
        # The terminal VERB is an unknown verb.
        if name == "VERB":
            return None
        if name == END and not flags & _BEGUN:
            return None
        needs_block = flags & _AWAITS_BLOCK and name != "BLOCK"
        if needs_block and self._ends_action(stack, name):
            return None
        after = super()._advance(stack, name)
        if after is None:
            return None
        if name not in ("_GAP", END):
            flags |= _BEGUN
        if name in self._writing:
            flags |= _AWAITS_BLOCK
        if name == "BLOCK":
            flags &= ~_AWAITS_BLOCK
        return (-1 - flags, *after)

    def _ends_action(self, stack: Stack, name: str) -> bool:
        """Return whether an action is complete before a terminal."""
        return any(rule == "action" for rule, _ in self._reduce(stack, name))
