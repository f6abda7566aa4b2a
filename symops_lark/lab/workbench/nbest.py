"""The readings of a broken text that lost: the next cheapest ways through a recovery grammar, and how much dearer.

The same tables over the same semiring (min, +) as `Automaton.read`, asked two more questions. Two readings are the same
if every line has the same role and mistakes in both and the same is missing between them: the modes that the automaton
passes through are not part of a reading. So distinct *readings* are wanted, not distinct paths: the n-best-strings
problem (Mohri and Riley, "An efficient algorithm for the n-best-strings problem", 2002), solved by determinizing
the automaton on the fly in a best-first search whose heuristic, the exact price of the rest, is known.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from ...core.recovery.engines.automaton import Automaton
from ...core.recovery.engines.priced_rules import Step, ViterbiPath

_REACH = 40_000  # beyond the margin: any mode reaches any other for less, so a dearer one is in no reading wanted here
Label = tuple[str, tuple[str, ...], tuple[str, ...]]
_Costs = dict[int, int]  # mode → price


def label_of(step: Step) -> Label:
    """Return what tells a step from another: role, mistakes, and what was missing before it."""
    return step.role, step.mistakes, step.before


def n_best(automaton: Automaton, kinds: Sequence[str], within: int) -> Iterator[ViterbiPath]:
    """Yield the distinct readings of line kinds from the cheapest on, up to `within` dearer than it; lazily.

    Each next one costs time linear in the number of lines. Raises `GrammarError` if the grammar is not total.
    """
    lattice = _Lattice(automaton, kinds, within)
    order = count()
    root = _Node(None, 0, {mode: (cost, -1, None) for mode, cost in lattice.forward[0].items()})
    heap: list[tuple[int, int, int, _Node, tuple[str, ...] | None]] = [(lattice.best, 0, next(order), root, None)]
    while heap:
        _, _, _, node, at_end = heapq.heappop(heap)
        if at_end is not None:
            yield lattice.trace_back(node, at_end)
            continue
        # Of nodes with equal prices the deepest goes first: every node leads to a reading of exactly its price.
        if node.position == len(kinds):
            for ending, total in lattice.endings(node).items():
                if total <= lattice.best + within:
                    heapq.heappush(heap, (total, -len(kinds) - 1, next(order), node, ending))
            continue
        for child in lattice.children(node):
            total = lattice.price(child)
            if total <= lattice.best + within:
                heapq.heappush(heap, (total, -child.position, next(order), child, None))


def price_by_role(automaton: Automaton, kinds: Sequence[str], within: int) -> list[dict[str, int]]:
    """Return for each line the price of the cheapest reading by its role, for the roles that it has in some reading.

    `within` is how much dearer than the cheapest reading the prices are wanted; dearer ones are left out.
    """
    lattice = _Lattice(automaton, kinds, within)
    found: list[dict[str, int]] = []
    for position, kind in enumerate(kinds):
        prices: dict[str, int] = {}
        rest = lattice.backward[position + 1]
        for mode, cost in lattice.forward[position].items():
            for target, step, _ in lattice.arcs[kind].get(mode, ()):
                if target in rest:
                    total = cost + step.price + rest[target]
                    if total <= min(lattice.best + within, prices.get(step.role, total)):
                        prices[step.role] = total
        found.append(prices)
    return found


@dataclass(slots=True)
class _Node:
    """All paths that give the first lines the same labels: for each mode they end in, the cheapest way there."""

    above: _Node | None
    position: int
    ways: dict[int, tuple[int, int, Step | None]]  # mode → price so far, mode before, step


class _Lattice:
    """The price of getting to each mode before each line, and from there to the end."""

    def __init__(self, automaton: Automaton, kinds: Sequence[str], within: int) -> None:
        start, self.end, self.arcs = automaton.tables
        automaton.read(kinds)  # complains of a grammar that is not total
        self.kinds = kinds
        self.forward: list[_Costs] = [dict(start)]
        for kind in kinds:
            costs, new = self.forward[-1], _Costs()
            limit = min(cost for mode, cost in costs.items() if mode in self.end) + _REACH + within
            for mode, cost in costs.items():
                for target, step, _ in self.arcs[kind].get(mode, ()) if cost <= limit else ():
                    new[target] = min(cost + step.price, new.get(target, cost + step.price))
            self.forward.append(new)
        last = {mode: self.end[mode][0] for mode in self.forward[-1] if mode in self.end}
        self.backward: list[_Costs] = [last]
        for kind, costs in zip(reversed(kinds), reversed(self.forward[:-1]), strict=True):
            after, before = self.backward[-1], _Costs()
            for mode in costs:
                onward = self.arcs[kind].get(mode, ())
                ways = [step.price + after[target] for target, step, _ in onward if target in after]
                if ways:
                    before[mode] = min(ways)
            self.backward.append(before)
        self.backward.reverse()
        self.best = min(cost + self.backward[0][mode] for mode, cost in start.items() if mode in self.backward[0])

    def children(self, node: _Node) -> list[_Node]:
        """Return the nodes one line on: one for each label that this line can have."""
        rest, arcs = self.backward[node.position + 1], self.arcs[self.kinds[node.position]]
        found: dict[Label, _Node] = {}
        for mode, (cost, _, _) in node.ways.items():
            for target, step, _ in arcs.get(mode, ()):
                if target not in rest:
                    continue
                child = found.setdefault(label_of(step), _Node(node, node.position + 1, {}))
                total = cost + step.price
                if target not in child.ways or total < child.ways[target][0]:
                    child.ways[target] = (total, mode, step)
        return list(found.values())

    def price(self, node: _Node) -> int:
        """Return the price of the cheapest reading that begins as a node does."""
        rest = self.backward[node.position]
        return min(cost + rest[mode] for mode, (cost, _, _) in node.ways.items())

    def endings(self, node: _Node) -> dict[tuple[str, ...], int]:
        """Return what may be missing at the end behind a node of the last line, with the price of the whole reading."""
        found: dict[tuple[str, ...], int] = {}
        for mode, (cost, _, _) in node.ways.items():
            if mode in self.end:
                paid, missing = self.end[mode]
                found[missing] = min(cost + paid, found.get(missing, cost + paid))
        return found

    def trace_back(self, node: _Node, at_end: tuple[str, ...]) -> ViterbiPath:
        """Return the cheapest reading with the labels of a node of the last line and of its ending."""
        price, mode = min(
            (cost + self.end[mode][0], mode)
            for mode, (cost, _, _) in node.ways.items()
            if mode in self.end and self.end[mode][1] == at_end
        )
        steps: list[Step] = []
        here: _Node | None = node
        while here is not None:
            _, before, step = here.ways[mode]
            if step is not None:
                steps.append(step)
            here, mode = here.above, before
        return ViterbiPath(tuple(reversed(steps)), at_end, price)
