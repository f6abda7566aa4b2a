"""The steps of an LALR parse by any grammar: tokens, the rules that end before each, its stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.text.source import Source
from ...error_correcting import ErrorCorrectingParser
from ...error_correcting.edits import END, Leaf
from ...error_correcting.lr_stack import Stack, StackParser


@dataclass(frozen=True, slots=True)
class ParseStep:
    """A token that the parser takes: its place, its text, and the rules that end before it."""

    line: int
    column: int
    terminal: str
    text: str
    reduced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParseTrace:
    """The steps up to the end, or up to the place where the parser stops.

    Attributes:
        steps: The steps.
        line: The line where the parser stops, from 1; 0 if the text is valid.
        column: The column, from 1.
        expected: The terminals that fit there.
    """

    steps: tuple[ParseStep, ...]
    line: int = 0
    column: int = 0
    expected: tuple[str, ...] = ()


class _Recorder(StackParser):
    """A parser on Lark's tables that records its reductions."""

    def __init__(self, lark: Any, start: str) -> None:
        super().__init__(lark, start)
        self.reduced: list[str] = []

    def shift(self, stack: Stack, symbol: str, value: Any) -> Stack:
        if not isinstance(value, Leaf):
            self.reduced.append(symbol)
        return super().shift(stack, symbol, value)


def trace_steps(parser: ErrorCorrectingParser, start: str, text: str) -> ParseTrace | None:
    """Return the steps of the parse of a text.

    None if the grammar is not read by LALR tables, or has a postlexer.

    Args:
        parser: The grammar.
        start: Its start rule.
        text: The text.
    """
    from lark.exceptions import UnexpectedInput

    compiled = parser.compiled
    # A postlexer inserts tokens that are not in the text.
    if not compiled.is_lalr or compiled.indentation is not None:
        return None
    recorder = _Recorder(compiled.reader, start)
    stack = Stack(recorder.start)
    steps = []
    source = Source(text)
    interactive = compiled.reader.parse_interactive(text)
    place = 0
    try:
        for token in interactive.iter_parse():
            reduced = recorder.reduce(stack, str(token.type))
            if reduced is None:
                break
            ended = tuple(recorder.reduced)
            recorder.reduced = []
            terminal = str(token.type)
            start_place = token.start_pos or 0
            place = token.end_pos or 0
            leaf = Leaf(terminal, start_place, place, str(token))
            stack = recorder.shift(reduced, terminal, leaf)
            steps.append(ParseStep(*source.place(start_place), terminal, str(token), ended))
        else:
            if recorder.reduce(stack, END) is not None:
                last = ParseStep(*source.place(len(text)), "", "", tuple(recorder.reduced))
                return ParseTrace((*steps, last))
    except UnexpectedInput:
        # No token begins there.
        pass
    # Blanks that the grammar ignores are before the place that a reader looks for.
    place += len(text[place:]) - len(text[place:].lstrip())
    names = recorder.states[stack.position]
    terminals = [name for name in names if name == END or name in compiled.tables.patterns]
    # Lark's tables reduce before some terminals that cannot follow.
    expected = [name for name in terminals if recorder.reduce(stack, name) is not None]
    return ParseTrace(tuple(steps), *source.place(place), tuple(sorted(expected)))
