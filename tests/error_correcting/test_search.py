"""The searches: the token that is to blame, the window of an error, and how a text is closed where none leads on."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import pytest
from block_grammar import BLOCKS
from lark import Token

from symops_lark.error_correcting import ErrorCorrectingParser
from symops_lark.error_correcting.chart import Chart, Item
from symops_lark.error_correcting.edits import Edit, Leaf, Node, Repair
from symops_lark.error_correcting.lr_stack import StackParser
from symops_lark.error_correcting.search import (
    Bounds,
    Outcome,
    StackSearch,
    find_difference,
    search_by_chart,
    search_exactly,
)

Engine = Literal["lalr", "earley"]
BOUNDS = Bounds(20_000, 10**5, 8, 8)


@cache
def load(grammar: str, engine: Engine = "lalr") -> ErrorCorrectingParser:
    return ErrorCorrectingParser(grammar, parser=engine)


def search(grammar: str, engine: Engine, text: str, bounds: Bounds = BOUNDS, mistakes: str | None = None) -> Outcome:
    """Return what a search in windows finds."""
    compiled = ErrorCorrectingParser(grammar, mistakes=mistakes, parser=engine).compiled
    if engine == "earley":
        return search_by_chart(compiled, text, bounds)
    return StackSearch(compiled, StackParser(compiled.reader, "start"), text, bounds).find_repairs()


@pytest.fixture
def charts(monkeypatch: pytest.MonkeyPatch) -> list[Chart]:
    """Return the charts that run from now on, in order."""
    started: list[Chart] = []
    run = Chart.run

    def watch(self: Chart, *arguments: Any, **options: Any) -> list[Item]:
        if self not in started:
            started.append(self)
        return run(self, *arguments, **options)

    monkeypatch.setattr(Chart, "run", watch)
    return started


# ---- the token that is to blame


def repair_of(text: str, edited: str) -> Repair:
    """Return a repair with a token for each letter; those of `edited` have an edit."""
    leaves = []
    for place, letter in enumerate(text):
        edit = Edit("insert", place, place, letter.upper(), letter, 1000)
        leaves.append(Leaf(letter.upper(), place, place + 1, letter, (edit,) if letter in edited else ()))
    return Repair(1000, (), Node("start", tuple(leaves)))


def tokens_of(text: str) -> list[Token]:
    return [Token(letter.upper(), letter) for letter in text]


BLAMED = [
    ("abc", "abc", "abc", "", None),
    ("abc", "", "abc", "", None),
    # Mostly the edit of the next token, then the token's, then that of the one before.
    ("abcd", "bcd", "axcd", "", "c"),
    ("abcd", "ab", "axcd", "", "b"),
    ("abcd", "a", "axcd", "", "a"),
    ("abcd", "", "axcd", "", "b"),
    ("abcd", "d", "axcd", "", "b"),
    ("abcd", "d", "xbcd", "", "a"),
    ("abcd", "ad", "abxd", "", "d"),
    ("abcd", "a", "abxd", "", "c"),
    # The next one of these if it is forbidden.
    ("abcd", "bc", "axcd", "c", "b"),
    ("abcd", "ac", "axcd", "c", "a"),
    ("abcd", "c", "axcd", "c", "b"),
    ("abcd", "c", "axcd", "cb", None),
    # One of the two ends earlier.
    ("abc", "c", "ab", "", "c"),
    ("abc", "b", "ab", "", "b"),
    ("ab", "b", "abc", "", "b"),
    ("ab", "a", "abc", "", None),
    ("ab", "", "", "", "a"),
]


@pytest.mark.parametrize(("repaired", "edited", "read", "forbidden", "blamed"), BLAMED)
def test_the_token_that_is_to_blame_is_near_the_first_difference(
    repaired: str, edited: str, read: str, forbidden: str, blamed: str | None
) -> None:
    repair = repair_of(repaired, edited)
    without = frozenset(leaf for leaf in repair.root.children if leaf.value in forbidden)
    leaf = find_difference(repair, tokens_of(read), without)
    assert (leaf and leaf.value) == blamed


def test_a_token_of_another_terminal_is_a_difference() -> None:
    leaf = find_difference(repair_of("ab", ""), [Token("A", "a"), Token("X", "b")], frozenset())
    assert leaf is not None and leaf.name == "B"


# ---- exact searches


@pytest.mark.parametrize("bound", [1800, 1999, 2000])
def test_an_exact_search_finds_what_the_price_allows(bound: int) -> None:
    """Each of two blocks has two ends, of which two are in one place."""
    parse = load(BLOCKS).parse("a = b\n  c = d\n    e = f\n", exact=True, max_price=bound)
    assert (parse.price, parse.text, parse.minimal) == (1800, "a = b\nc = d\ne = f\n", True)


@pytest.mark.parametrize("count", [1, 5, 20])
def test_an_exact_search_deletes_as_many_tokens_as_the_price_allows(count: int) -> None:
    parser = load('start: "a" "b"')
    text = "a" * (count + 1) + "b"
    outcomes = [search_exactly(parser.compiled, text, Bounds(price, 10**5, 8, 8)) for price in (999, 1080 * count)]
    assert [len(outcome.repairs) > 0 for outcome in outcomes] == [False, True]
    assert outcomes[0].why == "no repair costs 999 or less"
    assert (outcomes[1].repairs[0].price, outcomes[1].why) == (1080 * count, "")


def test_less_than_a_token_buys_one_letter() -> None:
    outcome = search_exactly(load('start: "print" "x"').compiled, "prntx", Bounds(400, 10**5, 8, 8))
    assert [repair.price for repair in outcome.repairs] == [400]


def test_the_repairs_of_a_search_are_sorted_by_price() -> None:
    parser = load('start: "a" X | "a" "b" | "a" "c"\nX: /x/\n')
    for search in (search_exactly, search_by_chart):
        outcome = search(parser.compiled, "a", BOUNDS)
        assert [repair.price for repair in outcome.repairs] == [1000, 1000, 1060]
        assert all(sum(edit.price for edit in repair.edits) == repair.price for repair in outcome.repairs)


# ---- windows

CLOSED = 'start: "(" "a" "a" "a" ")" | "a" "a" "a" "."'


# A chart stops one token earlier than tables do: what cannot read the next token waits.
@pytest.mark.parametrize(
    ("engine", "back", "price"),
    [("lalr", 0, 1500), ("lalr", 2, 1500), ("lalr", 3, 1000), ("earley", 1, 1500), ("earley", 2, 1000)],
)
def test_tokens_before_an_error_may_be_edited(engine: Engine, back: int, price: int) -> None:
    parse = load(CLOSED, engine).parse("aaa)", exact=False, back=back)
    assert (parse.price, parse.text) == (price, {1000: "(aaa)", 1500: "aaa."}[price])


@pytest.mark.parametrize("engine", ["lalr", "earley"])
def test_tokens_after_an_error_must_follow(engine: Engine) -> None:
    parser = load('start: "x" "b" "b" "b" "c" | "y" "z" "b" "b" "b" "d"', engine)
    parses = [parser.parse("bbbd", exact=False, ahead=ahead, back=1) for ahead in (1, 3, 4, 8)]
    assert [parse.price for parse in parses] == [2500, 2500, 2000, 2000]
    assert [parse.text for parse in parses] == ["xbbbc", "xbbbc", "yzbbbd", "yzbbbd"]


# ---- several errors

ITEMS = 'start: s+\ns: "p" "n" ";" | "p" N ";"\nN: /m/\n'
FAR = "p;" + "pn;" * 8 + "p;" + "pn;" * 3
ENGINES: list[Engine] = ["lalr", "earley"]


@pytest.mark.parametrize("engine", ENGINES)
def test_repairs_of_several_errors_cost_99_more_together(engine: Engine) -> None:
    """A literal is missing twice, or a value in place of one of them; in place of both it costs 120 more."""
    outcome = search(ITEMS, engine, FAR)
    assert [repair.price for repair in outcome.repairs] == [2000, 2060, 2060] and outcome.why == ""
    places = {FAR.index("p;") + 1, FAR.rindex("p;") + 1}
    for repair in outcome.repairs:
        assert {edit.start for edit in repair.edits} == places
        assert sum(edit.price for edit in repair.edits) == repair.price


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bound", [1000, 1999])
def test_all_errors_of_a_text_share_one_price(engine: Engine, bound: int) -> None:
    """The first error is repaired; the text is closed before the second one, or in it with two tokens."""
    outcome = search(ITEMS, engine, FAR, Bounds(bound, 10**5, 8, 8))
    [repair] = outcome.repairs
    closed = 2000 if engine == "lalr" else 0
    assert (outcome.why, repair.price) == (f"no repair costs {bound} or less", 1000 + closed + 1000)
    first, *closing, last = repair.edits
    assert (first.start, first.new, first.price) == (1, "n", 1000)
    assert [edit.new for edit in closing] == (["n", ";"] if closed else [])
    assert {edit.start for edit in closing} <= {last.start}
    assert last.kind == "skip" and FAR[last.start - 1] == ("p" if closed else ";")
    assert search(ITEMS, engine, FAR, Bounds(2000, 10**5, 8, 8)).repairs[0].price == 2000


@pytest.mark.parametrize("engine", ENGINES)
def test_the_steps_of_all_charts_are_counted(engine: Engine, charts: list[Chart]) -> None:
    for price in (20_000, 1999, 999):
        charts.clear()
        outcome = search(ITEMS, engine, FAR, Bounds(price, 10**5, 8, 8))
        assert outcome.steps == sum(chart.steps for chart in charts) and len(charts) > (engine == "lalr")


def test_all_errors_of_a_text_share_the_steps(charts: list[Chart]) -> None:
    needed = search(ITEMS, "lalr", FAR).steps
    most = max(chart.steps for chart in charts)
    assert search(ITEMS, "lalr", FAR, Bounds(20_000, needed, 8, 8)).why == ""
    assert search(ITEMS, "lalr", FAR, Bounds(20_000, most + 1, 8, 8)).why == "no repair: the search reached max_steps"


def test_a_chart_has_a_window_at_each_error(charts: list[Chart]) -> None:
    search(ITEMS, "earley", FAR)
    [chart] = charts
    assert len(chart.windows) == 2
    for (start, stop), error in zip(chart.windows, (FAR.index("p;"), FAR.rindex("p;")), strict=True):
        assert start <= error < stop and stop - start <= 8 + 1 + 8 + 1


def test_a_longer_window_is_tried_where_one_does_not_lead_on(charts: list[Chart]) -> None:
    """Without the brackets nothing can follow, and the second one is farther than a window."""
    text = "x" * 12 + "]"
    outcome = search('start: "[" "x"+ "]" | "y" "!"', "earley", text, Bounds(20_000, 10**5, 1, 2))
    assert [repair.price for repair in outcome.repairs] == [1020 - 20] and outcome.why == ""


def test_a_window_is_made_longer_three_times(charts: list[Chart]) -> None:
    """No text of the terminal is known, so nothing leads on."""
    grammar = 'start: DATE "a"\nDATE: /(?=x)[0-9]{8}/\n'
    outcome = search(grammar, "earley", "a" * 99, Bounds(20_000, 10**5, 8, 2))
    assert outcome.repairs == () and outcome.why == "no repair leads further"
    assert charts[0].windows == [(0, 2), (0, 4), (0, 8), (0, 16)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ahead", [1, 2, 3, 8])
def test_a_mistake_may_be_longer_than_a_window(engine: Engine, ahead: int) -> None:
    """A window that ends inside of it has no repair for the tables."""
    mistakes = '%extend start: _m\n_m.-300: "x" "w" "y" "a" "b" "c" "z"\n'
    outcome = search('start: "x" "y" "a" "b" "c" "z"\n', engine, "xwyabcz", Bounds(20_000, 10**5, 8, ahead), mistakes)
    assert outcome.why == "" and [repair.edits for repair in outcome.repairs] == [(("mistake", 0, 7, "m", "", 300),)]


@pytest.mark.slow
def test_a_window_that_is_too_short_for_a_mistake_has_an_end(charts: list[Chart]) -> None:
    rule = '"y" ' * 40
    mistakes = f'%extend start: _m\n_m.-300: "x" "w" {rule}\n'
    outcome = search(f'start: "x" {rule}\n', "lalr", "xw" + "y" * 40, Bounds(20_000, 10**5, 8, 4), mistakes)
    assert outcome.why == "no repair was found"
    # Of 4, 8, 16 and 32 tokens; the last chart closes the text.
    assert [chart.windows[0][1] for chart in charts[:-1]] == [5, 9, 17, 33]
    charts.clear()
    outcome = search(f'start: "x" {rule}\n', "lalr", "xw" + "y" * 40, Bounds(20_000, 10**5, 8, 0), mistakes)
    assert outcome.why == "no repair was found" and len(charts) == 2


def test_a_repair_that_leads_nowhere_is_not_tried_again() -> None:
    """No token has to follow."""
    outcome = search('start: "a" "b" "c"', "lalr", "ac!", Bounds(20_000, 10**5, 0, 0))
    assert outcome.why == "no repair leads further"


def test_a_repair_that_costs_more_is_not_continued(charts: list[Chart]) -> None:
    """Two repairs of the first error are continued to the second one, and one of them to the third."""
    rule = '"b" ' * 9
    text = "b" * 18
    outcome = search(f'start: "x" {rule} "c" {rule} "g" | Y {rule} "d" "d" "d" {rule} "g"\nY: /y/\n', "lalr", text)
    assert [repair.price for repair in outcome.repairs] == [3000]
    assert len(charts) == 1 + 2 + 1


def test_a_repair_that_leads_less_far_is_not_continued(charts: list[Chart]) -> None:
    rule = '"b" ' * 9
    text = "b" * 9 + "c" + "b" * 9
    outcome = search(f'start: "x" {rule} "c" {rule} "g" | "y" {rule} "d" {rule} "g"', "lalr", text)
    assert [repair.price for repair in outcome.repairs] == [2000] and len(charts) == 1 + 1


def test_two_repairs_are_continued_at_most(charts: list[Chart]) -> None:
    rule = '"b" ' * 9
    outcome = search(f'start: ("x" | "y" | "z" | "w") {rule} "c"', "lalr", "b" * 9)
    assert [repair.price for repair in outcome.repairs] == [2000, 2000] and len(charts) == 1 + 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_line_at_the_end_may_be_deleted(engine: Engine) -> None:
    """It is longer than a window."""
    outcome = search('start: ("a" ";")+\n%ignore /[ \\n]+/\n', engine, "a;\n" + ", " * 12 + "\n")
    assert (outcome.why, outcome.repairs[0].price) == ("", 2500)
    assert [edit[:3] for edit in outcome.repairs[0].edits] == [("delete", 3, 28)]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exact_search_without_a_repair_has_a_reason(engine: Engine) -> None:
    outcome = search_exactly(load("start: DATE\nDATE: /(?=x)[0-9]{8}/", engine).compiled, "a", BOUNDS)
    assert (outcome.repairs, outcome.why) == ((), "no repair was found") and outcome.steps > 0


# ---- a text that is closed


def test_a_search_without_steps_closes_the_text() -> None:
    [repair] = search('start: "[" "]"', "earley", "[]]", Bounds(20_000, 1, 8, 8)).repairs
    assert repair.price == 3000 and repair.edits[-1] == ("skip", 0, 3, "", "", 1000)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_is_closed_in_the_cheapest_way(engine: Engine) -> None:
    outcome = search(
        'start: "a" X | "a" "b" | "a" "c" "d"\nX: /x/\n%ignore " "\n', engine, "a ! ! !", Bounds(500, 10**5, 0, 8)
    )
    [repair] = outcome.repairs
    assert outcome.why == "no repair costs 500 or less"
    assert repair.edits[-1][:3] == ("skip", repair.edits[-1].start, 7) and repair.price == 2000 + 1000 * (
        engine == "earley"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_may_be_skipped_from_its_beginning(engine: Engine) -> None:
    outcome = search('start: "[" "]"', engine, "x[]", Bounds(500, 10**5, 8, 8))
    [repair] = outcome.repairs
    assert repair.price == 3000 and repair.edits[-1] == ("skip", 0, 3, "", "", 1000)


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_closes_a_text_of_a_terminal_without_samples(engine: Engine) -> None:
    outcome = search("start: DATE\nDATE: /(?=x)[0-9]{8}/", engine, "a")
    assert outcome.repairs == () and outcome.why and outcome.steps > 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("second", "prices"), [(201, [200, 201]), (299, [200, 299]), (300, [200])])
def test_repairs_of_an_error_cost_at_most_99_more(engine: Engine, second: int, prices: list[int]) -> None:
    mistakes = f'%extend start: _one | _two\n_one.-200: "a" C\n_two.-{second}: "a" D\nC: /c/\nD: /[cd]/\n'
    outcome = search('start: "a" "b"\n', engine, "ac", BOUNDS, mistakes)
    assert [repair.price for repair in outcome.repairs] == prices


@pytest.mark.parametrize(("second", "prices"), [(299, [200, 299]), (300, [200])])
def test_beginnings_of_a_rule_cost_at_most_99_more(second: int, prices: list[int]) -> None:
    """Two rules end before the window does, which ends inside of the next one."""
    grammar = 'start: m v | k v\nm: "a" "b"\nk: "a" "d"\nv: "q"+ "."\n'
    mistakes = f'%extend m: _one\n%extend k: _two\n_one.-200: "a" C\n_two.-{second}: "a" D\nC: /c/\nD: /[cd]/\n'
    outcome = search(grammar, "lalr", "ac" + "q" * 12 + ".", Bounds(20_000, 10**5, 8, 3), mistakes)
    assert [repair.price for repair in outcome.repairs] == prices
    assert [edit.name for repair in outcome.repairs for edit in repair.edits] == ["one", "two"][: len(prices)]
