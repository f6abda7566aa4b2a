"""A finite automaton over classes of characters: what a constrained decoder follows, whatever its notation.

Characters that no state tells apart are one letter, numbered; a set of letters is an integer, bit by bit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..core.grammar.compiling.character_sets import LAST, Ranges, invert

NEWLINE: Ranges = ((10, 10),)  # always a letter of its own
WHITE = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}  # as all notations spell them
_BLANKS = " \t\r"
_REST = "\n"  # the state of a line that begins with no mark: no line has this character
_SHOWN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@dataclass(frozen=True)
class Alphabet:
    """Letters: the code points from 0 are cut at `edges`, and each piece belongs to the letter in `letters`."""

    edges: tuple[int, ...]  # where a piece begins, 0 first
    letters: tuple[int, ...]

    def letter(self, character: str) -> int:
        """Return the letter that a character belongs to."""
        return self.letters[bisect_right(self.edges, ord(character)) - 1]

    def ranges(self, letters: int) -> Ranges:
        """Return the code points of a set of letters, as ranges in order."""
        found: list[tuple[int, int]] = []
        ends = (*(edge - 1 for edge in self.edges[1:]), LAST)
        for begin, end, letter in zip(self.edges, ends, self.letters, strict=True):
            if letters >> letter & 1:
                if found and found[-1][1] + 1 == begin:
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((begin, end))
        return tuple(found)

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """A character for each letter, a readable one where there is one."""
        found: dict[int, str] = {}
        for character in _SHOWN:
            found.setdefault(self.letter(character), character)
        for edge, letter in zip(self.edges, self.letters, strict=True):
            found.setdefault(letter, chr(edge))
        return tuple(found[letter] for letter in sorted(found))


def cut(sets: Iterable[Ranges]) -> tuple[Alphabet, dict[Ranges, int]]:
    """Return the coarsest alphabet that tells sets of code points apart, and the letters of each set."""
    sets = sorted(set(sets))
    edges = sorted({0, *(p for ranges in sets for low, high in ranges for p in (low, high + 1) if p <= LAST)})
    place = {edge: number for number, edge in enumerate(edges)}
    member: list[set[int]] = [set() for _ in edges]
    for number, ranges in enumerate(sets):
        for low, high in ranges:
            for piece in range(place[low], place.get(high + 1, len(edges))):
                member[piece].add(number)
    known: dict[frozenset[int], int] = {}
    letters = tuple(known.setdefault(frozenset(numbers), len(known)) for numbers in member)
    masks = dict.fromkeys(sets, 0)
    for numbers, letter in known.items():
        for number in numbers:
            masks[sets[number]] |= 1 << letter
    return Alphabet(tuple(edges), letters), masks


@dataclass(frozen=True)
class Automaton:
    """States from 0, where it begins; `moves` says for each which letters lead to which state."""

    alphabet: Alphabet
    moves: tuple[Mapping[int, int], ...]
    accepting: frozenset[int]

    def examples(self) -> list[str]:
        """Return for each state a shortest text that leads to it."""
        found = {0: ""}
        waiting = deque(found)
        while waiting:
            state = waiting.popleft()
            for target, letters in self.moves[state].items():
                if target not in found:
                    readable = min(split_letters(letters), key=lambda one: not self.alphabet.shown[one].isprintable())
                    found[target] = found[state] + self.alphabet.shown[readable]
                    waiting.append(target)
        return [found[state] for state in range(len(self.moves))]

    def minimal(self) -> Automaton:
        """Return the smallest automaton of the same language, without states from which no text ends.

        Raises `ValueError` if the language is empty.
        """
        living = self._living()
        if 0 not in living:
            raise ValueError("no text is in the language")
        kinds = {state: state in self.accepting for state in sorted(living)}
        return self._collapse(refine(kinds, lambda state, group: frozenset(self._merged(state, group).items())))

    def step(self, state: int, letter: int) -> int | None:
        """Return the state after a letter; None if no text goes on so."""
        for target, letters in self.moves[state].items():
            if letters >> letter & 1:
                return target
        return None

    def _merged(self, state: int, group: Mapping[int, int]) -> dict[int, int]:
        """Return the moves of a state to groups; those to nowhere are left out."""
        found: dict[int, int] = {}
        for target, letters in self.moves[state].items():
            if target in group:
                found[group[target]] = found.get(group[target], 0) | letters
        return found

    def _living(self) -> set[int]:
        before: list[list[int]] = [[] for _ in self.moves]
        for state, targets in enumerate(self.moves):
            for target in targets:
                before[target].append(state)
        found = set(self.accepting)
        waiting = list(found)
        while waiting:
            for state in before[waiting.pop()]:
                if state not in found:
                    found.add(state)
                    waiting.append(state)
        return found

    def _collapse(self, group: Mapping[int, int]) -> Automaton:
        """Return the automaton of the groups, numbered as they are met from the beginning."""
        member = {number: state for state, number in reversed(list(group.items()))}
        order = {group[0]: 0}
        waiting, moves = deque([group[0]]), []
        while waiting:
            merged = self._merged(member[waiting.popleft()], group)
            for target in sorted(merged, key=lambda number: merged[number] & -merged[number]):
                if target not in order:
                    order[target] = len(order)
                    waiting.append(target)
            moves.append({order[target]: letters for target, letters in merged.items()})
        accepting = frozenset(order[group[state]] for state in self.accepting if group.get(state) in order)
        return Automaton(self.alphabet, tuple(moves), accepting)


def allow_lead_in(language: Automaton, marks: Iterable[str]) -> Automaton:
    """Return a language whose texts may begin with lines that begin with no mark.

    Blanks before a mark do not hide it. The letters of the language must tell the characters of the
    marks apart.

    Args:
        language: The language: the rest of each text belongs to it.
        marks: The marks.
    """
    lines = find_lead_in(language.alphabet, marks)
    # Subsets: after a line, the language may begin, and any beginning of it may go on as well.
    begin = (0, frozenset([0]))
    numbers: dict[tuple[int | None, frozenset[int]], int] = {begin: 0}
    waiting = list(numbers)
    moves = []
    for line, states in waiting:
        targets: dict[int, int] = {}
        for letter in range(len(language.alphabet.shown)):
            after_line = None if line is None else lines.step(line, letter)
            after = {target for state in states if (target := language.step(state, letter)) is not None}
            if after_line == 0:
                after.add(0)
            if after_line is None and not after:
                continue
            pair = (after_line, frozenset(after))
            if pair not in numbers:
                numbers[pair] = len(numbers)
                waiting.append(pair)
            number = numbers[pair]
            targets[number] = targets.get(number, 0) | 1 << letter
        moves.append(targets)
    accepting = frozenset(number for (_, states), number in numbers.items() if states & language.accepting)
    return Automaton(language.alphabet, tuple(moves), accepting).minimal()


def find_lead_in(alphabet: Alphabet, marks: Iterable[str]) -> Automaton:
    """Return the lines that begin with no mark, as an automaton over the letters of an alphabet.

    Args:
        alphabet: The letters; they tell the characters of the marks apart.
        marks: The marks.
    """
    names = ["", _REST]  # what was read of a line: blanks, the beginning of a mark, or more than one
    numbers = {name: number for number, name in enumerate(names)}
    marks = tuple(marks)
    moves = []
    for name in names:
        targets: dict[int, int] = {}
        for letter, character in enumerate(alphabet.shown):
            after = name if not name and character in _BLANKS else name + character
            if character == "\n":
                after = ""
            elif name == _REST or not any(mark.startswith(after) for mark in marks):
                after = _REST
            elif after in marks:
                continue
            if after not in numbers:
                numbers[after] = len(numbers)
                names.append(after)
            targets[numbers[after]] = targets.get(numbers[after], 0) | 1 << letter
        moves.append(targets)
    return Automaton(alphabet, tuple(moves), frozenset([0]))


def refine(kinds: Mapping[int, Hashable], behind: Callable[[int, Mapping[int, int]], Hashable]) -> dict[int, int]:
    """Return a number for each state, the same for those of one kind from which the same leads to the same numbers."""
    known: dict[Hashable, int] = {}
    group = {state: known.setdefault(kind, len(known)) for state, kind in kinds.items()}
    while True:
        keys: dict[Hashable, int] = {}
        refined = {state: keys.setdefault((group[state], behind(state, group)), len(keys)) for state in group}
        if len(keys) == len(known):
            return refined
        group, known = refined, keys


def split_letters(letters: int) -> Iterator[int]:
    """Yield the letters of a set."""
    number = 0
    while letters:
        if letters & 1:
            yield number
        letters >>= 1
        number += 1


def spell_class(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """Return a class of characters as all notations write it; `spell` writes one of them in it."""
    negated = ranges[-1][1] == LAST
    parts = []
    for low, high in invert(ranges) if negated else ranges:
        joint = "-" * (high > low + 1)
        parts.append(spell(low) if low == high else spell(low) + joint + spell(high))
    return "[" + "^" * negated + "".join(parts) + "]"
