"""Build a nondeterministic automaton of the terminals of a dialect.

The moves from a state are in the order in which a matcher tries them, because a lazy repetition
prefers to end and a greedy one prefers to continue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.grammar.compiling.regular import Node, Ranges, Unsupported, invert, read_pattern
from ...core.ground.errors import SymOpsError

_MAX_PARTS = 50_000  # states of all terminals
Threads = tuple[int, ...]  # states that a matcher is in, the preferred one first
Match = tuple[Threads, str | None]  # with the terminal that ends
Rows = Sequence[Sequence[Any]]  # of the table of terminals


class NotRegular(SymOpsError):
    """The language of a dialect is not regular, or its automaton is too large.

    Attributes:
        terminal: The terminal that causes it; empty: the rules cause it.
    """

    def __init__(self, message: str, terminal: str = "") -> None:
        super().__init__(message)
        self.terminal = terminal


class Terminals:
    """The automaton of all terminals.

    Attributes:
        silent: The states that each state leads to without a character.
        edges: The characters of the states that read one, and the next state.
        ends: The terminal that ends in a state.
        begins: The first state of each terminal.
    """

    def __init__(self, rows: Rows) -> None:
        self.silent: list[list[int]] = []
        self.edges: dict[int, tuple[Ranges, int]] = {}
        self.ends: dict[int, str] = {}
        self.begins: dict[str, int] = {}
        for name, pattern, *_ in rows:
            try:
                begin = self._state()
                end = self._state()
                self._build(read_pattern(pattern, ascii_only=False), begin, end)
            except (Unsupported, RecursionError) as error:
                message = f"the terminal {name} is not a regular language: {error}"
                raise NotRegular(message, name) from None
            self.begins[name] = begin
            self.ends[end] = name

    def _state(self) -> int:
        if len(self.silent) > _MAX_PARTS:
            raise Unsupported("it is too large")
        self.silent.append([])
        return len(self.silent) - 1

    def _build(self, node: Node, begin: int, end: int) -> None:
        """Add the states of a pattern between two states."""
        match node:
            case ("set", ranges, is_negated):
                state = self._state()
                ranges = invert(ranges) if is_negated else tuple(sorted(ranges))
                self.edges[state] = (ranges, end)
                self.silent[begin].append(state)
            case ("any", branches):
                for branch in branches:
                    state = self._state()
                    self.silent[begin].append(state)
                    self._build(branch, state, end)
            case ("all", parts):
                for part in parts:
                    begin = self._append(part, begin)
                self.silent[begin].append(end)
            case ("times", part, low, high, is_lazy):
                self._repeat(part, begin, end, low, high, is_lazy)
            case ("other", name):
                raise Unsupported(f"{name.lower().replace('_', ' ')} is in it")

    def _repeat(
        self, part: Node, begin: int, end: int, low: int, high: int | None, is_lazy: bool
    ) -> None:
        """Add a repetition: `low` to `high` times; None: any number of times."""
        choices = []
        for number in range(low if high is None else high):
            if number >= low:
                state = self._state()
                choices.append((begin, state))
                begin = state
            begin = self._append(part, begin)
        # A state for the loop: from it, a matcher can take another turn or leave.
        if high is None:
            loop = self._state()
            self.silent[begin].append(loop)
            turn = self._state()
            choices.append((loop, turn))
            self.silent[self._append(part, turn)].append(loop)
        else:
            self.silent[begin].append(end)
        for state, onward in choices:
            self.silent[state] += [end, onward] if is_lazy else [onward, end]

    def _append(self, part: Node, begin: int) -> int:
        end = self._state()
        self._build(part, begin, end)
        return end

    def close(self, states: Sequence[int]) -> Match:
        """Return the states that read a character, and the terminal that ends here.

        If a terminal ends, less preferred states are left out.
        """
        threads: list[int] = []
        visited = set()
        waiting = list(reversed(states))
        while waiting:
            state = waiting.pop()
            if state in visited:
                continue
            visited.add(state)
            # A matcher never prefers what comes after the end of a terminal.
            if state in self.ends:
                return tuple(threads), self.ends[state]
            if state in self.edges:
                threads.append(state)
            waiting += reversed(self.silent[state])
        return tuple(threads), None
