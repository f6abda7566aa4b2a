"""The chart: each way is found once, prices are final, windows bound the edits, and the first items at a goal win."""

from __future__ import annotations

from functools import cache
from itertools import chain

import pytest

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.chart import Chart, TooMuchError
from symops_lark.error_correcting.edits import Leaf, Node
from symops_lark.error_correcting.scanner import Scanner
from symops_lark.error_correcting.search import Bounds, search_by_chart, search_exactly

ITEMS = 'start: s+\ns: "p" v? ";" | "(" s+ ")" | w "!"\nv: "n" | N\nw: ("q" v)*\nN: /m/\n'
AMBIGUOUS = 'start: x+\nx: x x | "a" | "b"'


@cache
def load(grammar: str, mistakes: str | None = None) -> ErrorCorrectingParser:
    return ErrorCorrectingParser(grammar, mistakes=mistakes, parser="earley")


def chart_of(grammar: str, text: str, mistakes: str | None = None) -> Chart:
    compiled = load(grammar, mistakes).compiled
    return Chart(compiled.tables, Scanner(compiled.tables, text, compiled.lexer))


def check_chart(chart: Chart) -> None:
    """Check what is true of every chart."""
    tables = chart.tables
    assert chart.steps == len(chart.settled)
    assert chart.ways == sum(map(len, chart.backs.values()))
    assert chart.reached == max((place for _, _, place in chart.settled), default=chart.at)
    for item, backs in chart.backs.items():
        ways = [(back.before, back.child) for back in backs]
        assert len(set(ways)) == len(ways), "the same way twice"
        assert chart.best[item] == min(back.price for back in backs)
        least = backs[0].price
        for back in backs:
            assert back.price <= least + 99
            least = min(least, back.price)
            assert back.before in chart.settled and chart.best[back.before] <= back.price
            state, origin, place = back.before
            assert item[:2] == (state + 1, origin) and item[2] >= place
    for key, waiting in chart.waiting.items():
        assert chart.floor[key] == min(price for price, _ in waiting)
        assert len({item for _, item in waiting}) == len(waiting)
        assert all(price == chart.best[item] for price, item in waiting)
    for part, rows in chart.completed.items():
        assert len({item for _, item in rows}) == len(rows) and part.start < part.stop
        assert all(tables.symbols[item[0]] is None and item[1:] == (part.start, part.stop) for _, item in rows)
        assert min(rows)[0] >= 0


TEXTS = [
    "p;qn!",
    "(p;(pn;)p;)!",
    "p;" + "pn;" * 8 + "p" + "pn;" * 8 + "qm!",
    "pn" + "pn;" * 8 + "(pn;" + "pn;" * 8,
    ")" * 3 + "p;" * 12 + "qn",
    "qq" + "n!" * 3,
    "",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("mistakes", [None, '%extend s: _m\n_m.-300: "p" ";" "p"\n'])
def test_each_way_is_found_once(text: str, mistakes: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    charts: list[Chart] = []
    run = Chart.run

    def watch(self: Chart, goal: int, limit: int, most_steps: int, *, paid: int = 0, may_fail: bool = False) -> object:
        charts.append(self)
        items = run(self, goal, limit, most_steps, paid=paid, may_fail=may_fail)
        symbols = [self.tables.symbols[item[0] - 1] for item in items]
        assert all(symbol and symbol.is_terminal for symbol in symbols)
        assert all(item[2] >= goal and self.best[item] <= limit for item in items)
        assert not items or max(map(self.best.__getitem__, items)) <= self.best[items[0]] + 99
        return items

    monkeypatch.setattr(Chart, "run", watch)
    compiled = load(ITEMS, mistakes).compiled
    outcome = search_by_chart(compiled, text, Bounds(20_000, 10**5, 2, 3))
    exact = search_exactly(compiled, text, Bounds(20_000, 10**5, 2, 3))
    assert outcome.why == exact.why == "" and outcome.repairs[0].price >= exact.repairs[0].price
    assert len(charts) >= 2
    for chart in charts:
        check_chart(chart)


# ---- windows


def test_edits_are_made_inside_of_windows_alone() -> None:
    text = "pn;" * 6 + "p" + "pn;" * 6
    outcome = search_by_chart(load(ITEMS).compiled, text, Bounds(20_000, 10**5, 2, 3))
    edits = list(chain.from_iterable(repair.edits for repair in outcome.repairs))
    assert edits and all(15 <= edit.start <= edit.stop <= 22 for edit in edits)


def test_a_window_has_both_of_its_ends() -> None:
    chart = chart_of(ITEMS, "pn;")
    assert not chart.is_open(0)
    chart.allow_edits(2, 4)
    chart.allow_edits(6, 6)
    assert [place for place in range(9) if chart.is_open(place)] == [2, 3, 4, 6]


def test_an_inserted_rule_is_inside_of_a_window() -> None:
    """The bracket would be inserted before the window."""
    grammar = 'start: o "a" "a" "a" "a" ")" | "a" "a" "a" "a" "."\no: "("\n'
    for back, price in [(1, 1500), (3, 1000)]:
        outcome = search_by_chart(load(grammar).compiled, "aaaa)", Bounds(20_000, 10**5, back, 8))
        assert outcome.repairs[0].price == price


def test_a_mistake_begins_inside_of_a_window() -> None:
    grammar, mistakes = 'start: "x" "y" "a" "b" "z"', '%extend start: _m\n_m.-300: "x" "y" "a" "b" "w"\n'
    for back, price in [(1, 1500), (3, 300)]:
        outcome = search_by_chart(load(grammar, mistakes).compiled, "xyabw", Bounds(20_000, 10**5, back, 8))
        assert outcome.repairs[0].price == price


@pytest.mark.parametrize("back", [0, 1, 8])
def test_tokens_that_were_read_may_be_edited(back: int) -> None:
    """The foreign line begins with the token that is expected."""
    compiled = load('start: "x" "x" "x" "a" ";" | ","\n%ignore /[ \\n]+/\n').compiled
    text = "x x x\na , , , , ,\na ;"
    [repair] = search_by_chart(compiled, text, Bounds(20_000, 10**5, back, 8)).repairs
    assert repair.price == 2500 and repair.edits[0][:3] == ("delete", 6, 18)


def test_nothing_is_edited_without_a_window() -> None:
    assert chart_of(ITEMS, "p").run(2, 20_000, 10**5) == []
    [item] = chart_of(ITEMS, "p;").run(3, 0, 10**5)
    assert item[1:] == (0, 3)


# ---- the goal and the bounds


def test_the_first_items_at_a_goal_are_the_cheapest() -> None:
    """A literal is missing, or a value for 60 more; a longer repair is none of them."""
    chart = chart_of('start: "p" ("n" | N | "k" "k") ";"\nN: /m/\n', "p;")
    chart.allow_edits(0, 3)
    items = chart.run(2, 20_000, 10**5)
    assert sorted(chart.best[item] for item in items) == [1000, 1060] and {item[2] for item in items} == {2}
    check_chart(chart)


@pytest.mark.parametrize(("limit", "count"), [(999, 0), (1000, 1), (1059, 1), (1060, 2)])
def test_no_item_at_a_goal_costs_more_than_the_limit(limit: int, count: int) -> None:
    chart = chart_of('start: "p" ("n" | N) ";"\nN: /m/\n', "p;")
    chart.allow_edits(0, 3)
    if count:
        assert len(chart.run(2, limit, 10**5)) == count
        return
    assert chart.run(2, limit, 10**5, may_fail=True) == []
    with pytest.raises(TooMuchError, match="no repair costs 999 or less"):
        chart.run(2, limit, 10**5)
    with pytest.raises(TooMuchError, match="no repair costs 1500 or less"):
        chart.run(2, limit, 10**5, paid=501)


def test_a_repair_that_was_found_counts_where_the_steps_end() -> None:
    compiled = load('start: "p" (a | b | c) ";"\na: "n"\nb: "k"\nc: "l"\n').compiled
    counts = []
    for steps in range(1, 60):
        outcome = search_exactly(compiled, "p;", Bounds(20_000, steps, 8, 8))
        counts.append(len(outcome.repairs))
        assert outcome.why == ("" if outcome.repairs else "no repair: the search reached max_steps")
        assert outcome.steps <= steps
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 3


@pytest.mark.slow
def test_a_step_may_add_eight_ways() -> None:
    text = "ab" * 25 + "c"
    for steps in (2500, 2700):
        chart = chart_of(AMBIGUOUS, text)
        chart.allow_edits(0, len(text) + 1)
        with pytest.raises(TooMuchError, match="no repair: the search reached max_steps"):
            chart.run(len(text) + 1, 20_000, steps)
        assert chart.steps < steps and 8 * steps <= chart.ways < 8 * steps + 200


# ---- what an LALR parser has reduced


def test_the_prefix_is_read_as_tokens() -> None:
    """It has one reading at its places, though the text has the same letters."""
    grammar = 'start: "a" "b" "z" | "a" "a" "b" "w" | e "z"\ne: "a" "w"\n'
    tables = load(grammar).compiled.tables
    leaves = [Leaf("A", 0, 1, "a"), Leaf("B", 1, 2, "b")]
    prefix = [(leaf.name, leaf) for leaf in leaves]
    chart = Chart(tables, Scanner(tables, "abw", "basic"), prefix, 2)
    chart.allow_edits(2, 4)
    assert chart.reached == 2
    [item] = chart.run(4, 20_000, 10**5)
    assert chart.best[item] == 1500
    check_chart(chart)


def test_a_reduced_rule_is_read_as_a_token() -> None:
    grammar = 'start: e ";" | "a" "b" "."\ne: "a" "b"\n'
    tables = load(grammar).compiled.tables
    value = Node(None, (Leaf("A", 0, 1, "a"), Leaf("B", 1, 2, "b")))
    chart = Chart(tables, Scanner(tables, "ab.", "basic"), [("e", value)], 2)
    chart.allow_edits(2, 4)
    items = chart.run(4, 20_000, 10**5)
    assert chart.best[items[0]] == 1500
    assert [back.child for back in chart.backs[next(item for item in chart.backs if item[1:] == (-1, 2))]] == [(value,)]
