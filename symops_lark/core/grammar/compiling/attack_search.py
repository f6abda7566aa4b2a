"""Search the automaton of a pattern for texts that it reads in many ways.

The header of `ambiguity` explains the three searches. They run from the worst kind of growth to the
mildest, and each returns the text that it has found.

Characters that no position of the pattern distinguishes are one *class* (`character_sets.divide`),
so the searches follow one character for each class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from typing import NamedTuple

from ...ground.numbers import grouped
from .character_sets import divide
from .positions import Budget, Part, Positions, Ways, find_components, find_reachable

# Repetitions of the pumped text in a message: enough to keep `re` busy for minutes.
PUMPS = 30
# Ways to read one text from which on a pattern is refused although no loop multiplies them.
_MAX_WAYS = 20_000
# Characters of a text that is built without a loop; each may at best double the ways.
_MAX_TEXT = 200
# Texts that are extended in each round of that search, a beam search.
_BEAM_WIDTH = 6

# Kinds of growth; they complete the sentence "on the text …,".
DOUBLES = "each repetition doubles the attempts"
SQUARE = "the number of attempts grows with the square of the length"
MANY = f"there are more than {grouped(_MAX_WAYS)} ways to match"


@dataclass(frozen=True, slots=True)
class Attack:
    """A text that keeps a pattern busy.

    Attributes:
        before: Its beginning.
        pump: The part that is repeated; empty for a text without one.
        after: Its end, with which no match is possible.
        growth: How the attempts grow with the repetitions: `DOUBLES`, `SQUARE` or `MANY`.
    """

    before: str
    pump: str
    after: str
    growth: str

    def text(self, pumps: int = PUMPS) -> str:
        """Return the text with the pumped part repeated `pumps` times."""
        return self.before + self.pump * pumps + self.after

    def __str__(self) -> str:
        """Return the text as a Python expression, such as `'a' + 'a' * 30 + 'c'`."""
        terms = []
        if self.before:
            terms.append(repr(self.before))
        if self.pump:
            terms.append(f"{self.pump!r} * {PUMPS}")
        terms.append(repr(self.after))
        # Messages join runs of blanks: these must stay.
        return " + ".join(terms).replace("  ", r"\x20\x20")


# Positions that one text leads to at the same time.
Node = tuple[int, ...]
# By node: the node before it, and the class of the character between the two.
Origin = dict[Node, tuple[Node, int]]
# The state before the first character, which no position is.
_START = -1
# By position: the number of ways in which a text leads to it.
_Counts = dict[int, int]
# The positions of a loop.
_Loop = set[int]


class _Candidate(NamedTuple):
    """A text of the beam search, and the positions that it leads to."""

    text: str
    counts: _Counts


class AttackSearch:
    """The searches for an attack on one pattern.

    Args:
        positions: The positions of the pattern.
        part: The whole pattern as a part.
        budget: The limits; a search raises `Undecided` when it has used them up.
    """

    def __init__(self, positions: Positions, part: Part, budget: Budget) -> None:
        self._has_assertions = positions.has_assertions
        self._budget = budget
        self._follow = positions.follow
        self._first = part.first
        self._last = part.last
        # A character for each class, and the classes of each position.
        self._characters, self._classes = divide(positions.sets)
        # The ways between positions at which the pattern cannot end. At the others a match is
        # complete, and a terminal takes the first match: the matcher never tries a second way.
        self._ways: list[Ways] = []
        for position, follow in enumerate(self._follow):
            ways: Ways = {}
            if position not in self._last:
                ways = self._drop_last(follow)
            self._ways.append(ways)
        self._by_class = [self._group_by_class(ways) for ways in self._ways]
        self._loops: list[_Loop] = []
        for component in find_components(self._ways):
            position = component[0]
            if len(component) > 1 or position in self._ways[position]:
                self._loops.append(set(component))

    def _drop_last(self, ways: Ways) -> Ways:
        """Return ways without those to positions that may be the last."""
        dropped: Ways = {}
        for target, count in ways.items():
            if target not in self._last:
                dropped[target] = count
        return dropped

    def _group_by_class(self, targets: Iterable[int]) -> dict[int, list[int]]:
        """Return positions by the classes of characters that they take."""
        by_class: dict[int, list[int]] = {}
        for target in targets:
            for kind in self._classes[target]:
                self._budget.spend()
                by_class.setdefault(kind, []).append(target)
        return by_class

    def find(self) -> Attack | None:
        """Return an attack of the worst kind that there is, or None.

        Raises:
            Undecided: The limits are used up.
        """
        for loop in self._loops:
            attack = self._find_exponential(loop)
            if attack is not None:
                return attack
        # A look-around between two loops can prevent what the search for them assumes.
        if not self._has_assertions:
            attack = self._find_quadratic()
            if attack is not None:
                return attack
        return self._find_many_ways()

    # ---- exponential growth: one loop, two ways

    def _find_exponential(self, loop: _Loop) -> Attack | None:
        two_ways = self._find_two_ways(loop)
        if two_ways is None:
            return None
        position, pump = two_ways
        before = self._find_path(_START, position, None)
        failure = self._find_failure(before + pump)
        return Attack(before, pump, failure or "\0", DOUBLES)

    def _find_two_ways(self, loop: _Loop) -> tuple[int, str] | None:
        """Return a position of a loop, and a text that leads from it to itself in two ways.

        The search is breadth first over the pairs of positions that one text leads to from one
        position. Two different ways that meet again, and then return, are what it looks for.
        """
        origin: Origin = {}
        queue: list[Node] = []
        for position in sorted(loop):
            for target, count in self._ways[position].items():
                if count > 1 and target in loop and self._classes[target]:
                    first = self._character_of(target)
                    back = self._find_path(target, position, loop)
                    return position, first + back
            for pair, kind in self._step_pair((position, position), loop):
                a, b = pair
                if a != b and pair not in origin:
                    origin[pair] = (position,), kind
                    queue.append(pair)
        for node in queue:
            for pair, kind in self._step_pair(node, loop):
                if pair in origin:
                    continue
                origin[pair] = node, kind
                a, b = pair
                if a == b:
                    (position,), text = self._trace(origin, pair)
                    back = self._find_path(a, position, loop)
                    return position, text + back
                queue.append(pair)
        return None

    def _step_pair(self, node: Node, loop: _Loop) -> Iterator[tuple[Node, int]]:
        """Yield the pairs in a loop that one character leads to, and the class of the character."""
        from_first, from_second = (self._by_class[position] for position in node)
        for kind in from_first.keys() & from_second.keys():
            for a in from_first[kind]:
                for b in from_second[kind]:
                    self._budget.spend()
                    if a in loop and b in loop:
                        # The order of the two ways does not matter: half the pairs are enough.
                        pair = (a, b) if a < b else (b, a)
                        yield pair, kind

    # ---- quadratic growth: two loops, one text

    def _find_quadratic(self) -> Attack | None:
        """Return an attack whose repetitions can be divided between two loops at any place."""
        reachable = [find_reachable(self._ways, loop) for loop in self._loops]
        pairs = zip(self._loops, reachable, strict=True)
        for (early, after_early), (late, _) in permutations(pairs, 2):
            if late <= after_early:
                attack = self._compare_loops(early, late)
                if attack is not None:
                    return attack
        return None

    def _compare_loops(self, early: _Loop, late: _Loop) -> Attack | None:
        """Return an attack by a text that runs through both loops, and from one to the other."""
        ends = list(product(sorted(early), sorted(late)))
        # From all starts at once, to see quickly which ends are possible at all.
        starts: list[Node] = [(p, p, q) for p, q in ends]
        reached = self._step_triples(starts, early, late)
        for p, q in ends:
            goal = (p, q, q)
            if goal not in reached:
                continue
            origin = self._step_triples([(p, p, q)], early, late)
            if goal not in origin:
                continue
            _, pump = self._trace(origin, goal)
            before = self._find_path(_START, p, None)
            failure = self._find_failure(before + pump * 2)
            if failure:
                return Attack(before, pump, failure, SQUARE)
        return None

    def _step_triples(self, starts: list[Node], early: _Loop, late: _Loop) -> Origin:
        """Return all triples that a text leads to, with the way to each.

        The first position of a triple stays in the early loop and the last one in the late loop;
        the middle one is free to go from the one to the other.
        """
        origin: Origin = {}
        visited = set(starts)
        queue = list(starts)
        for node in queue:
            a, b, c = (self._by_class[position] for position in node)
            for kind in a.keys() & b.keys() & c.keys():
                for triple in product(a[kind], b[kind], c[kind]):
                    self._budget.spend()
                    if triple in visited:
                        continue
                    first, _, last = triple
                    if first in early and last in late:
                        visited.add(triple)
                        origin[triple] = node, kind
                        queue.append(triple)
        return origin

    # ---- many ways without a loop

    def _find_many_ways(self) -> Attack | None:
        """Return a text that the pattern can read in more than `_MAX_WAYS` ways.

        This is a beam search: in each round the texts with the most ways get one more character.
        """
        first = self._drop_last(self._first)
        if not self._is_ambiguous(first):
            return None
        beam = [_Candidate("", {_START: 1})]
        for _ in range(_MAX_TEXT):
            # Texts that lead to the same positions in the same numbers of ways are alike.
            extended: dict[Node, _Candidate] = {}
            for candidate in beam:
                for kind, counts in self._extend(candidate.counts, first):
                    text = candidate.text + self._characters[kind]
                    key = tuple(chain.from_iterable(sorted(counts.items())))
                    extended.setdefault(key, _Candidate(text, counts))
            ranked = sorted(extended.values(), key=_count_ways, reverse=True)
            beam = ranked[:_BEAM_WIDTH]
            if not beam:
                return None
            best = beam[0]
            if _count_ways(best) > _MAX_WAYS:
                failure = self._find_failure(best.text)
                return Attack(best.text, "", failure or "\0", MANY)
        return None

    def _is_ambiguous(self, first: Ways) -> bool:
        """Return whether there is any text that the pattern reads in two ways.

        Most patterns have none, and then the beam search is not needed.
        """
        for ways in (first, *self._ways):
            if any(count > 1 for count in ways.values()):
                return True
        everywhere = set(range(len(self._follow)))
        pairs: set[Node] = set()
        for positions in self._group_by_class(first).values():
            pairs.update(combinations(sorted(positions), 2))
        for position in everywhere:
            for pair, _ in self._step_pair((position, position), everywhere):
                a, b = pair
                if a != b:
                    pairs.add(pair)
        queue = list(pairs)
        for node in queue:
            for pair, _ in self._step_pair(node, everywhere):
                a, b = pair
                if a == b:
                    return True
                if pair not in pairs:
                    pairs.add(pair)
                    queue.append(pair)
        return False

    def _extend(self, counts: _Counts, first: Ways) -> Iterator[tuple[int, _Counts]]:
        """Yield for each class of a next character the positions it leads to, with their ways."""
        after: Counter[int] = Counter()
        for position, count in counts.items():
            ways = first if position == _START else self._ways[position]
            for target, factor in ways.items():
                self._budget.spend()
                after[target] += count * factor
        by_class = self._group_by_class(after)
        for kind, targets in by_class.items():
            yield kind, {target: after[target] for target in targets}

    # ---- ways through the automaton

    def _trace(self, origin: Origin, node: Node) -> tuple[Node, str]:
        """Return the start of the way to a node, and the text on it."""
        text = ""
        while node in origin:
            node, kind = origin[node]
            character = self._characters[kind]
            text = character + text
        return node, text

    def _find_failure(self, text: str) -> str | None:
        """Return a character after a text with which the pattern fails.

        None if a beginning of the text is a match already, or every character continues the text.
        """
        at = {_START}
        for character in text:
            kind = self._characters.index(character)
            after = set()
            for position in at:
                for target in self._successors(position):
                    if kind in self._classes[target]:
                        after.add(target)
            at = after
            if at & self._last.keys():
                return None
        possible = set()
        for position in at:
            for target in self._successors(position):
                possible.update(self._classes[target])
        for kind, character in enumerate(self._characters):
            if kind not in possible:
                return character
        return None

    def _successors(self, position: int) -> Iterable[int]:
        return self._first if position == _START else self._follow[position]

    def _character_of(self, position: int) -> str:
        """Return a character that a position takes; positions of empty classes have none."""
        kind = self._classes[position][0]
        return self._characters[kind]

    def _find_path(self, start: int, end: int, within: _Loop | None) -> str:
        """Return a shortest text that leads from a position to another, within a loop if given."""
        if start == end:
            return ""
        texts = {start: ""}
        queue = [start]
        for position in queue:
            for target in self._successors(position):
                is_allowed = within is None or target in within
                if target in texts or not is_allowed or not self._classes[target]:
                    continue
                character = self._character_of(target)
                texts[target] = texts[position] + character
                if target == end:
                    return texts[target]
                queue.append(target)
        return ""


def _count_ways(candidate: _Candidate) -> int:
    """Return the number of ways to read a text of the beam."""
    return sum(candidate.counts.values())
