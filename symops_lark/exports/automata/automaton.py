"""Represent a language as a deterministic finite automaton, and minimize it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .alphabet import Alphabet, split_letters

Moves = dict[int, int]  # the letters that lead to each state
Groups = Mapping[int, int]  # the number of the group of each state
State = TypeVar("State", bound=Hashable)
Steps = Iterator[tuple[int, State]]  # letters, and the states after them


@dataclass(frozen=True)
class Automaton:
    """A deterministic automaton. It begins in state 0.

    Attributes:
        alphabet: The letters.
        moves: The moves of each state.
        accepting: The states in which a text can end.
    """

    alphabet: Alphabet
    moves: tuple[Mapping[int, int], ...]
    accepting: frozenset[int]

    def examples(self) -> list[str]:
        """Return a shortest text that leads to each state."""
        texts = {0: ""}
        waiting = [0]
        for state in waiting:
            for target, letters in self.moves[state].items():
                if target in texts:
                    continue
                texts[target] = texts[state] + self._show(letters)
                waiting.append(target)
        return [texts[state] for state in range(len(self.moves))]

    def _show(self, letters: int) -> str:
        """Return a character of a set of letters, a printable one if there is one."""
        characters = [self.alphabet.shown[letter] for letter in split_letters(letters)]
        return min(characters, key=lambda character: not character.isprintable())

    def minimal(self) -> Automaton:
        """Return the smallest automaton of the same language.

        States from which no text ends are left out.

        Raises:
            ValueError: The language is empty.
        """
        living = self._find_living()
        if 0 not in living:
            raise ValueError("no text is in the language")
        kinds = {}
        for state in sorted(living):
            kinds[state] = state in self.accepting

        def describe(state: int, groups: Groups) -> Hashable:
            moves = self._merge(state, groups)
            return frozenset(moves.items())

        groups = refine(kinds, describe)
        return self._collapse(groups)

    def step(self, state: int, letter: int) -> int | None:
        """Return the state after a letter; None if no text continues with it."""
        for target, letters in self.moves[state].items():
            if letters >> letter & 1:
                return target
        return None

    def _merge(self, state: int, groups: Groups) -> Moves:
        """Return the moves of a state to groups, without states that have no group."""
        moves: Moves = {}
        for target, letters in self.moves[state].items():
            if target in groups:
                number = groups[target]
                moves[number] = moves.get(number, 0) | letters
        return moves

    def _find_living(self) -> set[int]:
        """Return the states from which a text can end."""
        sources = defaultdict(list)
        for state, targets in enumerate(self.moves):
            for target in targets:
                sources[target].append(state)
        living = set(self.accepting)
        waiting = list(living)
        # The list grows while it is read.
        for target in waiting:
            for state in sources[target]:
                if state in living:
                    continue
                living.add(state)
                waiting.append(state)
        return living

    def _collapse(self, groups: Groups) -> Automaton:
        """Return the automaton of the groups, numbered in breadth-first order."""
        # All states of a group have the same moves to groups, so one of them is enough.
        members: dict[int, int] = {}
        for state, number in groups.items():
            members.setdefault(number, state)
        order = {groups[0]: 0}
        waiting = list(order)
        moves = []
        for number in waiting:
            merged = self._merge(members[number], groups)
            # By the lowest letter, so that equal languages get equal numbers.
            lowest = {target: letters & -letters for target, letters in merged.items()}
            for target in sorted(lowest, key=lowest.__getitem__):
                if target in order:
                    continue
                order[target] = len(order)
                waiting.append(target)
            targets = {}
            for target, letters in merged.items():
                targets[order[target]] = letters
            moves.append(targets)
        accepting = set()
        for state in self.accepting:
            target = groups.get(state, -1)
            # Other groups cannot be reached.
            if target in order:
                accepting.add(order[target])
        return Automaton(self.alphabet, tuple(moves), frozenset(accepting))


def explore(
    start: State, follow: Callable[[State], Steps[State]]
) -> tuple[list[State], tuple[Moves, ...]]:
    """Number the states that can be reached from one state, in breadth-first order.

    Args:
        start: The state, which gets the number 0.
        follow: Yields the letters after which a state can continue, and the state after each.

    Returns:
        The states, and the moves of each.
    """
    numbers = {start: 0}
    states = [start]
    moves = []
    for state in states:
        targets: Moves = {}
        for letter, target in follow(state):
            if target not in numbers:
                numbers[target] = len(states)
                states.append(target)
            number = numbers[target]
            targets[number] = targets.get(number, 0) | 1 << letter
        moves.append(targets)
    return states, tuple(moves)


def refine(
    kinds: Mapping[int, Hashable], describe: Callable[[int, Groups], Hashable]
) -> dict[int, int]:
    """Divide states into groups that cannot be distinguished.

    This is Moore's algorithm: groups are divided until nothing changes.

    Args:
        kinds: The states that may share a group have the same kind.
        describe: Returns where a state leads, in terms of the groups so far.

    Returns:
        The number of the group of each state.
    """
    # States of different kinds never share a group.
    groups = _number(kinds)
    while True:
        keys = {}
        for state, number in groups.items():
            keys[state] = (number, describe(state, groups))
        refined = _number(keys)
        # Groups are only divided, so the same number of groups means the same groups.
        if max(refined.values()) == max(groups.values()):
            return refined
        groups = refined


def _number(keys: Mapping[int, Hashable]) -> dict[int, int]:
    """Return a number for each state, which is the same for equal keys."""
    numbers: dict[Hashable, int] = {}
    groups = {}
    for state, key in keys.items():
        groups[state] = numbers.setdefault(key, len(numbers))
    return groups
