"""CPCT+: the error recovery of Diekmann and Tratt, as a peer to compare with.

At each error the cheapest sequences of insertions and deletions are searched that let the parser shift three more
tokens. All cheapest sequences are tried, and the one that leads furthest is kept. Edits are made only at the token
where the error was noticed, or after it, and the grammar must be LALR.

L. Diekmann and L. Tratt, Don't Panic! Better, Fewer, Syntax Errors for LR Parsers, ECOOP 2020,
https://doi.org/10.4230/LIPIcs.ECOOP.2020.6.
"""

from __future__ import annotations

import heapq
from itertools import count
from typing import NamedTuple

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.edits import END
from symops_lark.error_correcting.lr_stack import Stack, StackParser
from symops_lark.error_correcting.scanner import Scanner

SHIFTS = 3  # tokens that must follow a repair
AHEAD = 250  # tokens by which cheapest repairs are compared
MOST_STEPS = 20_000  # of one error; the paper bounds the time
_MOST_REPAIRS = 30

Word = tuple[str, str]  # a terminal and its text; no terminal: the lexer cannot read it


class Recovery(NamedTuple):
    """The result: the repaired text and the number of edits; without a text the bound was met."""

    text: str | None
    edits: int


class State(NamedTuple):
    """A search state: the stack, the next token, the tokens that were kept or inserted, and the shifts in a row."""

    stack: Stack
    place: int
    words: tuple[Word, ...]
    shifts: int
    has_deleted: bool


class Cpct:
    """CPCT+ for one grammar."""

    def __init__(self, parser: ErrorCorrectingParser) -> None:
        """Use the tables of a parser; its grammar must be LALR."""
        self.tables = parser.compiled.tables
        self.stack_parser = StackParser(parser.lark, parser.lark.options.start[0])

    def recover(self, text: str) -> Recovery:
        """Repair a text."""
        words = self._read(text)
        stack = Stack(self.stack_parser.start)
        texts: list[str] = []
        index = edits = 0
        while True:
            stack, index = self._advance(stack, index, words, texts)
            if index > len(words):
                return Recovery(" ".join(texts), edits)
            repairs, price = self._search(stack, index, words)
            if not repairs:
                return Recovery(None, edits)
            best = max(repairs, key=lambda state: self._reach(state, words))
            texts += [value for _, value in best.words]
            stack, index = best.stack, best.place
            edits += price
            if index > len(words):
                return Recovery(" ".join(texts), edits)

    def _read(self, text: str) -> list[Word]:
        """Return the tokens of a text by the basic lexer."""
        scanner = Scanner(self.tables, text, "basic")
        words: list[Word] = []
        place = 0
        while units := scanner.units(place):
            unit = units[0]
            words.append((unit.name, text[unit.start : unit.stop]))
            place = unit.stop
        return words

    def _next(self, stack: Stack, index: int, words: list[Word]) -> Stack | None:
        """Return the stack after the next token or the end; None if it is an error."""
        name = words[index][0] if index < len(words) else END
        reduced = self.stack_parser.reduce(stack, name)
        if reduced is None or name == END:
            return reduced
        return self.stack_parser.shift(reduced, name, None)

    def _advance(self, stack: Stack, index: int, words: list[Word], written: list[str]) -> tuple[Stack, int]:
        while index <= len(words):
            after = self._next(stack, index, words)
            if after is None:
                break
            if index < len(words):
                written.append(words[index][1])
            stack = after
            index += 1
        return stack, index

    def _reach(self, state: State, words: list[Word]) -> int:
        """Return how far the parser gets after a repair."""
        stack, index = state.stack, state.place
        while index <= min(len(words), state.place + AHEAD):
            after = self._next(stack, index, words)
            if after is None:
                break
            stack = after
            index += 1
        return index

    def _search(self, stack: Stack, index: int, words: list[Word]) -> tuple[list[State], int]:
        """Return all cheapest repairs of an error, and their price."""
        numbers = count()
        agenda = [(0, next(numbers), State(stack, index, (), 0, False))]
        repairs: list[State] = []
        cheapest = 0
        for _ in range(MOST_STEPS):
            if not agenda or len(repairs) == _MOST_REPAIRS:
                break
            price, _, state = heapq.heappop(agenda)
            if repairs and price > cheapest:
                break
            if price and (state.shifts >= SHIFTS or state.place > len(words)):
                repairs.append(state)
                cheapest = price
                continue
            for extra, following in self._edits(state, words):
                heapq.heappush(agenda, (price + extra, next(numbers), following))
        return repairs, cheapest

    def _edits(self, state: State, words: list[Word]) -> list[tuple[int, State]]:
        """Return the states after a shift, a deletion and each insertion, with their prices."""
        following: list[tuple[int, State]] = []
        after = self._next(state.stack, state.place, words)
        if after is not None:
            saved = state.words + tuple(words[state.place : state.place + 1])
            following.append((0, State(after, state.place + 1, saved, state.shifts + 1, False)))
        if state.place < len(words):
            following.append((1, state._replace(place=state.place + 1, shifts=0, has_deleted=True)))
        if state.has_deleted:  # an insertion after a deletion is the same as one before it
            return following
        for name in self.stack_parser.states[state.stack.position]:
            if name == END or name not in self.tables.samples or name not in self.tables.patterns:
                continue
            reduced = self.stack_parser.reduce(state.stack, name)
            if reduced is not None:
                shifted = self.stack_parser.shift(reduced, name, None)
                inserted = (*state.words, (name, self.tables.samples[name]))
                following.append((1, State(shifted, state.place, inserted, 0, False)))
        return following
