"""Lark's LALR tables on an immutable stack.

An immutable stack is a checkpoint that costs nothing. Its values are applied rules, not trees:
Lark's own callbacks change the children of trees in place, which would spoil other checkpoints.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lark import Lark
from lark.exceptions import UnexpectedInput

from ..core.grammar.compiling.lark_insides import read_parse_table, read_tokens_from
from .edits import END, Edit, Leaf, Node


class Stack(NamedTuple):
    """The top of an LR stack, and the stack below."""

    position: Any
    symbol: str = ""
    value: Any = None
    below: Any = None


@dataclass
class Run:
    """A repair in progress: the state of the parser, and the price up to there.

    Attributes:
        stack: The stack.
        place: The place after the last token.
        edits: The edits so far.
        price: Their price.
        error: The place of the next error; -1: none was found yet.
        trail: The last places before it, each with its stack.
        root: The derivation of the complete text.
    """

    stack: Stack
    place: int
    edits: tuple[Edit, ...] = ()
    price: int = 0
    error: int = -1
    trail: list[tuple[int, Stack]] = field(default_factory=list)
    root: Any = None


class _Position:
    """The part of a parser that Lark's contextual lexer reads."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    @property
    def position(self) -> Any:
        return self.stack.position


class StackParser:
    """Parses from any place with any stack."""

    def __init__(self, lark: Lark, start: str) -> None:
        """Read the tables of a parser.

        Args:
            lark: An LALR parser.
            start: The start rule.
        """
        table = read_parse_table(lark)
        self.lark = lark
        self.states = table.states
        self.start = table.starts[start]
        self.end = table.ends[start]

    def advance(self, run: Run, text: str, back: int) -> None:
        """Parse to the next error, or to the end.

        Args:
            run: Where to begin; receives the error or the derivation.
            text: The text.
            back: The number of places before the error to record.
        """
        if run.root is not None:
            return
        stack = run.stack
        # The lexer reads the state before each token, so the stack is updated there.
        parser = _Position(stack)
        # Only the last places are needed: a window begins at the first of them.
        trail = deque([(run.place, stack)], maxlen=back + 1)
        moved: Stack | None = stack
        try:
            for token in read_tokens_from(self.lark, text, run.place, parser):
                moved = self.reduce(stack, str(token.type))
                if moved is None:
                    break
                start, stop = token.start_pos or 0, token.end_pos or 0
                name = str(token.type)
                leaf = Leaf(name, start, stop, str(token))
                stack = parser.stack = self.shift(moved, leaf.name, leaf)
                trail.append((leaf.stop, stack))
            else:
                moved = self.reduce(stack, END)
        except UnexpectedInput:
            moved = None
        if moved is None:
            run.error = trail[-1][0]
            run.trail = list(trail)
        else:
            run.root = moved.value

    def shift(self, stack: Stack, symbol: str, value: Any) -> Stack:
        """Return the stack after a symbol that its state allows.

        Args:
            stack: The stack.
            symbol: The symbol.
            value: Its value.
        """
        moves = self.states[stack.position]
        target = moves[symbol][1]
        return Stack(target, symbol, value, stack)

    def reduce(self, stack: Stack, terminal: str) -> Stack | None:
        """Reduce until a terminal can be shifted; return None if it is an error.

        Args:
            stack: The stack.
            terminal: The terminal; at the end of the text the start rule is reduced, too.
        """
        while True:
            move = self.states[stack.position].get(terminal)
            if move is None:
                return None
            is_shift, rule = move
            if is_shift:
                return stack
            # The values of a rule are on the top of the stack.
            children: list[Any] = []
            for _ in rule.expansion:
                children.append(stack.value)
                stack = stack.below
            node = Node(rule, tuple(reversed(children)))
            name = str(rule.origin.name)
            stack = self.shift(stack, name, node)
            # The start rule is reduced before the end of the text.
            if terminal == END and stack.position == self.end:
                return stack

    def rebuild(
        self, symbols: Sequence[tuple[str, Any]], rename: Callable[[str], str]
    ) -> Stack | None:
        """Return the stack of symbols; None if the tables do not have it.

        Args:
            symbols: The symbols and values of a prefix of a text.
            rename: Returns the name of a symbol in this parser.
        """
        # Each symbol of a prefix leads to one state.
        stack = Stack(self.start)
        for name, value in symbols:
            symbol = rename(name)
            move = self.states[stack.position].get(symbol)
            if move is None or not move[0]:
                # The next token decides on a reduction that the chart has not made yet.
                return None
            stack = Stack(move[1], symbol, value, stack)
        return stack


def symbols_of(stack: Stack, rename: Callable[[str], str]) -> list[tuple[str, Any]]:
    """Return the symbols of a stack with their values, from the bottom.

    Args:
        stack: The stack.
        rename: Returns the name of a symbol in the tables of the search.
    """
    symbols: list[tuple[str, Any]] = []
    while stack.below is not None:
        symbols.append((rename(stack.symbol), stack.value))
        stack = stack.below
    # The stack was read from its top.
    symbols.reverse()
    return symbols
