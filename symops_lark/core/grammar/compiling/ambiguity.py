"""Terminals that `re` reads by trial and error: is there a text on which the trials multiply? With that text.

A pattern becomes an automaton without silent moves (Glushkov's construction), whose edges count the ways that lead from
one letter of the pattern to the next. Trials multiply where a loop can be run through in two ways by one text, where
two loops, one behind the other, share a text and what follows can fail, and where many optional parts may each be the
one that takes a letter. They end at a letter with which the pattern may end, as terminals match the beginning of
what is left. Atomic groups and possessive repetitions are looked at by themselves, and are one letter to what is
around them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Any

from ...patterns.re_syntax import UnreadablePatternError, parse_pattern
from .letters import divide
from .positions import Budget, Letters, Part, Undecided, Unreadable, Ways

_PUMPS = 30
_MOST_WAYS, _LONGEST, _BEAM = 20_000, 200, 6
DOUBLES = "each repetition doubles the trials"
SQUARE = "the trials grow with the square of the length"
MANY = "there are more than 20,000 ways to try"


@dataclass(frozen=True, slots=True)
class Attack:
    """A text that keeps a terminal busy: `pump` again and again, `before` and `behind` it once; `growth` says how."""

    before: str
    pump: str
    behind: str
    growth: str

    def text(self, pumps: int = _PUMPS) -> str:
        """Return the text with so many pumps."""
        return self.before + self.pump * pumps + self.behind

    def __str__(self) -> str:
        """Return the text as an expression that makes it."""
        pump = f" + {self.pump!r} * {_PUMPS}" if self.pump else ""
        return f"{self.before!r}{pump} + {self.behind!r}".replace("  ", r"\x20\x20").removeprefix("'' + ")


def refuse_attack(name: str, pattern: str) -> None:
    """Raise `ValueError` if a text keeps a terminal busy, or if that cannot be told."""
    try:
        attack = find_attack(pattern)
    except Unreadable:  # Lark says why
        return
    except Undecided as error:
        raise ValueError(
            f"the terminal '{name}' may take endless time, because {error}: write it with classes, | ? * and + only"
        ) from None
    if attack is not None:
        raise ValueError(
            f"the terminal '{name}' may take endless time: of the text {attack} {attack.growth}; "
            "write it so that each text can be read in one way only"
        )


@lru_cache(maxsize=1024)
def find_attack(pattern: str, flags: int = 0) -> Attack | None:
    """Return a text on which the trials of a pattern multiply, or None; raise `Undecided` or `Unreadable`."""
    try:
        tree = parse_pattern(pattern, flags)
    except UnreadablePatternError as error:
        raise Unreadable(str(error)) from None
    waiting: list[tuple[Any, int]] = [(tree.items, tree.flags)]
    budget = Budget()
    while waiting:
        items, of_items = waiting.pop()
        letters = Letters(waiting.append, budget)
        try:
            part = letters.read(items, of_items)
        except RecursionError:
            raise Undecided("its groups are nested too deep") from None
        attack = _Search(letters, part, budget).find()
        if attack is not None:
            return attack
    return None


Node = tuple[int, ...]
Origin = dict[Node, tuple[Node, int]]
_START = -1


class _Search:
    """Looks for loops that one text runs through in two ways.

    Characters that no letter tells apart are one class. `after` gives by letter and class the letters that follow,
    without those at which the pattern may end.
    """

    def __init__(self, letters: Letters, part: Part, budget: Budget) -> None:
        self.looks, self.budget = letters.looks, budget
        self.follow, self.first, self.last = letters.follow, part.first, part.last
        self.shown, self.classes = divide(letters.sets)
        inner: list[Ways] = [
            {} if letter in self.last else {other: n for other, n in ways.items() if other not in self.last}
            for letter, ways in enumerate(self.follow)
        ]
        self.ways = inner
        self.after = [self._by_class(ways) for ways in inner]
        parts = find_components(inner)
        self.loops = [set(part) for part in parts if len(part) > 1 or any(letter in inner[letter] for letter in part)]

    def _by_class(self, ways: Ways) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for letter in ways:
            for kind in self.classes[letter]:
                self.budget.step()
                found.setdefault(kind, []).append(letter)
        return found

    def find(self) -> Attack | None:
        for loop in self.loops:
            if (found := self._find_two_ways(loop)) is not None:
                letter, pump = found
                before = self._path(_START, letter, None)
                return Attack(before, pump, self._fail(before + pump) or "\0", DOUBLES)
        return (None if self.looks else self._find_two_loops()) or self._find_many_ways()

    # ---- exponential

    def _find_two_ways(self, loop: set[int]) -> tuple[int, str] | None:
        """Return a letter of a loop, and a text that leads from it to itself in two ways."""
        origin: Origin = {}
        queue: list[Node] = []
        for letter in sorted(loop):
            for other, ways in self.ways[letter].items():
                if ways > 1 and other in loop and self.classes[other]:
                    return letter, self.shown[self.classes[other][0]] + self._path(other, letter, loop)
            for node, kind in self._pairs((letter, letter), loop):
                if node[0] != node[1] and node not in origin:
                    origin[node] = (letter,), kind
                    queue.append(node)
        for node in queue:
            for after, kind in self._pairs(node, loop):
                if after in origin:
                    continue
                origin[after] = node, kind
                if after[0] == after[1]:
                    start, text = self._trace(origin, after)
                    return start[0], text + self._path(after[0], start[0], loop)
                queue.append(after)
        return None

    def _pairs(self, node: Node, loop: set[int]) -> Iterator[tuple[Node, int]]:
        """Yield the pairs of letters that one character leads to from a pair, and the class of the character."""
        one, other = (self.after[letter] for letter in node)
        for kind in one.keys() & other.keys():
            for a in one[kind]:
                for b in other[kind]:
                    self.budget.step()
                    if a in loop and b in loop:
                        yield (min(a, b), max(a, b)), kind

    def _trace(self, origin: Origin, node: Node) -> tuple[Node, str]:
        """Return where the way to a node begins, and the text on it."""
        text = ""
        while node in origin:
            node, kind = origin[node]
            text = self.shown[kind] + text
        return node, text

    # ---- quadratic

    def _find_two_loops(self) -> Attack | None:
        """Return an attack by a text that runs through a loop, through a later one, and from the one to the other."""
        behind_loop = [self._reach(loop) for loop in self.loops]
        for (one, further), (other, _) in permutations(zip(self.loops, behind_loop, strict=True), 2):
            if not other <= further:
                continue
            starts: list[Node] = [(p, p, q) for p in sorted(one) for q in sorted(other)]
            reached = self._follow_three(starts, one, other)
            for p, q in product(sorted(one), sorted(other)):
                if (p, q, q) not in reached:
                    continue
                start, goal = (p, p, q), (p, q, q)
                origin = self._follow_three([start], one, other)
                pump = self._trace(origin, goal)[1] if goal in origin else ""
                before = self._path(_START, p, None)
                behind = self._fail(before + pump * 2) if pump else None
                if behind:
                    return Attack(before, pump, behind, SQUARE)
        return None

    def _reach(self, letters: Iterable[int]) -> set[int]:
        """Return the letters that may stand somewhere behind others."""
        found = set(letters)
        queue = list(found)
        for letter in queue:
            fresh = [other for other in self.ways[letter] if other not in found]
            found.update(fresh)
            queue += fresh
        return found

    def _follow_three(self, starts: list[Node], one: set[int], other: set[int]) -> Origin:
        """Return where a text leads from each letter of a triple: the first stays in a loop, the last in another."""
        origin: Origin = {}
        known, queue = set(starts), list(starts)
        for node in queue:
            a, b, c = (self.after[letter] for letter in node)
            for kind in a.keys() & b.keys() & c.keys():
                for after in product(a[kind], b[kind], c[kind]):
                    self.budget.step()
                    if after not in known and after[0] in one and after[2] in other:
                        known.add(after)
                        origin[after] = node, kind
                        queue.append(after)
        return origin

    # ---- many

    def _find_many_ways(self) -> Attack | None:
        """Return a text that the pattern can read in very many ways; the most ambiguous beginnings are followed."""
        inner = {letter: n for letter, n in self.first.items() if letter not in self.last}
        if not self._is_ambiguous(inner):
            return None
        beam: list[tuple[str, dict[int, int]]] = [("", {_START: 1})]
        for _ in range(_LONGEST):
            further: dict[tuple[tuple[int, int], ...], tuple[str, dict[int, int]]] = {}
            for text, counts in beam:
                for kind, after in self._weigh(counts, inner):
                    further.setdefault(tuple(sorted(after.items())), (text + self.shown[kind], after))
            beam = sorted(further.values(), key=lambda one: -sum(one[1].values()))[:_BEAM]
            if not beam:
                return None
            text, counts = beam[0]
            if sum(counts.values()) > _MOST_WAYS:
                return Attack(text, "", self._fail(text) or "\0", MANY)
        return None

    def _is_ambiguous(self, first: Ways) -> bool:
        """Return whether there is a text at all that the letters read in two ways."""
        if any(n > 1 for ways in (first, *self.ways) for n in ways.values()):
            return True
        everywhere = set(range(len(self.follow)))
        found: set[Node] = {
            pair for letters in self._by_class(first).values() for pair in combinations(sorted(letters), 2)
        }
        for letter in everywhere:
            found.update(node for node, _ in self._pairs((letter, letter), everywhere) if node[0] != node[1])
        queue = list(found)
        for node in queue:
            for after, _ in self._pairs(node, everywhere):
                if after[0] == after[1]:
                    return True
                if after not in found:
                    found.add(after)
                    queue.append(after)
        return False

    def _weigh(self, counts: dict[int, int], inner: Ways) -> Iterator[tuple[int, dict[int, int]]]:
        """Yield each class of characters that may follow, with the letters it leads to and in how many ways."""
        after: dict[int, int] = {}
        for letter, count in counts.items():
            for other, n in (inner if letter == _START else self.ways[letter]).items():
                self.budget.step()
                after[other] = after.get(other, 0) + count * n
        by_class = self._by_class(after)
        for kind, letters in by_class.items():
            yield kind, {letter: after[letter] for letter in letters}

    # ---- ways through the automaton

    def _fail(self, text: str) -> str | None:
        """Return a character behind a text with which nothing matches, or None: it matches, or goes on with all."""
        kinds = {character: kind for kind, character in enumerate(self.shown)}
        at: set[int] = {_START}
        for character in text:
            at = {other for letter in at for other in self._next(letter) if kinds[character] in self.classes[other]}
            if at & self.last.keys():
                return None
        taken = {kind for letter in at for other in self._next(letter) for kind in self.classes[other]}
        return next((character for kind, character in enumerate(self.shown) if kind not in taken), None)

    def _next(self, letter: int) -> Iterable[int]:
        return self.first if letter == _START else self.follow[letter]

    def _path(self, start: int, end: int, within: set[int] | None) -> str:
        """Return a shortest text that leads from a letter to another."""
        if start == end:
            return ""
        texts = {start: ""}
        queue = [start]
        for letter in queue:
            for after in self._next(letter):
                if after not in texts and self.classes[after] and (within is None or after in within):
                    texts[after] = texts[letter] + self.shown[self.classes[after][0]]
                    if after == end:
                        return texts[after]
                    queue.append(after)
        return ""


def find_components(follow: Sequence[Collection[int]]) -> list[list[int]]:
    """Return the strongly connected parts of an automaton, each before those that follow it (Kosaraju's algorithm)."""
    before: list[list[int]] = [[] for _ in follow]
    for letter, ways in enumerate(follow):
        for after in ways:
            before[after].append(letter)
    order: list[int] = []
    seen: set[int] = set()
    for letter in range(len(follow)):
        if letter in seen:
            continue
        seen.add(letter)
        stack = [(letter, iter(follow[letter]))]
        while stack:
            at, rest = stack[-1]
            fresh = next((after for after in rest if after not in seen), None)
            if fresh is None:
                order.append(stack.pop()[0])
            else:
                seen.add(fresh)
                stack.append((fresh, iter(follow[fresh])))
    found: list[list[int]] = []
    placed: set[int] = set()
    for letter in reversed(order):
        part = [] if letter in placed else [letter]
        placed.add(letter)
        for at in part:
            fresh_ones = [other for other in before[at] if other not in placed]
            placed.update(fresh_ones)
            part += fresh_ones
        if part:
            found.append(part)
    return found
