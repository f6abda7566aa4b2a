"""Find the next cheapest ways through a recovery grammar, and their prices.

The tables and the semiring (min, +) are those of `Automaton.read`. Two readings are the same if
every line has the same role and mistakes in both and the same is missing between them. The modes
that the automaton passes through are not part of a reading. So distinct *readings* are wanted, not
distinct paths: the n-best-strings problem (Mohri and Riley, "An efficient algorithm for the
n-best-strings problem", 2002). The search determinizes the automaton on the fly and extends the
cheapest beginning first; the exact price of the rest is its heuristic.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, TypeVar

from .automaton import Arc, Automaton
from .priced_rules import Codes, Step, ViterbiPath

# By mode: a price.
_Costs = dict[int, int]
K = TypeVar("K")


class Label(NamedTuple):
    """What distinguishes a step from another: role, mistakes, and what was missing before it."""

    role: str
    mistakes: Codes
    before: Codes


class _Ending(NamedTuple):
    """The end of a reading: its price, its last mode, and what is missing there."""

    price: int
    mode: int
    missing: Codes


# A price, or an ending.
V = TypeVar("V", int, _Ending)


def label_of(step: Step) -> Label:
    """Return the label of a step."""
    return Label(step.role, step.mistakes, step.before)


def n_best(automaton: Automaton, kinds: Sequence[str], within: int) -> Iterator[ViterbiPath]:
    """Yield the distinct readings of line kinds from the cheapest on.

    Each next one takes time linear in the number of lines, when it is asked for.

    Args:
        automaton: The automaton of the recovery grammar.
        kinds: The kinds of the lines.
        within: How much more than the cheapest a reading may cost.

    Raises:
        GrammarError: The grammar is not total.
    """
    lattice = _Lattice(automaton, kinds)
    limit = lattice.best + within
    root = lattice.root()
    first = _Entry(lattice.best, 0, 0, root, None)
    heap = [first]
    while heap:
        entry = heapq.heappop(heap)
        ending = entry.ending
        if ending is not None:
            path = lattice.trace_back(entry.node, ending)
            yield path
            continue
        entries = lattice.extend(entry.node)
        for extended in entries:
            if extended.price <= limit:
                heapq.heappush(heap, extended)


def price_by_role(automaton: Automaton, kinds: Sequence[str], within: int) -> list[dict[str, int]]:
    """Return for each line the price of the cheapest reading by the role that it has there.

    Args:
        automaton: The automaton of the recovery grammar.
        kinds: The kinds of the lines.
        within: How much more than the cheapest a reading may cost; others are left out.
    """
    lattice = _Lattice(automaton, kinds)
    limit = lattice.best + within
    by_line = []
    rows = lattice.forward[:-1]
    for position, costs in enumerate(rows):
        after = lattice.backward[position + 1]
        prices: dict[str, int] = {}
        for mode, cost in costs.items():
            arcs = lattice.arcs_from(position, mode)
            for target, step, _ in arcs:
                total = cost + step.price
                total += after[target]
                if total <= limit:
                    _keep_least(prices, step.role, total)
        by_line.append(prices)
    return by_line


def _keep_least(values: dict[K, V], key: K, value: V) -> None:
    """Keep a value if there is none yet, or a higher one."""
    best = values.get(key)
    if best is None or value < best:
        values[key] = value


@dataclass(slots=True)
class _Node:
    """All paths that give the first lines the same labels.

    Attributes:
        above: The node one line before; None before the first line.
        position: The number of lines.
        costs: By mode: the price of the cheapest way to it.
        moves: By mode: the last move of this way.
    """

    above: _Node | None
    position: int
    costs: _Costs
    moves: dict[int, tuple[int, Step]]


class _Entry(NamedTuple):
    """A node to go on with, in the order in which that is done.

    Attributes:
        price: The price of the cheapest reading that begins so.
        height: Minus the number of lines: of equal prices the deepest goes first, because each
            node leads to a reading of its price.
        number: Distinguishes entries, so that nodes are never compared.
        node: The node.
        ending: The end of the reading; None before it.
    """

    price: int
    height: int
    number: int
    node: _Node
    ending: _Ending | None


class _Lattice:
    """The prices of getting to each mode before each line, and from there to the end.

    Attributes:
        forward: By position and mode: the price so far.
        numbers: Numbers of entries.
        backward: By position and mode: the price of the rest.
        best: The price of the cheapest reading.
    """

    def __init__(self, automaton: Automaton, kinds: Sequence[str]) -> None:
        self.start, self.end, self.arcs = automaton.tables
        automaton.read(kinds)  # complains of a grammar that is not total
        self.kinds = kinds
        self.numbers = count(1)
        self.forward = self._go_forward()
        self.backward = self._go_backward()
        self.best = self.price(self.root())

    def _go_forward(self) -> list[_Costs]:
        """Return for each position the price of getting to each mode."""
        costs = dict(self.start)
        rows = [costs]
        for kind in self.kinds:
            new: _Costs = {}
            by_mode = self.arcs[kind]
            for mode, cost in costs.items():
                arcs = by_mode.get(mode, ())
                for target, step, _ in arcs:
                    total = cost + step.price
                    _keep_least(new, target, total)
            costs = new
            rows.append(costs)
        return rows

    def _go_backward(self) -> list[_Costs]:
        """Return for each position the price of the rest, by mode."""
        after: _Costs = {}
        last = self.forward[-1]
        for mode, (price, _) in self.end.items():
            if mode in last:
                after[mode] = price
        rows = [after]
        # The row after the last line is made already.
        pairs = zip(self.kinds, self.forward, strict=False)
        lines = list(pairs)
        lines.reverse()
        for kind, costs in lines:
            by_mode = self.arcs[kind]
            before: _Costs = {}
            for mode in costs:
                arcs = by_mode.get(mode, ())
                for target, step, _ in arcs:
                    if target in after:
                        total = step.price + after[target]
                        _keep_least(before, mode, total)
            after = before
            rows.append(after)
        rows.reverse()
        return rows

    def arcs_from(self, position: int, mode: int) -> Iterator[Arc]:
        """Yield the arcs from a mode over a line that lead to the end."""
        after = self.backward[position + 1]
        kind = self.kinds[position]
        by_mode = self.arcs[kind]
        arcs = by_mode.get(mode, ())
        for arc in arcs:
            target = arc[0]
            if target in after:
                yield arc

    def root(self) -> _Node:
        """Return the node before the first line."""
        return _Node(None, 0, self.start, {})

    def price(self, node: _Node) -> int:
        """Return the price of the cheapest reading that begins as a node does."""
        after = self.backward[node.position]
        prices = []
        for mode, cost in node.costs.items():
            if mode in after:
                total = cost + after[mode]
                prices.append(total)
        return min(prices)

    def extend(self, node: _Node) -> Iterator[_Entry]:
        """Yield the nodes one line on; for a node of the last line itself, with its endings."""
        height = -node.position - 1
        if node.position == len(self.kinds):
            endings = self._endings(node)
            for ending in endings:
                number = next(self.numbers)
                yield _Entry(ending.price, height, number, node, ending)
            return
        for child in self._children(node):
            price = self.price(child)
            number = next(self.numbers)
            yield _Entry(price, height, number, child, None)

    def _children(self, node: _Node) -> Iterable[_Node]:
        """Return the nodes one line on: one for each label that this line can have."""
        children: dict[Label, _Node] = {}
        below = node.position + 1
        for mode, cost in node.costs.items():
            arcs = self.arcs_from(node.position, mode)
            for target, step, _ in arcs:
                label = label_of(step)
                child = children.get(label)
                if child is None:
                    child = _Node(node, below, {}, {})
                    children[label] = child
                total = cost + step.price
                best = child.costs.get(target)
                if best is None or total < best:
                    child.costs[target] = total
                    child.moves[target] = (mode, step)
        return children.values()

    def _endings(self, node: _Node) -> Iterable[_Ending]:
        """Return the cheapest ending after a node of the last line, for all that can be missing."""
        endings: dict[Codes, _Ending] = {}
        for mode, cost in node.costs.items():
            if mode in self.end:
                price, missing = self.end[mode]
                total = cost + price
                ending = _Ending(total, mode, missing)
                _keep_least(endings, missing, ending)
        return endings.values()

    def trace_back(self, node: _Node, ending: _Ending) -> ViterbiPath:
        """Return the cheapest reading with the labels of a node of the last line, and an ending."""
        mode = ending.mode
        steps = []
        # The node before the first line has no moves.
        while node.above is not None:
            mode, step = node.moves[mode]
            steps.append(step)
            node = node.above
        steps.reverse()
        way = tuple(steps)
        return ViterbiPath(way, ending.missing, ending.price)
