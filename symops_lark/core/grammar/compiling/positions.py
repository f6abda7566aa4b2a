"""Turn a pattern of `re` into an automaton without silent moves, with the number of ways.

This is Glushkov's construction. A *position* is a part of the pattern that takes exactly one
character: a literal, a class or a dot. The positions are the states of the automaton. A matcher
that has just taken a character at one position takes the next one at a position that may follow it.

Unlike the textbook, this module counts: `follow[p][q]` is the number of ways from `p` to `q`, with
2 for all numbers above 1. Two ways mean that a backtracking matcher tries both.

    pattern      first    last    follow
    a*b          a b      b       a: a, b
    (a|b)c       a b      c       a: c   b: c
    (a*)*        a        a       a: a in 2 ways (the next turn of the inner or of the outer loop)

V. M. Glushkov, The abstract theory of automata, Russian Mathematical Surveys 16 (1961),
https://doi.org/10.1070/RM1961v016n05ABEH004112
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...ground.numbers import grouped
from ...patterns.re_syntax import ENDLESS
from .character_sets import Ranges, combine_flags, read_set

# Repetitions are written out: `a{1000}` has 1,000 positions. The terminals of the installed
# grammars have at most 456.
MAX_POSITIONS = 1_500
# Mostly pairs of positions. The installed terminals need at most 14,228; at the limit the analysis
# of one pattern takes 0.4 to 0.9 seconds.
MAX_STEPS = 400_000


class Unreadable(Exception):
    """`re` cannot read a pattern."""


class Undecided(Exception):
    """A pattern cannot be analyzed. The message is a clause that can follow "because"."""


class Budget:
    """What is left of the limits for one pattern.

    The number of positions, and of pairs of them, may grow with the square of the pattern's length.

    Attributes:
        positions: The number of positions that may still be added.
        steps: The number of steps that may still be taken.
    """

    def __init__(self) -> None:
        self.positions = MAX_POSITIONS
        self.steps = MAX_STEPS

    def add_position(self) -> None:
        """Count one more position.

        Raises:
            Undecided: There are more than `MAX_POSITIONS`.
        """
        self.positions -= 1
        if self.positions < 0:
            limit = grouped(MAX_POSITIONS)
            raise Undecided(
                f"it has more than {limit} characters and classes when its repetitions are written "
                "out"
            )

    def spend(self, steps: int = 1) -> None:
        """Count more steps.

        Raises:
            Undecided: There are more than `MAX_STEPS`.
        """
        self.steps -= steps
        if self.steps < 0:
            raise Undecided("too many of its characters and classes may follow each other")


# By position: the number of ways to it, 2 for more than one.
Ways = dict[int, int]


class Part(NamedTuple):
    """A part of a pattern, as the construction needs it.

    Attributes:
        empty: The number of ways in which it matches the empty text.
        first: The positions that may take its first character.
        last: The positions that may take its last character.
    """

    empty: int
    first: Ways
    last: Ways


_NOTHING = Part(1, {}, {})


@dataclass
class Positions:
    """The positions of a pattern.

    Attributes:
        add_pattern: Is called with the items and flags of each part that is matched separately:
            the inside of an atomic group, of a possessive repetition and of a look-around. The
            caller analyzes these as separate patterns.
        budget: The limits.
        sets: The characters of each position.
        follow: The positions that may follow each position.
        has_assertions: Whether the pattern tests its surroundings without taking characters.
    """

    add_pattern: Callable[[tuple[Any, int]], None]
    budget: Budget
    sets: list[Ranges] = field(default_factory=list)
    follow: list[Ways] = field(default_factory=list)
    has_assertions: bool = False

    def read(self, items: Any, flags: int) -> Part:
        """Add the positions of some items.

        Args:
            items: Items in the tree of `re`.
            flags: The flags of `re` that are in effect there.

        Raises:
            Undecided: The pattern has a backreference, or is too large.
        """
        part = _NOTHING
        for op, value in items:
            item = self._read_item(str(op), value, flags)
            part = self._join(part, item)
        return part

    def _read_item(self, op: str, value: Any, flags: int) -> Part:
        ranges = read_set(op, value, flags)
        if ranges is not None:
            return self._add_position(ranges)
        match op:
            case "BRANCH":
                return self._read_branches(value[1], flags)
            case "SUBPATTERN":
                _, added, removed, inside = value
                inner_flags = combine_flags(flags, added, removed)
                return self.read(inside, inner_flags)
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, inside = value
                return self._repeat(low, int(high), inside, flags)
            case "POSSESSIVE_REPEAT":
                low, _, inside = value
                separate = [("MAX_REPEAT", value)]
                self.add_pattern((separate, flags))
                return self._read_as_one(inside, flags, is_optional=low == 0)
            case "ATOMIC_GROUP":
                self.add_pattern((value, flags))
                return self._read_as_one(value, flags, is_optional=False)
            case "ASSERT" | "ASSERT_NOT":
                self.has_assertions = True
                _, inside = value
                self.add_pattern((inside, flags))
                return _NOTHING
            case "AT":
                self.has_assertions = True
                return _NOTHING
            case "FAILURE":
                # `(?!)`, which fails always. Some versions of Python give ASSERT_NOT instead.
                return Part(0, {}, {})
        raise Undecided("it refers back to the text of a group")

    def _read_branches(self, branches: Any, flags: int) -> Part:
        empty = 0
        first: Ways = {}
        last: Ways = {}
        for branch in branches:
            part = self.read(branch, flags)
            empty += part.empty
            _add_ways(first, part.first)
            _add_ways(last, part.last)
        return Part(min(2, empty), first, last)

    def _add_position(self, ranges: Ranges) -> Part:
        self.budget.add_position()
        position = len(self.sets)
        self.sets.append(ranges)
        self.follow.append({})
        return Part(0, {position: 1}, {position: 1})

    def _read_as_one(self, items: Any, flags: int, *, is_optional: bool) -> Part:
        """Add a part that keeps its match as one position: any character it may begin with.

        The matcher does not try again inside such a part. Outside it matters only that the part
        takes a text or not; how long that text is does not change the number of ways.
        """
        inner = Positions(_ignore_pattern, self.budget)
        part = inner.read(items, flags)
        if not part.first:
            return _NOTHING
        ranges: set[tuple[int, int]] = set()
        for position in part.first:
            ranges.update(inner.sets[position])
        as_one = self._add_position(tuple(sorted(ranges)))
        if is_optional or part.empty:
            return as_one._replace(empty=1)
        return as_one

    def _join(self, left: Part, right: Part) -> Part:
        """Return the part that is one part followed by another."""
        pair_count = len(left.last) * len(right.first)
        self.budget.spend(pair_count)
        for position, ways in left.last.items():
            _add_ways(self.follow[position], right.first, ways)
        first: Ways = {}
        _add_ways(first, left.first)
        # If the left part may be empty in two ways, each beginning of the right part counts twice.
        if left.empty:
            _add_ways(first, right.first, left.empty)
        last: Ways = {}
        _add_ways(last, right.last)
        if right.empty:
            _add_ways(last, left.last, right.empty)
        empty = min(2, left.empty * right.empty)
        return Part(empty, first, last)

    def _repeat(self, low: int, high: int, items: Any, flags: int) -> Part:
        """Return a repetition; each of its turns has separate positions."""
        if high >= ENDLESS:
            return self._repeat_endlessly(low, items, flags)
        part = _NOTHING
        # From the end, because later turns are inside earlier ones: `x{0,2}` is `(x(x)?)?`.
        for number in range(high, 0, -1):
            turn = self.read(items, flags)
            part = self._join(turn, part)
            if number > low:
                empty = min(2, part.empty + 1)
                part = part._replace(empty=empty)
            if not part.first:  # assertions only: more turns add nothing
                break
        return part

    def _repeat_endlessly(self, low: int, items: Any, flags: int) -> Part:
        """Return a repetition without an upper bound: `x{3,}` is `xx(x)+`."""
        part = _NOTHING
        for _ in range(low - 1):
            turn = self.read(items, flags)
            part = self._join(part, turn)
        loop = self.read(items, flags)
        self._join(loop, loop)  # for its effect on `follow`: the end leads to the beginning
        if low == 0:
            empty = 2 if loop.empty else 1
            loop = loop._replace(empty=empty)
        return self._join(part, loop)


def _ignore_pattern(pattern: tuple[Any, int]) -> None:
    """Ignore a separate pattern inside a part that was already added as a separate pattern."""


def _add_ways(into: Ways, ways: Ways, factor: int = 1) -> None:
    """Add ways to others; each of them counts `factor` times."""
    for position, count in ways.items():
        before = into.get(position, 0)
        into[position] = min(2, before + count * factor)


# ---- graphs of positions


def find_components(follow: Sequence[Collection[int]]) -> list[list[int]]:
    """Find the strongly connected components of a graph by Kosaraju's algorithm, in linear time.

    Args:
        follow: The nodes that follow each node; nodes are numbered from 0.

    Returns:
        The nodes of each component. A component comes before those that follow it.
    """
    predecessors: list[list[int]] = [[] for _ in follow]
    for node, successors in enumerate(follow):
        for successor in successors:
            predecessors[successor].append(node)
    components = []
    placed = set()
    for node in reversed(_order_by_end(follow)):
        if node in placed:
            continue
        placed.add(node)
        component = [node]
        for member in component:  # grows while it is read
            for predecessor in predecessors[member]:
                if predecessor not in placed:
                    placed.add(predecessor)
                    component.append(predecessor)
        components.append(component)
    return components


def find_reachable(follow: Sequence[Collection[int]], starts: Iterable[int]) -> set[int]:
    """Return the nodes of a graph that are reached from some nodes, these included."""
    reachable = set(starts)
    queue = list(reachable)
    for node in queue:
        for successor in follow[node]:
            if successor not in reachable:
                reachable.add(successor)
                queue.append(successor)
    return reachable


def _order_by_end(follow: Sequence[Collection[int]]) -> list[int]:
    """Return all nodes in the order in which a depth-first search leaves them."""
    order = []
    visited = set()
    for root in range(len(follow)):
        if root in visited:
            continue
        visited.add(root)
        # An explicit stack: patterns have more positions than Python allows nested calls.
        stack = [(root, iter(follow[root]))]
        while stack:
            node, successors = stack[-1]
            for successor in successors:
                if successor not in visited:
                    visited.add(successor)
                    further = iter(follow[successor])
                    stack.append((successor, further))
                    break
            else:
                order.append(node)
                stack.pop()
    return order
