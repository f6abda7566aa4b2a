"""The ways through a chart: which are kept, their order, and the places of named mistakes."""

from __future__ import annotations

import pytest

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.chart import Chart
from symops_lark.error_correcting.edits import Edit, Repair, list_leaves
from symops_lark.error_correcting.scanner import Scanner
from symops_lark.error_correcting.search import Bounds, search_exactly
from symops_lark.error_correcting.ways import Unwinder

BOUNDS = Bounds(20_000, 10**5, 8, 8)


def repair(parser: ErrorCorrectingParser, text: str) -> tuple[Repair, ...]:
    outcome = search_exactly(parser.compiled, text, BOUNDS)
    assert not outcome.why
    return outcome.repairs


LETTERS = "bcdefghijklmnopqrstu"


def test_twelve_ways_are_kept() -> None:
    """Each of twenty letters may be missing."""
    parser = ErrorCorrectingParser(
        f'start: "a" ({" | ".join(map(repr, LETTERS))})'.replace("'", '"').replace('"start', "start")
    )
    repairs = repair(parser, "a")
    assert len(repairs) == 12 and {item.price for item in repairs} == {1000}
    assert len({item.edits for item in repairs}) == 12


@pytest.mark.parametrize("keep", [1, 3])
def test_fewer_ways_may_be_kept(keep: int) -> None:
    tables = ErrorCorrectingParser('start: "a" ("b" | "c" | "d" | "e")').compiled.tables
    chart = Chart(tables, Scanner(tables, "a", "basic"))
    chart.allow_edits(0, 2)
    [item] = chart.run(2, 5000, 1000)
    ways = Unwinder(chart, keep).inner(item)
    assert [way.beyond for way in ways] == [0] * keep


SPLIT = """
start: a b
a: "x"
b: "z"
"""


@pytest.mark.parametrize(("second", "prices"), [(201, [200, 201]), (299, [200, 299]), (300, [200])])
def test_ways_cost_at_most_99_more_than_the_cheapest_one(second: int, prices: list[int]) -> None:
    """The `y` belongs to either part by a mistake."""
    mistakes = f'%extend a: _late\n%extend b: _early\n_late.-{second}: "x" "y"\n_early.-200: "y" "z"\n'
    repairs = repair(ErrorCorrectingParser(SPLIT, mistakes=mistakes, parser="earley"), "xyz")
    assert [item.price for item in repairs] == prices
    assert [[(edit.name, edit.start, edit.stop) for edit in item.edits] for item in repairs] == [
        [("early", 1, 3)],
        [("late", 0, 2)],
    ][: len(prices)]


@pytest.mark.parametrize(("second", "prices"), [(201, [200, 201]), (299, [200, 299]), (300, [200])])
def test_rules_of_one_part_cost_at_most_99_more(second: int, prices: list[int]) -> None:
    mistakes = f'%extend a: _one | _two\n_one.-200: "x" "y"\n_two.-{second}: "x" Y\nY: "y"\n'
    repairs = repair(ErrorCorrectingParser(SPLIT, mistakes=mistakes, parser="earley"), "xyz")
    assert [item.price for item in repairs] == prices
    assert [item.edits[0].name for item in repairs] == ["one", "two"][: len(prices)]


def test_prices_of_parts_are_added() -> None:
    """Each item has two ways, of which the other one costs 60 more: both of these are too many."""
    parser = ErrorCorrectingParser('start: "[" v "," v "]"\nv: "p" "n" | "p" N\nN: /m/\n')
    repairs = repair(parser, "[p,p]")
    assert [item.price for item in repairs] == [2000, 2060, 2060]
    texts = ["".join(leaf.value for leaf in list_leaves(item.root)) for item in repairs]
    assert texts[0] == "[pn,pn]" and sorted(texts[1:]) == ["[pm,pn]", "[pn,pm]"]
    for item in repairs:
        assert sum(edit.price for edit in item.edits) == item.price


@pytest.mark.parametrize("text", ["xy", "  x y", " (x y)"])
def test_a_mistake_begins_with_its_first_token(text: str) -> None:
    parser = ErrorCorrectingParser(
        'start: "(" start ")" | "x"\n%ignore " "\n', mistakes='%extend start: _more\n_more.-200: "x" "y"\n'
    )
    [item] = repair(parser, text)
    [edit] = item.edits
    assert (edit.kind, edit.name, edit.new, edit.price) == ("mistake", "more", "", 200)
    assert (edit.start, edit.stop) == (text.index("x"), text.index("y") + 1)


# ---- mistakes that begin before a window

PREFIXED = 'start: "x" "y" "a" "b" "z"\n%ignore " "\n'


@pytest.mark.parametrize("back", [0, 1, 2, 3, 8])
@pytest.mark.parametrize(
    ("rules", "place"),
    [
        ('%extend start: _m "a" "b" "w"\n_m.-300: "x" "y"\n', (1, 4)),
        ('%extend start: _m "w"\n_m.-300: "x" "y" "a" "b"\n', (1, 8)),
        ('%extend start: _m\n_m.-300: "x" "y" "a" "b" "w"\n', (1, 10)),
        ('%extend start: "x" _m "w"\n_m.-300: "y" "a" "b"\n', (3, 8)),
        ('%extend start: "x" "y" "a" "b" _m\n_m.-300: "w"\n', (9, 10)),
    ],
)
def test_a_mistake_has_the_place_of_its_tokens(rules: str, place: tuple[int, int], back: int) -> None:
    parser = ErrorCorrectingParser(PREFIXED, mistakes=rules, parser="lalr")
    parse = parser.parse(" x y a b w", exact=False, back=back)
    assert parse.edits == (Edit("mistake", *place, "m", "", 300),) and parse.price == 300
    [note] = parser.diagnostics(" x y a b w", parse)
    assert (note.span.start, note.span.end) == place
