"""Allow lines before a text that begin with no mark."""

from __future__ import annotations

from collections.abc import Iterable

from .alphabet import Alphabet
from .automaton import Automaton, Steps, explore

_BLANKS = " \t\r"
# The name of the state of a line that begins with no mark. No line has this character.
_FREE = "\n"
_DEAD = (None, frozenset[int]())
# The state of the line, or None after a mark, and the states of the texts that began after a line.
Pair = tuple[int | None, frozenset[int]]


def allow_lead_in(language: Automaton, marks: Iterable[str]) -> Automaton:
    """Return a language whose texts may begin with lines that begin with no mark.

    Blanks before a mark do not hide it. The letters of the language must distinguish the
    characters of the marks.

    Args:
        language: The language: the rest of each text belongs to it.
        marks: The marks.
    """
    lines = find_lead_in(language.alphabet, marks)

    def follow(pair: Pair) -> Steps[Pair]:
        line, states = pair
        for letter, _ in enumerate(language.alphabet.shown):
            line_after = None
            if line is not None:
                line_after = lines.step(line, letter)
            after = set()
            # After a line, the language can begin.
            if line_after == 0:
                after.add(0)
            for state in states:
                target = language.step(state, letter)
                if target is not None:
                    after.add(target)
            pair_after = (line_after, frozenset(after))
            # Other pairs lead to no text.
            if pair_after != _DEAD:
                yield letter, pair_after

    start: Pair = (0, frozenset([0]))
    pairs, moves = explore(start, follow)
    accepting = set()
    for number, (_, states) in enumerate(pairs):
        if states & language.accepting:
            accepting.add(number)
    automaton = Automaton(language.alphabet, moves, frozenset(accepting))
    return automaton.minimal()


def find_lead_in(alphabet: Alphabet, marks: Iterable[str]) -> Automaton:
    """Return the lines that begin with no mark, as an automaton.

    Args:
        alphabet: The letters. They distinguish the characters of the marks.
        marks: The marks.
    """
    marks = tuple(marks)

    # A state is the beginning of a line so far: only blanks, or a part of a mark, or anything else.
    def follow(start: str) -> Steps[str]:
        for letter, character in enumerate(alphabet.shown):
            after = start + character
            is_begun = any(mark.startswith(after) for mark in marks)
            if character == "\n" or (start == "" and character in _BLANKS):
                after = ""
            elif start == _FREE or not is_begun:
                after = _FREE
            # A line must not begin with a mark.
            if after not in marks:
                yield letter, after

    _, moves = explore("", follow)
    return Automaton(alphabet, moves, frozenset([0]))
