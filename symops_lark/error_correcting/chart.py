"""Least-cost Earley: the cheapest prefix first, as in Dijkstra's algorithm.

An item is a state (a dotted rule), the place where the rule began, and the place of the dot. The
price of an item is that of the cheapest way from the beginning of the text to it. So the first item
after the goal has the least price of all. Edits are made inside of windows only.

A. V. Aho and T. G. Peterson, A minimum distance error-correcting parser for context-free
languages, SIAM Journal on Computing 1 (1972), https://doi.org/10.1137/0201022. The order by price:
D. E. Knuth, A generalization of Dijkstra's algorithm, Information Processing Letters 6 (1977),
https://doi.org/10.1016/0020-0190(77)90002-3. Windows: S. O. Anderson and R. C. Backhouse, Locally
least-cost error recovery in Earley's algorithm, TOPLAS 3 (1981),
https://doi.org/10.1145/357139.357143.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from .edits import MARGIN, NEAR, Leaf
from .scanner import Scanner
from .tables import TOP, Symbol, Tables

Item = tuple[int, int, int]

# A step of an ambiguous grammar may add as many ways as the text has places, and each is kept.
# Grammars that people write add 2 to 6.
_WAYS_A_STEP = 8


class TooMuchError(Exception):
    """A bound on prices or steps was met."""


class Inserted(NamedTuple):
    """A nonterminal of which nothing is in the text."""

    name: str
    place: int


class Part(NamedTuple):
    """A nonterminal between two places."""

    name: str
    start: int
    stop: int


class Reduced(NamedTuple):
    """A symbol of an LALR stack, with its value."""

    value: Any


Child = Leaf | Inserted | Part | Reduced | None


class Back(NamedTuple):
    """A way to an item: its price, the item before, and the child between them."""

    price: int
    before: Item
    child: Child


class Chart:
    """The chart of one text.

    Attributes:
        prefix: Symbols that an LALR parser has reduced already, with their values. They are at
            negative places, and read as if they were tokens.
        at: The place after the prefix.
        best: The price of each item.
        backs: The ways to each item.
        settled: The items whose price is final.
        floor: By nonterminal and place, the price of the cheapest prefix before it.
        waiting: By nonterminal and place, the items that expect it, with their prices.
        completed: By nonterminal and its places, its finished items with their inner prices.
        windows: The places between which edits are allowed.
        steps: The number of items that were settled.
        ways: The number of ways that are kept.
        reached: The farthest place.
    """

    def __init__(
        self, tables: Tables, scanner: Scanner, prefix: Sequence[tuple[str, Any]] = (), at: int = 0
    ) -> None:
        """Prepare the search.

        Args:
            tables: The grammar.
            scanner: The text.
            prefix: The symbols of an LALR stack and their values.
            at: The place after the prefix.
        """
        # Tables, text and prefix do not change; all else grows.
        self.tables = tables
        self.scanner = scanner
        self.prefix = prefix
        self.at = at
        self.best: dict[Item, int] = {}
        self.backs: dict[Item, list[Back]] = {}
        self.settled: set[Item] = set()
        self.floor: dict[tuple[str, int], int] = {}
        self.waiting: dict[tuple[str, int], list[tuple[int, Item]]] = {}
        self.completed: dict[Part, list[tuple[int, Item]]] = {}
        self.windows: list[tuple[int, int]] = []
        self.steps = 0
        self.ways = 0
        self.reached = at
        self._ends: dict[tuple[str, int], dict[int, int]] = {}  # by place, the inner price
        self._parked: list[tuple[int, Item]] = []  # they cannot continue without edits
        self._agenda: list[tuple[int, int, Item]] = []
        # The first symbol of the prefix is at the lowest place. Without one, nothing was read.
        start = -len(prefix)
        self._push((0, start, start), 0)

    def is_open(self, place: int) -> bool:
        """Return whether edits are allowed at a place."""
        return any(start <= place <= stop for start, stop in self.windows)

    def _names_at(self, place: int) -> Collection[str]:
        if place < 0:
            return (self.prefix[place][0],)
        return self.scanner.tokens(place)

    def _push(
        self, item: Item, price: int, before: Item | None = None, child: Child = None
    ) -> None:
        # A little more than the cheapest way: another repair of nearly the same price.
        earlier = self.best.get(item)
        if earlier is not None and price > earlier + MARGIN:
            return
        if before is not None:
            back = Back(price, before, child)
            # All ways of nearly one price are kept: the alternatives come from them.
            backs = self.backs.setdefault(item, [])
            backs.append(back)
            self.ways += 1
        if earlier is not None and price >= earlier:
            return
        self.best[item] = price
        self._schedule(item, price)

    def _schedule(self, item: Item, price: int) -> None:
        """Put an item on the agenda; one that needs an edit waits for the least edit's price."""
        state, _, place = item
        first = self.tables.first[state]
        delay = 0
        names = self._names_at(place)
        if first is not None and first.isdisjoint(names):
            if not self.is_open(place):
                self._parked.append((price, item))
                return
            delay = NEAR
        heapq.heappush(self._agenda, (price + delay, -place, item))

    def run(
        self, goal: int, limit: int, most_steps: int, *, paid: int = 0, may_fail: bool = False
    ) -> list[Item]:
        """Search until a token ends at or after a place.

        Args:
            goal: The place.
            limit: The highest price.
            most_steps: The bound on steps of this chart. It bounds the ways, too.
            paid: The price of the repairs before this chart.
            may_fail: Whether the limit of the price is expected to be met.

        Returns:
            The cheapest items at the goal, or none.

        Raises:
            TooMuchError: A bound was met.
        """
        # Items at the goal. They are not expanded, so the search ends soon after the first.
        ends: list[Item] = []
        ceiling = limit
        while self._agenda:
            price, _, item = self._agenda[0]
            if price > ceiling:
                if not ends and self.windows and not may_fail:
                    raise TooMuchError(f"no repair costs {limit + paid} or less")
                break
            heapq.heappop(self._agenda)
            # It was on the agenda twice.
            if item in self.settled:
                continue
            is_over = self.steps >= most_steps or self.ways >= _WAYS_A_STEP * most_steps
            if is_over:
                if ends:
                    break
                raise TooMuchError("no repair: the search reached max_steps")
            self.settled.add(item)
            self.steps += 1
            self.reached = max(self.reached, item[2])
            if item[2] >= goal and self.follows_token(item):
                if not ends:
                    least = self.best[item]
                    ceiling = min(limit, least + MARGIN)
                ends.append(item)
                continue
            self.expand(item)
        return ends

    def follows_token(self, item: Item) -> bool:
        """Return whether a token precedes the dot of an item."""
        tables = self.tables
        # There is no symbol before the first one of a rule.
        state = item[0]
        before = tables.symbols[state - 1]
        return before is not None and before.is_terminal

    def expand(self, item: Item, *, edits_only: bool = False) -> None:
        """Add the items that follow from one.

        Args:
            item: The item.
            edits_only: Whether all that needs no edit was added before.
        """
        state, origin, place = item
        symbol = self.tables.symbols[state]
        if symbol is None:
            # Items without text are not completed: their nonterminal is inserted in one move.
            if origin != place and not edits_only:
                self._complete(item)
            return
        price = self.best[item]
        # A symbol that the LALR parser has reduced is read as a token.
        is_reduced = place < 0 and symbol.name in self._names_at(place)
        if is_reduced:
            stop = self.at
            if place < -1:
                stop = place + 1
            value = self.prefix[place][1]
            self._push((state + 1, origin, stop), price, item, Reduced(value))
        if symbol.is_terminal:
            self._scan(item, symbol.name, edits_only)
        else:
            self._predict(item, symbol, edits_only)

    def _scan(self, item: Item, name: str, edits_only: bool) -> None:
        state, origin, place = item
        if place < 0:
            return
        price = self.best[item]
        leaf = self.scanner.tokens(place).get(name)
        if leaf and not edits_only:
            after = (state + 1, origin, leaf.stop)
            self._push(after, price, item, leaf)
        if self.is_open(place):
            for move in self.scanner.edits(place, name):
                after = (state + 1, origin, move.stop)
                total = price + move.price
                self._push(after, total, item, move.leaf)

    def _predict(self, item: Item, symbol: Symbol, edits_only: bool) -> None:
        tables = self.tables
        state, origin, place = item
        name = symbol.name
        price = self.best[item]
        prices = self.scanner.least(place)
        if name in prices:
            least = prices[name][0]
            if (least == 0 and not edits_only) or (least and self.is_open(place)):
                # All of a nonterminal is inserted in one move, at its cheapest derivation.
                inserted = Inserted(name, place)
                after = (state + 1, origin, place)
                self._push(after, price + least, item, inserted)
        if edits_only:
            return
        key = (name, place)
        waiting = self.waiting.setdefault(key, [])
        waiting.append((price, item))
        if key not in self.floor:
            self.floor[key] = price
            for number in tables.by_name[name]:
                production = tables.productions[number]
                if production.symbols:
                    begin = tables.begin[number]
                    total = price + production.price
                    self._push((begin, place, place), total)
        # Those parts were completed before this item expected them.
        ends = self._ends.get(key, {})
        for stop, inner in ends.items():
            part = Part(name, place, stop)
            after = (state + 1, origin, stop)
            self._push(after, price + inner, item, part)

    def _complete(self, item: Item) -> None:
        tables = self.tables
        state, origin, place = item
        name = tables.productions[tables.owner[state]].name
        if name == TOP:
            return
        key = (name, origin)
        part = Part(name, origin, place)
        # The price of the part alone: what precedes it is paid by those that wait for it.
        floor = self.floor[key]
        inner = self.best[item] - floor
        completed = self.completed.setdefault(part, [])
        completed.append((inner, item))
        ends = self._ends.setdefault(key, {})
        # A later completion is not cheaper, and those that wait know the first one.
        if place in ends:
            return
        ends[place] = inner
        for price, waiting in list(self.waiting[key]):
            state, origin, _ = waiting
            after = (state + 1, origin, place)
            self._push(after, price + inner, waiting, part)

    def allow_edits(self, start: int, stop: int) -> None:
        """Open a window: allow edits between two places, also of items that were settled before."""
        inside = []
        for item in self.settled:
            place = item[2]
            if place >= start and not self.is_open(place):
                inside.append(item)
        self.windows.append((start, stop))
        parked = self._parked
        self._parked = []
        for price, item in parked:
            self._schedule(item, price)
        for item in inside:
            self.expand(item, edits_only=True)

    def forget_before(self, place: int) -> None:
        """Forget the items on the agenda before a place: ways that a later error does not concern.

        The text before the place was read without them. A new chart has only its first item.
        """
        agenda = self._agenda
        self._agenda = []
        for row in agenda:
            item = row[2]
            if item[2] >= place or item[2] < 0:
                self._agenda.append(row)
        heapq.heapify(self._agenda)
