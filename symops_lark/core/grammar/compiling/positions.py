"""A pattern of `re` as an automaton without silent moves: its letters, and in how many ways one may follow another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...ground.numbers import grouped
from .letters import Ranges, read_set

_MOST_LETTERS, _MOST_STEPS = 1_500, 400_000
_ENDLESS = 10**9


class Unreadable(Exception):
    """A pattern is none that `re` reads."""


class Undecided(Exception):
    """A pattern cannot be looked through; the message says why: it goes behind "because"."""


class Budget:
    """Steps that are left: a number of letters, or of pairs of them, may be quadratic."""

    def __init__(self) -> None:
        self.letters, self.steps = _MOST_LETTERS, _MOST_STEPS

    def letter(self) -> None:
        """Take note of one more letter."""
        self.letters -= 1
        if self.letters < 0:
            raise Undecided(f"it comes to more than {grouped(_MOST_LETTERS)} letters, repetitions written out")

    def step(self, steps: int = 1) -> None:
        """Take note of more steps."""
        self.steps -= steps
        if self.steps < 0:
            raise Undecided("it has too many letters that may stand beside each other")


Ways = dict[int, int]  # by letter: in how many ways, 2 for more than one


class Part(NamedTuple):
    """A part of a pattern: in how many ways it is empty, and the letters that it may begin and end with."""

    empty: int
    first: Ways
    last: Ways


_NOTHING = Part(1, {}, {})


@dataclass
class Letters:
    """The letters of a pattern: what each stands for, and what may stand behind it.

    `look_into` is given what is matched by itself: the insides of atomic groups, of possessive repetitions, of looks.
    """

    look_into: Callable[[tuple[Any, int]], None]
    budget: Budget
    sets: list[Ranges] = field(default_factory=list)
    follow: list[Ways] = field(default_factory=list)
    looks: bool = False  # at what is beside: then two loops are not compared

    def read(self, items: Any, flags: int) -> Part:
        """Return what items of `re`'s own parser come to."""
        part = _NOTHING
        for op, value in items:
            part = self._join(part, self._read(str(op), value, flags))
        return part

    def _read(self, op: str, value: Any, flags: int) -> Part:
        if (found := read_set(op, value, flags)) is not None:
            return self._letter(found)
        match op:
            case "BRANCH":
                branches = [self.read(branch, flags) for branch in value[1]]
                empty = min(2, sum(branch.empty for branch in branches))
                return Part(empty, _add(*(b.first for b in branches)), _add(*(b.last for b in branches)))
            case "SUBPATTERN":
                return self.read(value[3], (flags | value[1]) & ~value[2])
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeat(int(value[0]), int(value[1]), value[2], flags)
            case "POSSESSIVE_REPEAT" | "ATOMIC_GROUP":
                inner, least = (value, 1) if op == "ATOMIC_GROUP" else (value[2], int(value[0]))
                plain = inner if op == "ATOMIC_GROUP" else [("MAX_REPEAT", value)]
                self.look_into((plain, flags))
                return self._whole(inner, flags, least)
            case "ASSERT" | "ASSERT_NOT":
                self.looks = True
                self.look_into((value[1], flags))
                return _NOTHING
            case "AT":
                self.looks = True
                return _NOTHING
            case "FAILURE":
                return Part(0, {}, {})
        raise Undecided("it refers back to what a group has matched")

    def _letter(self, found: Ranges) -> Part:
        self.budget.letter()
        self.sets.append(found)
        self.follow.append({})
        letter = len(self.sets) - 1
        return Part(0, {letter: 1}, {letter: 1})

    def _whole(self, items: Any, flags: int, least: int) -> Part:
        """Return a part that is matched as a whole as one letter: any that it may begin with."""
        inner = Letters(lambda _: None, self.budget)
        part = inner.read(items, flags)
        sets = [inner.sets[letter] for letter in part.first]
        if not sets:
            return _NOTHING
        letter = self._letter(tuple(sorted({pair for found in sets for pair in found})))
        return letter if least and not part.empty else letter._replace(empty=1)

    def _join(self, one: Part, other: Part) -> Part:
        self.budget.step(len(one.last) * len(other.first))
        for letter, ways in one.last.items():
            _count(self.follow[letter], other.first, ways)
        first = _add(one.first, _times(other.first, one.empty))
        return Part(min(2, one.empty * other.empty), first, _add(other.last, _times(one.last, other.empty)))

    def _repeat(self, low: int, high: int, items: Any, flags: int) -> Part:
        if high >= _ENDLESS:
            part = _NOTHING
            for _ in range(low - 1):
                part = self._join(part, self.read(items, flags))
            loop = self.read(items, flags)
            self._join(loop, loop)
            return self._join(part, loop if low else loop._replace(empty=2 if loop.empty else 1))
        part = _NOTHING
        for number in range(high, 0, -1):  # from the end: x{0,2} is (x(x)?)?
            part = self._join(self.read(items, flags), part)
            if number > low:
                part = part._replace(empty=min(2, part.empty + 1))
            if not part.first:
                break
        return part


def _add(*counts: Ways) -> Ways:
    found: Ways = {}
    for count in counts:
        _count(found, count)
    return found


def _times(ways: Ways, factor: int) -> Ways:
    return {letter: min(2, n * factor) for letter, n in ways.items()} if factor else {}


def _count(into: Ways, ways: Ways, factor: int = 1) -> None:
    for letter, n in ways.items():
        into[letter] = min(2, into.get(letter, 0) + n * factor)
