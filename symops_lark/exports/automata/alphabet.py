"""Divide all characters into the letters of an automaton.

Characters that no state distinguishes are one letter. Letters are numbered, and a set of letters is
an integer with one bit for each letter.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...core.grammar.compiling.character_sets import LAST, Ranges, invert

NEWLINE: Ranges = ((10, 10),)  # always a separate letter
WHITE = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}  # the escapes of all notations
# Characters for examples, best ones first.
_READABLE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@dataclass(frozen=True)
class Alphabet:
    """The letters of an automaton.

    Attributes:
        edges: The code points at which a piece begins, in order; the first is 0.
        letters: The letter of each piece.
    """

    edges: tuple[int, ...]
    letters: tuple[int, ...]

    def letter(self, character: str) -> int:
        """Return the letter of a character."""
        piece = bisect_right(self.edges, ord(character)) - 1
        return self.letters[piece]

    def ranges(self, letters: int) -> Ranges:
        """Return the code points of a set of letters, as ranges in order."""
        ranges: list[tuple[int, int]] = []
        end = 0
        next_edges = (*self.edges[1:], LAST + 1)
        for start, next_edge, letter in zip(self.edges, next_edges, self.letters, strict=True):
            if not letters >> letter & 1:
                continue
            # Adjacent pieces are one range.
            if ranges and end == start:
                start, _ = ranges.pop()
            end = next_edge
            ranges.append((start, end - 1))
        return tuple(ranges)

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """A character of each letter, which is readable if the letter has such a character."""
        characters: dict[int, str] = {}
        for character in _READABLE:
            characters.setdefault(self.letter(character), character)
        # The first character of a letter can be a control character.
        for edge, letter in zip(self.edges, self.letters, strict=True):
            characters.setdefault(letter, chr(edge))
        letters = sorted(characters)
        return tuple(characters[letter] for letter in letters)


def cut(sets: Iterable[Ranges]) -> tuple[Alphabet, dict[Ranges, int]]:
    """Divide all characters so that each set of code points is a set of letters.

    Returns:
        The alphabet with the fewest letters, and the letters of each set.
    """
    sets = sorted(set(sets))
    bounds = {0}
    for ranges in sets:
        for low, high in ranges:
            bounds.add(low)
            bounds.add(high + 1)
    # A set can end with the last code point.
    bounds.discard(LAST + 1)
    edges = sorted(bounds)
    pieces = {}
    # The sets that each piece belongs to: pieces with the same sets are one letter.
    members: list[set[int]] = []
    for number, edge in enumerate(edges):
        pieces[edge] = number
        members.append(set())
    for number, ranges in enumerate(sets):
        for low, high in ranges:
            start = pieces[low]
            end = pieces.get(high + 1, len(edges))
            for piece in range(start, end):
                members[piece].add(number)
    numbers: dict[frozenset[int], int] = {}
    letters = []
    for member in map(frozenset, members):
        letter = numbers.setdefault(member, len(numbers))
        letters.append(letter)
    masks = dict.fromkeys(sets, 0)
    for member, letter in numbers.items():
        for number in member:
            ranges = sets[number]
            masks[ranges] |= 1 << letter
    return Alphabet(tuple(edges), tuple(letters)), masks


def split_letters(letters: int) -> Iterator[int]:
    """Yield the letters of a set."""
    letter = 0
    while letters:
        if letters & 1:
            yield letter
        letters >>= 1
        letter += 1


def spell_class(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """Return a class of characters, in the form that all notations share.

    Args:
        ranges: The code points.
        spell: Writes a code point inside a class.
    """
    is_negated = ranges[-1][1] == LAST
    if is_negated:
        ranges = invert(ranges)
    parts = []
    for low, high in ranges:
        parts.append(spell(low))
        if low == high:
            continue
        # Two characters need no hyphen.
        if high > low + 1:
            parts.append("-")
        parts.append(spell(high))
    if is_negated:
        parts.insert(0, "^")
    return f"[{''.join(parts)}]"
