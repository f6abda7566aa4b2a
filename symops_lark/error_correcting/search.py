"""Search the repairs of one text: by LALR tables with windows, or by one chart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from lark import Token

from .chart import Chart, Item, TooMuchError
from .edits import DELETE, END, INDENTATION, MARGIN, Edit, Leaf, Repair, list_leaves
from .loading import Compiled
from .lr_stack import Run, Stack, StackParser, symbols_of
from .scanner import DEEPEST, Scanner
from .ways import Unwinder

_MOST_RUNS = 2  # repairs of one price that are continued to the next error
_CLOSING_STEPS = 50_000  # to close an incomplete text: its own bound, so that there is a tree


class Bounds(NamedTuple):
    """The bounds of a search.

    Attributes:
        max_price: The highest price of a repair.
        max_steps: The highest number of steps.
        back: Tokens before an error that may be edited.
        ahead: Tokens after an error that must follow without another edit.
    """

    max_price: int
    max_steps: int
    back: int
    ahead: int


class Outcome(NamedTuple):
    """The result of a search.

    Attributes:
        repairs: The repairs, the cheapest first.
        steps: The steps of the search.
        why: The bound that was met; empty: none was.
    """

    repairs: tuple[Repair, ...]
    steps: int
    why: str = ""


Forbidden = frozenset[Leaf]


def find_difference(repair: Repair, tokens: Sequence[Token], forbidden: Forbidden) -> Leaf | None:
    """Return the token because of which Lark's lexer finds others than those of a repair.

    Args:
        repair: The repair that Lark refused.
        tokens: The tokens that Lark's lexer finds in the repaired text.
        forbidden: Tokens that the repair does not have; none of them is returned.
    """
    leaves = list_leaves(repair.root)
    names = [(leaf.name, leaf.value) for leaf in leaves]
    lark_names = [(token.type, str(token)) for token in tokens]
    pairs = zip_longest(names, lark_names)
    places = [index for index, pair in enumerate(pairs) if pair[0] != pair[1]]
    if not places:
        return None
    place = places[0]
    following = place + 1
    here = leaves[place:following]
    after = leaves[following : following + 1]
    previous = place - 1
    before = leaves[previous:place]
    # An edit is to blame rather than the given text: mostly that of the next token.
    edited = [leaf for leaf in after + here + before if leaf.edits]
    candidates = edited + here
    for leaf in candidates:
        if leaf not in forbidden:
            return leaf
    return None


def search_exactly(
    grammar: Compiled, text: str, bounds: Bounds, forbidden: Forbidden = frozenset()
) -> Outcome:
    """Search the cheapest repairs with the whole text as one window.

    Args:
        grammar: The grammar.
        text: The text.
        bounds: The bounds.
        forbidden: Tokens that a repair must not have.
    """
    # Nothing that the price allows may be excluded.
    cheapest = INDENTATION if grammar.tables.marks else DELETE
    deepest = bounds.max_price // cheapest
    scanner = Scanner(grammar.tables, text, grammar.lexer, deepest, forbidden)
    chart = Chart(grammar.tables, scanner)
    end = len(text) + 1
    chart.allow_edits(0, end)
    try:
        items = chart.run(end, bounds.max_price, bounds.max_steps)
    except TooMuchError as error:
        return Outcome((), chart.steps, str(error))
    return _unwind(chart, items)


def _unwind(chart: Chart, items: Sequence[Item]) -> Outcome:
    # The derivations, with at most a few edits that differ. One item at most is after the end.
    unwinder = Unwinder(chart)
    repairs = []
    for item in items:
        # A later window makes a part cheaper than those that wait for it know.
        ways = unwinder.inner(item)
        repairs += [Repair(_add_prices(way.edits), way.edits, way.value[0]) for way in ways]
    repairs.sort(key=lambda repair: repair.price)
    if not repairs:
        return Outcome((), chart.steps, "no repair was found")
    least = repairs[0].price
    chosen = [repair for repair in repairs if repair.price <= least + MARGIN]
    return Outcome(tuple(chosen), chart.steps)


def search_by_chart(
    grammar: Compiled, text: str, bounds: Bounds, forbidden: Forbidden = frozenset()
) -> Outcome:
    """Search repairs with one chart for the whole text, and a window at each error.

    Args:
        grammar: The grammar.
        text: The text.
        bounds: The bounds.
        forbidden: Tokens that a repair must not have.
    """
    scanner = Scanner(grammar.tables, text, grammar.lexer, DEEPEST, forbidden)
    chart = Chart(grammar.tables, scanner)
    end = len(text) + 1
    error = -1
    ahead = bounds.ahead
    why = "no repair leads further"
    try:
        items = chart.run(end, 0, bounds.max_steps)
        while not items and ahead <= 4 * bounds.ahead:
            # A window that did not lead out of the error is made longer.
            ahead = 2 * ahead
            if chart.reached > error:
                ahead = bounds.ahead
            error = max(error, chart.reached)
            goal = scanner.ahead(error, ahead)
            # All of them are at the error or before it.
            passed = {item[2] for item in chart.settled}
            places = sorted(passed | {0})
            start = places[-bounds.back - 1 :][0]
            chart.forget_before(start)
            chart.allow_edits(start, goal)
            items = chart.run(goal, bounds.max_price, bounds.max_steps)
            if goal < end and items:
                # The text after the window is read without edits.
                paid = min(chart.best[item] for item in items) + MARGIN
                # A way may delete all of it.
                done = [item for item in items if item[2] == end]
                for item in items:
                    chart.expand(item)
                items = done + chart.run(end, paid, bounds.max_steps, may_fail=True)
    except TooMuchError as problem:
        items = []
        why = str(problem)
    if items:
        return _unwind(chart, items)
    return _close_chart(grammar, text, chart, error, why)


def _close_chart(grammar: Compiled, text: str, failed: Chart, error: int, why: str) -> Outcome:
    """Close the text before the last error as cheaply as possible, and skip the remainder."""
    items = [item for item in failed.settled if failed.follows_token(item)]
    if failed.windows:
        items = [item for item in items if item[2] <= error]
    # The farthest first, and of those the cheapest.
    items.sort(key=lambda item: (-item[2], failed.best[item], item))
    unwinder = Unwinder(failed, keep=1)
    steps = failed.steps
    limit = steps + _CLOSING_STEPS
    for item in items:
        ways = unwinder.outer(item)
        if not ways:
            continue
        symbols = ways[0].value
        closed = _close(grammar, text, item[2], symbols, ways[0].edits)
        steps += closed.steps
        if closed.repairs:
            return Outcome(closed.repairs, steps, why)
        if steps >= limit:
            break
    # Nothing of the text is kept.
    closed = _close(grammar, text, 0, (), ())
    return Outcome(closed.repairs, steps + closed.steps, why)


def _close(
    grammar: Compiled,
    text: str,
    place: int,
    symbols: Sequence[tuple[str, Any]],
    edits: Sequence[Edit],
) -> Outcome:
    """Close what is open at a place as cheaply as possible, and skip the remainder of the text.

    Args:
        grammar: The grammar.
        text: The text.
        place: The place.
        symbols: What the text before the place was reduced to, with the values.
        edits: The edits before the place.
    """
    scanner = Scanner(grammar.tables, text[:place], grammar.lexer)
    chart = Chart(grammar.tables, scanner, symbols, place)
    chart.allow_edits(place, place)
    try:
        items = chart.run(place + 1, 10**9, _CLOSING_STEPS)
    except TooMuchError:
        items = []
    unwinder = Unwinder(chart, keep=1)
    skip = Edit("skip", place, len(text), "", "", DELETE)
    closed = []
    for item in items[:1]:
        for way in unwinder.outer(item):
            all_edits = (*edits, *way.edits, skip)
            _, root = way.value[0]
            closed.append(Repair(_add_prices(all_edits), all_edits, root))
    return Outcome(tuple(closed), chart.steps)


def _add_prices(edits: Sequence[Edit]) -> int:
    return sum(edit.price for edit in edits)


class StackSearch:
    """Repairs by LALR tables: Lark's parser between errors, and a small chart at each error."""

    def __init__(
        self,
        grammar: Compiled,
        parser: StackParser,
        text: str,
        bounds: Bounds,
        forbidden: Forbidden = frozenset(),
    ) -> None:
        """Prepare the search.

        Args:
            grammar: The grammar.
            parser: Its tables.
            text: The text.
            bounds: The bounds.
            forbidden: Tokens that a repair must not have.
        """
        self.grammar = grammar
        self.parser = parser
        self.text = text
        self.bounds = bounds
        self.scanner = Scanner(grammar.tables, text, grammar.lexer, DEEPEST, forbidden)
        self.steps = 0

    def find_repairs(self) -> Outcome:
        """Return the repairs; where a bound is met, the remainder of the text is skipped."""
        bounds = self.bounds
        stack = Stack(self.parser.start)
        # Lark reads up to the first error.
        runs = [Run(stack, 0)]
        self.parser.advance(runs[0], self.text, bounds.back)
        farthest = -1
        while True:
            done = [run for run in runs if run.root is not None]
            done.sort(key=lambda run: run.price)
            if done:
                # All repairs that reach the end for nearly the same price are alternatives.
                limit = done[0].price + MARGIN
                chosen = [run for run in done if run.price <= limit]
                repairs = [Repair(run.price, run.edits, run.root) for run in chosen]
                return Outcome(tuple(repairs), self.steps)
            # The repair that leads furthest wins, and of those the cheapest.
            runs.sort(key=lambda run: (-run.error, run.price))
            best = runs[0]
            if best.error <= farthest:
                return self._close(best, "no repair leads further")
            farthest = best.error
            level = [run for run in runs if run.error == best.error]
            runs = []
            why = ""
            for run in level[:_MOST_RUNS]:
                if run.price <= best.price + MARGIN:
                    try:
                        runs += self._repair_error(run, bounds.ahead)
                    except TooMuchError as problem:
                        why = str(problem)
            if not runs:
                return self._close(best, why or "no repair was found")
            for run in runs:
                self.parser.advance(run, self.text, bounds.back)

    def _to_tables(self, symbol: str) -> str:
        return self.grammar.to_tables.get(symbol, symbol)

    def _to_lark(self, symbol: str) -> str:
        return self.grammar.to_lark.get(symbol, symbol)

    def _repair_error(self, run: Run, ahead: int) -> list[Run]:
        """Return the cheapest ways past an error."""
        bounds = self.bounds
        place, stack = run.trail[0]
        prefix = symbols_of(stack, self._to_tables)
        chart = Chart(self.grammar.tables, self.scanner, prefix, place)
        goal = self.scanner.ahead(run.error, ahead)
        chart.allow_edits(place, goal)
        limit = bounds.max_price - run.price
        try:
            steps = bounds.max_steps - self.steps
            items = chart.run(goal, limit, steps, paid=run.price)
        finally:
            self.steps += chart.steps
        unwinder = Unwinder(chart)
        ways: list[tuple[int, tuple[Edit, ...], Any, int]] = []
        for item in items:
            best = chart.best[item]
            outer = unwinder.outer(item)
            ways += [(best + way.beyond, way.edits, way.value, item[2]) for way in outer]
        # The cheapest first, and each set of edits once.
        ways.sort(key=lambda way: way[0])
        runs = {}
        for price, edits, symbols, stop in ways:
            if price > ways[0][0] + MARGIN:
                continue
            if edits in runs:
                continue
            total = run.price + price
            repaired = Run(stack, stop, run.edits + edits, total)
            if symbols[-1][0] == END:
                repaired.root = symbols[0][1]
            else:
                rebuilt = self.parser.rebuild(symbols, self._to_lark)
                if rebuilt is None:
                    continue
                repaired.stack = rebuilt
            runs[edits] = repaired
        if items and not runs and 0 < ahead <= 4 * bounds.ahead:
            # The window ends inside of a mistake, which the tables do not know.
            return self._repair_error(run, 2 * ahead)
        return list(runs.values())

    def _close(self, run: Run, why: str) -> Outcome:
        """Close what is open as cheaply as possible, and skip the remainder."""
        place, stack = run.trail[-1]
        symbols = symbols_of(stack, self._to_tables)
        closed = _close(self.grammar, self.text, place, symbols, run.edits)
        return Outcome(closed.repairs, self.steps + closed.steps, why)
