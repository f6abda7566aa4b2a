"""The cheapest ways through a chart: derivations, each with its edits.

A way is unwound from the end. At most `KEEP` ways of an item are kept, distinct by their edits, and
steps that cost more than the margin are left out, because they may lead in a circle: with `a: a b`,
a `b` can be inserted without end. All loops have their own stack, as texts may be nested deeply.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from .chart import Chart, Inserted, Item, Part
from .edits import MARGIN, Edit, Leaf, Node, list_leaves
from .tables import Production

KEEP = 12


class Way(NamedTuple):
    """A way to an item: its price beyond the cheapest one, its edits and its value."""

    beyond: int
    edits: tuple[Edit, ...]
    value: Any


class Unwinder:
    """The ways of one chart."""

    def __init__(self, chart: Chart, keep: int = KEEP) -> None:
        """Prepare to unwind a chart.

        Args:
            chart: The chart after its search.
            keep: The number of ways to keep at each item.
        """
        self.chart = chart
        self.tables = chart.tables
        self.keep = keep
        self._inner: dict[Item, list[Way]] = {}
        self._outer: dict[Item, list[Way]] = {}

    def inner(self, item: Item) -> list[Way]:
        """Return the ways to the children of an item; a value is a tuple of children."""
        # Values are linked lists until here.
        _visit(item, self._inner, self._needs, self._find_inner)
        return [way._replace(value=_flatten(way.value)) for way in self._inner[item]]

    def outer(self, item: Item) -> list[Way]:
        """Return the ways from the beginning of the text; a value is a list of symbols and values.

        Where a mistake is not complete there is no way: the tables of Lark do not know it.
        """
        _visit(item, self._outer, self._parents, self._find_outer)
        return self._outer[item]

    def _needs(self, item: Item) -> list[Item]:
        """Return the items whose inner ways are parts of those of an item."""
        chart = self.chart
        needs = []
        for back in chart.backs.get(item, ()):
            if back.price - chart.best[item] > MARGIN:
                continue
            needs.append(back.before)
            if isinstance(back.child, Part):
                # Several rules may derive the same part.
                rows = chart.completed[back.child]
                least = min(rows)[0]
                needs.extend(row[1] for row in rows if row[0] - least <= MARGIN)
        return needs

    def _find_inner(self, item: Item) -> list[Way]:
        chart = self.chart
        backs = chart.backs.get(item)
        if not backs:
            return [Way(0, (), None)]
        ways = []
        for back in backs:
            beyond = back.price - chart.best[item]
            if beyond > MARGIN:
                continue
            children = self._child(back.child)
            for before in self._inner.get(back.before, ()):
                for child in children:
                    total = beyond + before.beyond + child.beyond
                    edits = before.edits + child.edits
                    # A linked list: most ways share their beginning.
                    linked = (before.value, child.value)
                    ways.append(Way(total, edits, linked))
        return _cheapest(ways, self.keep)

    def _child(self, child: Any) -> list[Way]:
        """Return the ways of one child."""
        tables = self.tables
        if isinstance(child, Leaf):
            return [Way(0, child.edits, child)]
        if isinstance(child, Inserted):
            name, place = child
            cheapest = self.chart.scanner.least(place)
            node, edits = tables.insert_all(name, place, cheapest)
            return [Way(0, edits, node)]
        if not isinstance(child, Part):
            return [Way(0, (), child.value)]
        rows = self.chart.completed[child]
        least = min(rows)[0]
        ways = []
        for inner, item in rows:
            number = tables.owner[item[0]]
            production = tables.productions[number]
            for way in self._inner.get(item, ()):
                edits = way.edits
                if production.price:
                    mistake = self._name_mistake(production, way)
                    edits = (*edits, mistake)
                node = Node(production.rule, _flatten(way.value))
                beyond = inner - least + way.beyond
                ways.append(Way(beyond, edits, node))
        return _cheapest(ways, self.keep)

    def _name_mistake(self, production: Production, way: Way) -> Edit:
        chart = self.chart
        # Places in the prefix are negative: the tokens have the offsets.
        children = _flatten(way.value)
        leaves = list_leaves(Node(None, children))
        start = min((leaf.start for leaf in leaves), default=chart.at)
        stop = max((leaf.stop for leaf in leaves), default=chart.at)
        start = chart.scanner.skip(start)
        start = min(start, stop)
        code = production.name.strip("_").replace("_", "-")
        return Edit("mistake", start, stop, code, "", production.price)

    def _parents(self, item: Item) -> list[Item]:
        tables = self.tables
        chart = self.chart
        number = tables.owner[item[0]]
        if number == 0:
            return []
        if tables.productions[number].price:
            return []
        key = (tables.productions[number].name, item[1])
        # Only items that expect this rule nearly as cheaply as the cheapest one.
        floor = chart.floor[key]
        waiting = chart.waiting[key]
        return [parent for price, parent in waiting if price - floor <= MARGIN]

    def _find_outer(self, item: Item) -> list[Way]:
        tables = self.tables
        chart = self.chart
        number = tables.owner[item[0]]
        production = tables.productions[number]
        above = []
        if number == 0:
            above = [Way(0, (), ())]
        elif not production.price:
            key = (production.name, item[1])
            for price, parent in chart.waiting[key]:
                beyond = price - chart.floor[key]
                if beyond <= MARGIN:
                    for way in self._outer.get(parent, ()):
                        total = way.beyond + beyond
                        above.append(way._replace(beyond=total))
        # The symbols before the dot, with their values.
        names = [symbol.name for symbol in production.symbols]
        ways = []
        inner = self.inner(item)
        for before in _cheapest(above, self.keep):
            for way in inner:
                pairs = tuple(zip(names, way.value, strict=False))
                total = before.beyond + way.beyond
                edits = before.edits + way.edits
                ways.append(Way(total, edits, before.value + pairs))
        return _cheapest(ways, self.keep)


def _visit(
    root: Item,
    results: dict[Item, list[Way]],
    needs: Callable[[Item], list[Item]],
    find: Callable[[Item], list[Way]],
) -> None:
    """Compute the ways of an item after those that it needs; a circle is entered once."""
    entered = set()
    pending = [(root, False)]
    while pending:
        item, is_ready = pending.pop()
        if is_ready:
            results[item] = find(item)
        elif item not in results and item not in entered:
            entered.add(item)
            pending.append((item, True))
            # Those that are ready, or wait already, are passed over above.
            pending.extend((needed, False) for needed in needs(item))


def _flatten(linked: Any) -> tuple[Any, ...]:
    values = []
    while linked is not None:
        linked, value = linked
        values.append(value)
    return tuple(reversed(values))


def _cheapest(ways: list[Way], keep: int) -> list[Way]:
    """Return the cheapest ways that differ by their edits."""
    # The cheapest way with each list of edits.
    distinct: dict[tuple[Edit, ...], Way] = {}
    for way in sorted(ways, key=itemgetter(0)):
        if way.beyond <= MARGIN:
            distinct.setdefault(way.edits, way)
    return list(distinct.values())[:keep]
